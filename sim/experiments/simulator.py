# SPDX-License-Identifier: Apache-2.0
"""Calls the program heddle-sim: one call is one deterministic run, named by its Point."""
from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("build/release/sim/heddle-sim", "build/sim/heddle-sim")


class SimulatorError(Exception):
    """A run that failed, with the command and what it said."""


@dataclass(frozen=True)
class Point:
    """What one run depends on. `parameters` are the workload's, sorted by name."""

    workload: str
    machine: str
    threads: int
    parameters: tuple[tuple[str, str], ...] = ()
    policy: str = ""  # HEDDLE_TASK_POLICY; empty: the default
    seed: int = 1
    bound: bool = False  # threads bound to cores, neighbours to neighbours
    slack_ns: int = 0  # by which threads may run ahead of each other: faster, less exact
    runtime: str = ""  # layout on a machine without caches; empty: the model's
    jitter: int = 0  # per cent by which the workload's computing varies with the seed

    def arguments(self) -> list[str]:
        words = ["run", self.workload, "--machine", self.machine, "--threads", str(self.threads),
                 "--seed", str(self.seed), "--json"]
        for name, value in self.parameters:
            words += ["--param", f"{name}={value}"]
        if self.bound:
            words += ["--env", "OMP_PLACES=cores", "--env", "OMP_PROC_BIND=close"]
        if self.slack_ns:
            words += ["--slack", str(self.slack_ns)]
        if self.runtime:
            words += ["--runtime", self.runtime]
        if self.jitter:
            words += ["--jitter", str(self.jitter)]
        return words + (["--policy", self.policy] if self.policy else [])


def point(workload: str, machine: str, threads: int, *, policy: str = "", seed: int = 1,
          bound: bool = False, slack_ns: int = 0, runtime: str = "", jitter: int = 0,
          **parameters: Any) -> Point:
    named = tuple(sorted((name, str(value)) for name, value in parameters.items()))
    return Point(workload, machine, threads, named, policy, seed, bound, slack_ns, runtime,
                 jitter)


Result = Mapping[str, Any]


@dataclass(frozen=True)
class Simulator:
    """The program, and how many runs go side by side (they do not disturb each other's time)."""

    program: Path
    jobs: int = 1
    timeout: float = 3600.0  # host seconds of one run

    def run(self, at: Point) -> Result:
        """One run's JSON object. Raises SimulatorError if it failed or its answer was wrong."""
        command = [str(self.program), *at.arguments()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.timeout,
                                  check=False)
        except subprocess.TimeoutExpired:
            raise SimulatorError(f"{' '.join(command)}: no end after {self.timeout:g} s") from None
        if done.returncode != 0:
            raise SimulatorError(f"{' '.join(command)}: exit status {done.returncode}: "
                                 f"{done.stderr.strip() or done.stdout.strip()}")
        result: dict[str, Any] = json.loads(done.stdout)
        if not result.get("checked", False):
            raise SimulatorError(f"{' '.join(command)}: wrong answer {result.get('answer')}")
        return result

    def run_all(self, points: Iterable[Point],
                told: Callable[[Point, Result], None] = lambda *_: None) -> dict[Point, Result]:
        """All runs, each once, longest teams first; `told` hears of each that ends."""
        wanted = sorted(set(points), key=lambda p: -p.threads)
        results: dict[Point, Result] = {}
        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            for at, result in zip(wanted, pool.map(self.run, wanted)):
                results[at] = result
                told(at, result)
        return results


def find_program(given: Path | None) -> Path:
    """The simulator named by --simulator or HEDDLE_SIM, or the one of the usual build folders."""
    named = given or (Path(os.environ["HEDDLE_SIM"]) if os.environ.get("HEDDLE_SIM") else None)
    candidates = [named] if named else [ROOT / place for place in PLACES]
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve()
    raise SimulatorError("no heddle-sim at " + ", ".join(map(str, candidates)) +
                         ": build it (docs/simulator.md) or name it with --simulator")
