# SPDX-License-Identifier: Apache-2.0
"""The OMPi paper: producers and consumers, fib, queens, and BOTS's recorded graphs on opteron16."""
from __future__ import annotations

from typing import Mapping, Sequence

from .lab import Experiment, Lab
from .outcome import number
from .simulator import Point, point
from .strategies import ALL, GCC, INTEL, OMPI, OURS, policy

MACHINE = "opteron16"
TEAMS = (1, 2, 4, 8, 16)
LOADS = (0, 128, 256, 1024, 8192, 65536)
TABLE_1 = ("fft", "health", "sort", "sparselu", "strassen", "alignment")  # sim/graphs
RECORDED = (*TABLE_1, "sparselu-for", "floorplan")
RIVALS = (GCC, INTEL)  # what the paper's second best is among
Rates = Mapping[tuple[str, int], float]


def prodcons(lab: Lab, system: str, threads: int, producers: int, load: int) -> Point:
    tasks = lab.size(20000 if load <= 1024 else 2000, 400)
    return point("prodcons", MACHINE, threads, policy=policy(system, threads), seed=lab.seed,
                 tasks=tasks, producers=producers, maxload=load)


def rates(lab: Lab, points: Mapping[tuple[str, int], Point]) -> Rates:
    """Million tasks a second."""
    results = lab.run(points.values())
    return {at: int(dict(p.parameters)["tasks"]) / lab.seconds(results, p) / 1e6
            for at, p in points.items()}


def over_rivals(found: Rates, at: int) -> tuple[float, float]:
    """Throughput of ours and of OMPi's strategy over the better of the two rivals."""
    rival = max(found[system, at] for system in RIVALS)
    return found[OURS, at] / rival, found[OMPI, at] / rival


def tell(found: Rates, at: int) -> str:
    ours, ompi = over_rivals(found, at)
    return (f"{number(ours)} times the better of {' and '.join(RIVALS)} (OMPi's strategy "
            f"{number(ompi)})")


