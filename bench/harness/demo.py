# SPDX-License-Identifier: Apache-2.0
"""The presentation behind `make demo`: the same binaries on libgomp and on the contender."""
from __future__ import annotations

from typing import Sequence

from .cases import Case
from .contenders import BASE
from .report import bold, compare, print_failures, seconds_text, speed_up_text, tinted
from .summary import Summary

NOISE = 1.05  # a ratio nearer to 1 than this says nothing

ANSWERS = {
    "uts": "tree {tree}: {answer:,} nodes, as known",
    "fib": "fib({n}) = {answer:,}",
    "nqueens": "{answer:,} solutions for {n} queens",
}


def _threads(count: int) -> str:
    return f"{count} thread" if count == 1 else f"{count} threads"


def _answer(summary: Summary, case: Case, names: Sequence[str], teams: Sequence[int]) -> str:
    results = [r for n in names for t in teams for r in summary.cell(case, n, t).results]
    if len({r["answer"] for r in results}) != 1:
        return "no common answer"
    return ANSWERS.get(case.program, "answer {answer:,}").format(**results[0])


def _print_case(summary: Summary, case: Case, ours: str, teams: Sequence[int]) -> None:
    serial = summary.serial_seconds(case)
    print(f"\n  {bold(case.title)}")
    print(f"    {_answer(summary, case, (BASE, ours), teams)}; without OpenMP "
          f"{seconds_text(serial) if serial else 'not timed'}")
    for threads in teams:
        row = f"    {_threads(threads):<10}"
        both = {name: summary.cell(case, name, threads) for name in (BASE, ours)}
        for name, cell in both.items():
            if not cell.good:
                row += f"   {name}: {cell.failure or 'not run'}"
                continue
            speed = f"({speed_up_text(serial, cell.seconds)} serial)" if serial else ""
            row += f"   {name} {seconds_text(cell.seconds):>9} {speed:<17}"
        if all(cell.good for cell in both.values()):
            row += tinted(compare(both[ours].seconds, both[BASE].seconds), 13)
        print(row)


def _ratios(summary: Summary, cases: Sequence[Case], ours: str,
            threads: int) -> dict[str, float]:
    """By case: how many times faster than libgomp."""
    ratios = {}
    for case in cases:
        base, own = (summary.cell(case, name, threads) for name in (BASE, ours))
        if base.good and own.good:
            ratios[case.name] = base.seconds / own.seconds
    return ratios


def _slower(summary: Summary, cases: Sequence[Case], ours: str, teams: Sequence[int]) -> list[str]:
    return [f"{name} with {_threads(threads)} ({1 / ratio:.2f}x)"
            for threads in teams
            for name, ratio in _ratios(summary, cases, ours, threads).items() if ratio < 1 / NOISE]


def _closing_line(summary: Summary, cases: Sequence[Case], ours: str, threads: int) -> str:
    ratios = _ratios(summary, cases, ours, threads)
    unfinished = len(cases) - len(ratios)
    missing = f"; {unfinished} could not be compared" if unfinished else ""
    if not ratios:
        return f"{ours} could be compared on none of {len(cases)} programs."
    ahead = sum(1 for r in ratios.values() if r > NOISE)
    return (f"With {_threads(threads)} {ours} beats libgomp on {ahead} of {len(cases)} programs, "
            f"at {min(ratios.values()):.2f} to {max(ratios.values()):.2f} times its speed; "
            f"every answer was checked{missing}.")


def print_demo(summary: Summary, cases: Sequence[Case], ours: str, teams: Sequence[int],
               machine: str) -> None:
    rounds = max((r.round for r in summary.runs), default=0)
    print(f"\n{bold(f'The same gcc -fopenmp binaries, on libgomp and on {ours}')}")
    print(f"  {machine}; medians over {rounds} alternating round{'s' * (rounds > 1)}")
    for case in cases:
        _print_case(summary, case, ours, teams)
    slower = _slower(summary, cases, ours, teams)
    print("\n  Slower than libgomp:" + ("" if slower else " none of these"))
    for line in slower:
        print(f"    {line}")
    print_failures(summary)
    print(f"\n  {bold(_closing_line(summary, cases, ours, max(teams)))}")
