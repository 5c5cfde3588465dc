# SPDX-License-Identifier: Apache-2.0
"""The project's benchmarks and their harness, bench/ of the source tree, which wheels bring along;
and the OpenMP runtimes of this machine that can compete."""
from __future__ import annotations

import glob
import importlib
import importlib.util
import os
import re
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Optional

from .library import PACKAGE, TREE


class NoBenchmarks(Exception):
    """Their sources are not here; the text says where they were looked for."""


def find_sources() -> Path:
    """The folder bench/, of the wheel or of the source tree. Raises NoBenchmarks."""
    for folder in (PACKAGE / "sources" / "bench", TREE / "bench"):
        if (folder / "run.py").is_file():
            return folder
    raise NoBenchmarks(f"the benchmarks' sources are neither in {PACKAGE}/sources nor in {TREE}")


class Harness:
    """The modules of bench/, which are no package that could be installed."""

    def __init__(self) -> None:
        folder = find_sources()
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        self.run = self._script(folder / "run.py")
        self.cases, self.contenders, self.measure, self.programs, self.report, self.session, \
            self.summary = (self._part(name) for name in (
                "cases", "contenders", "measure", "programs", "report", "session", "summary"))

    @staticmethod
    def _part(name: str) -> Any:
        return importlib.import_module(f"harness.{name}")

    @staticmethod
    def _script(path: Path) -> ModuleType:
        spec = importlib.util.spec_from_file_location("heddle_bench_run", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _newest(pattern: str) -> Optional[Path]:
    """Of the files that match, that with the highest number in its path."""
    found = [Path(path) for path in glob.glob(pattern)]
    return max(found, default=None,
               key=lambda path: [int(part) for part in re.findall(r"\d+", str(path))])


def _of_intel() -> Optional[Path]:
    """libiomp5.so of the Python package intel-openmp."""
    try:
        files = metadata.files("intel-openmp") or []
    except metadata.PackageNotFoundError:
        return None
    found = [Path(str(file.locate())) for file in files if file.name == "libiomp5.so"]
    return next((path.resolve() for path in found if path.is_file()), None)


def find_runtimes() -> dict[str, Path]:
    """The runtimes beside libgomp, which the programs are linked with, and Heddle: by name."""
    found = {"libomp": _newest("/usr/lib/llvm-*/lib/libomp.so.5")
             or _newest("/usr/lib/*/libomp.so.5"), "libiomp5": _of_intel()}
    return {name: path for name, path in found.items() if path is not None}


def output_folder() -> Path:
    """Where programs and results are kept: build/bench of the tree, else the user's cache."""
    if find_sources() == TREE / "bench":
        return TREE / "build" / "bench"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(cache) / "heddle" / "bench"