def by_threads(lab: Lab, half: bool) -> Rates:
    teams = [t for t in lab.size(TEAMS, (2, 4)) if t > 1]
    points = {(system, t): prodcons(lab, system, t, t // 2 if half else 1, 128)
              for system in ALL for t in teams}
    found = rates(lab, points)
    lab.table("throughput, maxload 128, " + ("half of the threads produce" if half else
                                              "one producer"),
              "million tasks a second", "threads", teams, ALL, lambda i, j: found[ALL[j], teams[i]])
    return found


def figure_5a(lab: Lab) -> None:
    found = by_threads(lab, half=False)
    teams = sorted({t for _, t in found})
    most = teams[-1]
    lab.judge("ompi-fig5a-best",
              over_rivals(found, most)[0] >= lab.expect("ompi-fig5a-best")["factor"],
              f"{most} threads: {tell(found, most)}")
    keep = {system: found[system, most] / max(found[system, t] for t in teams) for system in ALL}
    falls = all(keep[system] < 1 for system in RIVALS)
    lab.judge("ompi-fig5a-decrease",
              falls and keep[OURS] >= lab.expect("ompi-fig5a-decrease")["keep"],
              "share of the best rate that is left at the largest team: " +
              ", ".join(f"{system} {number(keep[system])}" for system in ALL))


def figure_5b(lab: Lab) -> None:
    found = by_threads(lab, half=True)
    most = max(t for _, t in found)
    lab.judge("ompi-fig5b-best",
              over_rivals(found, most)[0] > lab.expect("ompi-fig5b-best")["factor"],
              f"{most} threads: {tell(found, most)}")


def by_load(lab: Lab, producers: int) -> tuple[Rates, Sequence[int]]:
    threads, loads = lab.size(16, 4), lab.size(LOADS, (0, 8192))
    points = {(system, load): prodcons(lab, system, threads, min(producers, threads // 2), load)
              for system in ALL for load in loads}
    found = rates(lab, points)
    lab.table(f"throughput, {threads} threads, {producers} of them produce",
              "million tasks a second", "maxload", loads, ALL, lambda i, j: found[ALL[j], loads[i]],
              log_y=True)
    return found, loads


def best_load(found: Rates, loads: Sequence[int], limit: float) -> int:
    return max((load for load in loads if load <= limit), key=lambda at: over_rivals(found, at)[0])


def figure_6a(lab: Lab) -> None:
    found, loads = by_load(lab, 1)
    expect = lab.expect("ompi-fig6a-fine")
    fine = best_load(found, loads, expect["limit"])
    lab.judge("ompi-fig6a-fine", over_rivals(found, fine)[0] >= expect["factor"],
              f"maxload {fine}: {tell(found, fine)}")
    band = lab.expect("ompi-fig6a-coarse")
    last = over_rivals(found, loads[-1])[0]
    lab.judge("ompi-fig6a-coarse", band["low"] <= last <= band["high"],
              f"maxload {loads[-1]}: {tell(found, loads[-1])}")


def figure_6b(lab: Lab) -> None:
    found, loads = by_load(lab, 8)
    expect = lab.expect("ompi-fig6b-fine")
    fine = best_load(found, loads, expect["limit"])
    lab.judge("ompi-fig6b-fine", over_rivals(found, fine)[0] >= expect["factor"],
              f"maxload {fine}: {tell(found, fine)}")


def times(lab: Lab, workload: str, parameters: Mapping[str, object], teams: Sequence[int],
          title: str) -> Mapping[tuple[str, int], float]:
    """Milliseconds by system and team size."""
    points = {(system, t): point(workload, MACHINE, t, policy=policy(system, t), seed=lab.seed,
                                 **parameters)
              for system in ALL for t in teams}
    results = lab.run(points.values())
    found = {at: 1e3 * lab.seconds(results, p) for at, p in points.items()}
    lab.table(title, "ms", "threads", teams, ALL, lambda i, j: found[ALL[j], teams[i]], log_y=True)
    return found


def figure_7(lab: Lab) -> None:
    teams, n, large = lab.size(TEAMS, (1, 2)), lab.size(22, 12), lab.size(30, 16)
    found = times(lab, "fib", {"n": n}, teams, f"fib({n})")
    points = {t: point("fib", MACHINE, t, seed=lab.seed, n=large) for t in teams}
    results = lab.run(lab.over_seeds(points.values()))
    ours = {t: lab.median(results, p, lambda result: 1e3 * float(result["virtual_seconds"]))
            for t, p in points.items()}
    lab.table(f"fib({large}), {OURS} alone, median", "ms", "threads", teams, (OURS,),
              lambda i, j: ours[teams[i]], log_y=True)
    most = teams[-1]
    ratio = min(found[system, most] for system in RIVALS) / found[OURS, most]
    scales = all(ours[b] < ours[a] for a, b in zip(teams, teams[1:]))
    lab.judge("ompi-fig7-fib", scales and ratio >= lab.expect("ompi-fig7-fib")["factor"],
              f"{most} threads: {number(ratio)} times as fast as the better of "
              f"{' and '.join(RIVALS)}; fib({large}) from one thread to {most}: "
              f"{number(ours[teams[0]] / ours[most])} times; {number(ours[teams[-2]])} ms with "
              f"{teams[-2]}, {number(ours[most])} with {most} (median of {len(lab.seeds)} seeds)")


def figure_8(lab: Lab) -> None:
    teams, n = lab.size(TEAMS, (1, 2)), lab.size(10, 5)
    found = times(lab, "queens", {"n": n}, teams, f"{n} queens")
    most = teams[-1]
    best = max(found[INTEL, t] / found[OURS, t] for t in teams)
    fastest = found[OURS, most] <= min(found[system, most] for system in ALL)
    lab.judge("ompi-fig8-nqueens", fastest and best >= lab.expect("ompi-fig8-nqueens")["factor"],
              f"{'fastest' if fastest else 'not fastest'} on {most} threads; up to {number(best)} "
              "times as fast as the Intel-like strategy")


def figure_9(lab: Lab) -> None:
    teams = lab.size(TEAMS, (1, 2))
    found = times(lab, "graph", {"file": "floorplan"}, teams, "Floorplan, recorded")
    most = teams[-1]
    best = min(ALL, key=lambda system: found[system, most])
    slower = found[GCC, most] / found[GCC, teams[0]]
    lab.judge("ompi-fig9-floorplan", best == OURS and slower > 1,
              f"{most} threads: fastest is {best}, "
              f"{number(found[GCC, most] / found[OURS, most])} times as fast as the gcc-like "
              f"strategy, which takes {number(slower)} times as long as on one thread")


def table_1(lab: Lab) -> None:
    threads = lab.size(16, 2)
    points = {(system, kernel): point("graph", MACHINE, threads, policy=policy(system, threads),
                                      seed=lab.seed, file=kernel)
              for system in ALL for kernel in TABLE_1}
    results = lab.run(points.values())
    found = {at: 1e3 * lab.seconds(results, p) for at, p in points.items()}
    lab.table(f"{threads} threads", "ms", "graph", TABLE_1, ALL,
              lambda i, j: found[ALL[j], TABLE_1[i]], chart=False)
    lab.table(f"{threads} threads, over the sum of what the tasks compute", "times", "graph",
              TABLE_1, ALL,
              lambda i, j: results[points[ALL[j], TABLE_1[i]]]["times_serial"], chart=False)
    for kernel in TABLE_1:
        claim = f"ompi-table1-{kernel}"
        best = min(ALL, key=lambda system: found[system, kernel])
        ratio = found[OURS, kernel] / found[best, kernel]
        lab.judge(claim, ratio <= 1 + lab.expect(claim)["margin"],
                  f"{number(ratio)} times the time of the best ({best}), "
                  f"{number(found[GCC, kernel] / found[OURS, kernel])} times as fast as gcc-like")


def recorded(lab: Lab) -> None:
    """No claim of the paper's: all recorded kernels on a larger machine of today."""
    teams = lab.size((1, 4, 16, 32, 64, 128), (1, 2))
    points = {(kernel, t): point("graph", "epyc128", t, seed=lab.seed, file=kernel)
              for kernel in RECORDED for t in teams}
    results = lab.run(points.values())
    lab.table("speed-up over the sum of what the tasks compute", "times", "threads", teams,
              RECORDED, lambda i, j: results[points[RECORDED[j], teams[i]]]["times_serial"],
              log_y=True)
    one = [results[points[kernel, teams[0]]] for kernel in RECORDED]
    lab.table("what was recorded", "", "graph", RECORDED, ("tasks", "us a task", "parallelism"),
              lambda i, j: (one[i]["tasks"], 1e6 * one[i]["work_seconds"] / one[i]["tasks"],
                            one[i]["parallelism"])[j], chart=False)


EXPERIMENTS = (
    Experiment("ompi-fig5a", "one producer, more and more consumers", (MACHINE,), figure_5a),
    Experiment("ompi-fig5b", "half of the threads produce", (MACHINE,), figure_5b),
    Experiment("ompi-fig6a", "one producer, loads", (MACHINE,), figure_6a),
    Experiment("ompi-fig6b", "eight producers, loads", (MACHINE,), figure_6b),
    Experiment("ompi-fig7", "fib", (MACHINE,), figure_7),
    Experiment("ompi-fig8", "queens", (MACHINE,), figure_8),
    Experiment("ompi-fig9", "Floorplan, recorded", (MACHINE,), figure_9),
    Experiment("ompi-table1", "six recorded kernels of BOTS", (MACHINE,), table_1),
    Experiment("bots-recorded", "recorded kernels, 1 to 128 threads", ("epyc128",), recorded),
)
