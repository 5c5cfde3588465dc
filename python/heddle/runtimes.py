# SPDX-License-Identifier: Apache-2.0
"""Which OpenMP runtimes there are: told from their file names, in this process and in others."""
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Union

# Wheels append a hash, as in libgomp-e985bcbb.so.1.0.0.
RUNTIME = re.compile(r"^lib(heddle|gomp|iomp5|omp)(-[0-9a-f]+)?\.so(\.|$)")
FULL_NAMES = {"heddle": "Heddle", "gomp": "GCC's libgomp", "iomp5": "Intel's libiomp5",
              "omp": "LLVM's libomp"}


def kind(path: str) -> str:
    """"heddle", "gomp", "omp" or "iomp5", by the name of the file that a path leads to, as the
    drop-in links have other runtimes' names; "" for what is no OpenMP runtime."""
    for name in (os.path.basename(os.path.realpath(path)), os.path.basename(path)):
        found = RUNTIME.match(name)
        if found:
            return found[1]
    return ""


def mapped(pid: Union[int, str] = "self") -> list[str]:
    """The files that are mapped with permission to execute into a process, in order of address.
    Raises OSError when there is no such process or it is someone else's."""
    files: dict[str, None] = {}
    for line in Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and "x" in fields[1] and fields[5].startswith("/"):
            files[fields[5]] = None
    return list(files)


def loaded(pid: Union[int, str] = "self") -> list[str]:
    """The paths of the OpenMP runtimes among them."""
    return [path for path in mapped(pid) if kind(path)]
