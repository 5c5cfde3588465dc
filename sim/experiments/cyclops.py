# SPDX-License-Identifier: Apache-2.0
"""The Cyclops-64 paper's constructs on its chip, 2 to 128 threads, by the runtime as it is.

The paper compares a port with it: descriptors in scratchpads, the signal bus as barrier. There is
no such variant yet, so its claims on constructs are pending (claims.json).
"""
from __future__ import annotations

from .lab import Experiment, Lab
from .simulator import point

MACHINE = "cyclops64"
TEAMS = (2, 4, 8, 16, 32, 64, 128)
CONSTRUCTS = ("parallel", "for", "barrier", "single", "critical", "lock", "atomic", "reduction")


def epcc(lab: Lab) -> None:
    teams = lab.size(TEAMS, (2, 4))
    points = {(c, t): point("epcc", MACHINE, t, seed=lab.seed, construct=c, times=lab.size(20, 2))
              for c in CONSTRUCTS for t in teams}
    results = lab.run(points.values())
    lab.table("overhead of constructs", "us", "threads", teams, CONSTRUCTS,
              lambda i, j: float(results[points[CONSTRUCTS[j], teams[i]]]["overhead_us"]),
              log_y=True)
    lab.note("The base runtime only: the port's claims wait for the port.")


EXPERIMENTS = (Experiment("c64-epcc", "overhead of constructs, base runtime", (MACHINE,), epcc),)
