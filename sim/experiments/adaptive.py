# SPDX-License-Identifier: Apache-2.0
"""The adaptive loops paper: schedules' overhead, STREAM, K-Means, a Packed Memory Array."""
from __future__ import annotations

from .lab import Experiment, Lab
from .outcome import number
from .simulator import Point, point

AMD48, INTEL192 = "amd48", "intel192"
CHUNKS = (1, 2, 4, 8, 16, 32, 64, 128)
# A paper's `dynamic` and `guided` are libGOMP's: one counter for the team. Ours without `monotonic`
# steal ranges as adaptive does.
SCHEDULES = ("static", "dynamic", "guided", "adaptive")
SHARED = {"static": "static", "dynamic": "monotonic:dynamic", "guided": "monotonic:guided",
          "adaptive": "adaptive"}
KERNELS = ("copy", "scale", "add", "triad")
PLACES = ("touch", "block")


def table_1(lab: Lab) -> None:
    chunks = lab.size(CHUNKS, (1, 128))
    points = {(s, c): point("schedules", AMD48, lab.size(48, 8), seed=lab.seed, bound=True,
                            schedule=SHARED[s], chunk=c, repetitions=lab.size(5, 1))
              for s in SCHEDULES for c in chunks}
    results = lab.run(points.values())
    found = {at: float(results[p]["overhead_us"]) for at, p in points.items()}
    lab.table("overhead of a loop's schedule, 128 iterations a thread", "us", "chunk size", chunks,
              SCHEDULES, lambda i, j: found[SCHEDULES[j], chunks[i]], log_y=True)
    extra = max(found["adaptive", c] - found["static", c] for c in chunks)
    lab.judge("adaptive-table1-static",
              extra <= lab.expect("adaptive-table1-static")["microseconds"],
              f"adaptive at most {number(extra)} us above static")
    first, last = chunks[0], chunks[-1]
    factor = found["dynamic", first] / found["dynamic", last]
    lab.judge("adaptive-table1-dynamic",
              factor >= lab.expect("adaptive-table1-dynamic")["factor"]
              and found["dynamic", first] > found["adaptive", first],
              f"dynamic with a shared counter: {number(found['dynamic', first])} us at chunk size "
              f"{first}, {number(found['dynamic', last])} at {last}; adaptive "
              f"{number(found['adaptive', first])}")
    mine = [found["adaptive", c] for c in chunks]
    lab.judge("adaptive-table1-flat",
              max(mine) / min(mine) <= lab.expect("adaptive-table1-flat")["ratio"],
              f"adaptive: {number(min(mine))} to {number(max(mine))} us")


def stream(lab: Lab) -> None:
    points = {(s, p, k): point("stream", AMD48, lab.size(48, 8), seed=lab.seed, bound=True,
                               schedule=s, placement=p, kernel=k, mbytes=lab.size(150, 4),
                               form="loop")
              for s in ("static", "adaptive") for p in PLACES for k in KERNELS}
    results = lab.run(points.values())
    found = {at: float(results[p]["gbytes_per_second"]) for at, p in points.items()}
    columns = [(s, p) for s in ("static", "adaptive") for p in PLACES]
    lab.table("bandwidth", "GB/s", "kernel", KERNELS, [f"{s}, {p}" for s, p in columns],
              lambda i, j: found[(*columns[j], KERNELS[i])], chart=False)
    remote = {at: 100 * float(results[p]["remote_share"]) for at, p in points.items()}
    lab.table("bytes from another node", "% of all", "kernel", KERNELS,
              [f"{s}, {p}" for s, p in columns], lambda i, j: remote[(*columns[j], KERNELS[i])],
              chart=False)
    least = min(found["adaptive", p, k] / found["static", p, k] for p in PLACES for k in KERNELS)
    lab.judge("adaptive-fig4a-equal", least >= lab.expect("adaptive-fig4a-equal")["ratio"],
              f"adaptive has at least {number(least)} times the bandwidth of static")
    gains = {s: found[s, "block", "triad"] / found[s, "touch", "triad"]
             for s in ("static", "adaptive")}
    band = lab.expect("adaptive-fig4a-block")
    lab.judge("adaptive-fig4a-block", all(band["low"] <= g <= band["high"] for g in gains.values()),
              ", ".join(f"{s}: block over first touch {number(g)}" for s, g in gains.items()) +
              " (Triad)")
    far = max(remote["adaptive", "block", k] for k in KERNELS)
    lab.judge("adaptive-fig4b-steals", far <= 100 * lab.expect("adaptive-fig4b-steals")["share"],
              f"at most {number(far)} % of the bytes come from another node")


