#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same workloads on this machine and on its model, side by side.

Usage: calibrate.py BUILD [--machine dev2] [--repeat 30] [--prefix "chrt -f 20"]
BUILD is a build folder with the targets heddle-sim, heddle-real and heddle. A real figure is the best
of the runs, which are short, a few milliseconds, so that some of them are not disturbed by other
programs. Times are seconds of the part that counts, overheads are microseconds. A node of a tree
costs its hash besides the cycles here.
"""
from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

CASES: list[tuple[str, list[str], str, tuple[int, ...]]] = [
    ("handover", ["what=word", "bursts=500"], "ns", (2,)),
    ("handover", ["what=paused", "bursts=500"], "ns", (2,)),
    ("handover", ["what=adds", "bursts=500"], "ns", (1,)),
    ("handover", ["what=pauses", "bursts=500"], "ns", (1,)),
    ("fib", ["n=20", "cycles=10"], "ns_per_call", (1, 2)),
    ("fib", ["n=18", "cycles=500"], "ns_per_call", (1, 2)),
    ("uts", ["tree=tiny3", "form=visit", "cycles=500"], "seconds", (1, 2)),
    ("uts", ["tree=tiny3", "form=taskwait", "cycles=500"], "seconds", (1, 2)),
    ("prodcons", ["tasks=20000"], "million_tasks_per_second", (1, 2)),
    *(("epcc", [f"construct={construct}", "times=2000"], "overhead_us", (1, 2))
      for construct in ("parallel", "for", "barrier", "single", "critical", "atomic", "reduction",
                        "task", "taskwait")),
    *(("loops", ["kind=power", f"schedule={schedule}", "iterations=10000"], "seconds", (1, 2))
      for schedule in ("adaptive", "dynamic", "static")),
]


def output(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"calibrate: {shlex.join(command)}: {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def best(runs: list[dict[str, Any]], figure: str, parameters: list[str], threads: int) -> float:
    """The best of real runs. Of an overhead both parts, for the difference of two that were
    disturbed is anything."""
    if figure.endswith("per_second"):
        return max(run[figure] for run in runs)
    if figure != "overhead_us":
        return min(run[figure] for run in runs)
    given = dict(entry.split("=") for entry in parameters)
    each = 1e6 * min(run["seconds"] for run in runs) / int(given["times"])
    delay = min(run["delay_us"] for run in runs)
    return each / (threads if given["construct"] == "critical" else 1) - delay


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("build", type=Path, help="build folder with heddle-sim and heddle-real")
    parser.add_argument("--machine", default="dev2", help="the model (dev2)")
    parser.add_argument("--repeat", type=int, default=30, help="real runs of each (30)")
    parser.add_argument("--prefix", default="", help="a command before each real run")
    options = parser.parse_args()
    print(f"| workload | threads | figure | real | {options.machine} | model / real |")
    print("|---|---|---|---|---|---|")
    for workload, parameters, figure, teams in CASES:
        for threads in teams:
            real_runs = [
                output([*shlex.split(options.prefix), str(options.build / "sim" / "heddle-real"),
                        workload, *parameters], {"OMP_NUM_THREADS": str(threads)})
                for _ in range(options.repeat)]
            real = best(real_runs, figure, parameters, threads)
            given = [word for entry in parameters for word in ("--param", entry)]
            simulated = output([str(options.build / "sim" / "heddle-sim"), "run", workload,
                                "--machine", options.machine, "--threads", str(threads), "--json",
                                *given], {})
            model = simulated["virtual_seconds" if figure == "seconds" else figure]
            ratio = f"{model / real:.2f}" if real > 0 else "-"
            print(f"| {workload} {' '.join(parameters)} | {threads} | {figure} | {real:.4g} | "
                  f"{model:.4g} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
