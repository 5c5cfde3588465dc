#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boots a machine of 4 NUMA nodes and 8 CPUs in an emulator and runs programs on it.

What is run stands in runs.txt, a line each, or with --balanced in balanced.txt, and then on a machine
whose CPUs all get as much time; --table FILE has other lines. Usage: guest.py [--balanced] [--table FILE]
[--limit SECONDS] [WORD]..., where only lines with one of the words in them are run. Run by ctest with
HEDDLE_LIBRARY and CC set: the machine has their architecture. Exit status 77 and one line where the
machine cannot be had; HEDDLE_GUEST=required makes that a failure. More in docs/guest.md.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import debian
import initramfs
import machine

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so")).resolve()
HEDDLECC = LIBRARY.parents[1] / "bin/heddlecc"
COMPILER = os.environ.get("CC", "gcc")
SKIPPED = 77
STRICT = ("-O2", "-g", "-Wall", "-Wextra", "-Werror")

sys.path.insert(0, str(ROOT / "bench"))

from harness import programs  # noqa: E402


@dataclass(frozen=True)
class Run:
    """A line of runs.txt: [VARIABLE=VALUE]... PROGRAM [ARGUMENT]..."""
    text: str
    variables: tuple
    program: str
    arguments: tuple


# First on the balanced machine: turns of 9.2 us. See slices.c about the number.
SLICES = Run("slices 22", (), "slices", ("22",))


def read_runs(path, words):
    runs = []
    for line in path.read_text().splitlines():
        parts = shlex.split(line, comments=True)
        if not parts or (words and not any(word in line for word in words)):
            continue
        first = next(i for i, part in enumerate(parts) if not re.match(r"[A-Z_]+=", part))
        runs.append(Run(line.strip(), tuple(parts[:first]), parts[first], tuple(parts[first + 1:])))
    return runs


def leave_out(runs, architecture):
    """The runs that the machine can do; the others are told. heddlecc is a program of the library's
    architecture, and compiles here."""
    lacking = [*architecture.lacks, *(["heddlecc/"] if is_foreign(architecture) else [])]
    left = [run for run in runs if not any(word in run.text for word in lacking)]
    if len(left) < len(runs):
        print(f"guest: {len(runs) - len(left)} runs with {' or '.join(lacking)} are left out")
    return left


def is_foreign(architecture):
    return architecture.name != os.uname().machine


def build(name, folder):
    """The program: bench/NAME, stress/NAME or robustness/NAME of those tests, or NAME of this folder,
    which heddlecc compiles as heddlecc/NAME; None, with the compiler's messages on stderr, when there is
    none or it does not compile."""
    kind, _, rest = name.rpartition("/")
    if kind == "bench":
        try:
            return programs.build(rest, ROOT / "bench", folder, COMPILER, heddle=LIBRARY)
        except programs.BuildError as error:
            print(error, file=sys.stderr)
            return None
    source = next((HERE.parent / kind if kind in ("stress", "robustness") else HERE).glob(f"{rest}.c*"), None)
    if source is None:
        return None
    standard, libraries = (("-std=gnu17", ["-lm"]) if source.suffix == ".c" else
                           ("-std=gnu++20", ["-lstdc++", "-lm"]))
    target = folder / name.replace("/", ".")
    if kind == "heddlecc":
        compiler = [HEDDLECC, "--no-rpath", standard]
    else:
        compiler = [COMPILER, standard, f"-I{ROOT / 'include'}"]
        libraries = ["-Wl,--no-as-needed", LIBRARY, *libraries]
    done = subprocess.run([*compiler, *STRICT, "-fopenmp", source, "-o", target, *libraries])
    return target if done.returncode == 0 else None


def boot(architecture, runs, folder, limit, balanced):
    """What the console said, and whether the machine came to its end."""
    foreign = COMPILER if is_foreign(architecture) else None
    emulator, kernel = machine.find_emulator(architecture), machine.find_kernel(architecture)
    busybox = machine.find_busybox(architecture)
    archive = initramfs.Archive()
    drop_in = LIBRARY.parent / "drop-in"
    for name in dict.fromkeys(run.program for run in runs):
        if program := build(name, folder):
            initramfs.add_program(archive, program, f"/tests/{name}", f"{LIBRARY.parent}:{drop_in}", foreign)
    initramfs.add_drop_in(archive, drop_in)
    initramfs.add_init(archive, runs, busybox)
    archive.write(folder / "initramfs")
    console = folder / "console"
    command = machine.command(architecture, emulator, kernel, folder / "initramfs", balanced)
    ended = machine.run(command, console, limit)
    return console.read_text(errors="replace").replace("\r", ""), ended


def report(runs, console):
    """Prints what became of each run; returns how many failed or were never run."""
    failures = 0
    for number, run in enumerate(runs):
        found = re.search(rf"(?ms)^@begin {number}\n(.*?)^@end {number} (\d+) (\S+) (\S+)$", console)
        status = int(found[2]) if found else None
        failures += status != 0
        why = {None: "NOT ENDED", 0: "passed", 137: "KILLED"}.get(status, f"FAILED({status})")
        took = f" ({float(found[4]) - float(found[3]):.1f} s)" if found else ""
        print(f"{why:10} {run.text}{took}")
        for said in (found[1] if found else "").splitlines():
            if said.strip():
                print(f"           {said}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--balanced", action="store_true",
                        help="what balanced.txt says, and CPUs that get as much time each")
    parser.add_argument("--table", type=Path, help="the runs (default: runs.txt or balanced.txt)")
    parser.add_argument("--limit", type=float, default=500, help="seconds for boot and all runs")
    parser.add_argument("--console", type=Path, help="a file for all that the machine said")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only runs with one of these")
    options = parser.parse_args()
    table = options.table or HERE / ("balanced.txt" if options.balanced else "runs.txt")
    runs = read_runs(table, options.words)
    if not runs:
        parser.error(f"no line of {table.name} has one of these words")
    if options.balanced:
        runs.insert(0, SLICES)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            architecture = machine.architecture_of(LIBRARY)
            if options.balanced and architecture is not machine.X86_64:
                raise debian.Unavailable("there is a balanced machine for x86-64 only")
            runs = leave_out(runs, architecture)
            if not runs:
                raise debian.Unavailable("none of these runs is left")
            console, ended = boot(architecture, runs, Path(folder), options.limit, options.balanced)
        except debian.Unavailable as reason:
            print(f"guest: skipped, {reason}")
            return 1 if os.environ.get("HEDDLE_GUEST") == "required" else SKIPPED
    if options.console:
        options.console.write_text(console)
    failures = report(runs, console)
    print(f"guest: {len(runs) - failures} of {len(runs)} runs passed,"
          f" {time.monotonic() - begin:.0f} s with compiling and booting")
    if f"@end {len(runs) - 1} " not in console:
        print(f"guest: the machine {'died' if ended else f'was stopped after {options.limit:.0f} s'};"
              " its last lines")
        print("\n".join(console.splitlines()[-30:]))
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
