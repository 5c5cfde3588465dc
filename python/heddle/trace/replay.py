# SPDX-License-Identifier: Apache-2.0
"""What each worker did when: the events of all workers in the order of time, replayed.

A worker is a stack of frames (regions, tasks, loops, waits) and, at each moment, in one state. The
ends of frames whose beginnings were overwritten, or of damaged files, are ignored. Times are
nanoseconds since the trace began.
"""
from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Optional, Protocol

from heddle.trace.events import KINDS, STARTS, WAITS, Trace, TraceError
from heddle.trace.findings import (HISTOGRAM_CLASSES, OUTSIDE, PARKED, RUNNING, SCHEDULES,
                                   SCHEDULING, UNKNOWN, WAITING, Frame, Result, Site, Worker)

MOST_FRAMES = 1 << 20  # begun at once on one worker


class Listener(Protocol):
    """Hears of the replay what the writers show."""

    def slice(self, worker: Worker, frame: Frame, end: int) -> None:
        """A frame has ended, or its worker's trace."""

    def spent(self, worker: Worker, begin: int, end: int, state: int) -> None:
        """The worker was in this state all the time."""

    def instant(self, worker: Worker, time: int, name: str, value: int, extra: int) -> None:
        """A steal."""


class Replay:
    """Goes through a trace once."""

    def __init__(self, trace: Trace, listeners: tuple[Listener, ...] = ()) -> None:
        self.trace, self.listeners = trace, listeners
        self.workers = {number: Worker(number, chunks[-1].thread, chunks[-1].name,
                                       uncertain=trace.lost_chunks.get(number, 0) > 0)
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
                worker.state = UNKNOWN if worker.uncertain else OUTSIDE
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
        if worker.total_ns() + worker.lost_ns == 0:
            worker.began = time
            if self.trace.lost_chunks.get(worker.number):
                worker.lost_ns = time
        worker.alive, worker.since, worker.state = True, time, OUTSIDE

    def _spend(self, worker: Worker, time: int) -> None:
        """The worker was in its state up to `time`."""
        state, spent = worker.state, time - worker.since
        if state == UNKNOWN:
            worker.lost_ns += spent
            worker.since = time
            return
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
            if "region" in kinds or "implicit" in kinds:
                self.result.span_known = False
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

    def _outermost(self, worker: Worker, is_member: bool) -> None:
        """A region begins or has ended on the worker, and nothing is around it as far as is known.
        Those that are only members of others' regions are the pool's."""
        if worker.uncertain and not worker.stack:
            worker.uncertain, worker.is_pool = False, is_member

    def _wait_is_over(self, wait: Frame, time: int) -> None:
        if wait.value:
            self._site("lock", wait.value).lasted(wait.began, time)

    def _thread_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        worker.thread, worker.is_pool, worker.uncertain = value, extra == 1, False
        self._close_all(worker, time)

    def _thread_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        self._close_all(worker, time)
        worker.alive = worker.uncertain = False
        worker.ended = time

    def _region_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        self._outermost(worker, False)
        below = worker.stack[-1] if worker.stack else None
        frame = self._push(worker, Frame("region", value, time, below.path if below else 0, None,
                                         extra))
        frame.region = frame
        self.open_regions.setdefault(value, {})[id(frame)] = frame
        worker.counts["regions"] += 1

    def _region_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        frame = self._pop(worker, ("region",), time)
        if frame is None:
            self._outermost(worker, False)
            return
        site = self._site("region", frame.code)
        site.self_ns += frame.self_ns
        site.lasted(frame.began, time)
        end = max(frame.path, frame.pending)
        if worker.stack:
            worker.stack[-1].path = max(worker.stack[-1].path, end)
        else:
            self.result.span_ns += end

    def _implicit_begin(self, worker: Worker, time: int, value: int, extra: int) -> None:
        self._outermost(worker, True)
        same = self.open_regions.get(value)
        region = next(reversed(same.values())) if same else None
        path = region.path if region and not region.self_ns else 0
        self._push(worker, Frame("implicit", value, time, path, region, extra))
        worker.counts["regions"] += 1

    def _implicit_end(self, worker: Worker, time: int, value: int, extra: int) -> None:
        frame = self._pop(worker, ("implicit",), time)
        if frame is None:
            self._outermost(worker, True)
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
        if wait is None:
            return
        self._wait_is_over(wait, time)
        if not worker.stack:
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
        if below and below.kind != "task" and extra < len(SCHEDULES):
            self._site("region", below.code).loops[SCHEDULES[extra]] += 1

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
                site.count += frame.kind == "task"
                site.self_ns += frame.self_ns
                if frame.kind == "region":
                    site.lasted(frame.began, time)
                    if not worker.stack:
                        self.result.span_ns += max(frame.path, frame.pending)
            elif frame.kind == "wait":
                self._wait_is_over(frame, time)
            self._give_to_below(worker.stack, frame)

    def _finish(self, first: int, last: int) -> None:
        result = self.result
        result.began, result.ended = first, last
        for worker in self.workers.values():
            if worker.alive:
                result.span_known = result.span_known and not worker.uncertain
                if last > worker.since:
                    self._spend(worker, last)
                self._close_all(worker, last)
                worker.ended = last
        result.work_ns = sum(worker.parallel_ns for worker in self.workers.values())
        result.work_ns += result.serial_ns
        result.span_ns += result.serial_ns
