# SPDX-License-Identifier: Apache-2.0
"""How many CPUs a process may use, and who says so: the affinity mask and the control groups.

The library decides by the same rules (src/config/cpu_budget.cpp); this tells where a number is
from. See proc(5), cgroups(7) and the kernel's cgroup-v2 document.
"""
from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional, Union

Pid = Union[int, str]


@dataclass(frozen=True)
class Quota:
    """A limit on CPU time, in CPUs, and the file that sets it."""

    cpus: float
    file: Path


@dataclass(frozen=True)
class Budget:
    """What a process may use. `cpus` is what Heddle takes for the default team."""

    mask: frozenset[int]
    online: int
    quotas: tuple[Quota, ...]  # all there are, from the process's own group up

    @property
    def quota(self) -> Optional[Quota]:
        """The tightest."""
        return min(self.quotas, key=lambda quota: quota.cpus, default=None)

    @property
    def cpus(self) -> int:
        quota = self.quota
        return len(self.mask) if quota is None else max(1, min(len(self.mask),
                                                               math.ceil(quota.cpus)))

    def explain(self) -> list[str]:
        """Where the number comes from, a line each."""
        lines = [f"affinity mask: {len(self.mask)} of {self.online} CPUs ({ranges(self.mask)})"]
        lines += [f"quota: {one.cpus:g} CPUs, set by {one.file}" for one in self.quotas]
        return lines if self.quotas else [*lines, "quota: none"]


def ranges(cpus: frozenset[int]) -> str:
    """CPUs in the kernel's notation, as 0-3,8."""
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and cpu == parts[-1][-1] + 1:
            parts[-1][1:] = [cpu]
        else:
            parts.append([cpu])
    return ",".join("-".join(map(str, part)) for part in parts)


def budget(pid: Pid = "self", root: Path = Path("/")) -> Budget:
    """That of a process; `root` is for tests. Raises OSError where there is no such process."""
    mask = os.sched_getaffinity(0 if pid == "self" else int(pid))
    quotas = [*_quotas("cgroup2", pid, root), *_quotas("cgroup", pid, root)]
    return Budget(frozenset(mask), os.cpu_count() or len(mask), tuple(quotas))


def _quotas(version: str, pid: Pid, root: Path) -> Iterator[Quota]:
    group = _group(version, pid, root)
    place = _mount(version, pid, root, group) if group is not None else None
    if place is None:
        return
    top, below = place
    folder = root / top.lstrip("/") / below.lstrip("/")
    for _ in range(len(Path(below).parts) + 1):
        quota = _quota_of(version, folder)
        if quota is not None:
            yield quota
        if folder == root / top.lstrip("/"):
            return
        folder = folder.parent


def _group(version: str, pid: Pid, root: Path) -> Optional[str]:
    """The process's own group in the hierarchy that has the cpu controller."""
    for line in _lines(root / f"proc/{pid}/cgroup"):
        number, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if ((number == "0" and not controllers) if version == "cgroup2"
                else "cpu" in controllers.split(",")):
            return path
    return None


def _mount(version: str, pid: Pid, root: Path, group: str) -> Optional[tuple[str, str]]:
    """The mount point of the hierarchy, and the group's path below it. Where no mount shows the
    group, as in a container, the top of any is the container's own group."""
    found: Optional[tuple[str, str]] = None
    for line in _lines(root / f"proc/{pid}/mountinfo"):
        mounted, _, described = line.partition(" - ")
        kind = described.split()
        fields = mounted.split()
        if len(kind) < 3 or len(fields) < 5 or kind[0] != version:
            continue
        if version == "cgroup" and "cpu" not in kind[2].split(","):
            continue
        shown, point = (_unescape(field) for field in fields[3:5])
        part = "" if shown == "/" else shown
        if (group == part or group.startswith(part + "/")) and "/.." not in group:
            return point, group[len(part):]
        found = found or (point, "")
    return found


def _quota_of(version: str, folder: Path) -> Optional[Quota]:
    if version == "cgroup2":
        file = folder / "cpu.max"
        fields = " ".join(_lines(file)).split()
    else:
        file = folder / "cpu.cfs_quota_us"
        fields = [*_lines(file)[:1], *_lines(folder / "cpu.cfs_period_us")[:1]]
    if len(fields) < 2 or not all(field.isdigit() for field in fields[:2]) or fields[1] == "0":
        return None  # "max" and "-1" are no limits
    return Quota(int(fields[0]) / int(fields[1]), file)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(errors="replace").splitlines()
    except OSError:
        return []


def _unescape(text: str) -> str:
    """A path of mountinfo, in which a blank is \\040."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
