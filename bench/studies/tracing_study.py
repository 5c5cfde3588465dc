#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What HEDDLE_TRACE costs a program whose tasks last about 10 us: medians of runs in turn.

Usage: bench/studies/tracing_study.py [LIBHEDDLE] [--threads 1,2] [--runs 9] [--steps 2700]
"""

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60
DEPTH = 15


def time_per_task(program, library, threads, steps, trace):
    """Microseconds of one run; `trace`: its file, or None."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_", "LD_"))}
    env |= {"LD_PRELOAD": str(library), "OMP_NUM_THREADS": str(threads)}
    if trace:
        env["HEDDLE_TRACE"] = str(trace)
    depth = DEPTH + threads.bit_length() - 1
    done = subprocess.run([program, str(steps), str(depth)], env=env, capture_output=True,
                          text=True, check=True, timeout=TIMEOUT_S)
    return float(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?", type=Path,
                        default=ROOT / "build/release/lib/libheddle.so")
    parser.add_argument("--threads", default="1,2", help="team sizes")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--steps", type=int, default=2700, help="of work in a task")
    options = parser.parse_args()
    library = options.library.resolve(strict=True)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "tracing"
        subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-fopenmp",
                        str(Path(__file__).with_name("tracing.c")), "-o", str(program)], check=True)
        print("threads   us a task   traced   cost")
        for threads in map(int, options.threads.split(",")):
            plain, traced = [], []
            for _ in range(options.runs):
                plain.append(time_per_task(program, library, threads, options.steps, None))
                traced.append(time_per_task(program, library, threads, options.steps,
                                            Path(folder) / "run.trace"))
            before, after = statistics.median(plain), statistics.median(traced)
            print(f"{threads:>7} {before:>11.2f} {after:>8.2f} {after / before - 1:>+6.1%}")


if __name__ == "__main__":
    main()
