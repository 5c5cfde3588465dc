# SPDX-License-Identifier: Apache-2.0
"""The control variables as the library itself reads them, and where each value is from."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Mapping

from .library import LibraryNotFound

PREFIXES = ("OMP_", "GOMP_", "KMP_", "HEDDLE_")
BEGIN, END = "OPENMP DISPLAY ENVIRONMENT BEGIN\n", "OPENMP DISPLAY ENVIRONMENT END\n"
# A value may have several lines.
SHOWN = re.compile(r"^  (\w+) = '(.*?)'\n(?=  \w+ = '|\Z)", re.DOTALL | re.MULTILINE)
VERBOSE = re.compile(r"heddle: KMP_AFFINITY: (CPUs? |place |threads are |thread )")
SECONDS = 20

# Loads the library on the CPUs that are named, and has it determine its places, by which some
# values are judged. That makes no thread, writes no file and starts no tool.
PROBE = """
import ctypes, os, sys
try:
    os.sched_setaffinity(0, map(int, sys.argv[2:]))
except OSError:
    pass
library = ctypes.CDLL(sys.argv[1])
library.heddle_version and library.omp_get_num_places()
"""


@dataclass(frozen=True)
class Variable:
    """One variable: the value in effect, and "environment" or "default"."""

    name: str
    value: str
    source: str


def ours(environment: Mapping[str, str]) -> dict[str, str]:
    """Those of the environment that are about OpenMP."""
    return {name: value for name, value in environment.items() if name.startswith(PREFIXES)}


def in_effect(library: Path, environment: Mapping[str, str],
              mask: Iterable[int] = ()) -> tuple[list[Variable], list[str]]:
    """The variables, and what the library says against the environment. It is asked by processes
    that do nothing else, on the CPUs of the mask if there is one. The environment is where a value
    is from that would be another one without it, or that it names and the library accepts. Raises
    LibraryNotFound where the file does not answer."""
    display = {"OMP_DISPLAY_ENV": "verbose"}
    cpus = frozenset(mask)
    shown, said = _values(library, {**environment, **display}, cpus)
    otherwise, _ = _values(library, display, cpus)
    if "KMP_WARNINGS" in environment or "OMP_DISPLAY_ENV" in environment:
        said += _messages(_ask(library, {**environment, "KMP_WARNINGS": "true"}, cpus))
        said = list(dict.fromkeys(said))
    refused = set(map(refused_by, said))

    def source(name: str) -> str:
        named = next((one for one in (name, f"{name}_ALL") if one in environment), None)
        decides = shown[name] != otherwise.get(name) or named is not None and named not in refused
        return "environment" if decides else "default"

    return [Variable(name, value, source(name)) for name, value in shown.items()], said


def _ask(library: Path, environment: Mapping[str, str], cpus: frozenset[int]) -> str:
    """What the library writes to stderr in this environment, without what concerns the loader of
    the process that asks."""
    passed = {name: value for name, value in environment.items() if not name.startswith("LD_")}
    passed.update({name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ})
    try:
        done = subprocess.run([sys.executable, "-ISB", "-c", PROBE, library, *map(str, cpus)],
                              env=passed, capture_output=True, encoding="utf-8", errors="replace",
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {SECONDS} s"
    return done.stderr


def _values(library: Path, environment: Mapping[str, str],
            cpus: frozenset[int]) -> tuple[dict[str, str], list[str]]:
    """By name what the library shows, printable; and what it says besides."""
    told = _ask(library, environment, cpus)
    before, begin, rest = told.partition(BEGIN)
    block, end, after = rest.rpartition(END)
    if not begin or not end:
        why = (told.strip().splitlines() or ["it says nothing"])[-1].removeprefix("OSError: ")
        raise LibraryNotFound(f"'{library}' does not tell its variables: {why}")
    values = {name: "".join(c if c.isprintable() else repr(c)[1:-1] for c in value)
              for name, value in SHOWN.findall(block) if name != "_OPENMP"}
    return values, _messages(before + after)


def refused_by(message: str) -> str:
    """The name of the variable that a message of the library is about."""
    return message.removeprefix("heddle: ").partition(":")[0]


def _messages(told: str) -> list[str]:
    """What is said against a value, and not what KMP_AFFINITY=verbose asks to be told."""
    return [line.strip() for line in told.splitlines()
            if line.startswith("heddle: ") and not VERBOSE.match(line)]
