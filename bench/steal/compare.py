#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds bench/steal and compares how thieves may take tasks from one producer.

Usage: bench/steal/compare.py [--threads 2,4,8,16] [--runs 5] [--load 0,128] [--slots N] [--cpu]
Prints nanoseconds a task, the median of the runs and the least; with --cpu those of all CPUs
together, which tell more where other programs run. In each round every discipline runs once, in an
order shuffled by --seed.
"""
from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUTPUT = ROOT / "build" / "bench"
WAYS = [(d, b) for b in ("one", "half") for d in ("spin", "futex", "try", "combine")]
WAYS.append(("deque", "half"))


def numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list such as 2,4,8") from None


def build() -> Path:
    """The program is small: compiled each time, so that it is never stale."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    common, platform = HERE.parent / "common", ROOT / "src/platform/native"
    objects = []
    for name in ("options", "report"):
        objects.append(OUTPUT / f"steal-{name}.o")
        run(["gcc", "-O3", "-c", common / f"{name}.c", "-o", objects[-1]])
    binary = OUTPUT / "steal"
    run(["g++", "-std=gnu++20", "-O3", "-Wall", "-Wextra", "-DHEDDLE_CHECKS=0", f"-I{ROOT / 'src'}",
         f"-I{platform}", HERE / "steal.cpp", *sorted(platform.glob("*.cpp")), *objects, "-pthread",
         "-o", binary])
    return binary


def run(command: list) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def show(results: dict, threads: list[int], load: int, key: str) -> None:
    print(f"\nload {load}, {key}: median (least)")
    print(f"{'':16}" + "".join(f"{f'{n} threads':>22}" for n in threads))
    for way in WAYS:
        row = f"{way[0]}, {way[1]:8}"
        cells = []
        for n in threads:
            times = [line[key] for line in results[way, n, load]]
            cells.append(f"{median(times):.1f} ({min(times):.1f})")
        print(f"{row:16}" + "".join(f"{cell:>22}" for cell in cells))
    for n in threads:
        shares = [line["combined_share"] for line in results[("combine", "one"), n, load]]
        print(f"  {n} threads: of the steals of combine, one, {100 * median(shares):.2f} % were "
              "executed by another thread")


def main() -> None:
    parser = argparse.ArgumentParser(description="How should thieves take tasks from one producer?")
    parser.add_argument("--threads", type=numbers, default=[2, 4, 8, 16], metavar="N,N")
    parser.add_argument("--load", type=numbers, default=[0, 128], metavar="N,N",
                        help="iterations of a task (0,128)")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="rounds (5)")
    parser.add_argument("--slots", type=int, default=256, metavar="N", help="of the queue (256)")
    parser.add_argument("--tasks", type=int, default=500000, metavar="N",
                        help="of one run (500000)")
    parser.add_argument("--cpu", action="store_true", help="CPU time, of all threads together")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    options = parser.parse_args()
    binary = build()
    todo = [(way, n, load) for way in WAYS for n in options.threads for load in options.load]
    results: dict = {key: [] for key in todo}
    random.seed(options.seed)
    for _ in range(max(1, options.runs)):
        random.shuffle(todo)
        for way, n, load in todo:
            told = run([binary, "--threads", n, "--discipline", way[0], "--batch", way[1], "--load",
                        load, "--slots", options.slots, "--tasks", options.tasks])
            results[way, n, load].append(json.loads(told))
    key = "cpu_ns_per_task" if options.cpu else "ns_per_task"
    for load in options.load:
        show(results, options.threads, load, key)
    print(f"\n{options.runs} runs, {options.tasks} tasks, {options.slots} slots, seed {options.seed}")


if __name__ == "__main__":
    main()
