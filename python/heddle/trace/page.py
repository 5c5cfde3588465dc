# SPDX-License-Identifier: Apache-2.0
"""One HTML page about a trace, which needs nothing but a browser: page.html with the figures in it.
"""
from __future__ import annotations

import json
from pathlib import Path

from heddle.trace.advice import for_site
from heddle.trace.events import Trace
from heddle.trace.findings import STATES, Frame, Result, Worker
from heddle.trace.sites import Name
from heddle.trace.summary import accounted, imbalance, size_name, top_sites, totals

BUCKETS = 1200  # of the timeline
TEMPLATE = Path(__file__).with_name("page.html")
PLACE = "/*DATA*/null"


class Timeline:
    """A listener of the replay: how long each worker was in each state, in equal parts of the run,
    from `began` to `ended` in ns."""

    def __init__(self, began: int, ended: int) -> None:
        self.began = began
        self.width = max(1, -(-(ended - began) // BUCKETS))  # ns of a part
        self.parts: dict[int, list[list[int]]] = {}

    def spent(self, worker: Worker, begin: int, end: int, state: int) -> None:
        row = self.parts.get(worker.number)
        if row is None:
            row = self.parts[worker.number] = [[0] * BUCKETS for _ in STATES]
        times, width = row[state], self.width
        begin, end = begin - self.began, end - self.began
        first, last = begin // width, min(BUCKETS - 1, (end - 1) // width)
        if first == last:
            times[first] += end - begin
            return
        if first > last:
            return
        times[first] += (first + 1) * width - begin
        for part in range(first + 1, last):
            times[part] = width
        times[last] += end - last * width

    def slice(self, worker: Worker, frame: Frame, end: int) -> None:
        """Not shown: there are too many."""

    def instant(self, worker: Worker, time: int, name: str, value: int, extra: int) -> None:
        """Counted by the replay."""

    def shares(self, number: int) -> list[list[int]]:
        """By state and part: thousandths of the part's time."""
        return [[min(1000, round(1000 * time / self.width)) for time in times]
                for times in self.parts.get(number, [[0] * BUCKETS for _ in STATES])]


def figures(trace: Trace, result: Result, names: dict[int, Name],
            timeline: Timeline) -> dict[str, object]:
    known = accounted(result)
    first = next((i for i, count in enumerate(result.histogram) if count), 0)
    last = max((i for i, count in enumerate(result.histogram) if count), default=-1)
    return {
        "program": trace.program or "a program", "process": trace.process,
        "library": trace.library, "damages": trace.damages[:20], "events": trace.count_events(),
        "ns": result.ended - result.began, "states": STATES, "partNs": timeline.width,
        "workers": [{"number": number, "thread": worker.thread, "name": worker.name,
                     "known": known[number], "times": worker.time_ns,
                     "counts": dict(worker.counts), "parts": timeline.shares(number)}
                    for number, worker in sorted(result.workers.items())],
        "totals": totals(result), "work": result.work_ns, "imbalance": imbalance(result),
        "span": result.span_ns if result.span_known else None,
        "parallelism": result.parallelism() if result.span_known else None,
        "histogram": [[size_name(i), result.histogram[i]] for i in range(first, last + 1)],
        "sites": [{"kind": site.kind, "name": str(names.get(site.code, Name("", hex(site.code)))),
                   "count": site.count, "self": site.self_ns, "waiting": site.waiting_ns(),
                   "scheduling": site.scheduling_ns, "mean": site.mean_ns(),
                   "longest": site.longest_ns,
                   "starts": dict(site.starts), "waits": dict(site.waits_ns),
                   "advice": for_site(site, result)} for site in top_sites(result)],
    }


def as_html(trace: Trace, result: Result, names: dict[int, Name], timeline: Timeline) -> str:
    data = json.dumps(figures(trace, result, names, timeline), separators=(",", ":"))
    # Inside a script element: names of functions and files are anybody's text.
    for character in "<>&\u2028\u2029":
        data = data.replace(character, f"\\u{ord(character):04x}")
    return TEMPLATE.read_text(encoding="utf-8").replace(PLACE, data)
