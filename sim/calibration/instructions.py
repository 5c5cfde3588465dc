#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the compiled runtime between two accesses to shared words: what a
model's `plain_cycles_per_step` stands for on a unit that issues one instruction a cycle.

Usage: sim/calibration/instructions.py BUILD [--threads N]

Runs each construct under callgrind, few times and more often, so that what the start takes drops
out of the difference. Counted is what the runtime's own functions execute themselves. x86-64 has
operands in memory, so a machine that loads and stores apart needs more.
"""
from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

CONSTRUCTS = ("parallel", "for", "barrier", "single", "ordered", "critical", "lock",
              "locked_atomic", "reduction")
LESS, MORE = 20, 60  # times
ACCESS = re.compile(r"heddle::sim::charge_(load|store|change)\(")
OURS = re.compile(r"(.* )?heddle::(abi|concurrent|config|construct|place|schedule|team|tool)::"
                  r"|GOMP_|omp_")
WAITS = re.compile(r"wait|poll_for|is_free")


def count(build: Path, construct: str, threads: int, times: int) -> tuple[Counter, Counter]:
    """Instructions, and accesses, by function."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "profile"
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                        build / "sim/heddle-sim", "run", "epcc", "--machine", "cyclops64",
                        "--threads", str(threads), "--param", f"construct={construct}",
                        "--param", f"times={times}"], check=True, capture_output=True)
        lines = out.read_text().splitlines()
    names: dict[str, str] = {}

    def name(text: str) -> str:  # "(7) function" the first time, "(7)" later; 'n: n-th recursion
        number, _, function = text.partition(" ")
        if function:
            names[number] = re.sub(r"'\d+$", "", function)
        return names[number]

    instructions: Counter = Counter()
    accesses: Counter = Counter()
    function = called = ""
    is_call = False  # the line behind `calls` has the costs of the function that was called
    for line in lines:
        if line.startswith("fn="):
            function = name(line[3:])
        elif line.startswith("cfn="):
            called = name(line[4:])
        elif line.startswith("calls="):
            is_call = True
            if ACCESS.match(called):
                accesses[function] += int(line[6:].split()[0])
        elif line[:1] in "+-*0123456789" and line:
            if not is_call:
                instructions[function] += int(line.split()[1])
            is_call = False
    return instructions, accesses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    totals = [0, 0, 0, 0]
    print(f"{'construct':<14} {'all code':>22} {'without waiting loops':>22}")
    for construct in CONSTRUCTS:
        less, more = (count(options.build, construct, options.threads, times)
                      for times in (LESS, MORE))
        sums = [sum(more[what][f] - less[what][f] for f in more[what]
                    if OURS.match(f) and (waits or not WAITS.search(f)))
                for waits in (True, False) for what in (0, 1)]
        totals = [a + b for a, b in zip(totals, sums)]
        print(f"{construct:<14} {tell(*sums[:2]):>22} {tell(*sums[2:]):>22}")
    print(f"{'all':<14} {tell(*totals[:2]):>22} {tell(*totals[2:]):>22}")


def tell(instructions: int, accesses: int) -> str:
    return f"{instructions} / {accesses} = {instructions / max(accesses, 1):.1f}"


if __name__ == "__main__":
    main()
