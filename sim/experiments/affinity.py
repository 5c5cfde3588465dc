# SPDX-License-Identifier: Apache-2.0
"""The task affinity paper: STREAM by tasks with hints, merge sort, taskloops."""
from __future__ import annotations

from statistics import stdev
from typing import Mapping

from .lab import Experiment, Lab
from .outcome import number
from .simulator import Point, point

BROADWELL, SANDY = "broadwell44", "sandybridge16"
# "robin" is the paper's baseline: tasks go to the threads in turn.
HINTS = ("robin", "thread", "data")
KERNEL_BYTES = {"copy": 16, "scale": 16, "add": 24, "triad": 24}


def stream(lab: Lab, machine: str, threads: int, form: str, hint: str, kernel: str) -> Point:
    return point("stream", machine, threads, seed=lab.seed, bound=True, form=form, hint=hint,
                 kernel=kernel, placement="touch", mbytes=lab.size(64, 2),
                 tasks_per_thread=4 if form == "task" else 1)


def gains(lab: Lab, machine: str, teams: tuple[int, ...]) -> Mapping[tuple[str, int], float]:
    """Time of the whole suite in turn over that with hints, as the paper has it."""
    points = {(h, t, k): stream(lab, machine, t, "task", h, k)
              for h in HINTS for t in teams for k in KERNEL_BYTES}
    results = lab.run(points.values())
    taken = {(h, t): sum(lab.seconds(results, points[h, t, k]) for k in KERNEL_BYTES)
             for h in HINTS for t in teams}
    found = {(h, t): taken["robin", t] / taken[h, t] for h in HINTS[1:] for t in teams}
    lab.table("speed with hints over round robin", "times", "threads", teams, HINTS[1:],
              lambda i, j: found[HINTS[j + 1], teams[i]])
    return found


def figure_1(lab: Lab) -> None:
    teams = lab.size((11, 22, 44, 88), (11, 44, 88))
    found = gains(lab, BROADWELL, teams)
    band = lab.expect("affinity-fig1-domain")
    gain = found["thread", int(band["threads"])]
    lab.judge("affinity-fig1-domain", band["low"] <= gain <= band["high"],
              f"{number(gain)} times on {band['threads']:.0f} threads")
    for threads in (44, 88):
        claim = f"affinity-fig1-{threads}"
        gain = found["thread", threads]
        lab.judge(claim, gain >= lab.expect(claim)["gain"], f"{number(gain)} times")
    most = teams[-1]
    data, thread = found["data", most], found["thread", most]
    lab.judge("affinity-fig1-data", 1 < data <= thread + lab.expect("affinity-fig1-data")["slack"],
              f"data {number(data)}, thread {number(thread)} times on {most} threads")


def figure_1_marenostrum(lab: Lab) -> None:
    found = gains(lab, SANDY, (8, 16))
    expect = lab.expect("affinity-fig1-marenostrum")
    one, both = found["thread", 8], found["thread", 16]
    lab.judge("affinity-fig1-marenostrum",
              expect["low"] <= one <= expect["high"] and both >= expect["gain"],
              f"{number(one)} times on 8 threads, {number(both)} on 16")


def figure_2(lab: Lab) -> None:
    threads, seeds = lab.size(44, 8), lab.size(range(1, 25), range(1, 3))
    forms = {"all memory on one node": ("primary", "none"), "first touch": ("touch", "none"),
             "first touch and spread": ("touch", "spread")}
    points = {(name, s): point("mergesort", BROADWELL, threads, seed=lab.seed * 1000 + s,
                               bound=True, n=lab.size(1 << 23, 1 << 16), base=lab.size(8192, 2048),
                               touch=touch, hint=hint)
              for name, (touch, hint) in forms.items() for s in seeds}
    results = lab.run(points.values())
    taken = {name: [1e3 * lab.seconds(results, points[name, s]) for s in seeds] for name in forms}
    mean = {name: sum(times) / len(times) for name, times in taken.items()}
    deviation = {name: stdev(times) / mean[name] for name, times in taken.items()}
    names = list(forms)
    columns = {"mean": mean, "least": {n: min(taken[n]) for n in names},
               "most": {n: max(taken[n]) for n in names}}
    lab.table(f"merge sort, {threads} threads, {len(seeds)} seeds", "ms", "program", names,
              list(columns), lambda i, j: list(columns.values())[j][names[i]], chart=False)
    plain, hinted = names[1], names[2]
    ratio = mean[hinted] / mean[plain]
    lab.judge("affinity-fig2-time", ratio <= lab.expect("affinity-fig2-time")["ratio"],
              f"{number(ratio)} times the time of first touch without hints")
    lab.judge("affinity-fig2-variance",
              deviation[hinted] <= lab.expect("affinity-fig2-variance")["share"] * deviation[plain],
              f"standard deviation over seeds {100 * deviation[hinted]:.2f} %, without hints "
              f"{100 * deviation[plain]:.2f} %")


def figure_3(lab: Lab) -> None:
    threads = lab.size(44, 8)
    forms = {"loop": ("loop", "none"), "taskloop": ("taskloop", "none"),
             "taskloop, spread": ("taskloop", "spread")}
    points = {(name, k): stream(lab, BROADWELL, threads, form, hint, k)
              for name, (form, hint) in forms.items() for k in KERNEL_BYTES}
    results = lab.run(points.values())
    found = {at: float(results[p]["gbytes_per_second"]) for at, p in points.items()}
    names, kernels = list(forms), list(KERNEL_BYTES)
    lab.table(f"bandwidth, {threads} threads", "GB/s", "kernel", kernels, names,
              lambda i, j: found[names[j], kernels[i]], chart=False)
    hinted = min(found["taskloop, spread", k] / found["loop", k] for k in kernels)
    gain = min(found["taskloop, spread", k] / found["taskloop", k] for k in kernels)
    lab.judge("affinity-fig3-taskloop",
              hinted >= lab.expect("affinity-fig3-taskloop")["share"] and gain > 1,
              f"with spread at least {number(hinted)} times the loop's bandwidth, and "
              f"{number(gain)} times that without")


EXPERIMENTS = (
    Experiment("affinity-fig1", "STREAM by tasks with hints, 11 to 88 threads", (BROADWELL,),
               figure_1),
    Experiment("affinity-fig1-marenostrum", "the same on MareNostrum III", (SANDY,),
               figure_1_marenostrum),
    Experiment("affinity-fig2", "merge sort with taskgroup affinity(spread)", (BROADWELL,),
               figure_2),
    Experiment("affinity-fig3", "taskloop with affinity(spread)", (BROADWELL,), figure_3),
)
