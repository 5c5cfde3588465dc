# SPDX-License-Identifier: Apache-2.0
"""The reductions of random programs in Fortran: one text for each part of their life. Called by
fortran_program.py and the files of constructs. The order of terms makes no difference to any: none
overflows, and the real numbers are whole ones below 2^53."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reduction:
    """Of a variable {x}, to which a term adds the number {v}."""

    operator: str
    declaration: str
    first: str
    term: str
    outcome: str = "{x}"  # a number, not below 0
    atomic: bool = True   # the term is a statement that `atomic` may take
    tasks: bool = True    # gfortran 12 compiles those of tasks and taskloops


INTEGER = "integer(num) :: {x}"
LOGICAL = "logical :: {x}"
TRUTH = "merge(1_num, 0_num, {x})"

REDUCTIONS = {
    "sum": Reduction("+", INTEGER, "1", "{x} = {x} + {v}"),
    "sign": Reduction("*", INTEGER, "1", "{x} = {x} * (1 - 2 * mod({v}, 2_num))", "{x} + 1"),
    "max": Reduction("max", INTEGER, "3", "{x} = max({x}, {v})"),
    "min": Reduction("min", INTEGER, "PRIME", "{x} = min({v}, {x})"),
    "iand": Reduction("iand", INTEGER, "PRIME", "{x} = iand({x}, ior({v}, ishft({v}, 7)))"),
    "ior": Reduction("ior", INTEGER, "0", "{x} = ior({x}, iand({v}, ishft({v}, -7)))"),
    "ieor": Reduction("ieor", INTEGER, "7", "{x} = ieor({x}, {v})"),
    "and": Reduction(".and.", LOGICAL, ".true.", "{x} = {x} .and. (mod({v}, 50_num) /= 0)", TRUTH),
    "or": Reduction(".or.", LOGICAL, ".false.", "{x} = {x} .or. (mod({v}, 50_num) == 0)", TRUTH),
    "eqv": Reduction(".eqv.", LOGICAL, ".true.", "{x} = {x} .eqv. (mod({v}, 2_num) == 0)", TRUTH),
    "neqv": Reduction(".neqv.", LOGICAL, ".true.", "{x} = {x} .neqv. (mod({v}, 2_num) == 0)",
                      TRUTH),
    "real": Reduction("+", "real(8) :: {x}", "5", "{x} = {x} + real({v}, 8)", "int({x}, num)"),
    "largest": Reduction("max", "real(8) :: {x}", "5", "{x} = max({x}, real({v}, 8))",
                         "int({x}, num)"),
    "complex": Reduction("+", "complex(8) :: {x}", "(1d0, 2d0)",
                         "{x} = {x} + cmplx({v}, mod({v}, 9_num), 8)", "weight({x})", False),
    "turns": Reduction("*", "complex(8) :: {x}", "(0d0, 1d0)",
                       "{x} = {x} * UNITS(mod({v}, 4_num))", "weight({x})", False),
    "array": Reduction("+", "integer(num) :: {x}(0:2)", "[1, 2, 3]",
                       "{x}(mod({v}, 3_num)) = {x}(mod({v}, 3_num)) + {v}", "weight({x})", False),
    "allocatable": Reduction("ieor", "integer(num), allocatable :: {x}(:)", "[1_num, 2_num, 3_num]",
                             "{x}(1 + mod({v}, 3_num)) = ieor({x}(1 + mod({v}, 3_num)), {v})",
                             "weight({x})", tasks=False),
    "pair": Reduction("+", "type(pair) :: {x}", "pair(5, 6)", "{x} = {x} + pair({v}, {v})",
                      "weight([{x}%total, {x}%mixed])", False, False),
    "box": Reduction("joined", "type(box) :: {x}", "box_of(5_num)",
                     "{x}%list = {x}%list + [{v}, 1_num, 2_num]", "weight({x})", False, False),
}
# Names of those that fit
ALL = tuple(REDUCTIONS)
ATOMIC = tuple(name for name, reduction in REDUCTIONS.items() if reduction.atomic)
OF_TASKS = tuple(name for name, reduction in REDUCTIONS.items() if reduction.tasks)


def clause(variable: str, operation: str, kind: str = "reduction", modifier: str = "") -> str:
    return f"{kind}({modifier}{REDUCTIONS[operation].operator} : {variable})"
