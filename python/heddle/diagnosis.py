# SPDX-License-Identifier: Apache-2.0
"""What makes OpenMP programs slow or wrong: one function for each kind of problem.

Each takes the situation and tells its findings, with a fix in one line. A new one is a function
more, and its name in CHECKS.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Mapping, Optional, Sequence

from . import elf, runtimes
from .budget import Budget, ranges
from .launcher import local_processes
from .machine import cpu_list
from .subject import Serving, Subject
from .variables import refused_by

NUMBER = "[0-9]{1,18}"  # more digits are no number here
MOST_THREADS = 2**31 - 1


@dataclass(frozen=True)
class Finding:
    """A problem in one line, and what to do about it in another."""

    problem: str
    fix: str


@dataclass(frozen=True)
class Situation:
    """All that the checks look at."""

    environment: Mapping[str, str]
    budget: Budget
    subject: Optional[Subject] = None
    serving: Serving = Serving((), {})
    siblings: int = 1  # processes with this program and an OpenMP runtime, itself included
    threads: int = 0  # of all of them together, where they run
    refusals: Sequence[str] = field(default_factory=tuple)  # what the library says of variables
    hindrance: str = ""  # why the library cannot be preloaded

    @property
    def processes(self) -> int:
        return max(self.siblings, local_processes(self.environment)[0])

    @property
    def on_heddle(self) -> bool:
        """Whether all that is known to be served is served by Heddle."""
        winners = self.serving.winners.values()
        preloaded = not self.serving.unreached and any(runtimes.kind(path) == "heddle"
                                                       for path in self.preloads)
        return preloaded or bool(winners) and all(runtimes.kind(path) == "heddle"
                                                  for path in winners)

    @property
    def preloads(self) -> list[str]:
        """What LD_PRELOAD names."""
        return re.findall(r"[^\s:]+", self.environment.get("LD_PRELOAD", ""))

    @property
    def team_variable(self) -> str:
        """The one that says how many threads a team has."""
        names = ("OMP_NUM_THREADS", "OMP_NUM_THREADS_ALL")
        return next((name for name in names if name in self.environment), names[0])

    @property
    def team(self) -> Optional[int]:
        """The threads that the environment asks for, over all levels of nesting."""
        text = self.environment.get(self.team_variable, "")
        if not re.fullmatch(rf"\s*{NUMBER}\s*(,\s*{NUMBER}\s*)*", text):
            return None
        team = 1
        for part in text.split(","):
            team = min(team * int(part), MOST_THREADS)
        return team or None


def duplicates(now: Situation) -> Iterator[Finding]:
    several = now.serving.several()
    if several:
        yield Finding(f"{len(several)} OpenMP runtimes in one process, each with threads of its "
                      f"own: {', '.join(several)}",
                      "heddle run PROGRAM, or `import heddle` before all other imports")
    if "KMP_DUPLICATE_LIB_OK" in now.environment and not now.on_heddle:
        yield Finding("KMP_DUPLICATE_LIB_OK only silences libomp's warning of a second runtime",
                      "unset KMP_DUPLICATE_LIB_OK, and heddle run PROGRAM")


def oversubscription(now: Situation) -> Iterator[Finding]:
    cpus, processes = now.budget.cpus, now.processes
    share = max(1, cpus // processes)
    if now.threads > cpus and now.siblings > 1:
        yield Finding(f"{now.siblings} processes of this program have {now.threads} threads "
                      f"together, on {cpus} CPUs", f"OMP_NUM_THREADS={share} for each")
    elif now.team is not None and now.team * processes > cpus:
        many = f"{processes} processes of {now.team} threads" if processes > 1 else (
            f"{now.team_variable}={now.environment[now.team_variable]}: {now.team} threads")
        yield Finding(f"{many} on {cpus} CPUs", f"{now.team_variable}={share}")
    elif now.team is None and processes > 1 and not _binds(now):
        yield Finding(f"{processes} processes, and each takes {cpus} threads, for OMP_NUM_THREADS "
                      "is not set", f"OMP_NUM_THREADS={share}")
    if now.environment.get("OMP_WAIT_POLICY", "").lower() == "active" and (
            (now.team or cpus) * processes > cpus):
        yield Finding("OMP_WAIT_POLICY=active: waiting threads take the CPUs that working ones "
                      "need", "unset OMP_WAIT_POLICY")


def quota(now: Situation) -> Iterator[Finding]:
    tightest = now.budget.quota
    if tightest is None or tightest.cpus >= len(now.budget.mask):
        return
    if now.team is None and not now.on_heddle:
        yield Finding(f"the quota is {tightest.cpus:g} CPUs ({tightest.file}); libgomp, libomp and "
                      f"libiomp5 do not look and take {len(now.budget.mask)} threads",
                      f"heddle run PROGRAM, or OMP_NUM_THREADS={now.budget.cpus}")


def _binds(now: Situation) -> bool:
    bind = now.environment.get("OMP_PROC_BIND", "").strip().lower()
    return bind not in ("", "false") or any(
        name in now.environment for name in ("OMP_PLACES", "GOMP_CPU_AFFINITY")) and not bind


def binding(now: Situation) -> Iterator[Finding]:
    processes, launcher = local_processes(now.environment)
    whole = len(now.budget.mask) == now.budget.online
    if processes > 1 and _binds(now) and whole and not now.on_heddle:
        yield Finding(f"{launcher} has started {processes} processes on the same CPUs, and each "
                      "binds its threads to the first of them",
                      "let the launcher bind the processes, or heddle run, which gives each a "
                      "share")
    told = {refused_by(line) for line in now.refusals}
    for name in {"OMP_PLACES", "GOMP_CPU_AFFINITY"} - told:
        outside = _named(now.environment.get(name, "")) - now.budget.mask
        if outside:
            yield Finding(f"{name} names CPUs that this process may not use: "
                          f"{ranges(outside)}",
                          f"unset {name}, or name CPUs of the affinity mask")
    asked = [name for name in ("KMP_AFFINITY", "GOMP_CPU_AFFINITY", "OMP_PLACES")
             if now.environment.get(name)]
    if len(asked) > 1:
        yield Finding(f"{' and '.join(asked)} say twice where threads go, and runtimes differ in "
                      "which one wins", "keep OMP_PLACES alone")


def _named(text: str) -> frozenset[int]:
    """CPUs of simple lists, as {0},{4} and 0-3 7; strides and lengths are left alone."""
    place, some = rf"\{{{NUMBER}(,{NUMBER})*\}}", rf"{NUMBER}(-{NUMBER})?"
    if re.fullmatch(rf"{place}(,{place})*", text):
        return frozenset(map(int, re.findall(NUMBER, text)))
    if re.fullmatch(rf"{some}([ ,]+{some})*", text):
        return frozenset(cpu for part in re.split(r"[ ,]+", text) for cpu in cpu_list(part))
    return frozenset()


def variables(now: Situation) -> Iterator[Finding]:
    for line in now.refusals:
        yield Finding(line.removeprefix("heddle: "), f"correct or unset {refused_by(line)}")


def preloading(now: Situation) -> Iterator[Finding]:
    if now.hindrance:
        yield Finding(now.hindrance, "HEDDLE_LIBRARY=PATH of the other place")
    for path in now.preloads:
        if elf.find(path, now.environment) is None:
            yield Finding(f"LD_PRELOAD names a file that is not there: {path}",
                          "correct or unset LD_PRELOAD")
    if now.preloads and now.serving.unreached:
        yield Finding(f"{now.serving.unreached}: LD_PRELOAD does not reach it",
                      "compile the program with heddlecc, which links Heddle")


CHECKS = (duplicates, oversubscription, quota, binding, variables, preloading)


def examine(now: Situation) -> list[Finding]:
    """All findings."""
    return [finding for check in CHECKS for finding in check(now)]


def siblings_of(subject: Subject) -> tuple[int, int]:
    """How many processes of the same user run the same file with an OpenMP runtime, and how many
    threads they have together."""
    count = threads = 0
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if (os.readlink(folder / "exe") != str(subject.path)
                    or folder.stat().st_uid != os.getuid() or not runtimes.loaded(folder.name)):
                continue
            count, threads = count + 1, threads + len(list((folder / "task").iterdir()))
        except OSError:  # it has ended
            continue
    return count, threads
