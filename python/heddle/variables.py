# SPDX-License-Identifier: Apache-2.0
"""The control variables as the library itself reads them, and where each value is from."""
from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Mapping

PREFIXES = ("OMP_", "GOMP_", "KMP_", "HEDDLE_")
LINE = re.compile(r"^  (\w+) = '(.*)'$")
SECONDS = 20


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
    """The variables, and what the library says against the environment. It is asked by a process
    that does nothing, on the CPUs of the mask if there is one."""
    cpus = frozenset(mask)
    display = {"LD_PRELOAD": str(library), "OMP_DISPLAY_ENV": "verbose"}
    quiet = {name: value for name, value in ours(environment).items()
             if name not in ("HEDDLE_STATS", "HEDDLE_TRACE", "KMP_SETTINGS", "KMP_VERSION")}
    done = subprocess.run(["/bin/true"], env={**quiet, **display}, capture_output=True,
                          encoding="utf-8", errors="replace", timeout=SECONDS, check=False,
                          preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None)
    variables, said = [], []
    for line in done.stderr.splitlines():
        found = LINE.match(line)
        if found:
            name = found[1]
            value = environment[name] if name in ("HEDDLE_STATS", "HEDDLE_TRACE") and (
                name in environment) else found[2]
            source = "environment" if name in environment else "default"
            variables.append(Variable(name, value, source))
        elif line.startswith("heddle:") or ": bad value" in line:
            said.append(line.strip())
    return [one for one in variables if one.name != "_OPENMP"], said
