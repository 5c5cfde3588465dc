#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that Debian packages, unmodified, on several runtimes: seconds, and the same answers.

Each run has its answer compared with the first one of libgomp with that many threads; where libgomp
gives none there is nothing to compare with, and no failure. Programs that are not installed are
named with the packages that bring them, and left out.

Usage: bench/studies/debian_programs.py [PROGRAM]... [--contender NAME=LIBPATH]... [--threads 2,8]
       [--runs 5]
"""
from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))
sys.path.insert(0, str(BENCH / "studies"))

from debian_inputs import PROGRAMS, Program, write_inputs  # noqa: E402
from harness.contenders import BASE, Contender, line_up  # noqa: E402


@dataclass
class Cell:
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    failure: str | None = None


def is_installed(program: Program) -> bool:
    words = [w for w in program.command.split() if "=" not in w.split("/")[0]]
    return shutil.which(words[0]) is not None


def prepare(program: Program, inputs: Path) -> str | None:
    """What is wrong, if anything."""
    if not program.prepare:
        return None
    done = subprocess.run(program.prepare, shell=True, cwd=inputs, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr.strip()[-300:]


def run(program: Program, contender: Contender, threads: int, inputs: Path, folder: Path,
        timeout: float) -> tuple[float, float, str]:
    """Seconds, CPU seconds, and the answer. Raises ValueError with what went wrong."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = contender.environment() | {"OMP_NUM_THREADS": str(threads)}
    command = program.command.format(inputs=inputs, threads=threads)
    before, began = os.times(), time.perf_counter()
    try:
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, timeout=timeout,
                              capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        raise ValueError(f"did not end within {timeout:g} s") from None
    seconds, after = time.perf_counter() - began, os.times()
    printed = done.stdout + done.stderr
    if "cannot be preloaded" in printed:
        raise ValueError("the library cannot be preloaded")
    if done.returncode != 0:
        raise ValueError(f"failed with status {done.returncode}: {printed.strip()[-300:]}")
    try:
        answer = program.answer(folder, printed)
    except OSError as error:
        raise ValueError(f"left no answer: {error}") from None
    if not answer:
        raise ValueError("printed no answer")
    cpu = (after.children_user + after.children_system
           - before.children_user - before.children_system)
    return seconds, cpu, answer


def compare(program: Program, contenders: list[Contender], teams: list[int], runs: int,
            output: Path, timeout: float, chance: random.Random) -> dict[tuple[str, int], Cell]:
    cells = {(c.name, t): Cell() for c in contenders for t in teams}
    answers: dict[int, str] = {}
    for number in range(runs):
        for threads in teams:
            # libgomp first in the first round: its answer is what the others must give
            order = contenders if number == 0 else chance.sample(contenders, len(contenders))
            for contender in order:
                cell = cells[contender.name, threads]
                if cell.failure is not None or cells[BASE, threads].failure is not None:
                    continue
                try:
                    seconds, cpu, answer = run(program, contender, threads, output / "inputs",
                                               output / "run", timeout)
                    if answer != answers.setdefault(threads, answer):
                        raise ValueError(f"answers {answer} instead of {answers[threads]}")
                except ValueError as error:
                    cell.failure = str(error)
                    continue
                cell.seconds.append(seconds)
                cell.cpu_seconds.append(cpu)
    return cells


def print_cells(program: Program, contenders: list[Contender], teams: list[int],
                cells: dict[tuple[str, int], Cell]) -> None:
    for threads in teams:
        row = f"{program.name:16}x{threads:<4}"
        for contender in contenders:
            cell = cells[contender.name, threads]
            if cell.failure is not None:
                text = "fails"
            elif not cell.seconds:
                text = "-"
            else:
                text = f"{median(cell.seconds):.2f} ({median(cell.cpu_seconds):.1f})"
            row += f"{text:>16}"
        print(row, flush=True)
    for (name, threads), cell in cells.items():
        if cell.failure is not None:
            print(f"  {name} x{threads}: {cell.failure}", flush=True)


def main() -> int:
    names = [p.name for p in PROGRAMS]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=" ".join(names))
    parser.add_argument("--contender", action="append", default=[],
                        metavar="NAME=LIBPATH[@VARIABLE=VALUE]",
                        help="a runtime to preload, beside libgomp (heddle=libheddle.so)")
    parser.add_argument("--threads", default="2,8", metavar="N,N", help="of a team (2,8)")
    parser.add_argument("--runs", type=int, default=5, help="of each (5)")
    parser.add_argument("--seed", type=int, default=1, help="of the order of runs (1)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for a run (600)")
    parser.add_argument("--output", type=Path, default=BENCH.parent / "build/bench",
                        help="folder of inputs and results of the programs (build/bench)")
    wanted = parser.parse_args()
    if unknown := [name for name in wanted.programs if name not in names]:
        parser.error(f"no program is called {' '.join(unknown)}; there are {' '.join(names)}")
    chosen = [p for p in PROGRAMS if not wanted.programs or p.name in wanted.programs]
    try:
        teams = [int(t) for t in wanted.threads.split(",")]
        contenders = line_up(wanted.contender, None, BENCH.parent / "build/release/lib/libheddle.so")
    except ValueError as error:
        parser.error(str(error))
    output = wanted.output.resolve() / "debian_programs"
    shutil.rmtree(output, ignore_errors=True)
    (output / "inputs").mkdir(parents=True)
    write_inputs(output / "inputs")
    chance, good, any_ran = random.Random(wanted.seed), True, False
    print("seconds (CPU seconds)" + "".join(f"{c.name:>16}" for c in contenders), flush=True)
    for program in chosen:
        if not is_installed(program):
            print(f"{program.name:16}not installed: apt-get install {program.packages}")
            continue
        if problem := prepare(program, output / "inputs"):
            print(f"{program.name:16}its input cannot be made: {problem}")
            good = False
            continue
        cells = compare(program, contenders, teams, wanted.runs, output, wanted.timeout, chance)
        print_cells(program, contenders, teams, cells)
        any_ran = any_ran or any(cell.seconds for cell in cells.values())
        good = good and all(cell.failure is None for (name, _), cell in cells.items()
                            if name != BASE)
    return 0 if good and any_ran else 1


if __name__ == "__main__":
    sys.exit(main())
