# SPDX-License-Identifier: Apache-2.0
"""Writes the replay as Chrome's trace events, which ui.perfetto.dev and chrome://tracing open."""
from __future__ import annotations

import json
from typing import TextIO

from heddle.trace.events import STARTS, WAITS, Trace
from heddle.trace.findings import PARKED, SCHEDULES, Frame, Worker
from heddle.trace.sites import Name


class ChromeWriter:
    """A listener of the replay; close() ends the file. Times in the file are microseconds."""

    def __init__(self, out: TextIO, trace: Trace) -> None:
        self.out, self.process = out, trace.process
        self.trace = trace
        self.codes: dict[int, str] = {}
        out.write('{"displayTimeUnit":"ns","traceEvents":[\n')
        program = trace.program.rsplit("/", 1)[-1] or "process"
        self._write({"name": "process_name", "ph": "M", "pid": self.process, "tid": 0,
                     "args": {"name": program}}, first=True)

    def _write(self, event: dict[str, object], first: bool = False) -> None:
        self.out.write(("" if first else ",\n") + json.dumps(event, separators=(",", ":")))

    def name_all(self, names: dict[int, Name]) -> None:
        """Before the replay: what addresses are called."""
        self.codes = {code: name.function or name.where for code, name in names.items()}

    def _name(self, code: int) -> str:
        return self.codes.get(code) or f"0x{code:x}"

    def _complete(self, worker: Worker, name: str, category: str, begin: int, end: int,
                  args: dict[str, object]) -> None:
        self._write({"name": name, "cat": category, "ph": "X", "pid": self.process,
                     "tid": worker.number, "ts": begin / 1000, "dur": (end - begin) / 1000,
                     "args": args})

    def slice(self, worker: Worker, frame: Frame, end: int) -> None:
        args: dict[str, object] = {}
        if frame.kind == "wait":
            name = WAITS[frame.extra]
            if frame.value:
                args["lock"] = self._name(frame.value)
        elif frame.kind == "loop":
            name = "loop"
            args = {"iterations": frame.value, "schedule": SCHEDULES[frame.extra]
                    if frame.extra < len(SCHEDULES) else frame.extra}
        else:
            name = self._name(frame.code)
            args = {"self_ns": frame.self_ns}
            if frame.kind == "task":
                args["start"] = STARTS[frame.extra] if frame.extra < len(STARTS) else "unknown"
            else:
                args["threads" if frame.kind == "region" else "thread"] = frame.extra
        self._complete(worker, name, frame.kind, frame.began, end, args)

    def spent(self, worker: Worker, begin: int, end: int, state: int) -> None:
        if state == PARKED:
            self._complete(worker, "asleep", "sleep", begin, end, {})

    def instant(self, worker: Worker, time: int, name: str, value: int, extra: int) -> None:
        self._write({"name": name, "cat": "steal", "ph": "i", "s": "t", "pid": self.process,
                     "tid": worker.number, "ts": time / 1000,
                     "args": {"tasks": value, "victim": extra}})

    def close(self, workers: dict[int, Worker]) -> None:
        for worker in workers.values():
            self._write({"name": "thread_name", "ph": "M", "pid": self.process,
                         "tid": worker.number, "args": {"name": f"worker {worker.number}"}})
        self.out.write("\n]}\n")
