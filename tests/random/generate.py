#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a random program of OpenMP in C, whose answer is the same without OpenMP.

Usage: tests/random/generate.py SEED
"""

from __future__ import annotations

import sys

from program import Program, Where
from regions import TEAM, region
from tasks import ONCE, league


def generate(seed: int) -> str:
    program = Program(seed, ONCE, TEAM)
    for _ in range(program.dice.randrange(1, 4)):
        region(program, Where())
        if program.dice.random() < 0.3:
            league(program, Where())
        program.pragma("taskgroup")
        with program.block():
            program.once(Where(), 2)
    return program.text()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
