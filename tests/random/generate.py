#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a random program of OpenMP in C or C++, whose answer is the same without OpenMP.

Usage: tests/random/generate.py SEED [c|c++]
"""

from __future__ import annotations

import sys

from objects import OBJECT_ONCE, OBJECT_TEAM
from program import Program, Where
from regions import TEAM, region
from tasks import ONCE, league


def generate(seed: int, language: str = "c") -> str:
    objects = language == "c++"
    program = Program(seed, ONCE + objects * OBJECT_ONCE, TEAM + objects * OBJECT_TEAM)
    for _ in range(program.dice.randrange(1, 4)):
        region(program, Where())
        if program.dice.random() < 0.3:
            league(program, Where())
        program.pragma("taskgroup")
        with program.block():
            program.once(Where(), 2)
    return program.text()


if __name__ == "__main__":
    if sys.argv[2:] not in ([], ["c"], ["c++"]):
        sys.exit(f"{sys.argv[0]}: {' '.join(sys.argv[2:])}: c or c++ is wanted")
    print(generate(int(sys.argv[1]), *sys.argv[2:]))
