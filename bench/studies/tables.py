# SPDX-License-Identifier: Apache-2.0
"""Tables of a study: points down, contenders and team sizes across; bars for a sweep."""
from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any, Callable, Sequence

from harness.cases import Case
from harness.measure import Plan
from harness.report import bold, paint
from harness.summary import Cell, Summary

BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Quantity:
    """A number that a study looks at: the median over the runs of what `of` makes of a result."""

    title: str
    of: Callable[[dict[str, Any]], float]
    text: Callable[[float], str] = "{:.2f}".format

    def value(self, cell: Cell) -> float | None:
        return median(self.of(r) for r in cell.results) if cell.good else None


@dataclass(frozen=True)
class Table:
    quantity: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]

    def record(self) -> dict[str, Any]:
        return {"quantity": self.quantity, "rows": self.rows, "columns": self.columns,
                "values": self.values}


def tabulate(quantity: Quantity, points: Sequence[tuple[str, Case]], plan: Plan,
             summary: Summary) -> Table:
    """Columns without any value are left out."""
    columns = [(c.name, t) for t in plan.teams for c in plan.contenders]
    values = [[quantity.value(summary.cell(case, name, threads)) for name, threads in columns]
              for _, case in points]
    kept = [i for i in range(len(columns)) if any(row[i] is not None for row in values)]
    return Table(quantity.title, [label for label, _ in points],
                 [f"{columns[i][0]} x{columns[i][1]}" for i in kept],
                 [[row[i] for i in kept] for row in values])


def print_table(table: Table, text: Callable[[float], str]) -> None:
    print(f"\n  {bold(table.quantity)}")
    cells = [[text(v) if v is not None else "-" for v in row] for row in table.values]
    left = max(len(r) for r in table.rows) + 2
    widths = [max(len(head), *(len(row[i]) for row in cells)) + 2
              for i, head in enumerate(table.columns)]
    print(" " * (left + 2) + "".join(f"{h:>{w}}" for h, w in zip(table.columns, widths)))
    for label, row in zip(table.rows, cells):
        print(f"  {label:<{left}}" + "".join(f"{c:>{w}}" for c, w in zip(row, widths)))


def print_bars(table: Table) -> None:
    """A bar for each point of the sweep, by column, from 0 to the table's greatest value."""
    most = max((v for row in table.values for v in row if v is not None), default=0.0)
    if most <= 0:
        return
    width = max(len(c) for c in table.columns)
    print(f"  from {table.rows[0]} to {table.rows[-1]}:")
    for i, column in enumerate(table.columns):
        values = [row[i] for row in table.values]
        bars = "".join(" " if v is None else BARS[int(max(v, 0.0) / most * (len(BARS) - 1) + 0.5)]
                       for v in values)
        print(f"    {column:<{width}}  {bars}")


def print_failures(points: Sequence[tuple[str, Case]], summary: Summary) -> None:
    labels = {case.name: label for label, case in points}
    for run in summary.failures():
        print(paint(f"  {labels[run.case]}, {run.contender} x{run.threads}: {run.failure}", "31"))
