# SPDX-License-Identifier: Apache-2.0
"""The replay's figures as text, and as the numbers that the page shows."""
from __future__ import annotations

from heddle.trace.advice import for_site
from heddle.trace.events import Trace
from heddle.trace.findings import HISTOGRAM_CLASSES, RUNNING, STATES, Result, Site
from heddle.trace.sites import Name

MOST_SITES = 30


def accounted(result: Result) -> dict[int, float]:
    """By worker: what part of its time from its first event to its last, or from the trace's begin
    where events were overwritten, is in a known state."""
    return {number: worker.total_ns() / (worker.total_ns() + worker.lost_ns)
            if worker.total_ns() + worker.lost_ns else 1.0
            for number, worker in result.workers.items()}


def imbalance(result: Result) -> float:
    """The longest time that a thread ran in regions, divided by the mean of all."""
    times = [worker.time_ns[RUNNING] for worker in result.workers.values()]
    return max(times) * len(times) / sum(times) if sum(times) else 1.0


def cost(site: Site) -> int:
    """What sites are sorted by, in ns: time in it, and lost there."""
    return site.self_ns + site.waiting_ns() + site.scheduling_ns


def top_sites(result: Result) -> list[Site]:
    return sorted(result.sites.values(), key=cost, reverse=True)[:MOST_SITES]


def totals(result: Result) -> dict[str, int]:
    """The counts of all workers, under HEDDLE_STATS's names where these count the same."""
    total: dict[str, int] = {}
    for worker in result.workers.values():
        for name, count in worker.counts.items():
            total[name] = total.get(name, 0) + count
    waits = {name.removeprefix("idle: "): count for name, count in total.items()
             if name.startswith("idle: ")}
    counted = {name: total.get(name.replace("_", " "), total.get(name, 0))
               for name in ("at_once", "deferred", "taken_back", "stolen", "steals", "leapfrogs",
                            "moved", "regions", "sleeps", "loops")}
    counted["barrier_waits"] = waits.get("barrier", 0) + waits.get("region_end", 0)
    counted["task_waits"] = sum(waits.get(name, 0)
                                for name in ("taskwait", "taskgroup", "dependences"))
    counted["lock_waits"] = sum(waits.get(name, 0) for name in ("critical", "lock", "nest_lock"))
    return counted


def ms(ns: float) -> str:
    return f"{ns / 1e6:.3f}"


def as_text(trace: Trace, result: Result, names: dict[int, Name]) -> str:
    lines = [f"{trace.program or 'a program'}, process {trace.process}: "
             f"{ms(result.ended - result.began)} ms, {len(result.workers)} threads, "
             f"{trace.count_events()} events"]
    lines += [f"  damaged: {damage}" for damage in trace.damages[:10]]
    lines.append(f"{'times in ms':<12}" + "".join(f"{state:>12}" for state in STATES)
                 + f"{'known':>9}")
    for number, part in accounted(result).items():
        times = result.workers[number].time_ns
        lines.append(f"  worker {number:<3}" + "".join(f"{ms(time):>12}" for time in times)
                     + f"{part:>9.1%}")
    lines.append("counts      " + ", ".join(f"{name} {count}" for name, count in
                                            totals(result).items() if count))
    span = (f"span about {ms(result.span_ns)} ms, parallelism about {result.parallelism():.1f}"
            if result.span_known else "span unknown (a region's begin was overwritten)")
    lines.append(f"work {ms(result.work_ns)} ms, {span}, load imbalance {imbalance(result):.2f}")
    tasks = sum(result.histogram)
    if tasks:
        lines.append("task sizes  " + ", ".join(
            f"{size_name(i)}: {count / tasks:.1%}" for i, count in enumerate(result.histogram)
            if count * 100 >= tasks))
    for site in top_sites(result)[:10]:
        lines.append(f"{site.kind:<7}{names.get(site.code, Name('', hex(site.code)))}")
        inside = "" if site.kind == "lock" else f"{ms(site.self_ns)} ms inside, "
        lines.append(f"       {site.count} times, {inside}{ms(site.waiting_ns())} ms waiting: "
                     f"{for_site(site, result)}")
    return "\n".join(lines) + "\n"


def size_name(index: int) -> str:
    """Where class `index` of the histogram begins."""
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1)):
        if 2**index >= size:
            return f"{2**index / size:.3g} {unit}" + ("+" if index == HISTOGRAM_CLASSES - 1 else "")
    return "0"
