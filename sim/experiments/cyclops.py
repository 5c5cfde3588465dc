# SPDX-License-Identifier: Apache-2.0
"""The Cyclops-64 paper's constructs on its chip, 2 to 160 threads, under three layouts of the
runtime: `base`, what the paper starts from (a mutex off chip, descriptors found through a table in
shared memory, one word as barrier), `shipped`, the runtime as other machines have it, and `port`.
"""
from __future__ import annotations

from typing import Sequence

from .lab import Experiment, Lab
from .outcome import number
from .simulator import Point, point

MACHINE = "cyclops64"
TEAMS = (2, 4, 8, 16, 32, 64, 128, 160)
JUDGED = 128
BASE, SHIPPED, PORT = LAYOUTS = ("base", "shipped", "port")
FIGURES = {"figure 8": ("parallel", "parallel_for"),
           "figure 9": ("barrier", "single", "ordered"),
           "figure 10": ("critical", "lock", "locked_atomic"),
           "figure 11": ("reduction",),
           "beyond the paper's figures": ("for", "atomic")}
CONSTRUCTS = tuple(c for constructs in FIGURES.values() for c in constructs)
# What the paper says of each, as a part of the base's overhead that is left.
PAPER = {"parallel": 0.2, "parallel_for": 0.2, "barrier": 0.01, "single": 0.01, "critical": 0.2,
         "lock": 0.2, "locked_atomic": 0.2, "reduction": 0.15}
# Each optimization alone: the layout's name, and what it is in the table.
ALONE = {"base": "base", "base,scratchpad": "scratchpads", "base,mcs_sleep": "MCS-SW",
         "base,signal_bus": "bus", "port": "port"}


# Threads take turns: so many turns in all. A region each: so many. Others: in one region.
TURNS, REGIONS, IN_REGION = 1280, 20, 100
TAKE_TURNS = ("critical", "lock", "locked_atomic", "ordered")
ARE_REGIONS = ("parallel", "parallel_for", "reduction")


def at(lab: Lab, construct: str, threads: int, layout: str) -> Point:
    usual = (TURNS // threads if construct in TAKE_TURNS else
             REGIONS if construct in ARE_REGIONS else IN_REGION)
    times = lab.size(usual, 2)
    return point("epcc", MACHINE, threads, seed=lab.seed, runtime=layout, construct=construct,
                 times=times)


def epcc(lab: Lab) -> None:
    teams = lab.size(TEAMS, (2, 20))
    most = JUDGED if JUDGED in teams else teams[-1]
    wanted = [(c, t, layout) for c in CONSTRUCTS for t in teams for layout in LAYOUTS]
    wanted += [(c, most, layout) for c in CONSTRUCTS for layout in ALONE if layout not in LAYOUTS]
    points = {key: at(lab, *key) for key in wanted}
    results = lab.run(points.values())
    found = {key: float(results[where]["overhead_us"]) for key, where in points.items()}

    for figure, constructs in FIGURES.items():
        columns = [(c, layout) for c in constructs for layout in LAYOUTS]
        lab.table(f"overhead, {figure}", "us", "threads", teams, [f"{c} {l}" for c, l in columns],
                  lambda i, j: found[columns[j][0], teams[i], columns[j][1]], log_y=True)
    lab.table(f"{most} threads: each optimization alone", "us", "construct", CONSTRUCTS,
              list(ALONE.values()),
              lambda i, j: found[CONSTRUCTS[i], most, list(ALONE)[j]], chart=False)
    left = {c: found[c, most, PORT] / found[c, most, BASE] for c in CONSTRUCTS}
    of_shipped = {c: found[c, most, PORT] / found[c, most, SHIPPED] for c in CONSTRUCTS}

    def percent(i: int, j: int) -> "float | None":
        share = (left, of_shipped, PAPER)[j].get(CONSTRUCTS[i])
        return None if share is None else 100 * (1 - share)

    lab.table(f"{most} threads: overhead that the port saves", "%", "construct", CONSTRUCTS,
              ("of the base's", "of the shipped one's", "paper, of its base's"), percent,
              chart=False)

    def judge(claim: str, constructs: Sequence[str]) -> None:
        lab.judge(claim, max(left[c] for c in constructs) <= lab.expect(claim)["ratio"],
                  f"{most} threads: " + ", ".join(
                      f"{c} {number(found[c, most, PORT])} of {number(found[c, most, BASE])} us "
                      f"({number(100 * left[c])} %)" for c in constructs))

    judge("c64-all", [c for c in CONSTRUCTS if c != "atomic"])
    judge("c64-fig8-parallel", FIGURES["figure 8"])
    judge("c64-fig9-barrier", ("barrier", "single"))
    judge("c64-fig9-ordered", ("ordered",))
    judge("c64-fig10-critical", FIGURES["figure 10"])
    judge("c64-fig11-reduction", FIGURES["figure 11"])
    growth = {c: found[c, most, PORT] / found[c, teams[0], PORT] for c in FIGURES["figure 10"]}
    lab.judge("c64-mcs-flat", max(growth.values()) <= lab.expect("c64-mcs-flat")["ratio"],
              f"{most} threads over {teams[0]}: " +
              ", ".join(f"{c} {number(g)} times" for c, g in growth.items()))
    lab.note("atomic is one instruction in memory under all layouts; locked_atomic, on a type for "
             "which the compiler asks the runtime, is what the paper's compiler makes of any.")


EXPERIMENTS = (
    Experiment("c64-epcc", "overhead of constructs under three layouts", (MACHINE,), epcc),)
