# SPDX-License-Identifier: Apache-2.0
"""What each worker did when: the events of all workers in the order of time, replayed.

A worker is a stack of frames (regions, tasks, loops, waits) and, at each moment, in one state. The
ends of frames whose beginnings were overwritten, or of damaged files, are ignored. Times are
nanoseconds since the trace began.
"""
from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Optional, Protocol

from heddle.trace.events import KINDS, STARTS, WAITS, Trace, TraceError

STATES = ("running", "scheduling", "waiting", "parked", "outside")
RUNNING, SCHEDULING, WAITING, PARKED, OUTSIDE = range(len(STATES))
MOST_FRAMES = 1 << 20  # begun at once on one worker
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
    threads; `self_ns` without what ran inside: other tasks, waits."""
    kind: str
    code: int
    count: int = 0
    self_ns: int = 0
    longest_ns: int = 0
    wall_ns: int = 0
    scheduling_ns: int = 0
    waits_ns: Counter[str] = field(default_factory=Counter)
    starts: Counter[str] = field(default_factory=Counter)

    def waiting_ns(self) -> int:
        return sum(self.waits_ns.values())


@dataclass
class Worker:
    """One worker's part. `time_ns` by state; `lost_ns`: from the trace's begin to the first event
    that was not overwritten."""
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
    alive: bool = False
    since: int = 0
    state: int = OUTSIDE
    origin: int = 0

    def total_ns(self) -> int:
        return sum(self.time_ns)


class Listener(Protocol):
    """Hears of the replay what the writers show."""

    def slice(self, worker: Worker, frame: Frame, end: int) -> None:
        """A frame has ended, or its worker's trace."""

    def spent(self, worker: Worker, begin: int, end: int, state: int) -> None:
        """The worker was in this state all the time."""

    def instant(self, worker: Worker, time: int, name: str, value: int, extra: int) -> None:
        """A steal."""


@dataclass
class Result:
    """The run. `work_ns`: all running; `span_ns`: an estimate of the longest chain of work that
    has to be done one after the other."""
    workers: dict[int, Worker]
    sites: dict[tuple[str, int], Site]
    histogram: list[int]
    began: int = 0
    ended: int = 0
    work_ns: int = 0
    span_ns: int = 0
    serial_ns: int = 0
    ignored_ends: int = 0

    def parallelism(self) -> float:
        return self.work_ns / self.span_ns if self.span_ns else 0.0


