# SPDX-License-Identifier: Apache-2.0
"""Where libheddle.so is: named by the user, in the wheel, in the source tree, or installed."""
from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from typing import Iterator, Optional

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
    machine = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
    for prefix in ("/usr/local", "/usr"):
        for folder in ("lib", f"lib/{machine}", "lib64"):
            yield Path(prefix) / folder / NAME


def find_library() -> Path:
    """The absolute path of libheddle.so. HEDDLE_LIBRARY, if it is set and not empty, is the only
    place that counts. Raises LibraryNotFound."""
    named = os.environ.get(VARIABLE, "")
    if named:
        path = Path(named).absolute()
        if not path.is_file():
            raise LibraryNotFound(f"{VARIABLE}: there is no file '{named}'")
        return path
    found = find_quietly()
    if found is None:
        raise LibraryNotFound(f"there is no {NAME} beside the package, in {TREE}/build/release or "
                              f"installed: build it, or say where it is in {VARIABLE}")
    return found


def find_quietly() -> Optional[Path]:
    """As find_library(), but None where there is none."""
    named = os.environ.get(VARIABLE, "")
    places = [Path(named).absolute()] if named else candidates()
    return next((path for path in places if path.is_file()), None)
