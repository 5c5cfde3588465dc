# SPDX-License-Identifier: Apache-2.0
"""Variables of all types that OpenMP copies: each is made of a number, and weighed. Called by the
files of Fortran's constructs."""

from __future__ import annotations

from dataclasses import dataclass

from fortran_program import FortranProgram, FortranWhere

# The declaration, and what makes a value of the number {v}
KINDS = {
    "number": ("integer(num) :: {x}", "{v}"),
    "allocatable number": ("integer(num), allocatable :: {x}", "{v}"),
    "array": ("integer(num) :: {x}(3)", "list_of({v})"),
    "allocatable": ("integer(num), allocatable :: {x}(:)", "list_of({v})"),
    "box": ("type(box) :: {x}", "box_of({v})"),
    "allocatable box": ("type(box), allocatable :: {x}", "box_of({v})"),
    "text": ("character(8) :: {x}", "text_of({v})"),
    "complex": ("complex(8) :: {x}", "complex_of({v})"),
}
# gfortran 12 gives a task a pointer to these instead of a copy.
SCALAR_ALLOCATABLES = ("allocatable number", "allocatable box")
BOXES = ("box", "allocatable box")  # gfortran 12 does not map them


@dataclass(frozen=True)
class Copy:
    name: str
    kind: str

    @property
    def declaration(self) -> str:
        return KINDS[self.kind][0].format(x=self.name)

    def clause(self, p: FortranProgram, where: FortranWhere, sharing: str) -> str:
        """`firstprivate` or another one of a region, and perhaps one more that says where the
        copies lie. gfortran 12 does not compile that one for all types, nor without an allocator,
        inside a target region, or for all tasks."""
        allocator = p.maybe(0.4, "omp_default_mem_alloc", "omp_low_lat_mem_alloc")
        if not allocator or where.in_target or self.kind not in ("number", "array", "text", "box"):
            return f"{sharing}({self.name})"
        return f"{sharing}({self.name}) allocate({allocator} : {self.name})"

    @property
    def weight(self) -> str:
        return f"weight({self.name})"

    def made(self, value: str) -> str:
        return KINDS[self.kind][1].format(v=value)

    def first(self, value: str) -> str:
        return f"{self.name} = {self.made(value)}"

    def differs(self, value: str) -> str:
        """The condition that it is not made of that number."""
        return f"{self.weight} /= weight({self.made(value)})"


def new_copy(p: FortranProgram, *without: str) -> Copy:
    return Copy(p.name("c"), p.dice.choice([kind for kind in KINDS if kind not in without]))
