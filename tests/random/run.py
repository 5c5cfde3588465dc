#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs on Heddle: each has to answer what the same source does without OpenMP.

Each seed is a program (generate.py), and for each number of threads an environment of its own. A
program that fails stays in the folder that --keep names, and the environment is printed. In C and
C++ some have several threads of the user, and some fork. Those of the kind `control` say what their
control variables have to be. With --events a tool (events.cpp) looks whether the events that it is
told fit together.

Usage: tests/random/run.py [--seeds 1-20] [--compiler gcc]... [--library LIBPATH] [--events]
       [--kind c|c++|fortran|control] [--threads 1,2,3,8] [--alone] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from control import control_environment
from generate import KINDS, generate

LIBRARY = Path(__file__).resolve().parents[2] / "build/release/lib/libheddle.so"
SUFFIXES = {"c": ".c", "c++": ".cpp", "fortran": ".f90", "control": ".c"}
FLAGS = {".c": ("-std=gnu11", "-O1", "-w"), ".cpp": ("-std=gnu++17", "-O1", "-w", "-lstdc++"),
         ".f90": ("-ffree-line-length-none", "-O1", "-w")}
TOOL = Path(__file__).with_name("events.cpp")
INCLUDE = Path(__file__).resolve().parents[2] / "include"
COMPILERS = {"fortran": "gfortran"}  # where none is named, and it is not gcc
COMPILE_SECONDS, RUN_SECONDS = 120, 60
# In each run some of them, one value each.
VARIABLES = {
    "OMP_MAX_ACTIVE_LEVELS": ("1", "2", "3", "8"),
    "OMP_SCHEDULE": ("static", "dynamic", "guided,2", "monotonic:dynamic,3", "auto",
                     "nonmonotonic:dynamic"),
    "OMP_CANCELLATION": ("true",),
    "OMP_DYNAMIC": ("true",),
    "OMP_WAIT_POLICY": ("active", "passive"),
    "OMP_THREAD_LIMIT": ("3", "7"),
    "OMP_PROC_BIND": ("true", "spread", "close", "spread,close,primary"),
    "OMP_PLACES": ("threads", "cores"),
    "OMP_MAX_TASK_PRIORITY": ("5",),
    "OMP_STACKSIZE": ("128k",),
    "GOMP_SPINCOUNT": ("0", "1000"),
    "KMP_BLOCKTIME": ("0", "infinite"),
    "KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE": ("true",),
    "HEDDLE_STATS": ("1",),
    "HEDDLE_TASK_POLICY": ("ompi", "ompi:slots=4", "bff", "bfl", "wfff", "wffl:maxtasks", "wlll",
                           "wlff:maxlevel", "cilk", "cilk:adaptive"),
}


def environment(kind: str, seed: int, threads: int) -> dict[str, str]:
    """What the run with so many threads is given, beside the caller's other variables."""
    dice = random.Random(seed * 1000 + threads)
    if kind == "control":
        return {"OMP_NUM_THREADS": str(threads)} | control_environment(dice)
    often = ("OMP_MAX_ACTIVE_LEVELS", "OMP_SCHEDULE", "OMP_CANCELLATION")
    chosen = {name: dice.choice(values) for name, values in VARIABLES.items()
              if dice.random() < (0.7 if name in often else 0.12)}
    return {"OMP_NUM_THREADS": str(threads)} | chosen


def company(seed: int, threads: int, options: argparse.Namespace) -> dict[str, str]:
    """How many threads the user has, and how many children, in the run with so many threads. A
    child has none of the threads that a tool has heard of, so with one nobody forks."""
    dice = random.Random(seed * 1000 + threads + 500)
    hosts, forks = dice.choice("11235"), dice.choice("0012")
    return {"HOSTS": "1" if options.alone else hosts,
            "FORKS": "0" if options.alone or options.events else forks}


def compile_program(compiler: str, source: Path, program: Path, *flags: str) -> str | None:
    """What is wrong, or None."""
    with tempfile.TemporaryDirectory() as modules:  # gfortran writes theirs where it runs
        done = subprocess.run([compiler, str(source.resolve()), *FLAGS[source.suffix], *flags, "-o",
                               str(program.resolve())], text=True, capture_output=True,
                              timeout=COMPILE_SECONDS, check=False, cwd=modules)
    return done.stderr if done.returncode else None


