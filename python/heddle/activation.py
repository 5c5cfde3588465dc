# SPDX-License-Identifier: Apache-2.0
"""Makes Heddle the OpenMP runtime of this process, for all libraries that are loaded from now on.

The library is loaded with RTLD_GLOBAL. The dynamic linker then asks it before a later library's own
dependencies, so that a wheel's references go to Heddle though the wheel brings a libgomp along,
under whatever name. A library that was loaded before keeps what it has bound already and would get
the rest from Heddle: two runtimes inside one region. So nothing is done where another runtime is
loaded, and one line says so.
"""
from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from . import preload, runtimes, threadpool
from .library import LibraryNotFound, find_library


@dataclass(frozen=True)
class Status:
    """Whether Heddle serves this process, and how that came about."""

    active: bool
    library: Optional[Path]  # the file, once it is loaded
    reason: str  # "preloaded", "imported", or why it is not active


_status = Status(False, None, "not asked for yet")
_functions: Optional[ctypes.CDLL] = None


def is_the_command() -> bool:
    """Whether this process is `heddle` or `python3 -m heddle...`: it has no use for a runtime. A
    script of that name is the command where it asks for heddle.command, as pip writes it."""
    name = sys.argv[0] if getattr(sys, "argv", None) else ""
    if name == "-m":  # while what is to be run is imported, whose name is not there yet
        module = _module_to_run()
        return module == "heddle" or module.startswith("heddle.")
    if os.path.basename(name) != "heddle":
        return False
    try:
        return b"heddle.command" in Path(name).read_bytes()
    except OSError:
        return True


def _module_to_run() -> str:
    """NAME of `-m NAME`, `-mNAME` or `-BmNAME`, which is in front of the program's arguments."""
    arguments = getattr(sys, "orig_argv", None)  # from Python 3.10 on
    if arguments is None:
        arguments = Path("/proc/self/cmdline").read_text(errors="replace").split("\0")[:-1]
    name = str(next(iter(arguments[-len(sys.argv):]), ""))
    return name.partition("m")[2] if name.startswith("-") else name


def status() -> Status:
    """Whether and why Heddle serves this process."""
    return _status


def functions() -> ctypes.CDLL:
    """The library's entry points. Raises RuntimeError while Heddle is not active."""
    if _functions is None:
        raise RuntimeError(f"Heddle is not active in this process: {_status.reason}")
    return _functions


def activate(children: bool = False) -> Status:
    """Activate Heddle in this process, unless it is active already; `import heddle` does it.

    With `children`, every program that is started from now on is run on Heddle too (LD_PRELOAD in
    os.environ), as the workers of joblib's loky back end that do not import heddle first.
    Never raises: what is in the way is one line on stderr, and the reason in the status.
    """
    global _status, _functions
    if not _status.active:
        before, (_status, _functions) = _status, _load()
        if _status.active:
            threadpool.register()
        elif _status != before:  # it is said once
            print(f"heddle: not activated: {_status.reason}", file=sys.stderr)
    if children and _status.library is not None:
        problem = preload.problem_of(_status.library)
        if problem:
            print(f"heddle: not for children: {problem}", file=sys.stderr)
        else:
            os.environ.update(preload.variables(_status.library, os.environ))
    return _status


def _load() -> tuple[Status, Optional[ctypes.CDLL]]:
    others = []
    for path in runtimes.loaded():
        if runtimes.kind(path) == "heddle":
            return Status(True, Path(path), "preloaded"), ctypes.CDLL(path)
        others.append(path)
    if others:
        return Status(False, None, f"{', '.join(others)} is loaded already: import heddle before "
                      "the library that uses it, or use LD_PRELOAD or `heddle run`"), None
    try:
        library = find_library()
        loaded = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    except (LibraryNotFound, OSError) as error:
        return Status(False, None, str(error)), None
    return Status(True, library, "imported"), loaded