def kmeans(lab: Lab) -> None:
    threads = lab.size(192, 8)
    points_count = lab.size(494020, 8000)
    chunks = lab.size((1, 4, 16, 64, 256, 1024, 2574), (1, 64))
    points = {(s, c): point("kmeans", INTEL192, threads, seed=lab.seed, bound=True, n=points_count,
                            schedule=SHARED[s], chunk=c)
              for s in SCHEDULES for c in chunks}
    results = lab.run(points.values())
    found = {at: 1e3 * lab.seconds(results, p) for at, p in points.items()}
    lab.table(f"one sweep over {points_count} points, {threads} threads", "ms", "chunk size",
              chunks, SCHEDULES, lambda i, j: found[SCHEDULES[j], chunks[i]], log_y=True)
    best = {s: min(found[s, c] for c in chunks) for s in SCHEDULES}
    others = min(best[s] for s in SCHEDULES if s != "adaptive")
    lab.judge("adaptive-fig5b-best",
              best["adaptive"] / others <= lab.expect("adaptive-fig5b-best")["ratio"],
              ", ".join(f"{s} {number(best[s])}" for s in SCHEDULES) +
              " ms at their best chunk size")
    ratio = best["static"] / best["dynamic"]
    lab.judge("adaptive-fig5b-dynamic", ratio <= lab.expect("adaptive-fig5b-dynamic")["ratio"],
              f"static's best over dynamic's best: {number(ratio)}")


def pma(lab: Lab) -> None:
    columns = (("static", 0), ("dynamic", 1), ("dynamic", lab.size(3000, 50)), ("guided", 0),
               ("adaptive", 0))
    names = [s + (f", {c}" if c else "") for s, c in columns]
    memories = ("interleave", "block")

    def at(memory: str, column: tuple[str, int]) -> Point:
        # 0: the schedule's own chunk size
        return point("pma", AMD48, lab.size(48, 8), seed=lab.seed, bound=True, memory=memory,
                     elements=lab.size(2900000, 20000), schedule=SHARED[column[0]], chunk=column[1])

    results = lab.run(at(m, c) for m in memories for c in columns)
    found = {(m, name): 1e3 * lab.seconds(results, at(m, c))
             for m in memories for name, c in zip(names, columns)}
    lab.table("loop over the array", "ms", "pages", memories, names,
              lambda i, j: found[memories[i], names[j]], chart=False)
    lab.judge("adaptive-table2-adaptive",
              all(found[m, "adaptive"] <= min(found[m, n] for n in names) for m in memories),
              "; ".join(f"{m}: " + ", ".join(f"{n} {number(found[m, n])}" for n in names)
                        for m in memories) + " ms")
    ratio = found["block", "static"] / found["block", "adaptive"]
    lab.judge("adaptive-fig8-speedup", ratio >= lab.expect("adaptive-fig8-speedup")["ratio"],
              f"{number(ratio)} times as fast as static")
    gain = found["block", "adaptive"] / found["interleave", "adaptive"]
    lab.judge("adaptive-table2-block", gain <= lab.expect("adaptive-table2-block")["ratio"],
              f"blocks over interleaved pages: {number(gain)}")


EXPERIMENTS = (
    Experiment("adaptive-table1", "overhead of schedules by chunk size", (AMD48,), table_1),
    Experiment("adaptive-stream", "STREAM by schedule and placement", (AMD48,), stream),
    Experiment("adaptive-kmeans", "K-Means by schedule and chunk size", (INTEL192,), kmeans),
    Experiment("adaptive-pma", "a Packed Memory Array by schedule and placement", (AMD48,), pma),
)
