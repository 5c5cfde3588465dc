# SPDX-License-Identifier: Apache-2.0
"""The runtimes that compete: each serves the same binary, preloaded; libgomp needs nothing."""
from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

BASE = "libgomp"


@dataclass(frozen=True)
class Contender:
    name: str
    library: Path | None  # None: what the program was linked with, which is libgomp

    def environment(self) -> dict[str, str]:
        environment = dict(os.environ)
        environment.pop("LD_PRELOAD", None)
        if self.library is not None:
            environment["LD_PRELOAD"] = str(self.library)
        return environment

    def served(self, runtime: str) -> bool:
        """Whether the library that a run names as its runtime is this contender's."""
        if self.library is None:
            return os.path.basename(os.path.realpath(runtime)).startswith("libgomp.so")
        return os.path.realpath(runtime) == os.path.realpath(self.library)

    def digest(self) -> str | None:
        """Tells builds apart in the stored results."""
        if self.library is None:
            return None
        return hashlib.sha256(self.library.read_bytes()).hexdigest()[:16]


def _existing(name: str, path: str) -> Contender:
    library = Path(path).absolute()
    if not library.is_file():
        raise ValueError(f"contender {name}: there is no file {path}")
    return Contender(name, library)


def line_up(given: Sequence[str], baseline: str | None, heddle: Path) -> list[Contender]:
    """libgomp first, then those given as NAME=LIBPATH (or Heddle's build, if there is one)."""
    contenders = [Contender(BASE, None)]
    if not given and heddle.is_file():
        contenders.append(Contender("heddle", heddle))
    for text in given:
        name, separator, path = text.partition("=")
        if text == "heddle":
            name, separator, path = "heddle", "=", str(heddle)
        if not separator or not name or not path:
            raise ValueError(f"a contender is NAME=LIBPATH, not '{text}'")
        contenders.append(_existing(name, path))
    if baseline is not None:
        contenders.append(_existing("old", baseline))
    names = [c.name for c in contenders]
    if len(set(names)) != len(names):
        raise ValueError(f"two contenders have the same name: {' '.join(names)}")
    return contenders
