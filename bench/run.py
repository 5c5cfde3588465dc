#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the benchmark programs and runs them on several OpenMP runtimes in turn.

Usage: bench/run.py [names...] [--threads 1,2] [--runs 5] [--contender NAME=LIBPATH]...
       bench/run.py --clang heddle --clang libomp    with clang's binaries too
       bench/run.py --demo          see bench/README.md for how to read what it prints
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any, Sequence

from harness import cases, contenders, demo, programs, report
from harness.measure import Plan, Run, measure
from harness.summary import Summary

BENCH = Path(__file__).resolve().parent
OUTPUT = BENCH.parent / "build" / "bench"
HEDDLE = BENCH.parent / "build" / "release" / "lib" / "libheddle.so"
DEMO_BUDGET = 35.0  # seconds: no demo round starts later, so that all ends within a minute


def cpus() -> int:
    return len(os.sched_getaffinity(0))


def team_sizes(text: str) -> list[int]:
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list such as 1,2,8") from None
    if not sizes or sizes[0] < 1:
        raise argparse.ArgumentTypeError("a team has at least one thread")
    return sizes


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return value


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    known = " ".join(c.name for c in cases.CASES)
    parser = argparse.ArgumentParser(
        prog="bench/run.py", description=f"Benchmarks OpenMP runtimes side by side: {known}")
    add = parser.add_argument
    add("names", nargs="*", metavar="name", help="benchmarks or programs to run (all)")
    add("--contender", action="append", default=[], metavar="NAME=LIBPATH",
        help="a runtime to preload, beside libgomp; may be repeated (heddle=%s)" % HEDDLE.name)
    add("--baseline", metavar="OLDLIB", help="an earlier build, compared as 'old'")
    add("--threads", type=team_sizes, metavar="N,N", help="team sizes (1 and all CPUs)")
    add("--runs", type=positive, metavar="N", help="rounds that count, after one warm-up (5)")
    add("--quick", action="store_true", help="small inputs, for checking rather than timing")
    add("--demo", action="store_true", help="the short presentation of make demo")
    add("--keep-going", action="store_true", help="exit with success even if a run failed")
    add("--timeout", type=float, metavar="S", help="limit of one run (120; demo 20)")
    add("--seed", type=int, help="seed of the order of runs (random)")
    add("--cc", default="gcc", help="compiler (gcc)")
    add("--clang", action="append", default=[], metavar="NAME[=LIBPATH]",
        help="a runtime for clang's binaries; may be repeated: heddle, libomp (of clang), "
             "libiomp5 (of pip's intel-openmp), or any with its path")
    add("--clang-cc", default="clang-19", metavar="CC", help="the clang of --clang (clang-19)")
    return parser.parse_args(arguments)


def describe_machine() -> str:
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{model}, {cpus()} CPUs"


def busy_warning(load: float) -> str | None:
    """Others' work spoils timings most where runtimes spin: say so next to the numbers."""
    if load < 0.5:
        return None
    return (f"Note: the machine was busy (load {load:.1f} on {cpus()} CPUs) before this began; "
            "treat these times with care.")


def store(options: argparse.Namespace, plan: Plan, compilers: dict[str, str], load: float,
          runs: list[Run]) -> Path:
    """Keeps every raw run, with what is needed to tell where it came from."""
    kept: dict[str, Any] = {
        "when": datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": describe_machine(),
        "load_before": load,
        "compilers": compilers,
        "flags": [*programs.OPENMP_FLAGS, *programs.FLAGS],
        "arguments": sys.argv[1:],
        "seed": plan.seed,
        "quick": options.quick,
        "environment": {k: v for k, v in os.environ.items()
                        if k.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_"))},
        "contenders": {c.name: {"build": c.build, "library": str(c.library or "linked"),
                                "sha256": c.digest()}
                       for c in plan.contenders},
        "runs": [run.record() for run in runs],
    }
    folder = OUTPUT / "results"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now().strftime('%Y%m%d-%H%M%S-%f')}.json"
    path.write_text(json.dumps(kept, indent=1) + "\n")
    return path


