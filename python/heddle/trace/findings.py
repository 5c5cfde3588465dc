# SPDX-License-Identifier: Apache-2.0
"""What the replay of a trace finds out: by worker, by site, and of the whole run. Times are
nanoseconds since the trace began."""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Optional

STATES = ("running", "scheduling", "waiting", "parked", "outside")
RUNNING, SCHEDULING, WAITING, PARKED, OUTSIDE = range(len(STATES))
UNKNOWN = len(STATES)  # what it is in began in events that were overwritten
HISTOGRAM_CLASSES = 32  # class i: tasks of [2**i, 2**(i+1)) ns; the last for all that are longer
SCHEDULES = ("runtime", "static", "dynamic", "guided", "auto", "trapezoidal", "adaptive")


class Frame:
    """Something that has begun on a worker and not ended. `path` is how far the critical path of
    the region had come, in ns of work, and `pending` how far that of the frame's children came."""
    __slots__ = ("kind", "code", "began", "self_ns", "path", "pending", "region", "idle", "extra",
                 "value", "creator")

    def __init__(self, kind: str, code: int, began: int, path: int, region: Optional["Frame"],
                 extra: int = 0, value: int = 0, creator: Optional["Frame"] = None) -> None:
        self.kind, self.code, self.began = kind, code, began
        self.self_ns = 0
        self.path = self.pending = path
        self.region, self.idle = region, False
        self.extra, self.value, self.creator = extra, value, creator


@dataclass
class Site:
    """All executions of one outlined function, or all waits for one lock. Times in ns, summed over
    threads; `self_ns` without what ran inside: other tasks, waits. `wall_ns`: of regions and of
    waits for a lock, from begin to end. `longest_ns`: of the same, or of a task's work."""
    kind: str
    code: int
    count: int = 0
    self_ns: int = 0
    longest_ns: int = 0
    wall_ns: int = 0
    scheduling_ns: int = 0
    waits_ns: Counter[str] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)
    loops: Counter[str] = field(default_factory=Counter)  # shared out inside, by their schedules

    def waiting_ns(self) -> int:
        return sum(self.waits_ns.values())

    def mean_ns(self) -> float:
        """Of what longest_ns is the longest."""
        return (self.self_ns if self.kind == "task" else self.wall_ns) / max(1, self.count)

    def lasted(self, begin: int, end: int) -> None:
        """Once more: a region, or a wait for a lock."""
        self.count += 1
        self.wall_ns += end - begin
        self.longest_ns = max(self.longest_ns, end - begin)


@dataclass
class Worker:
    """One worker's part. `time_ns` by state; `lost_ns`: from the trace's begin to the first event
    that was not overwritten, and later as long as it is in nothing that has begun since."""
    number: int
    thread: int = 0
    name: str = ""
    is_pool: bool = False
    began: int = 0
    ended: int = 0
    lost_ns: int = 0
    time_ns: list[int] = field(default_factory=lambda: [0] * len(STATES))
    counts: Counter[str] = field(default_factory=Counter)
    parallel_ns: int = 0  # running inside regions
    # The replay's.
    stack: list[Frame] = field(default_factory=list)
    open: Counter[str] = field(default_factory=Counter)  # by kind: how many are on the stack
    sleeping: bool = False
    uncertain: bool = False  # it may be in a region or task whose begin was overwritten
    alive: bool = False
    since: int = 0
    state: int = OUTSIDE
    origin: int = 0

    def total_ns(self) -> int:
        return sum(self.time_ns)


@dataclass
class Result:
    """The run. `work_ns`: all running; `span_ns`: an estimate of the longest chain of work that
    has to be done one after the other; not `span_known` where the begin of a region, or of a
    thread's part in it, was overwritten."""
    workers: dict[int, Worker]
    sites: dict[tuple[str, int], Site]
    histogram: list[int]
    began: int = 0
    ended: int = 0
    work_ns: int = 0
    span_ns: int = 0
    span_known: bool = True
    serial_ns: int = 0
    ignored_ends: int = 0

    def parallelism(self) -> float:
        return self.work_ns / self.span_ns if self.span_ns else 0.0
