#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the benchmark programs and runs them on several OpenMP runtimes in turn.

Usage: bench/run.py [names...] [--threads 1,2] [--runs 5] [--contender NAME=LIBPATH]...
       bench/run.py --clang heddle --clang libomp    with clang's binaries too
       bench/run.py --demo          see bench/README.md for how to read what it prints
"""
from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Sequence

from harness import cases, contenders, demo, programs, report, session
from harness.measure import Plan, Run, measure
from harness.summary import Summary

DEMO_BUDGET = 35.0  # seconds: no demo round starts later, so that all ends within a minute


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    known = " ".join(c.name for c in cases.CASES)
    parser = argparse.ArgumentParser(
        prog="bench/run.py", description=f"Benchmarks OpenMP runtimes side by side: {known}")
    session.add_options(parser)
    add = parser.add_argument
    add("names", nargs="*", metavar="name", help="benchmarks or programs to run (all)")
    add("--quick", action="store_true", help="small inputs, for checking rather than timing")
    add("--demo", action="store_true", help="the short presentation of make demo")
    add("--keep-going", action="store_true", help="exit with success even if a run failed")
    add("--timeout", type=float, metavar="S", help="limit of one run (120; demo 20)")
    return parser.parse_args(arguments)


def make_plan(options: argparse.Namespace) -> Plan:
    names = options.names or (cases.DEMO if options.demo else ())
    runs = options.runs or (1 if options.quick else 3 if options.demo else 5)
    chosen = cases.choose(names)
    line_up = session.line_up(options, chosen)
    if options.demo and len(line_up) == 1:
        missing = session.HEDDLE.relative_to(session.BENCH.parent)
        raise ValueError(f"there is no {missing} yet: build it first")
    return Plan(
        cases=session.runnable(chosen, line_up),
        contenders=line_up,
        teams=options.threads or sorted({1, session.cpus()}),
        runs=runs,
        warm_up=not (options.demo or options.quick),
        quick=options.quick,
        timeout=options.timeout or (20.0 if options.demo else 120.0),
        seed=session.seed(options),
        budget=DEMO_BUDGET if options.demo else None,
    )


def show(options: argparse.Namespace, plan: Plan, runs: list[Run]) -> None:
    summary = Summary(runs)
    if options.quick:
        print("Quick inputs: these check answers; they are too short to compare runtimes.")
    names = [c.name for c in plan.contenders if c.runtime == "openmp"]
    if options.demo:
        demo.print_demo(summary, plan.cases, names[1], plan.teams, session.describe_machine())
        return
    bases = [n for n in (contenders.BASE, "old") if n in names] if len(names) > 1 else []
    bases += [c.name for c in plan.contenders
              if c.build == "clang" and c.name in names and c.name != "heddle-clang"][:1]
    for case in plan.cases:
        teams = [t for t in plan.teams if t >= case.least_threads]
        if case.program in ("overheads", "patterns"):
            report.print_overheads(summary, case, names, teams)
        elif teams:
            line_up = plan.line_up(case)
            there = [b for b in bases if b in {c.name for c in line_up}]
            report.print_case(summary, case, line_up, teams, there)
    report.print_failures(summary)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    try:
        plan = make_plan(options)
        binaries = session.build_programs(options, plan)
    except (ValueError, OSError, programs.BuildError) as error:
        print(f"bench/run.py: {error}", file=sys.stderr)
        return 2
    runs: list[Run] = []
    load = os.getloadavg()[0]
    start = time.monotonic()
    interrupted = False
    try:
        measure(plan, binaries, runs)
    except KeyboardInterrupt:
        interrupted = True
    path = session.store(options, session.origin(options, plan, load)
                         | {"runs": [run.record() for run in runs]})
    show(options, plan, runs)
    warning = session.busy_warning(load)
    if warning is not None:
        print(f"\n  {warning}")
    print(f"\n  {len(runs)} runs in {time.monotonic() - start:.0f} s, seed {plan.seed}; all kept "
          f"in {os.path.relpath(path)}")
    if interrupted:
        return 130
    failed = any(run.failure is not None for run in runs)
    return 1 if failed and not options.keep_going else 0


if __name__ == "__main__":
    sys.exit(main())
