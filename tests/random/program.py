# SPDX-License-Identifier: Apache-2.0
"""The text of a random program in C or C++, and where its statements stand.

Called by generate.py and the files of constructs beside it. One object a program, one thread.
Everything follows from the seed. A program's answer does not depend on OpenMP: without -fopenmp
the same source computes, one statement after the other, what it has to be.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

PRELUDE = Path(__file__).with_name("prelude.h")
CELLS = 10


@dataclass
class Region:
    """A parallel region whose text is being made: where its shared variables are declared, and what
    is done with them after it."""

    begins_at: int
    runs: int  # how many combinations of values it is run for, at most
    cancelled: bool = False  # by its threads, so these may leave before its end
    after: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Where:
    """Where a statement stands: `once` is run by one thread for each combination of `values`, in
    `team` by each thread of the innermost team."""

    values: tuple[str, ...] = ()      # expressions that tell the runs of the statement apart
    runs: int = 1                     # how many these are, at most
    level: int = 0                    # of parallel regions around it
    depth: int = 0                    # of statements around it
    sums: tuple[tuple[str, str], ...] = ()  # (variable, operation) that it may add to
    region: Region | None = None      # whose text this is; None in a function
    in_target: bool = False           # it is executed for a device
    in_untied: bool = False           # task
    lost: bool = False                # it may be cancelled, so the answer cannot depend on it

    @property
    def may_fork(self) -> bool:
        """Another region here would neither be too deep nor begin too often."""
        return self.level <= 2 and self.runs <= 120

    def inside(self, value: str = "", times: int = 1, **changes) -> Where:
        values = self.values + ((value,) if value else ())
        return replace(self, values=values, runs=self.runs * times, depth=self.depth + 1, **changes)


Statement = Callable[["Program", Where], None]


class Program:
    """Collects the lines of one program; `most_runs` bounds how often a statement is run."""

    most_runs = 1500
    most_lines = 420
    false, untied = "0", "UNTIED"  # as clauses have it

    def __init__(self, seed: int, once: list[tuple[int, Statement]],
                 team: list[tuple[int, Statement]]):
        self.dice = random.Random(seed)
        self.once_statements, self.team_statements = once, team
        self.functions: list[str] = []
        self.lines: list[str] = []
        self.names = 0
        self.inner = 0  # of functions

    # The text

    def put(self, line: str) -> None:
        self.lines.append(line)

    def pragma(self, *words: str) -> None:
        self.put("#pragma omp " + " ".join(word for word in words if word))

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        self.put(f"{head} {{".lstrip())
        yield
        self.put("}")

    @contextmanager
    def function(self, head: str) -> Iterator[None]:
        """What is put meanwhile goes into a function in front of all that use it."""
        outer, self.lines = self.lines, [f"static void {head} {{"]
        self.inner += 1
        yield
        self.inner -= 1
        self.functions += ["", *self.lines, "}"]
        self.lines = outer

    def name(self, kind: str) -> str:
        self.names += 1
        return f"{kind}{self.names}"

    def share(self, where: Where, declaration: str, afterwards: str) -> None:
        """Declares a variable in front of the innermost region, and uses it after that."""
        self.lines.insert(where.region.begins_at, declaration)
        where.region.after.append(afterwards)

    def text(self) -> str:
        return "\n".join([f"enum {{ CELLS = {CELLS} }};", PRELUDE.read_text(), *self.functions, "",
                          "static void whole(void) {", *self.lines, "}", ""])

    # Choices

    def maybe(self, share: float, *choices: str) -> str:
        return self.dice.choice(choices) if self.dice.random() < share else ""

    def pick(self, table: list[tuple[int, Callable]]) -> Callable:
        """A function of the table, by its weight."""
        weights, functions = zip(*table)
        return self.dice.choices(functions, weights)[0]

    def value(self, where: Where) -> str:
        terms = [f"{self.dice.randrange(1, 9)} * (num)({value})" for value in where.values]
        return f"mix({' + '.join([*terms, str(self.dice.randrange(10**6))])})"

    def condition(self, where: Where) -> str:
        """True for some of the runs."""
        return f"{self.value(where)} % {self.dice.choice((2, 3, 5))} != 0"

    def trips(self, where: Where, most: int = 33) -> int:
        room = max(1, min(most, self.most_runs // max(where.runs, 1)))
        return self.dice.choice([n for n in (0, 1, 2, 3, 4, 7, 12, 20, 33) if n <= room])

    # Statements

    def look(self, where: Where) -> None:
        if not where.in_target:  # gcc's begin with an initial task; clang's are no regions at all
            self.put(f"at_level({where.level}, __LINE__);")

    def adding(self, where: Where, value: str, cell: int | None = None) -> str:
        """The statement that adds to the answer, or to what may be lost."""
        cell = self.dice.randrange(CELLS) if cell is None else cell
        return f"{'lose' if where.lost else 'add'}({cell}, {value});"

    def add(self, where: Where) -> None:
        if where.sums and self.dice.random() < 0.6:
            variable, operation = self.dice.choice(where.sums)
            self.put(combine(variable, operation, self.value(where)))
        else:
            self.put(self.adding(where, self.value(where)))

    def some(self, where: Where, table: list[tuple[int, Statement]], most: int) -> None:
        for _ in range(self.dice.randrange(1, most + 1)):
            full = len(self.lines) + len(self.functions) > self.most_lines
            if where.depth > 7 or where.runs > self.most_runs or full:
                if table is self.once_statements:
                    self.add(where)
                return
            self.pick(table)(self, where)

    def once(self, where: Where, most: int = 3) -> None:
        """Some statements that one thread runs."""
        self.some(where, self.once_statements, most)

    def team(self, where: Where, most: int = 4) -> None:
        """Some statements that each thread of a team runs."""
        self.some(where, self.team_statements, most)


# Reductions: the declaration with its first value, the clause, and a term

OPERATIONS = ("+", "^", "*", "max", "min", "|", "&", "array", "merge")


def declaration(variable: str, operation: str) -> str:
    if operation == "array":
        return f"unsigned {variable}[3] = {{1, 2, 3}};"
    if operation == "merge":
        return f"pair {variable} = {{5, 6}};"
    first = {"*": "1", "min": "~0ul", "&": "~0ul"}.get(operation, "0")
    return f"num {variable} = {first};"


def reduction(variable: str, operation: str, kind: str = "reduction") -> str:
    if operation == "array":
        return f"{kind}(+ : {variable}[:3])"
    return f"{kind}({operation} : {variable})"


def combine(variable: str, operation: str, value: str) -> str:
    if operation == "array":
        return f"{variable}[{value} % 3] += {value};"
    if operation == "merge":
        return f"{variable}.sum += {value}, {variable}.mixed ^= {value};"
    if operation in ("max", "min"):
        sign = "<" if operation == "max" else ">"
        return f"{variable} = {variable} {sign} {value} ? {value} : {variable};"
    if operation == "*":
        return f"{variable} *= {value} | 1;"
    if operation == "&":
        return f"{variable} &= {value} | {value} << 7;"
    return f"{variable} {operation}= {value};"


def outcome(variable: str, operation: str) -> str:
    return {"array": f"mix({variable}[0] + 3 * {variable}[1] + 5 * {variable}[2])",
            "merge": f"mix({variable}.sum + 3 * {variable}.mixed)"}.get(operation, variable)
