# SPDX-License-Identifier: Apache-2.0
"""Prints the tables: one per case, wide ones for overheads and patterns, the failures in full."""
from __future__ import annotations

import os
import sys
from statistics import median
from typing import Sequence

from .cases import Case
from .contenders import Contender
from .summary import Cell, Summary


def _coloured() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def paint(text: str, code: str) -> str:
    return f"\033[{code}m{text}\033[0m" if _coloured() and code else text


def bold(text: str) -> str:
    return paint(text, "1")


def compare(seconds: float, base: float) -> str:
    """How a time relates to another; within five per cent they are called equal."""
    if seconds <= 0 or base <= 0:
        return "?"
    ratio = base / seconds
    if 0.95 < ratio < 1.0 / 0.95:
        return "equal"
    return f"{_times(ratio)} faster" if ratio > 1 else f"{_times(1 / ratio)} slower"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 20 else f"{ratio:.1f}x" if ratio >= 2 else f"{ratio:.2f}x"


def tinted(comparison: str, width: int) -> str:
    """Right-aligned and coloured: padding first, as escape codes have no width."""
    code = "32" if comparison.endswith("faster") else "31" if comparison.endswith("slower") else ""
    return paint(comparison.rjust(width), code)


def seconds_text(seconds: float) -> str:
    """Below zero it is what is left of a difference."""
    size = abs(seconds)
    if size >= 0.1:
        return f"{seconds:.3f} s"
    if size >= 1e-3:
        return f"{1e3 * seconds:.2f} ms"
    return f"{1e6 * seconds:.1f} us" if size >= 1e-6 else f"{1e9 * seconds:.1f} ns"


def speed_up_text(serial: float, seconds: float) -> str:
    """Two digits after the point, or two significant ones where that would say nothing."""
    ratio = serial / seconds
    return f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.2g}x"


def _columns(cells: Cell, case: Case, serial: float | None) -> list[str]:
    speed_up = speed_up_text(serial, cells.seconds) if serial else ""
    metric = ""
    if case.metric is not None:
        metric = f"{case.metric.scale * cells.typical(case.metric.key):.2f} {case.metric.unit}"
    return [seconds_text(cells.seconds), seconds_text(cells.least_seconds), speed_up, metric]


def print_case(summary: Summary, case: Case, contenders: Sequence[Contender],
               teams: Sequence[int], bases: Sequence[str]) -> None:
    """One case: a row per team size and contender; `bases` are compared against."""
    builds = list(dict.fromkeys(c.build for c in contenders))
    serials = {b: summary.serial_seconds(case, b) for b in builds}
    told = [f"{seconds_text(s)}{f' by {b}' if len(builds) > 1 else ''}"
            for b, s in serials.items() if s]
    serial_text = f", serial program {', '.join(told)}" if told else ""
    print(f"\n{bold(case.name)}: {case.title}{serial_text}")
    heads = ["median", "least", "speed-up", "rate or size" if case.metric else ""]
    versus = "".join(f"{'vs ' + b:>15}" for b in bases)
    print(f"  {'threads':>7}  {'runtime':<12}{heads[0]:>11}{heads[1]:>11}{heads[2]:>10}"
          f"{heads[3]:>20}{versus}".rstrip())
    for threads in teams:
        for contender in contenders:
            name, serial = contender.name, serials[contender.build]
            cell = summary.cell(case, name, threads)
            left = f"  {threads:>7}  {name:<12}"
            if not cell.good:
                print(left + paint(f"  {cell.failure or 'not run'}", "31"))
                continue
            texts = _columns(cell, case, serial)
            row = left + f"{texts[0]:>11}{texts[1]:>11}{texts[2]:>10}{texts[3]:>20}"
            for base in bases:
                other = summary.cell(case, base, threads)
                ratio = compare(cell.seconds, other.seconds) if other.good and base != name else ""
                row += tinted(ratio, 15)
            print(row.rstrip())


def print_overheads(summary: Summary, case: Case, contenders: Sequence[str],
                    teams: Sequence[int]) -> None:
    """Constructs or patterns down, runtimes and team sizes across: medians of microseconds, and of
    a thread's nanoseconds for a chunk of a loop."""
    cells = {(t, c): summary.cell(case, c, t) for t in teams for c in contenders}
    good = {f"{c} x{t}": cell for (t, c), cell in cells.items() if cell.good}
    print(f"\n{bold(case.name)}: {case.title}, microseconds")
    if good and case.program == "patterns":
        _print_rows(good, "pattern", "pattern_us")
    elif good:
        _print_rows(good, "construct", "overhead_us")
    if any(cell.results[0].get("ns_per_chunk") for cell in good.values()):
        print("  nanoseconds that a thread takes for a chunk")
        _print_rows(good, "schedule", "ns_per_chunk")
    for (threads, name), cell in cells.items():
        if not cell.good:
            print(paint(f"  {name} x{threads}: {cell.failure or 'not run'}", "31"))


def _print_rows(cells: dict[str, Cell], what: str, key: str) -> None:
    width = max([14, *(len(head) + 2 for head in cells)])
    print(f"  {what:<22}" + "".join(f"{head:>{width}}" for head in cells))
    rows: list[str] = []
    for cell in cells.values():
        rows += [name for name in cell.results[0][key] if name not in rows]
    for row in rows:
        values = [median(float(r[key][row]) for r in cell.results) for cell in cells.values()]
        print(f"  {row:<22}" + "".join(f"{value:>{width}.3f}" for value in values))


def print_failures(summary: Summary) -> None:
    failures = summary.failures()
    if failures:
        print(f"\n{paint(f'{len(failures)} failed:', '31')}")
    for run in failures:
        print(f"  {run.case}, {run.contender} x{run.threads}: {run.failure}")
