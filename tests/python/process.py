# SPDX-License-Identifier: Apache-2.0
"""What this process consists of: its threads, by the library that started each, and the OpenMP
runtimes mapped into it. Standard library only; x86-64 Linux with glibc.

A parked thread tells by itself who started it. Its stack pointer leads to its thread control
block, which is the only place above it whose first and third word hold the place's own address, and
glibc keeps the thread's start routine there. The library that this function lies in is the thread's
owner.
"""

import os
import re
import struct
import time
from pathlib import Path

# A runtime by its file name; wheels append a hash, as in libgomp-e985bcbb.so.1.0.0.
RUNTIME = re.compile(r"^lib(heddle|gomp|iomp5|omp)\b(?!_db|target|stubs)")
# Start routines of wrappers, which hide the library that asked for the thread.
WRAPPERS = ("libc.so", "libc-2", "libpthread", "ld-linux", "libstdc++")

BLOCK_BYTES = 0xA00  # more than struct pthread has in any glibc so far
SEARCH_BYTES = 16 << 20
TRIES = 200


def mappings():
    """[(first address, address behind the last, permissions, file)] of this process, in order."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        fields = line.split(maxsplit=5)
        first, behind = (int(part, 16) for part in fields[0].split("-"))
        found.append((first, behind, fields[1], fields[5] if len(fields) > 5 else ""))
    return found


def file_at(maps, address):
    """The file whose code lies at the address, or None."""
    for first, behind, permissions, name in maps:
        if first <= address < behind:
            return name if "x" in permissions and name.startswith("/") else None
    return None


def runtimes():
    """File names of the OpenMP runtimes that are mapped, sorted."""
    names = {os.path.basename(entry[3]) for entry in mappings()}
    return sorted(name for name in names if RUNTIME.match(name))


def stack_pointer(task):
    """The stack pointer of a thread that is parked in the kernel; None while it runs."""
    for _ in range(TRIES):
        fields = (task / "syscall").read_text().split()
        if fields[0] != "running":
            return int(fields[-2], 16)
        time.sleep(0.001)
    return None


def control_block(memory, maps, pointer):
    """The bytes of the control block of the thread with this stack pointer, or None."""
    stack = next((entry for entry in maps if entry[0] <= pointer < entry[1]), None)
    if stack is None:
        return None
    first = pointer & ~0xF
    count = min(stack[1] - first, SEARCH_BYTES) & ~0xF
    memory.seek(first)
    data = memory.read(count)
    for number, (word, _) in enumerate(struct.iter_unpack("QQ", data)):
        address = first + 16 * number
        if word == address and data[16 * number + 16:16 * number + 24] == struct.pack("Q", address):
            return data[16 * number:16 * number + BLOCK_BYTES]
    return None


def owner(task):
    """File name of the library that a thread's start routine lies in, or "unknown"."""
    try:
        pointer = stack_pointer(task)
        if pointer is None:
            return "unknown"
        maps = mappings()
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            block = control_block(memory, maps, pointer)
    except (OSError, OverflowError):
        return "unknown"  # the thread has ended meanwhile
    if block is None:
        return "unknown"
    wrapper = "unknown"
    for (word,) in struct.iter_unpack("Q", block[:len(block) & ~7]):
        name = file_at(maps, word)
        if name:
            name = os.path.basename(name)
            if not name.startswith(WRAPPERS):
                return name
            wrapper = name
    return wrapper


def threads():
    """[(thread id, name, owner)] of every thread of this process but the initial one."""
    found = []
    for task in sorted(Path("/proc/self/task").iterdir(), key=lambda path: int(path.name)):
        if int(task.name) == os.getpid():
            continue
        try:
            name = (task / "comm").read_text().strip()
        except OSError:
            continue  # it has ended since the folder was read
        found.append((int(task.name), name, owner(task)))
    return found


def census():
    """{owner: number of threads} now."""
    counts = {}
    for _, _, name in threads():
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))
