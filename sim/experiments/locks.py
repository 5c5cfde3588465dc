# SPDX-License-Identifier: Apache-2.0
"""The Cyclops-64 paper's locks and structures, by its own formulas, on the simulated chip."""
from __future__ import annotations

from typing import Mapping

from .lab import Experiment, Lab
from .outcome import number
from .simulator import point

MACHINE = "cyclops64"
TEAMS = (1, 2, 4, 8, 16, 32, 64, 128)
LOCKS = ("tas", "tas_backoff", "ticket", "mcs", "mcs_sleep")
MCS = ("mcs", "mcs_sleep")
STRUCTURES = ("fifo", "lifo", "hash")
WAYS = ("lock", "lock_free", "backoff")


def figure_4(lab: Lab) -> None:
    teams = lab.size(TEAMS, (1, 2, 4))
    found: dict[tuple[str, str, int], float] = {}
    for mode in ("delay", "null"):
        points = {(lock, t): point("locks", MACHINE, t, seed=lab.seed, lock=lock, mode=mode,
                                   acquires=lab.size(100, 20))
                  for lock in LOCKS for t in teams}
        results = lab.run(points.values())
        for (lock, t), at in points.items():
            found[mode, lock, t] = float(results[at]["overhead_cycles"])
        lab.table(f"overhead of a lock, lock-{mode}", "cycles", "threads", teams, LOCKS,
                  lambda i, j: found[mode, LOCKS[j], teams[i]], log_y=mode == "delay")
    most = teams[-1]
    at_most = {lock: found["delay", lock, most] for lock in LOCKS}
    others = [at_most[lock] for lock in LOCKS if lock not in MCS]
    lab.judge("locks-fig4-mcs", max(at_most[m] for m in MCS) < min(others),
              f"{most} threads, lock-delay: " +
              ", ".join(f"{lock} {number(at_most[lock])}" for lock in LOCKS) + " cycles")
    growth = {m: at_most[m] / max(found["delay", m, 2], 1.0) for m in MCS}
    lab.judge("locks-fig4-flat", max(growth.values()) <= lab.expect("locks-fig4-flat")["ratio"],
              ", ".join(f"{m} {number(growth[m])} times that of two threads" for m in MCS))
    lab.judge("locks-fig4-sleep", at_most["mcs_sleep"] <= at_most["mcs"],
              f"mcs_sleep {number(at_most['mcs_sleep'])}, mcs {number(at_most['mcs'])} cycles")
    lab.judge("locks-fig4-ticket", at_most["ticket"] < at_most["tas_backoff"],
              f"ticket {number(at_most['ticket'])}, test-and-set with backoff "
              f"{number(at_most['tas_backoff'])} cycles")


def slowest_to_lock(found: Mapping[tuple[str, int], float], most: int) -> str:
    return ", ".join(f"{way} {number(found[way, most])}" for way in WAYS) + " us a thread"


def figure_6(lab: Lab) -> None:
    teams = lab.size(TEAMS[1:], (2, 4))
    for structure in STRUCTURES:
        points = {(way, t): point("structures", MACHINE, t, seed=lab.seed, structure=structure,
                                  way=way, operations=lab.size(200, 20))
                  for way in WAYS for t in teams}
        results = lab.run(points.values())
        found = {(way, t): 1e6 * lab.seconds(results, at) / t for (way, t), at in points.items()}
        lab.table(f"{structure}: time over threads", "us", "threads", teams, WAYS,
                  lambda i, j: found[WAYS[j], teams[i]], log_y=True)
        most = teams[-1]
        lab.judge(f"locks-fig6-{structure}",
                  found["lock", most] < min(found["lock_free", most], found["backoff", most]),
                  f"{most} threads: {slowest_to_lock(found, most)}")


EXPERIMENTS = (
    Experiment("locks-fig4", "five locks, overhead to 128 threads", (MACHINE,), figure_4),
    Experiment("locks-fig6", "structures with locks and without", (MACHINE,), figure_6),
)
