#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a random program of OpenMP in C, C++ or Fortran, whose answer is the same without OpenMP,
or one in C that says what its control variables have to be.

Usage: tests/random/generate.py SEED [c|c++|fortran|control]
"""

from __future__ import annotations

import argparse

from control import control
from fortran_tasks import fortran
from objects import OBJECT_ONCE, OBJECT_TEAM
from program import Program, Where
from regions import TEAM, region
from tasks import ONCE, league


KINDS = ("c", "c++", "fortran", "control")


def generate(seed: int, kind: str = "c") -> str:
    if kind in ("fortran", "control"):
        return fortran(seed) if kind == "fortran" else control(seed)
    objects = kind == "c++"
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("kind", nargs="?", choices=KINDS, default="c")
    print(generate(**vars(parser.parse_args())))
