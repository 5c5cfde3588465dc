# SPDX-License-Identifier: Apache-2.0
"""The results of `heddle bench` as rows, for the terminal and for the page."""
from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any, Optional

from .benchmarks import Harness


@dataclass(frozen=True)
class Row:
    """One runtime in one case with one team size; or one construct of the overheads."""

    threads: int
    runtime: str
    what: str  # the construct, "" elsewhere
    seconds: Optional[float]  # the median
    least: Optional[float]
    ratio: Optional[float]  # libgomp's median over this one: above 1 is faster
    failure: str = ""


@dataclass(frozen=True)
class Case:
    """What is told of one benchmark."""

    name: str
    title: str
    serial: Optional[float]  # seconds of the program without OpenMP, where it was timed
    rows: tuple[Row, ...]


def tables(harness: Harness, plan: Any, runs: list[Any]) -> list[Case]:
    """Every case of the plan."""
    summary = harness.summary.Summary(runs)
    return [_case(harness, summary, case, plan) for case in plan.cases]


def _case(harness: Harness, summary: Any, case: Any, plan: Any) -> Case:
    rows: list[Row] = []
    for threads in (team for team in plan.teams if team >= case.least_threads):
        cells = {one.name: summary.cell(case, one.name, threads) for one in plan.line_up(case)}
        base = cells.get(harness.contenders.BASE)
        for name, cell in cells.items():
            if not cell.good:
                rows.append(Row(threads, name, "", None, None, None, cell.failure or "not run"))
            elif case.program == "overheads":
                rows += _constructs(threads, name, cell, base)
            else:
                ratio = base.seconds / cell.seconds if base and base.good and cell.seconds else None
                rows.append(Row(threads, name, "", cell.seconds, cell.least_seconds, ratio))
    return Case(case.name, case.title, summary.serial_seconds(case), tuple(rows))


def _constructs(threads: int, name: str, cell: Any, base: Any) -> list[Row]:
    """What each construct costs; differences of times, so some may be no more than noise."""
    def seconds(of: Any, construct: str) -> list[float]:
        return [float(result["overhead_us"][construct]) * 1e-6 for result in of.results
                if construct in result["overhead_us"]]

    rows = []
    for construct in cell.results[0]["overhead_us"]:
        own = seconds(cell, construct)
        other = seconds(base, construct) if base and base.good else []
        typical = median(own)
        ratio = median(other) / typical if other and typical > 0 and median(other) > 0 else None
        rows.append(Row(threads, name, construct, typical, min(own), ratio))
    return rows
