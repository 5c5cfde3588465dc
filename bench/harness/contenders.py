# SPDX-License-Identifier: Apache-2.0
"""The runtimes that compete: each serves the same binary of gcc, preloaded; libgomp needs nothing.

Runtimes for clang's binaries stand in libomp's place: preloaded, libomp would be loaded as well.
Programs for oneTBB, and for Heddle's own interface, run on that alone.
"""
from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Sequence

BASE = "libgomp"
LIBOMP = "libomp.so.5"  # what clang's binaries ask the loader for
LINKED = {"openmp": "libgomp.so", "tbb": "libtbb.so"}  # what programs are linked with, by runtime


@dataclass(frozen=True)
class Contender:
    name: str
    library: Path | None  # None: what the program was linked with, which is libgomp
    build: str = "gcc"  # whose binaries it serves; the other build is "clang"
    folder: Path | None = None  # for clang's: has the library as libomp.so.5
    runtime: str = "openmp"  # what it is, as in programs.Recipe
    variables: tuple[tuple[str, str], ...] = ()  # of its environment, beside what is passed on

    def environment(self) -> dict[str, str]:
        environment = dict(os.environ)
        environment.pop("LD_PRELOAD", None)
        environment.update(self.variables)
        if self.folder is not None:
            environment["LD_LIBRARY_PATH"] = str(self.folder)
        elif self.library is not None:
            environment["LD_PRELOAD"] = str(self.library)
        return environment

    def serves(self, runtime: str) -> bool:
        """Whether programs for that runtime run on it."""
        if runtime == "heddle":
            return self.library is not None and _spawns(self.library)
        return runtime == self.runtime

    def served(self, runtime: str) -> bool:
        """Whether the library that a run names as its runtime is this contender's."""
        if self.library is None:
            return os.path.basename(os.path.realpath(runtime)).startswith(LINKED[self.runtime])
        return os.path.realpath(runtime) == os.path.realpath(self.library)

    def digest(self) -> str | None:
        """Tells builds apart in the stored results."""
        if self.library is None:
            return None
        return hashlib.sha256(self.library.read_bytes()).hexdigest()[:16]


@cache
def _spawns(library: Path) -> bool:
    """Whether it has Heddle's own interface."""
    return b"heddle_spawn" in library.read_bytes()


def _existing(name: str, path: str) -> Contender:
    library = Path(path).absolute()
    if not library.is_file():
        raise ValueError(f"contender {name}: there is no file {path}")
    return Contender(name, library)


def _given(text: str, heddle: Path) -> Contender:
    """NAME=LIBPATH, or heddle, each followed by @VARIABLE=VALUE as often as wanted."""
    runtime, *settings = text.split("@")
    name, _, path = ("heddle=heddle" if runtime == "heddle" else runtime).partition("=")
    pairs = [setting.partition("=") for setting in settings]
    if not name or not path or not all(variable and equals for variable, equals, _ in pairs):
        raise ValueError(f"a contender is NAME=LIBPATH[@VARIABLE=VALUE]..., not '{text}'")
    return replace(_existing(name, str(heddle) if path == "heddle" else path),
                   variables=tuple((variable, value) for variable, _, value in pairs))


def with_policies(contenders: Sequence[Contender], policies: Sequence[str]) -> list[Contender]:
    """After the one named heddle, the same library under each of these task policies."""
    found: list[Contender] = []
    for contender in contenders:
        found.append(contender)
        if contender.name == "heddle":
            found += [replace(contender, name=policy,
                              variables=(("HEDDLE_TASK_POLICY", policy),)) for policy in policies]
    if policies and len(found) == len(contenders):
        raise ValueError("policies are Heddle's: build it, or --contender heddle=LIBPATH")
    return found


def _of_clang(compiler: str) -> Path:
    """The libomp that comes with clang."""
    done = subprocess.run([compiler, "--print-file-name=libomp.so.5"], capture_output=True,
                          text=True)
    return Path(done.stdout.strip()) if done.returncode == 0 else Path(LIBOMP)


def _of_pip(package: str, name: str) -> Path:
    """A library that a Python package brings."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        raise ValueError(f"contender {name}: 'pip install {package}' or give its path") from None
    found = [f for f in files if f.name == f"{name}.so"]
    if not found:
        raise ValueError(f"contender {name}: the package {package} has no {name}.so")
    return Path(str(found[0].locate())).resolve()


def _in_place_of_libomp(contender: Contender, output: Path) -> Contender:
    assert contender.library is not None
    folder = output / "peers" / contender.name
    folder.mkdir(parents=True, exist_ok=True)
    for name in (LIBOMP, contender.library.name):  # the second for programs that are linked with it
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(contender.library)
    return Contender(contender.name, contender.library, "clang", folder)


def clang_line_up(given: Sequence[str], compiler: str, heddle: Path,
                  output: Path) -> list[Contender]:
    """For clang's binaries: NAME=LIBPATH, or heddle, libomp (clang's), libiomp5 (of pip)."""
    contenders = []
    for text in given:
        name, separator, path = text.partition("=")
        if text == "heddle":
            name, path = "heddle-clang", str(heddle)
        elif text == "libomp":
            path = str(_of_clang(compiler))
        elif text == "libiomp5":
            path = str(_of_pip("intel-openmp", name))
        elif not separator or not name or not path or "/" in name:
            raise ValueError(f"a contender is NAME=LIBPATH, not '{text}'")
        contenders.append(_in_place_of_libomp(_existing(name, path), output))
    return contenders


def tbb(build: str) -> Contender:
    """oneTBB, as programs of that build are linked with it."""
    return Contender("oneTBB" if build == "gcc" else f"oneTBB-{build}", None, build, runtime="tbb")


def line_up(given: Sequence[str], baseline: str | None, heddle: Path,
            for_clang: Sequence[Contender] = (), peers: Sequence[Contender] = (),
            policies: Sequence[str] = ()) -> list[Contender]:
    """libgomp first, then those given, as for _given() (or Heddle's build, if there is one)."""
    contenders = [Contender(BASE, None)]
    if not given and heddle.is_file():
        contenders.append(Contender("heddle", heddle))
    for text in given:
        contenders.append(_given(text, heddle))
    contenders = with_policies(contenders, policies)
    if baseline is not None:
        contenders.append(_existing("old", baseline))
    contenders += for_clang
    contenders += peers
    names = [c.name for c in contenders]
    if len(set(names)) != len(names):
        raise ValueError(f"two contenders have the same name: {' '.join(names)}")
    return contenders
