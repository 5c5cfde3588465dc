# SPDX-License-Identifier: Apache-2.0
"""What a program would load, and in which order, without running it: as ld.so(8) goes about it.

Only libraries that are linked are seen, not those that a program opens itself.
"""
from __future__ import annotations

import os
import platform
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Mapping, Optional

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

# Entry points that compilers call, and the routines that programs call.
ENTRY_POINT = re.compile(rb"\0(GOMP_\w+|GOACC_\w+|__kmpc_\w+|omp_[a-z]\w+)(?=\0)")
# This machine as ELF files name it, and as the loader's cache does.
ELF_MACHINE, CACHE_WORD = {"aarch64": ("EM_AARCH64", "AArch64")}.get(
    platform.machine(), ("EM_X86_64", "x86-64"))
DF_1_PIE = 0x08000000
DEFAULT_FOLDERS = ("/lib64", "/usr/lib64", f"/lib/{platform.machine()}-linux-gnu",
                   f"/usr/lib/{platform.machine()}-linux-gnu", "/lib", "/usr/lib")


@dataclass(frozen=True)
class Object:
    """One ELF file."""

    path: str
    needed: tuple[str, ...]  # DT_NEEDED, in order
    soname: str
    rpath: tuple[str, ...]  # DT_RPATH, which counts for what its libraries need, too
    runpath: tuple[str, ...]
    dynamic: bool  # false: linked statically, so that nothing is loaded for it
    machine: str
    openmp: frozenset[str]  # names of OpenMP that it defines or refers to


def _folders(value: str, path: str) -> tuple[str, ...]:
    origin = os.path.dirname(os.path.realpath(path))
    return tuple(part.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
                 for part in value.split(":") if part)


@lru_cache(maxsize=None)
def read(path: str) -> Optional[Object]:
    """The file as an ELF object, None where it is none (a script, or damaged)."""
    try:
        with open(path, "rb") as stream:
            file = ELFFile(stream)
            segments = list(file.iter_segments())  # sections may be stripped
            dynamic = next((one for one in segments if isinstance(one, DynamicSegment)), None)
            tags: dict[str, list[str]] = {}
            text, is_program = b"", False
            for tag in dynamic.iter_tags() if dynamic is not None else ():
                for attribute in ("needed", "soname", "rpath", "runpath"):
                    if hasattr(tag, attribute):
                        tags.setdefault(attribute, []).append(getattr(tag, attribute))
                if tag.entry.d_tag == "DT_STRSZ":
                    stream.seek(dynamic.get_table_offset("DT_STRTAB")[1])
                    text = b"\0" + stream.read(tag.entry.d_val)
                elif tag.entry.d_tag == "DT_FLAGS_1":
                    is_program = bool(tag.entry.d_val & DF_1_PIE)
            loader = any(one.header.p_type == "PT_INTERP" for one in segments)
            return Object(path, tuple(tags.get("needed", ())), "".join(tags.get("soname", [])[:1]),
                          _folders(":".join(tags.get("rpath", ())), path),
                          _folders(":".join(tags.get("runpath", ())), path),
                          dynamic is not None and (loader or not is_program),
                          str(file["e_machine"]),
                          frozenset(name.decode() for name in ENTRY_POINT.findall(text)))
    except (OSError, ELFError, ValueError, UnicodeDecodeError, KeyError, AttributeError):
        return None


@lru_cache(maxsize=1)
def _cache() -> dict[str, str]:
    """What the loader's cache knows: file names of 64-bit libraries, and their paths."""
    for command in ("ldconfig", "/sbin/ldconfig"):
        try:
            listed = subprocess.run([command, "-p"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        found: dict[str, str] = {}
        for line in listed.stdout.splitlines():
            name, arrow, path = line.strip().partition(" => ")
            if arrow and CACHE_WORD in name:
                found.setdefault(name.split()[0], path)
        return found
    return {}


def find(name: str, environment: Mapping[str, str], before: tuple[str, ...] = (),
         after: tuple[str, ...] = ()) -> Optional[str]:
    """Where the loader finds a library: in `before`, LD_LIBRARY_PATH, `after`, and where it always
    looks. None: nowhere."""
    if "/" in name:
        return name if os.path.isfile(name) else None
    folders = [*before, *environment.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":"),
               *after]
    for folder in folders:
        path = os.path.normpath(os.path.join(folder, name)) if folder else ""
        if path and os.path.isfile(path):
            return path
    cached = _cache().get(name)
    if cached is not None and os.path.isfile(cached):
        return cached
    return next((f"{folder}/{name}" for folder in DEFAULT_FOLDERS
                 if os.path.isfile(f"{folder}/{name}")), None)


@dataclass(frozen=True)
class Loaded:
    """What the loader would map for a program, first to last: the order in which it looks for
    symbols. The program comes first, then what is preloaded, then what is needed."""

    objects: tuple[Object, ...]
    missing: tuple[str, ...]

    def winner(self, symbol: str) -> Optional[Object]:
        """The first OpenMP runtime that has the symbol."""
        from .runtimes import kind
        return next((one for one in self.objects if kind(one.path) and symbol in one.openmp), None)


def load(program: str, environment: Mapping[str, str]) -> Optional[Loaded]:
    """What the program would load in this environment; None where it is no ELF file."""
    first = read(program)
    if first is None:
        return None
    objects, missing = [first], []
    names = {first.soname, first.path}
    queue: list[tuple[str, Object, tuple[str, ...]]] = []
    preloaded = re.split(r"[\s:]+", environment.get("LD_PRELOAD", "")) if first.dynamic else []
    queue += [(name, first, ()) for name in preloaded if name]
    queue += [(name, first, ()) for name in first.needed]
    while queue:
        name, user, inherited = queue.pop(0)
        if name in names:
            continue
        names.add(name)
        rpath = () if user.runpath else (*user.rpath, *inherited)
        path = find(name, environment, rpath, user.runpath)
        one = read(path) if path is not None else None
        if one is None:
            missing.append(name)
            continue
        if any(os.path.samefile(one.path, other.path) for other in objects):
            continue
        names.add(one.soname)
        objects.append(one)
        queue += [(part, one, rpath) for part in one.needed]
    return Loaded(tuple(objects), tuple(missing))


def libraries_in(folder: Path) -> list[Object]:
    """The shared objects in a folder and those below it, by path; links are left out."""
    found = []
    for path in sorted(folder.rglob("*.so*")):
        if path.is_file() and not path.is_symlink():
            one = read(str(path))
            if one is not None and one.machine == ELF_MACHINE:
                found.append(one)
    return found
