# SPDX-License-Identifier: Apache-2.0
"""The environment in which the dynamic linker loads Heddle before a program's own libraries."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Mapping

VARIABLE = "LD_PRELOAD"


def problem_of(library: Path) -> str:
    """Why a file cannot be preloaded, or ""."""
    if re.search(r"[\s:]", str(library)):
        return (f"{VARIABLE} takes no path with blanks or colons, as in '{library}': move or link "
                "the library to another place")
    return ""


def variables(library: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """LD_PRELOAD with the library first, and with what is preloaded already after it, once."""
    before = re.split(r"[\s:]+", environment.get(VARIABLE, ""))
    return {VARIABLE: ":".join([str(library), *(path for path in before
                                                if path and path != str(library))])}
