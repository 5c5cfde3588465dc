# SPDX-License-Identifier: Apache-2.0
"""One line for each site: what its figures suggest. Rules of thumb, in the order of what hurts."""
from __future__ import annotations

from heddle.trace.findings import Result, Site

TINY_TASK_NS = 1_000          # queueing and stealing a task costs about that
SHORT_REGION_NS = 20_000      # beginning and ending a region costs a few microseconds
HARDLY_NS = 1_000            # of work in a region, for each thread
NOTICEABLE, LARGE = 0.05, 0.2  # parts of a site's time
FEW_TASKS_PER_THREAD = 4


def for_lock(site: Site, result: Result) -> str:
    share = site.waiting_ns() / max(1, sum(worker.total_ns() for worker in
                                           result.workers.values()))
    if share < NOTICEABLE:
        return f"threads wait for it {share:.1%} of their time: nothing to change"
    return (f"threads wait for it {share:.0%} of their time: make the locked part shorter, use a "
            "reduction or atomic, or several locks")


def for_task(site: Site, result: Result) -> str:
    mean = site.mean_ns()
    threads = len(result.workers)
    if threads > 1 and site.count < FEW_TASKS_PER_THREAD * threads and site.longest_ns > 2 * mean:
        return "few tasks of unequal length: split the longest"
    if mean < TINY_TASK_NS:
        return (f"{mean:.0f} ns of work each: stop creating tasks earlier (if or final clause), or "
                "do several steps in one (grainsize)")
    waits = site.waiting_ns()
    if waits > LARGE * (site.self_ns + waits):
        return "its tasks wait as long as they work: let them depend on what they need, or use " \
               "untied tasks"
    return "large enough; nothing to change"


def for_region(site: Site, result: Result) -> str:
    mean, work = site.mean_ns(), site.self_ns / max(1, site.count)
    spent = site.self_ns + site.waiting_ns() + site.scheduling_ns
    barriers = site.waits_ns["barrier"] + site.waits_ns["region_end"]
    locks = sum(site.waits_ns[name] for name in ("critical", "lock", "nest_lock"))
    if site.self_ns < HARDLY_NS * site.count * len(result.workers):
        return "hardly any work inside: its time is what it takes to start threads and to meet"
    if site.count > 10 and min(mean, work) < SHORT_REGION_NS:
        short = (f"{mean / 1000:.1f} us each" if mean < SHORT_REGION_NS else
                 f"{work / 1000:.1f} us of work each")
        return f"{short}, {site.count} times: make one region around them, or add an if clause"
    if spent and locks > LARGE * spent:
        return "threads wait for locks: make the locked part shorter, or use a reduction"
    if spent and barriers > LARGE * spent:
        balancing = "smaller chunks" if set(site.loops) - {"static"} else "schedule(dynamic)"
        return (f"threads wait at barriers {barriers / spent:.0%} of the time: {balancing} or "
                "more, smaller tasks balance the work; nowait where the barrier is not needed")
    return "well balanced; nothing to change"


def for_site(site: Site, result: Result) -> str:
    return {"lock": for_lock, "task": for_task, "region": for_region}[site.kind](site, result)
