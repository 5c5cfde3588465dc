#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a program's tasks down as a graph for heddle-sim (docs/simulator.md, recorded programs).

Usage: record.py BUILD OUTPUT.graph [--seconds S] [--runs 7] -- PROGRAM ARGUMENT...
       record.py BUILD --kernels [NAME...] [--output FOLDER]

BUILD is a build folder with the targets heddle and heddle-record. The program runs several times on
one thread, and each piece of a task counts as the shortest of all runs that had the same tasks.
S is what the recorded region takes without tasks, in seconds: what every piece has in common is
then taken off, for that is the price of a construct, and the rest is scaled to that sum. --kernels
makes sim/graphs anew, from kernels of bench/ that tell what their serial programs take.
Exit status: 0, or 1 with a line that says why.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Sequence

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from harness import programs  # noqa: E402

# Hundreds of tasks and more, and small enough to be kept.
KERNELS = {
    "alignment": ("alignment", "--sequences", "40", "--length", "100"),
    "fft": ("fft", "--n", "65536"),
    "floorplan": ("floorplan", "--cells", "9"),
    "health": ("health", "--levels", "3", "--days", "30"),
    "sort": ("sort", "--n", "1000000", "--base", "2048"),
    "sparselu": ("sparselu", "--blocks", "32", "--size", "50", "--density", "0.2"),
    "sparselu-for": ("sparselu", "--generator", "for", "--blocks", "32", "--size", "50",
                     "--density", "0.2"),
    "strassen": ("strassen", "--size", "1024", "--leaf", "64"),
}
LINE = 96
Pieces = list[tuple[int, str]]  # nanoseconds, and the construct that follows


class Failed(Exception):
    pass


def execute(command: Sequence[str], **variables: str) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
    sys.stderr.write(done.stderr)
    return done.stdout


def library(build: Path, name: str) -> str:
    path = build / "lib" / name
    if not path.is_file():
        raise Failed(f"{path} is not there: build the targets heddle and heddle-record")
    return str(path.resolve())


def pieces_of(text: str) -> Pieces:
    body = "".join(line for line in text.splitlines()[1:] if not line.startswith("#"))
    return [(int(ns or 0), construct) for ns, construct in re.findall(r"(\d*)(\D)", body)]


def one_run(build: Path, command: Sequence[str], work: Path) -> Pieces:
    work.unlink(missing_ok=True)
    execute(command, LD_PRELOAD=library(build, "libheddle.so"), TASK_GRAPH=str(work),
            OMP_TOOL_LIBRARIES=library(build, "libheddle-record.so"))
    if not work.is_file():
        raise Failed(f"{' '.join(command)}: nothing was recorded")
    return pieces_of(work.read_text())


def best_of(runs: Sequence[Pieces]) -> tuple[Pieces, int]:
    """The most frequent of the graphs, with the shortest pieces; in how many runs it came."""
    shapes = ["".join(construct for _, construct in run) for run in runs]
    shape = max(shapes, key=shapes.count)
    same = [run for run, own in zip(runs, shapes) if own == shape]
    return [(min(ns for ns, _ in at), at[0][1]) for at in zip(*same)], len(same)


def without_constructs(pieces: Pieces, seconds: float) -> tuple[Pieces, str]:
    """The pieces add up to `seconds`; and what was done to them."""
    price = min(ns for ns, _ in pieces)
    rest = sum(ns - price for ns, _ in pieces)
    if not seconds or not rest:
        return pieces, "with what the constructs took"
    scale = seconds * 1e9 / rest
    return ([(round((ns - price) * scale), construct) for ns, construct in pieces],
            f"{price} ns taken off each piece, times {scale:.3g}")


def write(output: Path, pieces: Pieces, comment: str) -> None:
    lines, line = ["heddle-graph 1", "# " + comment], ""
    for ns, construct in pieces:
        line += (str(ns) if ns else "") + construct
        if len(line) > LINE:
            lines.append(line)
            line = ""
    output.write_text("\n".join([*lines, line]) + "\n")


def record(build: Path, output: Path, command: Sequence[str], seconds: float, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = [one_run(build, command, Path(folder) / "graph") for _ in range(runs)]
    pieces, same = best_of(found)
    pieces, done = without_constructs(pieces, seconds)
    tasks = sum(construct == "(" for _, construct in pieces)
    name = " ".join([Path(command[0]).name, *command[1:]])
    write(output, pieces, f"{name}: {tasks} tasks, least of {same} runs, {done}")
    print(f"{output}: {tasks} tasks")


def serial_seconds(command: Sequence[str]) -> float:
    told = [json.loads(execute(command).splitlines()[-1]) for _ in range(5)]
    return min(float(run["serial_seconds"]) for run in told)


def record_kernels(build: Path, names: Sequence[str], folder: Path, runs: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            program = programs.build(KERNELS[name][0], ROOT / "bench", Path(work), "gcc")
            command = [str(program), *KERNELS[name][1:]]
            record(build, folder / f"{name}.graph", command, serial_seconds(command), runs)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Writes a program's tasks down as a graph for heddle-sim.",
        usage="record.py BUILD OUTPUT.graph [options] -- PROGRAM ARGUMENT...\n"
              "       record.py BUILD --kernels [NAME...] [options]")
    parser.add_argument("build", type=Path, help="a build folder")
    parser.add_argument("target", nargs="*", metavar="OUTPUT|NAME",
                        help="the file to write, or kernels (all)")
    parser.add_argument("--seconds", type=float, default=0.0,
                        help="what the recorded region takes without tasks (not known)")
    parser.add_argument("--runs", type=int, default=7, help="runs to choose from (7)")
    parser.add_argument("--kernels", action="store_true", help="record kernels of bench/")
    parser.add_argument("--output", type=Path, default=ROOT / "sim" / "graphs",
                        help="folder of the kernels' graphs (sim/graphs)")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    options, command = parser.parse_args(words[:at]), words[at + 1:]
    if options.runs < 1 or not 0 <= options.seconds < 1e6:
        parser.error("--runs must be 1 at least, and --seconds 0 to a million")
    unknown = [name for name in options.target if options.kernels and name not in KERNELS]
    if unknown:
        parser.error(f"no kernel is called {unknown[0]}; there are {' '.join(KERNELS)}")
    if options.kernels == bool(command) or (not options.kernels and len(options.target) != 1):
        parser.error("either --kernels, or one output file and a program behind --")
    try:
        if options.kernels:
            record_kernels(options.build, options.target or list(KERNELS), options.output,
                           options.runs)
        else:
            record(options.build, Path(options.target[0]), command, options.seconds, options.runs)
    except (Failed, programs.BuildError, OSError) as error:
        print(f"record: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
