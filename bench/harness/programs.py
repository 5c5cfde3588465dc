# SPDX-License-Identifier: Apache-2.0
"""Compiles the benchmark programs with plain gcc or clang, as any user would, when stale."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

FLAGS = ("-std=gnu17", "-O3", "-fopenmp", "-Wall", "-Wextra")
LIBRARIES = {"gcc": ("-lm",), "clang": ("-lm", "-latomic")}  # of each build


class BuildError(Exception):
    pass


def compiler_version(compiler: str) -> str:
    try:
        told = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"cannot run the compiler '{compiler}': {error}") from error
    return told.stdout.splitlines()[0]


def build(program: str, bench: Path, output: Path, compiler: str, kind: str = "gcc") -> Path:
    """Returns the up-to-date binary of bench/<program>/; `kind` is the build, gcc or clang."""
    output = output if kind == "gcc" else output / kind
    sources = sorted((bench / program).glob("*.c")) + sorted((bench / "common").glob("*.c"))
    headers = sorted((bench / program).glob("*.h")) + sorted((bench / "common").glob("*.h"))
    binary, record = output / program, output / f"{program}.cmd"
    command = [compiler, *FLAGS, *map(str, sources), *LIBRARIES[kind]]
    if not _stale(binary, record, [*sources, *headers], " ".join(command)):
        return binary
    output.mkdir(parents=True, exist_ok=True)
    fresh = output / f".{program}.{os.getpid()}"  # renamed when whole: others may be running it
    done = subprocess.run([*command, "-o", str(fresh)], capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{program} does not compile:\n{done.stderr.strip()}")
    fresh.replace(binary)
    record.write_text(" ".join(command))
    return binary


def _stale(binary: Path, record: Path, inputs: list[Path], command: str) -> bool:
    if not binary.exists() or not record.exists() or record.read_text() != command:
        return True
    built = binary.stat().st_mtime
    return any(path.stat().st_mtime > built for path in inputs)