class Replay:
    """Goes through a trace once."""

    def __init__(self, trace: Trace, listeners: tuple[Listener, ...] = ()) -> None:
        self.trace, self.listeners = trace, listeners
        self.workers = {number: Worker(number, chunks[-1].thread, chunks[-1].name)
                        for number, chunks in trace.workers.items()}
        self.result = Result(self.workers, {}, [0] * HISTOGRAM_CLASSES)
        self.families: dict[int, tuple[Frame, int]] = {}
        self.open_regions: dict[int, dict[int, Frame]] = {}  # by code, then by id(), oldest first
        self.handlers = [getattr(self, f"_{kind}", None) for kind in KINDS]

    def run(self) -> Result:
        streams = [self._stream(number) for number in self.workers]
        first, time = None, 0
        for time, number, kind, value, extra in heapq.merge(*streams):
            first = time if first is None else first
            worker = self.workers[number]
            if not worker.alive:
                self._come_alive(worker, time)
            elif time > worker.since:
                self._spend(worker, time)
            handler = self.handlers[kind]
            assert handler is not None
            handler(worker, time, value, extra)
            stack = worker.stack
            if worker.sleeping:
                worker.state = PARKED
            elif not stack:
                worker.state = OUTSIDE
            elif stack[-1].kind != "wait":
                worker.state = RUNNING
            else:
                worker.state = WAITING if stack[-1].idle else SCHEDULING
        self._finish(first or 0, time)
        return self.result

    def _stream(self, number: int) -> Iterator[tuple[int, int, int, int, int]]:
        for time, kind, value, extra in self.trace.events(number):
            yield time, number, kind, value, extra

    def _come_alive(self, worker: Worker, time: int) -> None:
        if worker.total_ns() == 0:
            worker.began = time
            if self.trace.lost_chunks.get(worker.number):
                worker.lost_ns = time
        worker.alive, worker.since, worker.state = True, time, OUTSIDE

    def _spend(self, worker: Worker, time: int) -> None:
        """The worker was in its state up to `time`."""
        state, spent = worker.state, time - worker.since
        worker.time_ns[state] += spent
        stack = worker.stack
        if state == RUNNING:
            top = stack[-1]
            top.self_ns += spent
            top.path += spent
            worker.parallel_ns += spent
        elif stack and stack[-1].kind == "wait":
            self._attribute_wait(stack, state, spent)
        elif state == OUTSIDE and not worker.is_pool:
            self.result.serial_ns += spent
        for listener in self.listeners:
            listener.spent(worker, worker.since, time, state)
        worker.since = time

    def _attribute_wait(self, stack: list[Frame], state: int, spent: int) -> None:
        wait = stack[-1]
        if len(stack) > 1:
            below = stack[-2]
            site = self._site("task" if below.kind == "task" else "region", below.code)
            if state == SCHEDULING:
                site.scheduling_ns += spent
            else:
                site.waits_ns[WAITS[wait.extra]] += spent
        if wait.value:
            site = self._site("lock", wait.value)
            site.waits_ns[WAITS[wait.extra]] += spent

    def _site(self, kind: str, code: int) -> Site:
        site = self.result.sites.get((kind, code))
        if site is None:
            site = self.result.sites[kind, code] = Site(kind, code)
        return site

    # Frames.

    def _push(self, worker: Worker, frame: Frame) -> Frame:
        if len(worker.stack) >= MOST_FRAMES:
            raise TraceError(f"{self.trace.path}: damaged: more than {MOST_FRAMES} regions and "
                             f"tasks begin on worker {worker.number} and none ends")
        worker.stack.append(frame)
        worker.open[frame.kind] += 1
        return frame

    def _pop(self, worker: Worker, kinds: tuple[str, ...], time: int) -> Optional[Frame]:
        """Ends the innermost frame of one of these kinds, and those above it."""
        stack = worker.stack
        if not any(worker.open[kind] for kind in kinds):
            self.result.ignored_ends += 1
            return None
        while True:
            frame = stack.pop()
            worker.open[frame.kind] -= 1
            if frame.kind == "region":
                self.open_regions[frame.code].pop(id(frame), None)
            for listener in self.listeners:
                listener.slice(worker, frame, time)
            if frame.kind in kinds:
                return frame
            self._give_to_below(stack, frame)

    def _give_to_below(self, stack: list[Frame], frame: Frame) -> None:
        """A loop is a part of what it is in."""
        if stack and frame.kind == "loop":
            stack[-1].self_ns += frame.self_ns
            stack[-1].path = max(stack[-1].path, frame.path)
            stack[-1].pending = max(stack[-1].pending, frame.pending)

    def _thread_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        worker.thread, worker.is_pool = value, extra == 1
        self._close_all(worker, time)

    def _thread_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        self._close_all(worker, time)
        worker.alive = False
        worker.ended = time

    def _region_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        below = worker.stack[-1] if worker.stack else None
        frame = self._push(worker, Frame("region", value, time, below.path if below else 0, None,
                                         extra))
        frame.region = frame
        self.open_regions.setdefault(value, {})[id(frame)] = frame
        worker.counts["regions"] += 1

    def _region_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        frame = self._pop(worker, ("region",), time)
        if frame is None:
            return
        site = self._site("region", frame.code)
        site.count += 1
        site.self_ns += frame.self_ns
        site.wall_ns += time - frame.began
        site.longest_ns = max(site.longest_ns, time - frame.began)
        end = max(frame.path, frame.pending)
        if worker.stack:
            worker.stack[-1].path = max(worker.stack[-1].path, end)
        else:
            self.result.span_ns += end

    def _implicit_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        same = self.open_regions.get(value)
        region = next(reversed(same.values())) if same else None
        path = region.path if region and not region.self_ns else 0
        self._push(worker, Frame("implicit", value, time, path, region, extra))
        worker.counts["regions"] += 1

    def _implicit_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        frame = self._pop(worker, ("implicit",), time)
        if frame is None:
            return
        self._site("region", frame.code).self_ns += frame.self_ns
        if frame.region:
            frame.region.pending = max(frame.region.pending, frame.path, frame.pending)

    def _task_origin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        worker.origin = value

    def _task_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        below = worker.stack[-1] if worker.stack else None
        creator, path = below, below.path if below else 0
        if worker.origin:
            creator, path = self.families.get(worker.origin, (below, path))
            worker.origin = 0
        self._push(worker, Frame("task", value, time, path, below.region if below else None,
                                 extra, creator=creator))
        worker.counts[STARTS[extra] if extra < len(STARTS) else "unknown"] += 1

    def _task_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        frame = self._pop(worker, ("task",), time)
        if frame is None:
            return
        site = self._site("task", frame.code)
        site.count += 1
        site.self_ns += frame.self_ns
        if frame.self_ns > site.longest_ns:
            site.longest_ns = frame.self_ns
        if frame.extra < len(STARTS):
            site.starts[STARTS[frame.extra]] += 1
        self.result.histogram[min(frame.self_ns.bit_length() - 1 if frame.self_ns else 0,
                                  HISTOGRAM_CLASSES - 1)] += 1
        end = frame.path if frame.path > frame.pending else frame.pending
        for above in (frame.creator, frame.region):
            if above is not None and end > above.pending:
                above.pending = end

    def _task_deferred(self, worker: Worker, time: int, value: int, extra: int) -> None:
        worker.counts["deferred"] += 1
        if worker.stack:
            top = worker.stack[-1]
            self.families[value] = (top, top.path)

    def _steal(self, worker: Worker, time: int, value: int, extra: int) -> None:
        self._batch(worker, time, "steals", value, extra)

    def _leapfrog(self, worker: Worker, time: int, value: int, extra: int) -> None:
        self._batch(worker, time, "leapfrogs", value, extra)

    def _batch(self, worker: Worker, time: int, name: str, value: int, extra: int) -> None:
        worker.counts[name] += 1
        worker.counts["moved"] += value
        for listener in self.listeners:
            listener.instant(worker, time, name, value, extra)

    def _idle_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        stack = worker.stack
        kind = extra if extra < len(WAITS) else 0
        if stack and stack[-1].kind == "wait" and not value:
            stack[-1].idle = True
        else:
            below = stack[-1] if stack else None
            frame = self._push(worker, Frame("wait", below.code if below else 0, time,
                                             below.path if below else 0,
                                             below.region if below else None, kind, value))
            frame.idle = True
        worker.counts[f"idle: {WAITS[kind]}"] += 1

    def _idle_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        if worker.stack and worker.stack[-1].kind == "wait":
            worker.stack[-1].idle = False

    def _wait_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        """Also of waits that never were idle, which have no frame."""
        if not worker.stack or worker.stack[-1].kind != "wait":
            return
        wait = self._pop(worker, ("wait",), time)
        if wait is None or not worker.stack:
            return
        top = worker.stack[-1]
        joins_all = WAITS[wait.extra] in ("barrier", "region_end") and top.region is not None
        known = top.region.pending if joins_all and top.region else top.pending
        top.path = max(top.path, known)

    def _sleep_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        worker.sleeping = True
        worker.counts["sleeps"] += 1

    def _sleep_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        worker.sleeping = False

    def _loop_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        below = worker.stack[-1] if worker.stack else None
        self._push(worker, Frame("loop", below.code if below else 0, time,
                                 below.path if below else 0, below.region if below else None,
                                 extra, value))
        worker.counts["loops"] += 1

    def _loop_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        frame = self._pop(worker, ("loop",), time) if worker.open["loop"] else None
        if frame is not None:
            self._give_to_below(worker.stack, frame)

    def _close_all(self, worker: Worker, time: int) -> None:
        worker.open.clear()
        while worker.stack:
            frame = worker.stack.pop()
            for listener in self.listeners:
                listener.slice(worker, frame, time)
            if frame.kind == "region":
                self.open_regions[frame.code].pop(id(frame), None)
            if frame.kind in ("region", "implicit", "task"):
                site = self._site("task" if frame.kind == "task" else "region", frame.code)
                site.count += frame.kind != "implicit"
                site.self_ns += frame.self_ns
                if frame.kind == "region":
                    site.wall_ns += time - frame.began
                    if not worker.stack:
                        self.result.span_ns += max(frame.path, frame.pending)
            self._give_to_below(worker.stack, frame)

    def _finish(self, first: int, last: int) -> None:
        result = self.result
        result.began, result.ended = first, last
        for worker in self.workers.values():
            if worker.alive:
                if last > worker.since:
                    self._spend(worker, last)
                self._close_all(worker, last)
                worker.ended = last
        result.work_ns = sum(worker.parallel_ns for worker in self.workers.values())
        result.work_ns += result.serial_ns
        result.span_ns += result.serial_ns
