# SPDX-License-Identifier: Apache-2.0
"""What bench/run.py and the studies share: their common options, contenders, programs, results."""
from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, Sequence

from . import contenders, programs
from .cases import Case
from .contenders import Contender
from .measure import Plan

BENCH = Path(__file__).resolve().parents[1]
OUTPUT = BENCH.parent / "build" / "bench"
HEDDLE = BENCH.parent / "build" / "release" / "lib" / "libheddle.so"
WITHOUT = {"tbb": "oneTBB is not installed (Debian: apt install libtbb-dev)",
           "heddle": "no contender has the functions of heddle.hpp"}


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


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--contender", action="append", default=[], metavar="NAME=LIBPATH[@VARIABLE=VALUE]",
        help="a runtime to preload, beside libgomp, perhaps with variables of its own; may be "
             "repeated (heddle=%s)" % HEDDLE.name)
    add("--policy", action="append", default=[], metavar="NAME",
        help="the contender heddle under that HEDDLE_TASK_POLICY too; may be repeated")
    add("--baseline", metavar="OLDLIB", help="an earlier build, compared as 'old'")
    add("--threads", type=team_sizes, metavar="N,N", help="team sizes (1 and all CPUs)")
    add("--runs", type=positive, metavar="N", help="rounds that count, after one warm-up (5)")
    add("--output", type=Path, default=OUTPUT, metavar="FOLDER",
        help="where programs and results are kept (build/bench)")
    add("--seed", type=int, help="seed of the order of runs (random)")
    add("--cc", default="gcc", help="compiler (gcc)")
    add("--clang", action="append", default=[], metavar="NAME[=LIBPATH]",
        help="a runtime for clang's binaries; may be repeated: heddle, libomp (of clang), "
             "libiomp5 (of pip's intel-openmp), or any with its path")
    add("--clang-cc", default="clang-19", metavar="CC", help="the clang of --clang (clang-19)")


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


def seed(options: argparse.Namespace) -> int:
    return random.randrange(2**31) if options.seed is None else int(options.seed)


def _compilers(options: argparse.Namespace) -> dict[str, str]:
    """The compiler of each build."""
    return {"gcc": options.cc} | ({"clang": options.clang_cc} if options.clang else {})


def line_up(options: argparse.Namespace, chosen: Sequence[Case]) -> list[Contender]:
    """The contenders asked for, and oneTBB, if a case needs it and it is there."""
    for_clang = contenders.clang_line_up(options.clang, options.clang_cc, HEDDLE, options.output)
    peers = []
    if any(c.runtime == "tbb" for c in chosen):
        peers = [contenders.tbb(build) for build, compiler in _compilers(options).items()
                 if programs.has_tbb(compiler)]
    return contenders.line_up(options.contender, options.baseline, HEDDLE, for_clang, peers,
                              options.policy)


def runnable(chosen: Sequence[Case], there: Sequence[Contender]) -> list[Case]:
    """The cases that a contender can run; tells which are left out and why."""
    left_out = [c for c in chosen if not any(one.serves(c.runtime) for one in there)]
    for runtime in sorted({c.runtime for c in left_out}):
        names = " ".join(c.name for c in left_out if c.runtime == runtime)
        print(f"left out, because {WITHOUT[runtime]}: {names}", file=sys.stderr)
    if len(left_out) == len(chosen):
        raise ValueError("nothing is left to run")
    return [c for c in chosen if c not in left_out]


def build_programs(options: argparse.Namespace, plan: Plan) -> dict[tuple[str, str], Path]:
    """The binaries by build and program."""
    compilers = _compilers(options)
    heddle = next((c.library for c in plan.contenders if c.serves("heddle")), None)
    needed = {(one.build, c.program) for c in plan.cases for one in plan.line_up(c)}
    for build in {build for build, _ in needed}:
        programs.compiler_version(compilers[build])  # a compiler that is missing is told once

    def build_one(which: tuple[str, str]) -> Path:
        build, program = which
        return programs.build(program, BENCH, options.output, compilers[build], build, heddle)

    with ThreadPoolExecutor(cpus()) as workers:
        return dict(zip(sorted(needed), workers.map(build_one, sorted(needed))))


def origin(options: argparse.Namespace, plan: Plan, load: float) -> dict[str, Any]:
    """What is needed to tell later where results came from."""
    return {
        "when": datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": describe_machine(),
        "load_before": load,
        "compilers": {b: programs.compiler_version(c) for b, c in _compilers(options).items()},
        "flags": [*programs.OPENMP_FLAGS, *programs.FLAGS],
        "arguments": sys.argv[1:],
        "seed": plan.seed,
        "quick": options.quick,
        "environment": {k: v for k, v in os.environ.items()
                        if k.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_"))},
        "contenders": {c.name: {"build": c.build, "library": str(c.library or "linked"),
                                "sha256": c.digest(), "environment": dict(c.variables)}
                       for c in plan.contenders},
    }


def store(options: argparse.Namespace, results: dict[str, Any]) -> Path:
    """Keeps them in a file of their own."""
    folder = Path(options.output) / "results"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now().strftime('%Y%m%d-%H%M%S-%f')}.json"
    path.write_text(json.dumps(results, indent=1) + "\n")
    return path


def keep_studies(options: argparse.Namespace, plan: Plan, load: float,
                 studies: dict[str, Any]) -> None:
    """Keeps what a program of bench/studies has measured, and says where."""
    path = store(options, origin(options, plan, load) | {"studies": studies})
    warning = busy_warning(load)
    if warning is not None:
        print(f"\n  {warning}")
    print(f"\n  All runs are kept in {os.path.relpath(path)}")
