#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One build of the library, linked with its object files in several orders, and what each takes.

Where the linker puts a function decides about a tenth of some of EPCC's rows with more threads than
CPUs. Two builds that differ in a line differ in that too; their medians over orders can be compared.

Usage: bench/studies/link_orders.py [CONSTRUCT]... [--build FOLDER]... [--orders 9] [--rounds 7]
       [--threads 8] [--seed 1]
"""
from __future__ import annotations

import argparse
import random
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

from harness import programs  # noqa: E402
from harness.cases import Case  # noqa: E402
from harness.contenders import Contender  # noqa: E402
from harness.measure import run_once  # noqa: E402


@dataclass
class Layout:
    build: Path
    library: Path
    microseconds: dict[str, list[float]] = field(default_factory=dict)


def link_command(build: Path) -> list[str]:
    """What links libheddle.so in a build folder of Ninja: relative to it."""
    done = subprocess.run(["ninja", "-C", build, "-t", "commands", "heddle"], capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise SystemExit(f"link_orders: {build} is no build by Ninja: {done.stderr.strip()}")
    words, command = shlex.split(done.stdout.splitlines()[-1]), []
    for word in words:  # cmake joins what it does before and afterwards
        if word != "&&":
            command.append(word)
        elif "-shared" in command:
            break
        else:
            command = []
    return command


def link(build: Path, orders: int, seed: int, output: Path) -> list[Layout]:
    """The first is the build's own order."""
    command, layouts = link_command(build), []
    places = [i for i, word in enumerate(command) if word.endswith(".o")]
    objects = [command[i] for i in places]
    order = random.Random(seed)
    for number in range(orders):
        library = output / f"{number}.so"
        command[command.index("-o") + 1] = str(library)
        for place, name in zip(places, objects):
            command[place] = name
        done = subprocess.run(command, cwd=build, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"link_orders: {build} does not link:\n{done.stderr.strip()}")
        layouts.append(Layout(build, library))
        order.shuffle(objects)
    return layouts


def measure(layouts: list[Layout], constructs: list[str], rounds: int, threads: int,
            program: Path, repetitions: int) -> None:
    runs = [(layout, name) for layout in layouts for name in constructs] * rounds
    random.shuffle(runs)
    for layout, name in runs:
        arguments = ("--construct", name, "--repetitions", str(repetitions))
        run = run_once(program, Case(name, "overheads", name, arguments, arguments),
                       Contender(layout.library.name, layout.library), threads, 1, False, 600)
        taken = (run.result or {}).get("overhead_us", {}).get(name)
        if taken is None:
            raise SystemExit(f"link_orders: {name}: {run.failure or run.lacks or 'no such row'}")
        layout.microseconds.setdefault(name, []).append(taken)


def print_table(layouts: list[Layout], constructs: list[str], builds: list[Path]) -> None:
    print(f"{'us':16}{'own order':>12}{'least':>10}{'median':>10}{'most':>10}   build")
    for name in constructs:
        for build in builds:
            taken = [median(x.microseconds[name]) for x in layouts if x.build == build]
            print(f"{name:16}{taken[0]:12.3f}{min(taken):10.3f}{median(taken):10.3f}"
                  f"{max(taken):10.3f}   {build}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("constructs", nargs="*", metavar="CONSTRUCT",
                        help="rows of bench/overheads (parallel)")
    parser.add_argument("--build", action="append", type=Path, metavar="FOLDER",
                        help="a release build by Ninja; several are compared (build/release)")
    parser.add_argument("--orders", type=int, default=9, help="of the object files (9)")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each (7)")
    parser.add_argument("--repetitions", type=int, default=20, help="measurements in a run (20)")
    parser.add_argument("--threads", type=int, default=8, help="of a team (8)")
    parser.add_argument("--seed", type=int, default=1, help="of the orders (1)")
    parser.add_argument("--output", type=Path, default=BENCH.parent / "build/bench",
                        help="folder of the program and the libraries (build/bench)")
    wanted = parser.parse_args()
    constructs = wanted.constructs or ["parallel"]
    builds = [b.resolve() for b in wanted.build or [BENCH.parent / "build/release"]]
    program = programs.build("overheads", BENCH, wanted.output.resolve(), "gcc")
    output = wanted.output.resolve() / "link_orders"
    shutil.rmtree(output, ignore_errors=True)
    layouts = []
    for number, build in enumerate(builds):
        (output / str(number)).mkdir(parents=True)
        layouts += link(build, wanted.orders, wanted.seed, output / str(number))
    measure(layouts, constructs, wanted.rounds, wanted.threads, program, wanted.repetitions)
    print_table(layouts, constructs, builds)


if __name__ == "__main__":
    main()
