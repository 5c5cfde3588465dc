# SPDX-License-Identifier: Apache-2.0
"""The text of a random program in Fortran, and where its statements stand.

Called by generate.py and the files of Fortran's constructs beside it. What program.py says holds;
the text has other brackets, and its variables are declared before any statement of their block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fortran_reductions import ALL, REDUCTIONS
from program import CELLS, Program, Where

PRELUDE = Path(__file__).with_name("fortran_prelude.f90")
# gfortran 12 does not find a reduction with a name in the module that declares it.
JOINED = ("!$omp declare reduction(joined : box : join(omp_out, omp_in)) "
          "initializer(empty(omp_priv))")
ENDS = {"do": "end do", "if": "end if", "associate": "end associate", "select": "end select",
        "where": "end where"}


@dataclass(frozen=True)
class FortranWhere(Where):
    """`also` are statements around a {value} that may be run instead of any that adds."""

    also: tuple[str, ...] = ()
    anywhere: bool = False  # at whatever level: in a procedure that is called at several
    tasked: bool = False    # tasks may add to the first of the sums


class FortranProgram(Program):
    most_lines = 600
    false, untied = ".false.", "untied"

    # The text

    def pragma(self, *words: str) -> None:
        self.put("!$omp " + " ".join(word for word in words if word))

    @contextmanager
    def block(self, head: str = "block") -> Iterator[None]:
        self.put(head)
        yield
        self.put(ENDS.get(head.split()[0], "end block"))

    @contextmanager
    def construct(self, directive: str, *clauses: str, end: str = "") -> Iterator[None]:
        """A directive, the statements that it is for, and its end, which may have clauses. A block
        in it may be all that it has, and then needs no end; `continue` does nothing. Behind such a
        block gfortran 12 does not heed the clauses of the end."""
        strict = not end and self.dice.random() < 0.5
        self.pragma(directive, *clauses)
        self.put("block" if strict else "continue")
        yield
        if strict:
            self.put("end block")
        if strict and self.dice.random() < 0.3:
            self.put("continue")
        else:
            self.pragma("end", directive, end)

    @contextmanager
    def loop(self, directive: str, *clauses: str, head: str, end: str = "") -> Iterator[None]:
        self.pragma(directive, *clauses)
        with self.block(head):
            yield
        if end or self.dice.random() < 0.6:
            self.pragma("end", directive, end)

    @contextmanager
    def function(self, head: str) -> Iterator[None]:
        outer, self.lines = self.lines, [f"recursive subroutine {head}"]
        self.inner += 1
        yield
        self.inner -= 1
        self.functions += ["", *self.lines, "end subroutine"]
        self.lines = outer

    def declare(self, where: Where, declaration: str, first: str = "") -> None:
        """Declares a variable in front of the innermost region, and gives it a first value."""
        self.lines.insert(where.region.begins_at, declaration)
        where.region.begins_at += 1
        if first:
            self.lines.insert(where.region.begins_at, first)

    @contextmanager
    def declared(self, where: Where, in_front: bool, *declarations: str) -> Iterator[None]:
        """Statements with variables, which are declared in front of the innermost region or in a
        block around the statements."""
        if in_front:
            for declaration in declarations:
                self.declare(where, declaration)
            yield
            return
        with self.block():
            self.lines += declarations
            yield

    def text(self) -> str:
        lines = ["module sizes", f"integer, parameter :: CELLS_END = {CELLS - 1}", "end module",
                 *PRELUDE.read_text().splitlines(), "", "module work", "use prelude",
                 "implicit none", JOINED, "contains", *self.functions, "",
                 "recursive subroutine whole()", *self.lines, "end subroutine", "end module", "",
                 "program random", "use work", "call begin()", "call whole()", "call tell()",
                 "end program", ""]
        return "\n".join(line.replace("__LINE__", str(number))
                         for number, line in enumerate(lines, 1))

    # Choices

    def value(self, where: Where) -> str:
        terms = [f"{self.dice.randrange(1, 9)} * int({value}, num)" for value in where.values]
        return f"mix({' + '.join([*terms, str(self.dice.randrange(10**6)) + '_num'])})"

    def condition(self, where: Where) -> str:
        return f"mod({self.value(where)}, {self.dice.choice((2, 3, 5))}_num) /= 0"

    # Statements

    def look(self, where: FortranWhere) -> None:
        if not where.in_target and not where.anywhere:
            self.put(f"call at_level({where.level}, __LINE__)")

    def check(self, wrong: str) -> None:
        self.put(f"if ({wrong}) call fail(__LINE__)")

    def adding(self, where: Where, value: str, cell: int | None = None) -> str:
        cell = self.dice.randrange(CELLS) if cell is None else cell
        return f"call {'lose' if where.lost else 'add'}({cell}, {value})"

    def add(self, where: FortranWhere) -> None:
        if where.also and not where.in_target and not where.lost and self.dice.random() < 0.3:
            for line in self.dice.choice(where.also).splitlines():
                self.put(line.format(value=self.value(where)))
        elif where.sums and self.dice.random() < 0.6:
            self.combine(where, *self.dice.choice(where.sums))
        else:
            self.put(self.adding(where, self.value(where)))

    # Reductions

    def new_sum(self, operations: tuple[str, ...] = ALL) -> tuple[str, str]:
        """A variable that statements add to, and its operation, one of those."""
        return self.name("r"), self.dice.choice(operations)

    def put_sum(self, variable: str, operation: str) -> None:
        """Its declaration and its first value; what is declared beside it comes before that."""
        reduction = REDUCTIONS[operation]
        self.put(reduction.declaration.format(x=variable))
        self.put(f"{variable} = {reduction.first}")

    def share_sum(self, where: Where, operations: tuple[str, ...] = ALL) -> tuple[str, str]:
        """Such a variable in front of the innermost region."""
        variable, operation = self.new_sum(operations)
        reduction = REDUCTIONS[operation]
        self.declare(where, reduction.declaration.format(x=variable),
                     f"{variable} = {reduction.first}")
        where.region.after.append(self.adding(where, self.outcome(variable, operation)))
        return variable, operation

    def combine(self, where: Where, variable: str, operation: str) -> None:
        self.put(REDUCTIONS[operation].term.format(x=variable, v=self.value(where)))

    def outcome(self, variable: str, operation: str) -> str:
        return REDUCTIONS[operation].outcome.format(x=variable)
