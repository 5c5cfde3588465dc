# SPDX-License-Identifier: Apache-2.0
"""heddle.trace from the source tree, without what `import heddle` does; and files made by hand.

Called by the tests here and by tests/robustness/test_trace.py.
"""

import struct
import sys
import types
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
if "heddle" not in sys.modules:
    package = types.ModuleType("heddle")
    package.__path__ = [str(ROOT / "python" / "heddle")]
    sys.modules["heddle"] = package

from heddle.trace import events  # noqa: E402 (the package above comes first)

KIND = {name: number for number, name in enumerate(events.KINDS)}
WAIT = {name: number for number, name in enumerate(events.WAITS)}


def make_file(workers, modules=(), program="/bin/program", whole=True, first=None):
    """The bytes of a trace: workers = [[(time, kind's name, value, extra), ...], ...], one chunk
    each; `whole`: the last chunk has its full size; `first`: by worker, the number of its chunk, 0
    if not given. modules = [(base, low, high, path)]."""
    header = struct.pack("<8s4I4QqII32s408s", b"HEDTRACE", 1, events.HEADER_BYTES,
                         events.CHUNK_BYTES, 16, 10**9, 0, 0, 1 << 20, 42, len(modules), 512,
                         b"made", program.encode())
    for base, low, high, path in modules:
        header += struct.pack("<3Q488s", base, low, high, path.encode())
    data = bytearray(header.ljust(events.CHUNK_BYTES, b"\0"))
    for number, listed in enumerate(workers):
        chunk = struct.pack("<IiQQiI32s", events.CHUNK_MAGIC, number, first[number] if first else 0,
                            len(listed), 100 + number, 0, b"made")
        for time, name, value, extra in listed:
            chunk += struct.pack("<QQ", KIND[name] << events.TIME_BITS | time,
                                 extra << events.VALUE_BITS | value)
        last = number + 1 == len(workers)
        data += chunk if last and not whole else chunk.ljust(events.CHUNK_BYTES, b"\0")
    return bytes(data)


def counts(path):
    """By kind: how many events a file has; task_begin also by how the task came to run."""
    trace = events.read(Path(path))
    found = Counter()
    for worker in trace.workers:
        for _, kind, _, extra in trace.events(worker):
            found[events.KINDS[kind]] += 1
            if events.KINDS[kind] == "task_begin":
                found[events.STARTS[extra]] += 1
    return trace, found