def tbb_peers(options: argparse.Namespace,
              chosen: Sequence[cases.Case]) -> list[contenders.Contender]:
    """oneTBB, if a case needs it and it is there."""
    if not any(c.runtime == "tbb" for c in chosen):
        return []
    compilers = {"gcc": options.cc} | ({"clang": options.clang_cc} if options.clang else {})
    return [contenders.tbb(build) for build, compiler in compilers.items()
            if programs.has_tbb(compiler)]


WITHOUT = {"tbb": "oneTBB is not installed (Debian: apt install libtbb-dev)",
           "heddle": "no contender has the functions of heddle.hpp"}


def runnable(chosen: Sequence[cases.Case],
             line_up: Sequence[contenders.Contender]) -> list[cases.Case]:
    """Those that a contender can run; tells which are left out and why."""
    left_out = [c for c in chosen if not any(one.serves(c.runtime) for one in line_up)]
    for runtime in sorted({c.runtime for c in left_out}):
        names = " ".join(c.name for c in left_out if c.runtime == runtime)
        print(f"bench/run.py: left out, because {WITHOUT[runtime]}: {names}", file=sys.stderr)
    if len(left_out) == len(chosen):
        raise ValueError("nothing is left to run")
    return [c for c in chosen if c not in left_out]


def build_programs(plan: Plan, compilers: dict[str, str]) -> dict[tuple[str, str], Path]:
    """The binaries by build and program; `compilers` by build."""
    heddle = next((c.library for c in plan.contenders if c.serves("heddle")), None)
    needed = {(one.build, c.program) for c in plan.cases for one in plan.line_up(c)}
    return {(build, program): programs.build(program, BENCH, OUTPUT, compilers[build], build,
                                             heddle)
            for build, program in sorted(needed)}


def make_plan(options: argparse.Namespace) -> Plan:
    names = options.names or (cases.DEMO if options.demo else ())
    runs = options.runs or (1 if options.quick else 3 if options.demo else 5)
    for_clang = contenders.clang_line_up(options.clang, options.clang_cc, HEDDLE, OUTPUT)
    chosen = cases.choose(names)
    peers = tbb_peers(options, chosen)
    line_up = contenders.line_up(options.contender, options.baseline, HEDDLE, for_clang, peers)
    if options.demo and len(line_up) == 1:
        raise ValueError(f"there is no {HEDDLE.relative_to(BENCH.parent)} yet: build it first")
    return Plan(
        cases=runnable(chosen, line_up),
        contenders=line_up,
        teams=options.threads or sorted({1, cpus()}),
        runs=runs,
        warm_up=not (options.demo or options.quick),
        quick=options.quick,
        timeout=options.timeout or (20.0 if options.demo else 120.0),
        seed=random.randrange(2**31) if options.seed is None else options.seed,
        budget=DEMO_BUDGET if options.demo else None,
    )


def show(options: argparse.Namespace, plan: Plan, runs: list[Run]) -> None:
    summary = Summary(runs)
    if options.quick:
        print("Quick inputs: these check answers; they are too short to compare runtimes.")
    names = [c.name for c in plan.contenders if c.runtime == "openmp"]
    if options.demo:
        demo.print_demo(summary, plan.cases, names[1], plan.teams, describe_machine())
        return
    bases = [n for n in (contenders.BASE, "old") if n in names] if len(names) > 1 else []
    bases += [c.name for c in plan.contenders
              if c.build == "clang" and c.name in names and c.name != "heddle-clang"][:1]
    for case in plan.cases:
        teams = [t for t in plan.teams if t >= case.least_threads]
        if case.program == "overheads":
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
        commands = {"gcc": options.cc, "clang": options.clang_cc}
        builds = sorted({c.build for c in plan.contenders})
        compilers = {b: programs.compiler_version(commands[b]) for b in builds}
        binaries = build_programs(plan, commands)
    except (ValueError, programs.BuildError) as error:
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
    path = store(options, plan, compilers, load, runs)
    show(options, plan, runs)
    warning = busy_warning(load)
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