def run_program(program: Path, variables: dict[str, str]) -> tuple[str, str]:
    """The answer, or what happened instead of one; and what the program said beside it."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_", "LD_"))}
    try:
        done = subprocess.run([str(program)], env=clean | variables, text=True, capture_output=True,
                              timeout=RUN_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {RUN_SECONDS} seconds", ""
    # A libgomp beside us warns of what it does not know: variables of all devices, in gcc 16's.
    said = "\n".join(line for line in done.stderr.splitlines()
                     if not line.startswith("libgomp: Invalid environment variable")).strip()
    return done.stdout.strip() if done.returncode == 0 else f"status {done.returncode}", said


def build_tool(folder: Path) -> dict[str, str]:
    """The variable by which it is found."""
    library = folder / "events.so"
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-g", "-shared", "-fPIC",
                    f"-I{INCLUDE}", str(TOOL), "-o", str(library)], check=True,
                   timeout=COMPILE_SECONDS)
    return {"OMP_TOOL_LIBRARIES": str(library)}


def check_seed(seed: int, options: argparse.Namespace, folder: Path) -> list[str]:
    """One line for each thing that is wrong."""
    source, serial = folder / f"{seed}{SUFFIXES[options.kind]}", folder / f"{seed}.serial"
    source.write_text(generate(seed, options.kind))
    wrong = compile_program(options.compiler[0], source, serial)
    if wrong:
        return [f"seed {seed}: without OpenMP: {wrong}"]
    failures = []
    for compiler in options.compiler:
        program = folder / f"{seed}.{Path(compiler).name}"
        wrong = compile_program(compiler, source, program, "-fopenmp")
        if wrong:
            failures.append(f"seed {seed}: {compiler}: {wrong}")
            continue
        for threads in options.threads:
            own = company(seed, threads, options)
            expected, _ = run_program(serial, own)
            variables = environment(options.kind, seed, threads) | own | options.tool
            answer, said = run_program(program, variables | {"LD_PRELOAD": str(options.library)})
            if answer != expected or (said and "HEDDLE_STATS" not in variables):
                settings = " ".join(f"{name}={value}" for name, value in variables.items())
                failures.append(f"seed {seed}: {settings} {program}\n  answers {answer}\n"
                                f"  expected {expected}\n  {said[:300]}")
    return failures


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="1-20", help="FIRST-LAST")
    parser.add_argument("--kind", choices=KINDS, default="c")
    parser.add_argument("--compiler", action="append", help="gcc, clang or gfortran")
    parser.add_argument("--library", type=Path, default=LIBRARY, help="path of libheddle.so")
    parser.add_argument("--events", action="store_true", help="check what tools are told")
    parser.add_argument("--alone", action="store_true",
                        help="no other threads of the user, and no forked children")
    parser.add_argument("--threads", default="1,2,3,8", help="numbers of threads")
    parser.add_argument("--keep", type=Path, help="folder for the programs that fail")
    options = parser.parse_args(arguments)
    options.compiler = options.compiler or [COMPILERS.get(options.kind, "gcc")]
    options.library = options.library.resolve()
    try:
        options.threads = [int(number) for number in options.threads.split(",")]
        first, _, last = options.seeds.partition("-")
        options.seeds = range(int(first), int(last or first) + 1)
    except ValueError as error:
        parser.error(str(error))
    if not options.library.is_file():
        parser.error(f"--library {options.library}: no such file")
    return options


def main() -> int:
    options = parse(sys.argv[1:])
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        options.tool = build_tool(Path(temporary)) if options.events else {}
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in options.seeds:
            failures = check_seed(seed, options, folder)
            print(*failures, sep="\n", end="\n" if failures else "", flush=True)
            failed += bool(failures)
            if not failures:
                for path in folder.glob(f"{seed}.*"):
                    path.unlink()
    count = len(options.seeds)
    print(f"{count - failed} of {count} random programs ({options.kind}) answer as "
          f"without OpenMP ({', '.join(options.compiler)})")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
