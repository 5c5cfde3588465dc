# SPDX-License-Identifier: Apache-2.0
"""Runs the cases: contenders alternate within a round, in an order shuffled by the seed.

Every run is checked: exit status, the JSON line, its check, the runtime that served it, and whether
that understood its variables.
A contender that fails in a case, or lacks what the case measures, is reported and not run again in
that case at that team size. Lacking something is no failure.
"""
from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Iterable, Sequence

from .cases import Case
from .contenders import Contender


@dataclass
class Run:
    case: str
    contender: str
    threads: int
    round: int  # 0 warms up and does not count, unless it is all there is
    result: dict[str, Any] | None  # the program's JSON line, if the run was good
    failure: str | None
    build: str = "gcc"  # whose binary ran
    lacks: str | None = None  # what the runtime is without, and the run could not do without

    def record(self) -> dict[str, Any]:
        return asdict(self)


class Progress:
    """One changing line on a terminal, nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self.done, self.total = 0, total
        self.shown = sys.stderr.isatty()

    def step(self, what: str) -> None:
        self.done += 1
        if self.shown:
            sys.stderr.write(f"\r\033[K[{self.done}/{self.total}] {what}")
            sys.stderr.flush()

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


LACKS = 77  # the exit status of bench_lacks()


def _last_line(stderr: str) -> str:
    return (stderr.strip().splitlines() or [""])[-1]


def _exit_message(status: int, stderr: str) -> str:
    said = _last_line(stderr)
    detail = f": {said}" if said else ""
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"crashed with {name}{detail}"
    return f"failed with status {status}{detail}"


def _verify(stdout: str, contender: Contender,
            threads: int) -> tuple[dict[str, Any] | None, str | None]:
    lines = stdout.splitlines()
    try:
        result = json.loads(lines[0]) if len(lines) == 1 else None
    except json.JSONDecodeError:
        result = None
    if not isinstance(result, dict):
        return None, "did not print exactly one JSON line"
    if result.get("check") != "ok":
        return None, f"its check says {result.get('check')!r}"
    if result.get("threads") != threads:
        return None, f"ran {result.get('threads')} threads instead of {threads}"
    runtime = str(result.get("runtime"))
    if not contender.served(runtime):
        return None, f"was served by another runtime, {runtime}"
    return result, None


def _misunderstood(stderr: str) -> str | None:
    """What the runtime says of a variable that it ignores: this is not what was to be run."""
    return next((line.partition(": expected")[0] for line in stderr.splitlines()
                 if ": bad value '" in line), None)


def run_once(binary: Path, case: Case, contender: Contender, threads: int, number: int,
             quick: bool, timeout: float) -> Run:
    command = [str(binary), *case.command_line(threads, quick)]
    result, failure, lacks = None, None, None
    try:
        done = subprocess.run(command, env=contender.environment() | dict(case.environment),
                              capture_output=True, text=True, timeout=timeout)
        if done.returncode == LACKS:
            lacks = _last_line(done.stderr)
        elif done.returncode != 0:
            failure = _exit_message(done.returncode, done.stderr)
        else:
            result, failure = _verify(done.stdout, contender, threads)
            if failure is None and (said := _misunderstood(done.stderr)) is not None:
                result, failure = None, said
    except subprocess.TimeoutExpired:
        failure = f"did not end within {timeout:g} s"
    except OSError as error:
        failure = f"cannot be run: {error}"
    return Run(case.name, contender.name, threads, number, result, failure, contender.build, lacks)


def _order(contenders: Sequence[Contender], teams: Sequence[int],
           chance: random.Random) -> Iterable[tuple[int, Contender]]:
    """One round: for each team size, in random order, every contender, in random order."""
    for threads in chance.sample(list(teams), len(teams)):
        for contender in chance.sample(list(contenders), len(contenders)):
            yield threads, contender


@dataclass(frozen=True)
class Plan:
    cases: Sequence[Case]
    contenders: Sequence[Contender]
    teams: Sequence[int]
    runs: int
    warm_up: bool
    quick: bool
    timeout: float
    seed: int
    budget: float | None = None  # seconds after which no new round starts, once each has had one

    def line_up(self, case: Case) -> list[Contender]:
        """The contenders that the case's program runs on."""
        return [c for c in self.contenders if c.serves(case.runtime)]

    def total(self) -> int:
        per_round = sum(len(self.line_up(c)) for c in self.cases
                        for t in self.teams if t >= c.least_threads)
        return per_round * (self.runs + self.warm_up)


def measure(plan: Plan, binaries: dict[tuple[str, str], Path], runs: list[Run],
            progress: Progress | None = None) -> None:
    """Runs the plan, round by round over all cases; appends to `runs` as results come in.

    `binaries` are by build and program. `progress` is told what is run next.
    """
    chance = random.Random(plan.seed)
    progress = progress or Progress(plan.total())
    given_up: set[tuple[str, str, int]] = set()
    start = time.monotonic()
    for number in range(0 if plan.warm_up else 1, plan.runs + 1):
        late = plan.budget is not None and time.monotonic() - start > plan.budget
        if late and number > 1:
            break
        for case in plan.cases:
            teams = [t for t in plan.teams if t >= case.least_threads]
            for threads, contender in _order(plan.line_up(case), teams, chance):
                progress.step(f"{case.name}, {threads} threads, {contender.name}")
                if (case.name, contender.name, threads) in given_up:
                    continue
                run = run_once(binaries[contender.build, case.program], case, contender, threads,
                               number, plan.quick, plan.timeout)
                runs.append(run)
                if run.result is None:
                    given_up.add((case.name, contender.name, threads))
    progress.clear()
