# SPDX-License-Identifier: Apache-2.0
"""Names for addresses: function and source line by llvm-symbolizer or addr2line, else object+offset.

The paths come from the trace, which anybody may have written: only regular files are looked into,
by a program that gets a few seconds for each.
"""
from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from heddle.trace.events import Module, Trace

TIMEOUT_S = 30
MOST_ADDRESSES = 2000  # more sites than that keep their offsets


@dataclass(frozen=True)
class Name:
    """How an address is shown. `where`: file:line, or object+0xoffset."""
    function: str
    where: str

    def __str__(self) -> str:
        return f"{self.function} at {self.where}" if self.function else self.where


def _module_of(trace: Trace, address: int) -> Optional[Module]:
    return next((module for module in reversed(trace.modules)
                 if module.low <= address < module.high), None)


def _run(command: list[str], offsets: list[int]) -> list[str]:
    try:
        done = subprocess.run(command, input="".join(f"0x{offset:x}\n" for offset in offsets),
                              capture_output=True, text=True, errors="replace", check=False,
                              timeout=TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.splitlines()


def _look_up(path: str, offsets: list[int]) -> dict[int, tuple[str, str]]:
    """By offset: function, and file:line where that is known."""
    if not path.startswith("/") or not Path(path).is_file():
        return {}
    addr2line, symbolizer = shutil.which("addr2line"), shutil.which("llvm-symbolizer")
    if addr2line:
        lines = _run([addr2line, "-f", "-C", "-e", path], offsets)
    elif symbolizer:
        lines = _run([symbolizer, "--no-inlines", "--output-style=GNU", "-f", "-C", "-e", path],
                     offsets)
    else:
        return {}
    if len(lines) != 2 * len(offsets):
        return {}
    found = {}
    for offset, function, where in zip(offsets, lines[::2], lines[1::2]):
        where = where.split(" (discriminator")[0]
        file, _, line = where.rpartition(":")
        known = file not in ("", "??") and line.isdigit() and line != "0"
        found[offset] = ("" if function == "??" else function,
                         f"{Path(file).name}:{line}" if known else "")
    return found


def name_addresses(trace: Trace, addresses: set[int]) -> dict[int, Name]:
    """A name for each address."""
    by_module: dict[Module, list[int]] = {}
    names = {}
    for address in sorted(addresses):
        module = _module_of(trace, address)
        if module is None:
            names[address] = Name("", f"0x{address:x}")
        else:
            names[address] = Name("", f"{Path(module.path).name}+0x{address - module.base:x}")
            by_module.setdefault(module, []).append(address)
    for module, inside in by_module.items():
        found = _look_up(module.path, [address - module.base for address in
                                       inside[:MOST_ADDRESSES]])
        for address in inside:
            function, where = found.get(address - module.base, ("", ""))
            if function or where:
                names[address] = Name(function, where or names[address].where)
    return names
