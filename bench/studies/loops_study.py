#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every schedule and chunk size on loops whose iterations are not equal, and what adaptive
makes of them without tuning: after Durand et al., "An Efficient OpenMP Loop Scheduler for Irregular
Applications on Large-Scale NUMA Machines" (2013).

Usage: bench/studies/loops_study.py [loop]... [--contender NAME=LIBPATH]... [--clang NAME]...
       [--threads 2] [--runs N] [--chunks 1,8,64] [--final-runs N] [--quick]
"""
from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import programs, session  # noqa: E402
from harness.cases import LOOPS, Case, schedule  # noqa: E402
from harness.measure import Plan, Run, measure  # noqa: E402
from harness.report import bold, seconds_text  # noqa: E402
from harness.summary import Summary  # noqa: E402
from tables import Quantity, print_failures, print_table, tabulate  # noqa: E402

SECONDS = Quantity("seconds of a loop", lambda r: r["seconds"], seconds_text)
ADAPTIVE, STATIC = "adaptive", "static"  # the first one against all others; the second always
CHUNKS = (1, 8, 64, 512, 4096)
FINALISTS = 2  # of each contender and team size


@dataclass(frozen=True)
class Loop:
    title: str
    program: str
    iterations: int
    arguments: tuple[str, ...]


def _irregular(loop: str, title: str, iterations: int, turns: int) -> Loop:
    return Loop(f"{title}, {iterations:,} of {turns:,} turns on average", "irregular", iterations,
                ("--loop", loop, "--n", str(iterations), "--turns", str(turns)))


def loops(quick: bool) -> dict[str, Loop]:
    """Quick ones check that all of it works."""
    if quick:
        return {"triangular": _irregular("triangular", LOOPS["triangular"], 3000, 20),
                "stream": Loop("STREAM", "stream", 20000,
                               ("--n", "20000", "--repetitions", "2", "--no-reference"))}
    found = {name: _irregular(name, title, 100000, 200) for name, title in LOOPS.items()}
    for name in ("regular", "triangular", "power"):
        found[f"{name}-fine"] = _irregular(name, LOOPS[name], 1000000, 10)
        found[f"{name}-coarse"] = _irregular(name, LOOPS[name], 1000, 20000)
    return found | {
        "kmeans": Loop("K-Means, 100,000 points", "kmeans", 100000, ("--n", "100000")),
        "pma": Loop("Particles in a Packed Memory Array", "pma", 32768, ("--no-reference",)),
        "stream": Loop("STREAM, the four kernels", "stream", 8388608, ("--no-reference",)),
    }


def schedules(loop: Loop, chunks: Sequence[int]) -> list[str]:
    chunked = [f"{kind},{chunk}" for kind in (STATIC, "dynamic", "guided") for chunk in chunks
               if chunk < loop.iterations]
    return [STATIC, *chunked, ADAPTIVE]


def points_of(name: str, loop: Loop, chunks: Sequence[int]) -> list[tuple[str, Case]]:
    return [(text, Case(f"{name} {text}", loop.program, loop.title, loop.arguments, loop.arguments,
                        environment=schedule(text))) for text in schedules(loop, chunks)]


@dataclass(frozen=True)
class Verdict:
    """The best hand-tuned schedule of a contender and a team, and what adaptive takes."""

    column: str
    best: str
    seconds: float
    adaptive: float | None
    static: float

    def adaptive_to(self, seconds: float) -> float | None:
        return None if self.adaptive is None else self.adaptive / seconds

    def record(self) -> dict[str, Any]:
        return {"column": self.column, "best": self.best, "best_seconds": self.seconds,
                "static_seconds": self.static, "adaptive_seconds": self.adaptive,
                "adaptive_to_best": self.adaptive_to(self.seconds),
                "adaptive_to_static": self.adaptive_to(self.static)}


def _times(points: Sequence[tuple[str, Case]], summary: Summary, contender: str,
           threads: int) -> dict[str, float]:
    """By schedule, the fastest first."""
    cells = {text: summary.cell(case, contender, threads) for text, case in points}
    found = {text: cell.seconds for text, cell in cells.items() if cell.good}
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def verdicts(points: Sequence[tuple[str, Case]], plan: Plan, runs: Sequence[Run]) -> list[Verdict]:
    summary, found = Summary(runs), []
    for threads in plan.teams:
        for contender in plan.contenders:
            times = _times(points, summary, contender.name, threads)
            tuned = [text for text in times if text != ADAPTIVE]
            if tuned and STATIC in times:
                found.append(Verdict(f"{contender.name} x{threads}", tuned[0], times[tuned[0]],
                                     times.get(ADAPTIVE), times[STATIC]))
    return found


def finalists(points: Sequence[tuple[str, Case]], plan: Plan,
              runs: Sequence[Run]) -> list[tuple[str, Case]]:
    """Static, adaptive, and the best of each contender: what is worth more runs."""
    summary, chosen = Summary(runs), {STATIC, ADAPTIVE}
    for threads in plan.teams:
        for contender in plan.contenders:
            times = _times(points, summary, contender.name, threads)
            chosen |= set([text for text in times if text != ADAPTIVE][:FINALISTS])
    return [(text, case) for text, case in points if text in chosen]


def print_verdicts(found: Sequence[Verdict], runs: Sequence[Run]) -> None:
    width = max([len(v.column) for v in found] + [7]) + 2
    print(f"\n  {'':<{width}}{'best by hand':>18}{'':>11}{'static':>11}{'adaptive':>11}"
          f"{'to best':>10}{'to static':>11}")
    for verdict in found:
        row = (f"  {verdict.column:<{width}}{verdict.best:>18}{seconds_text(verdict.seconds):>11}"
               f"{seconds_text(verdict.static):>11}")
        if verdict.adaptive is not None:
            row += (f"{seconds_text(verdict.adaptive):>11}"
                    f"{verdict.adaptive / verdict.seconds:>10.3f}"
                    f"{verdict.adaptive / verdict.static:>11.3f}")
        print(row)
    for told in sorted({f"{r.contender} x{r.threads}: {r.lacks}" for r in runs if r.lacks}):
        print(f"  {told}")


def chunk_sizes(text: str) -> list[int]:
    return sorted({session.positive(part) for part in text.split(",")})


def parse(arguments: Sequence[str] | None, known: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/studies/loops_study.py",
        description=f"Schedules and chunk sizes on irregular loops: {' '.join(known)}")
    parser.add_argument("names", nargs="*", metavar="loop", help="which loops (all)")
    session.add_options(parser)
    parser.add_argument("--chunks", type=chunk_sizes, metavar="N,N",
                        help="chunk sizes of static, dynamic and guided (1,8,64,512,4096)")
    parser.add_argument("--final-runs", type=session.positive, metavar="N",
                        help="rounds of the best ones, static and adaptive (as --runs)")
    parser.add_argument("--quick", action="store_true",
                        help="small loops, few chunk sizes: for checking rather than timing")
    parser.add_argument("--timeout", type=float, metavar="S", default=120.0,
                        help="limit of one run (120)")
    return parser.parse_args(arguments)


def make_plan(options: argparse.Namespace, points: Sequence[tuple[str, Case]]) -> Plan:
    chosen = [case for _, case in points]
    return Plan(
        cases=chosen, contenders=session.line_up(options, chosen),
        teams=options.threads or [session.cpus()],
        runs=options.runs or (1 if options.quick else 5), warm_up=not options.quick,
        quick=options.quick, timeout=options.timeout, seed=session.seed(options))


def study(points: Sequence[tuple[str, Case]], plan: Plan, final_runs: int,
          binaries: dict[tuple[str, str], Path]) -> dict[str, Any]:
    """All schedules; then the best ones again, for the least of many medians is too good."""
    runs: list[Run] = []
    measure(plan, binaries, runs)
    table = tabulate(SECONDS, points, plan, Summary(runs))
    if table.columns:
        print_table(table, SECONDS.text)
    again = finalists(points, plan, runs)
    final: list[Run] = []
    measure(replace(plan, cases=[case for _, case in again], runs=final_runs), binaries, final)
    found = verdicts(again, plan, final)
    print_verdicts(found, final)
    print_failures(points, Summary([*runs, *final]))
    return {"tables": [table.record()], "finals": [v.record() for v in found],
            "runs": [r.record() for r in runs], "final_runs": [r.record() for r in final]}


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments, list(loops(quick=False)))
    load = os.getloadavg()[0]
    kept: dict[str, Any] = {}
    try:
        known = loops(options.quick)
        unknown = [name for name in options.names if name not in known]
        if unknown:
            raise ValueError(f"no loop is called '{unknown[0]}'; there are {' '.join(known)}")
        chunks = options.chunks or ((1, 8) if options.quick else CHUNKS)
        # All is built and checked before anything is measured.
        plans = []
        for name in options.names or known:
            points = points_of(name, known[name], chunks)
            plan = make_plan(options, points)
            plans.append((name, points, plan, session.build_programs(options, plan)))
        for name, points, plan, binaries in plans:
            print(f"\n{bold(name)}: {known[name].title}", flush=True)
            kept[name] = study(points, plan, options.final_runs or plan.runs, binaries)
    except (ValueError, OSError, programs.BuildError) as error:
        print(f"bench/studies/loops_study.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        if not kept:
            return 130
        print("\ninterrupted: what is complete is kept")
    session.keep_studies(options, plans[0][2], load, kept)
    failed = any(run["failure"] is not None for one in kept.values()
                 for run in [*one["runs"], *one["final_runs"]])
    return 130 if len(kept) < len(plans) else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
