#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure what it costs a short program that it is started with an OpenMP runtime preloaded.

The program opens no parallel region. Runs with nothing, with Heddle and with gcc's libgomp
preloaded take turns, so that a change of the machine's mood hits all of them alike.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEDDLE = ROOT / "build/release/lib/libheddle.so"
WARM_UP = 20


def libgomp():
    text = subprocess.run(["gcc", "-print-file-name=libgomp.so"], capture_output=True, text=True,
                          check=True)
    return Path(text.stdout.strip()).resolve()


def compile_empty_program(folder):
    source, program = Path(folder) / "empty.c", Path(folder) / "empty"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-O2", source, "-o", program], check=True)
    return str(program)


def run_seconds(program, preload):
    """How long the program takes from being started to having been waited for."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    if preload:
        env["LD_PRELOAD"] = str(preload)
    started = time.perf_counter()
    _, status = os.waitpid(os.posix_spawn(program, [program], env), 0)
    seconds = time.perf_counter() - started
    if status:
        raise SystemExit(f"{program} with {preload} ended with status {status}")
    return seconds


def measure(program, contenders, runs):
    """{name: seconds of each run}; the first runs only warm the caches."""
    seconds = {name: [] for name in contenders}
    for turn in range(WARM_UP + runs):
        for name, preload in contenders.items():
            taken = run_seconds(program, preload)
            if turn >= WARM_UP:
                seconds[name].append(taken)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, default=HEDDLE)
    parser.add_argument("--runs", type=int, default=500)
    options = parser.parse_args()
    if not options.library.is_file():
        parser.error(f"no such library: {options.library} (make build)")
    contenders = {"nothing": None, "heddle": options.library.resolve(), "libgomp": libgomp()}
    with tempfile.TemporaryDirectory() as folder:
        seconds = measure(compile_empty_program(folder), contenders, options.runs)
    base = statistics.median(seconds["nothing"])
    print(f"{'preloaded':10} {'median':>9} {'added':>9} {'10%..90%':>18}   ({options.runs} runs each)")
    for name, values in seconds.items():
        deciles = statistics.quantiles(values, n=10)
        print(f"{name:10} {statistics.median(values) * 1e3:6.3f} ms "
              f"{(statistics.median(values) - base) * 1e3:6.3f} ms "
              f"{deciles[0] * 1e3:7.3f}..{deciles[-1] * 1e3:.3f} ms")


if __name__ == "__main__":
    main()
