# SPDX-License-Identifier: Apache-2.0
"""What the program headers of an ELF file of 64 bits say, with Python's own means: for what has to
work without pyelftools. heddle.elf tells more."""
from __future__ import annotations

import mmap
import struct
from typing import Iterator, Union

PT_LOAD, PT_INTERP = 1, 3
LONGEST = 4096  # bytes, of a file's beginning and of a path


def segments(data: Union[bytes, mmap.mmap]) -> Iterator[tuple[int, int, int]]:
    """(type, offset in the file, bytes in the file) of each. Raises ValueError for what is no such
    file."""
    try:
        if data[:5] != b"\x7fELF\2":
            raise ValueError("no ELF file of 64 bits")
        headers, size, count = struct.unpack_from("<32xQ14x2H", data)
        for number in range(count):
            yield struct.unpack_from("<I4xQ16xQ", data, headers + number * size)
    except (struct.error, OverflowError) as error:
        raise ValueError("cut off in its headers") from error


def interpreter(path: str) -> str:
    """What the system would start a program by: that of a script's first line, or the dynamic
    linker; "" where it needs none, or the file cannot be read."""
    try:
        with open(path, "rb") as file:
            head = file.read(LONGEST)
            if head.startswith(b"#!"):
                words = head[2:].partition(b"\n")[0].split()
                return (words or [b""])[0].decode(errors="replace")
            for kind, offset, length in segments(head):
                if kind == PT_INTERP:
                    file.seek(offset)
                    return file.read(min(length, LONGEST)).rstrip(b"\0").decode(errors="replace")
    except (OSError, ValueError):
        pass
    return ""
