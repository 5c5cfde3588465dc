# SPDX-License-Identifier: Apache-2.0
"""Where libheddle.so is: named by the user, in the wheel, in the source tree, or installed."""
from __future__ import annotations

import mmap
import os
import platform
import sysconfig
from pathlib import Path
from typing import Iterator, Optional

from .segments import PT_LOAD, segments

NAME = "libheddle.so"
VARIABLE = "HEDDLE_LIBRARY"
PACKAGE = Path(__file__).resolve().parent
TREE = PACKAGE.parents[1]  # of the sources, where the package has not been installed


class LibraryNotFound(Exception):
    """There is no libheddle.so; the text says where one was looked for."""


def candidates() -> Iterator[Path]:
    """The places in which it may be, the best first, without what the user says."""
    yield PACKAGE / "lib" / NAME
    yield TREE / "build" / "release" / "lib" / NAME
    machine = sysconfig.get_config_var("MULTIARCH") or f"{platform.machine()}-linux-gnu"
    for prefix in ("/usr/local", "/usr"):
        for folder in ("lib", f"lib/{machine}", "lib64"):
            yield Path(prefix) / folder / NAME


def _problem_of(path: Path) -> str:
    """What a file lacks of a libheddle.so, or "": the head of a shared object (ELF, of 64 bits, of
    the type ET_DYN), all that its program headers say is loaded, and a name of Heddle's."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if any(kind == PT_LOAD and offset + length > len(data)
                   for kind, offset, length in segments(data)):
                return "is cut off"
            if data[16:18] != b"\3\0":
                return "is no shared object that can be read"
            return "" if data.find(b"\0heddle_version\0") >= 0 else "is no library of Heddle's"
    except (OSError, ValueError):  # of an empty file, too
        return "is no shared object that can be read"


def _named() -> Optional[Path]:
    """The file in HEDDLE_LIBRARY. Raises LibraryNotFound."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return None
    path = Path(named).absolute()
    if not path.is_file():
        raise LibraryNotFound(f"{VARIABLE}: there is no file '{named}'")
    problem = _problem_of(path)
    if problem:
        raise LibraryNotFound(f"{VARIABLE}: '{named}' {problem}")
    return path


def find_library() -> Path:
    """The absolute path of libheddle.so. HEDDLE_LIBRARY, if it is set and not empty, is the only
    place that counts. Raises LibraryNotFound."""
    found = find_quietly()
    if found is None:
        raise LibraryNotFound(f"there is no {NAME} beside the package, in {TREE}/build/release or "
                              f"installed: build it, or say where it is in {VARIABLE}")
    return found


def find_quietly() -> Optional[Path]:
    """As find_library(), but None where there is none and HEDDLE_LIBRARY says nothing."""
    return _named() or next((path for path in candidates() if path.is_file()), None)
