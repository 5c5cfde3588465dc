# SPDX-License-Identifier: Apache-2.0
"""Compiles the benchmark programs with plain gcc or clang, as any user would, when stale."""
from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

FLAGS = ("-O3", "-Wall", "-Wextra")
OPENMP_FLAGS = ("-std=gnu17", "-fopenmp")
LIBRARY_FLAGS = ("-std=gnu++20", "-fopenmp", "-DHEDDLE_CHECKS=0")  # C++ with Heddle's sources
LIBRARIES = {"gcc": ("-lm",), "clang": ("-lm", "-latomic")}  # of each build
LIBRARY_FOLDERS = ("concurrent", "concurrent/locks", "platform/native")
OPENMP_ONLY = "openmp.c"  # of bench/common: other runtimes' programs go without


@dataclass(frozen=True)
class Recipe:
    """What a program is made from, beside its folder and bench/common, and the runtime it is for.

    That is "openmp", "tbb" (oneTBB) or "heddle" (Heddle's own interface); programs for the last two
    are C++.
    """

    runtime: str = "openmp"
    shared: tuple[str, ...] = ()  # sources of another program
    with_library: bool = False  # an OpenMP program in C++, with structures from src/ in it


_UTS = tuple(f"uts/{name}.c" for name in ("tree", "sha1", "serial", "problem", "tally"))
RECIPES = {
    "uts_tbb": Recipe("tbb", _UTS),
    "uts_spawn": Recipe("heddle", _UTS),
    "fib_tbb": Recipe("tbb"),
    "fib_spawn": Recipe("heddle"),
    "locks": Recipe(with_library=True),
    "structures": Recipe(with_library=True),
}


class BuildError(Exception):
    pass


def recipe(program: str) -> Recipe:
    return RECIPES.get(program, Recipe())


def compiler_version(compiler: str) -> str:
    try:
        told = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"cannot run the compiler '{compiler}': {error}") from error
    return told.stdout.splitlines()[0]


def has_tbb(compiler: str) -> bool:
    """Whether oneTBB is installed where this compiler looks."""
    probe = ("#include <tbb/version.h>\n"
             "int main() { return TBB_runtime_interface_version() == 0; }\n")
    try:
        done = subprocess.run([compiler, "-x", "c++", "-", "-o", os.devnull, "-ltbb", "-lstdc++"],
                              input=probe, capture_output=True, text=True)
    except OSError as error:
        raise BuildError(f"cannot run the compiler '{compiler}': {error}") from error
    return done.returncode == 0


def _flags(runtime: str, bench: Path, heddle: Path | None) -> tuple[list[str], list[str]]:
    """What the compiler is told before the sources, and after them."""
    if runtime == "openmp":
        return [*OPENMP_FLAGS], []
    if runtime == "tbb":
        return [], ["-ltbb", "-lstdc++"]
    if heddle is None:
        raise BuildError("programs for heddle.hpp need a contender that has its functions")
    return ([f"-I{bench.parent / 'include'}"],
            [str(heddle), f"-Wl,-rpath,{heddle.parent}", "-lstdc++"])


def build(program: str, bench: Path, output: Path, compiler: str, kind: str = "gcc",
          heddle: Path | None = None) -> Path:
    """Returns the up-to-date binary of bench/<program>/; `kind` is the build, gcc or clang.

    `heddle` is the library that programs for Heddle's own interface are linked with.
    """
    output = output if kind == "gcc" else output / kind
    made_from = recipe(program)
    own, common = bench / program, bench / "common"
    sources = [*sorted(own.glob("*.c")), *sorted(own.glob("*.cpp")),
               *(bench / name for name in made_from.shared),
               *(path for path in sorted(common.glob("*.c"))
                 if made_from.runtime == "openmp" or path.name != OPENMP_ONLY)]
    inputs = [*sources, *_headers(own, common, *(path.parent for path in sources))]
    if made_from.runtime == "heddle":
        inputs += _headers(bench.parent / "include")
    before, after = _flags(made_from.runtime, bench, heddle)
    fresh = output / f".{program}.{os.getpid()}"  # renamed when whole: others may be running it
    commands = []
    if made_from.with_library:
        library = bench.parent / "src"
        inputs += _headers(*(library / name for name in LIBRARY_FOLDERS))
        commands, sources = _with_library(library, sources, [compiler, *LIBRARY_FLAGS], fresh)
        after = ["-lstdc++"]
    commands.append([compiler, *before, *FLAGS, *map(str, sources), *after, *LIBRARIES[kind],
                     "-o", str(fresh)])
    binary, record = output / program, output / f"{program}.cmd"
    told = "\n".join(" ".join(command) for command in commands).replace(str(fresh), str(binary))
    if not _stale(binary, record, inputs, told):
        return binary
    output.mkdir(parents=True, exist_ok=True)
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"{program} does not compile:\n{done.stderr.strip()}")
    for part in output.glob(f"{fresh.name}.*.o"):
        part.unlink()
    fresh.replace(binary)
    record.write_text(told)
    return binary


def _with_library(library: Path, sources: Sequence[Path], compiler: Sequence[str],
                  fresh: Path) -> tuple[list[list[str]], list[Path]]:
    """C++ is compiled by itself, for C has another standard: the commands, and what is to link."""
    platform = library / "platform" / "native"
    commands, linked = [], [path for path in sources if path.suffix == ".c"]
    for path in [*(path for path in sources if path.suffix == ".cpp"),
                 *sorted(platform.glob("*.cpp"))]:
        part = fresh.with_name(f"{fresh.name}.{path.stem}.o")
        commands.append([*compiler, *FLAGS, f"-I{library}", f"-I{platform}", "-c", str(path),
                         "-o", str(part)])
        linked.append(part)
    return commands, linked


def _headers(*folders: Path) -> list[Path]:
    return sorted({path for folder in folders for path in folder.glob("*.h*")})


def _stale(binary: Path, record: Path, inputs: Sequence[Path], command: str) -> bool:
    if not binary.exists() or not record.exists() or record.read_text() != command:
        return True
    built = binary.stat().st_mtime
    return any(path.stat().st_mtime > built for path in inputs)
