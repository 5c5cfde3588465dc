# SPDX-License-Identifier: Apache-2.0
"""What `heddle info` and `heddle doctor` are asked about: a process, a program or a package of
Python, and which OpenMP runtimes each would have."""
from __future__ import annotations

import glob
import importlib.util
import os
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Mapping, Optional, Union

from . import elf, runtimes

# One name for each interface of compilers and users: who has it serves all of that interface.
INTERFACES = {"GOMP_*": "GOMP_parallel", "__kmpc_*": "__kmpc_fork_call",
              "omp_*": "omp_get_num_threads"}


class NoSuchSubject(Exception):
    """There is nothing of that name; the text says what was looked for."""


@dataclass(frozen=True)
class Subject:
    """`pid` is that of a process; `path` is a program's file, or the folder of a package."""

    kind: str  # "process", "program" or "package"
    name: str
    path: Path
    pid: Union[int, str] = "self"
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


def find(text: str) -> Subject:
    """A process by its number, a folder or a package of this Python, or a program."""
    if text.isascii() and text.isdigit():
        return _process(int(text))
    if os.path.isdir(text):
        return Subject("package", text, Path(text))
    program = shutil.which(text)
    if program is not None:
        return Subject("program", text, Path(program))
    if os.path.isfile(text):  # a shared object, too
        return Subject("program", text, Path(text))
    folder = _package(text)
    if folder is not None:
        return Subject("package", text, folder)
    raise NoSuchSubject(f"'{text}' is no process, program, folder or package of this Python")


def _process(pid: int) -> Subject:
    try:
        path = Path(os.readlink(f"/proc/{pid}/exe"))
        entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except PermissionError as error:
        raise NoSuchSubject(f"process {pid} is someone else's") from error
    except OSError as error:
        raise NoSuchSubject(f"there is no process {pid}") from error
    environment = dict(entry.decode(errors="replace").split("=", 1) for entry in entries
                       if b"=" in entry)
    return Subject("process", str(pid), path, pid, environment)


def _package(name: str) -> Optional[Path]:
    """The folder of a package, without importing it."""
    try:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(list(spec.submodule_search_locations)[0])


@dataclass(frozen=True)
class Serving:
    """The runtimes of a subject, and which of them serves whom."""

    runtimes: tuple[str, ...]  # paths
    winners: dict[str, str]  # by interface that is used: the path, "" where nobody has it
    notes: tuple[str, ...] = ()
    unreached: str = ""  # why LD_PRELOAD does not reach it

    def several(self) -> list[str]:
        """The runtimes, if two or more would have threads: not where Heddle has taken over all."""
        real = list(dict.fromkeys(os.path.realpath(path) for path in self.runtimes))
        taken = self.winners and all(runtimes.kind(path) == "heddle" for path in
                                     self.winners.values())
        return real if len(real) > 1 and not taken else []


def serving(subject: Subject) -> Serving:
    """Which runtimes there are. Raises OSError where a process has ended meanwhile."""
    if subject.kind == "package":
        return _of_package(subject.path)
    privileged = subject.kind == "program" and _is_privileged(subject.path)
    linked = elf.load(str(subject.path), {} if privileged else subject.environment)
    if subject.kind == "process":
        return _of_process(subject, linked)
    if linked is None:
        return Serving((), {}, ("it is a script or no program: ask about its interpreter, or about "
                                "the process while it runs",))
    return _of_program(linked, "it is set-uid or set-gid" if privileged else
                       "" if linked.objects[0].dynamic else "it is linked statically")


def _is_privileged(path: Path) -> bool:
    """Whether the program gets more rights than its caller has; the loader then takes nothing from
    the environment."""
    status = path.stat()
    return bool(status.st_mode & stat.S_ISUID and status.st_uid != os.geteuid()
                or status.st_mode & stat.S_ISGID and status.st_gid != os.getegid())


def _of_program(linked: elf.Loaded, unreached: str = "") -> Serving:
    users = [one for one in linked.objects if not runtimes.kind(one.path)]
    used = frozenset().union(*(one.openmp for one in users))
    winners = {}
    for interface in INTERFACES:
        names = sorted(name for name in used if name.startswith(interface[:-1]))
        if names:
            winner = linked.winner(names[0])
            winners[interface] = winner.path if winner is not None else ""
    notes = [f"not found: {name}" for name in linked.missing]
    if unreached:
        notes.append(f"{unreached}: LD_PRELOAD does not reach it")
    found = tuple(one.path for one in linked.objects if runtimes.kind(one.path))
    return Serving(found, winners, tuple(notes), unreached)


def _of_process(subject: Subject, linked: Optional[elf.Loaded]) -> Serving:
    mapped = tuple(runtimes.loaded(subject.pid))
    by_link = _of_program(linked) if linked is not None else Serving((), {})
    first = next((path for path in by_link.runtimes if os.path.realpath(path) in
                  {os.path.realpath(one) for one in mapped}), None)
    if not mapped:
        return Serving((), {})
    if first is not None:
        return Serving(mapped, {"all": first}, ("it was preloaded or linked: it is asked first",))
    if len(mapped) == 1:
        return Serving(mapped, {"all": mapped[0]})
    heddle = [path for path in mapped if runtimes.kind(path) == "heddle"]
    if heddle and "python" in subject.path.name:
        return Serving(mapped, {"all": heddle[0]}, (
            "`import heddle` loads it only where no other runtime is loaded yet",))
    return Serving(mapped, {}, ("all were loaded while it ran: each library asks what it brought "
                                "along, unless another was made global before",))


def _of_package(folder: Path) -> Serving:
    """The runtimes that a wheel brings along, and those that it takes from the system. What is
    linked counts, beside it and in the wheel's folder of libraries."""
    folder = Path(os.path.abspath(folder))  # "." has no name; a link keeps its own
    folders = [folder, folder.parent / f"{folder.name}.libs"]
    folders += sorted(folder.parent.glob(f"*{glob.escape(folder.name)}*.libs"))
    objects = {one.path: one for place in dict.fromkeys(folders) if place.is_dir()
               for one in elf.libraries_in(place)}
    found: dict[str, None] = {}
    winners: dict[str, str] = {}
    outside = []
    for one in objects.values():
        if runtimes.kind(one.path):
            found[one.path] = None
            continue
        linked = elf.load(one.path, {})
        if linked is None or not any(runtimes.RUNTIME.match(name) for name in one.needed):
            continue
        served = _of_program(linked)
        for path in served.runtimes:
            found[os.path.realpath(path)] = None
            if not Path(path).resolve().is_relative_to(folder.parent.resolve()):
                outside.append(path)
        for interface, path in served.winners.items():
            winners.setdefault(interface, path)
    notes = [f"taken from the system: {path}" for path in dict.fromkeys(outside)]
    if found:
        notes.append("alone in a process; `import heddle` first, or `heddle run`, and it is Heddle")
    return Serving(tuple(found), winners, tuple(notes))
