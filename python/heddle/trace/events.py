# SPDX-License-Identifier: Apache-2.0
"""The file of a trace as src/tool/events.hpp lays it out, read as what it is: a file of somebody.

A file may be cut off, of a process that was killed, or made to do harm: what is not right is
counted and left out, or the whole file is refused with one line.
"""
from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Optional

VERSION = 1
HEADER_BYTES, CHUNK_BYTES, EVENT_BYTES, MODULE_BYTES = 61952, 1 << 20, 16, 512
CHUNK_HEADER_BYTES = 64
EVENTS_IN_CHUNK = (CHUNK_BYTES - CHUNK_HEADER_BYTES) // EVENT_BYTES
MOST_MODULES = 120
MOST_WORKERS = 1 << 20
CHUNK_MAGIC = 0x4E484348
VALUE_BITS, TIME_BITS = 48, 56

# In the order of HEDDLE_EVENTS and HEDDLE_WAITS, from 1; a test compares.
KINDS = ("nothing", "thread_begin", "thread_end", "region_begin", "region_end", "implicit_begin",
         "implicit_end", "task_origin", "task_begin", "task_end", "task_deferred", "steal",
         "leapfrog", "idle_begin", "idle_end", "wait_end", "sleep_begin", "sleep_end",
         "loop_begin", "loop_end")
WAITS = ("none", "barrier", "region_end", "taskwait", "taskgroup", "dependences", "critical",
         "lock", "nest_lock", "other_thread")
STARTS = ("at once", "taken back", "stolen")

_HEADER = struct.Struct("<8s4I4QqII32s408s")
_MODULE = struct.Struct("<3Q488s")
_CHUNK = struct.Struct("<IiQQiI32s")
assert _CHUNK.size == CHUNK_HEADER_BYTES and _MODULE.size == MODULE_BYTES
assert _HEADER.size == MODULE_BYTES


class TraceError(Exception):
    """The file is no trace that can be read; the text says why, in one line."""


@dataclass(frozen=True)
class Module:
    """An object file of the process. Address - base is an address in the file."""
    base: int
    low: int
    high: int
    path: str


@dataclass(frozen=True)
class Chunk:
    """Where some events of a worker lie in the file."""
    worker: int
    number: int
    thread: int
    name: str
    offset: int
    events: int


@dataclass
class Trace:
    """What a file has. Times of events are nanoseconds since `began_real_ns`, in the year 1970's."""
    path: Path
    process: int
    program: str
    library: str
    began_real_ns: int
    modules: list[Module] = field(default_factory=list)
    workers: dict[int, list[Chunk]] = field(default_factory=dict)
    damages: list[str] = field(default_factory=list)
    lost_chunks: dict[int, int] = field(default_factory=dict)  # by worker: overwritten ones

    def events(self, worker: int) -> Iterator[tuple[int, int, int, int]]:
        """(time in ns, kind, value, extra) of a worker, in the order in which it wrote them. A time
        that goes back, as only a damaged file has it, counts as the last one's."""
        last, most_time = 0, (1 << TIME_BITS) - 1
        with self.path.open("rb") as file:
            for chunk in self.workers[worker]:
                file.seek(chunk.offset)
                data = file.read(chunk.events * EVENT_BYTES)
                whole = len(data) // EVENT_BYTES * EVENT_BYTES
                for when, what in struct.iter_unpack("<QQ", data[:whole]):
                    kind, time = when >> TIME_BITS, when & most_time
                    if not 0 < kind < len(KINDS):
                        continue
                    last = max(last, time)
                    yield last, kind, what & ((1 << VALUE_BITS) - 1), what >> VALUE_BITS

    def count_events(self) -> int:
        return sum(chunk.events for chunks in self.workers.values() for chunk in chunks)


def _text(raw: bytes) -> str:
    """A NUL-terminated name, fit to be printed."""
    text = raw.split(b"\0", 1)[0].decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "?" for c in text)


def _read_header(file: BinaryIO, path: Path) -> Trace:
    data = file.read(HEADER_BYTES)
    if data[:8] != b"HEDTRACE":
        raise TraceError(f"{path}: no trace of Heddle's")
    if len(data) < HEADER_BYTES:
        raise TraceError(f"{path}: cut off in its header, at {len(data)} of {HEADER_BYTES} bytes")
    (_, version, header, chunk, event, ticks, _, real, _, process, modules, module, library,
     program) = _HEADER.unpack_from(data)
    if version != VERSION:
        raise TraceError(f"{path}: a trace of version {version}; this reads version {VERSION}")
    if (header, chunk, event, module, ticks) != (HEADER_BYTES, CHUNK_BYTES, EVENT_BYTES,
                                                 MODULE_BYTES, 1_000_000_000):
        raise TraceError(f"{path}: a damaged header, whose sizes are not those of version "
                         f"{VERSION}")
    trace = Trace(path, process, _text(program), _text(library), real)
    if modules > MOST_MODULES:
        trace.damages.append(f"{modules} modules, of at most {MOST_MODULES}: none is believed")
        modules = 0
    for number in range(modules):
        base, low, high, name = _MODULE.unpack_from(data, MODULE_BYTES * (number + 1))
        if low < high and base <= high:
            trace.modules.append(Module(base, low, high, _text(name)))
        else:
            trace.damages.append(f"module {number} has impossible addresses")
    return trace


def _read_chunk(data: bytes, offset: int, size: int, damages: list[str]) -> Optional[Chunk]:
    """None: nothing was recorded there, or it is damaged, which is told."""
    if len(data) < CHUNK_HEADER_BYTES:
        return None
    magic, worker, number, written, thread, _, name = _CHUNK.unpack(data)
    if magic == 0 and written == 0:
        return None  # it was being made when the process ended
    index = offset // CHUNK_BYTES
    if magic != CHUNK_MAGIC or not 0 <= worker < MOST_WORKERS or written > EVENTS_IN_CHUNK:
        damages.append(f"chunk {index} is damaged and left out")
        return None
    there = max(0, (size - offset - CHUNK_HEADER_BYTES) // EVENT_BYTES)
    if written > there:
        damages.append(f"chunk {index} is cut off: {there} of its {written} events are there")
    return Chunk(worker, number, thread, _text(name), offset + CHUNK_HEADER_BYTES,
                 min(written, there))


def read(path: Path) -> Trace:
    """The trace in a file. Raises TraceError, or OSError for a file that cannot be read. Reads the
    heads of the chunks only: memory does not grow with what a file claims."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for
        raise TraceError(f"{path}: no regular file")
    with path.open("rb") as file:
        trace = _read_header(file, path)
        found: dict[tuple[int, int], Chunk] = {}
        for offset in range(CHUNK_BYTES, status.st_size, CHUNK_BYTES):
            file.seek(offset)
            chunk = _read_chunk(file.read(CHUNK_HEADER_BYTES), offset, status.st_size,
                                trace.damages)
            if chunk is None or chunk.events == 0:
                continue
            if (chunk.worker, chunk.number) in found:
                trace.damages.append(f"chunk {offset // CHUNK_BYTES} says it is another one and is "
                                     "left out")
                continue
            found[chunk.worker, chunk.number] = chunk
    for (worker, _), chunk in sorted(found.items()):
        trace.workers.setdefault(worker, []).append(chunk)
    for worker, chunks in trace.workers.items():
        trace.lost_chunks[worker] = chunks[0].number
    if not trace.workers:
        raise TraceError(f"{path}: nothing was recorded"
                         + (f", or it is damaged: {trace.damages[0]}" if trace.damages else ""))
    return trace
