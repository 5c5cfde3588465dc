# SPDX-License-Identifier: Apache-2.0
"""The machine's sockets, NUMA nodes, cores and hardware threads, as /sys tells them, and as text.
"""
from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

MOST_CPUS = 1 << 16


@dataclass(frozen=True)
class Core:
    """One core, where it is, and its CPUs (hardware threads)."""

    socket: int
    node: int
    number: int
    cpus: tuple[int, ...]


@dataclass(frozen=True)
class Machine:
    """All that is online."""

    model: str
    cores: tuple[Core, ...]  # by socket, node and number
    node_bytes: dict[int, int]  # memory of each node, where the kernel tells

    def heading(self) -> str:
        """One line."""
        counts = [(len({core.socket for core in self.cores}), "socket"),
                  (len({core.node for core in self.cores}), "NUMA node"),
                  (len(self.cores), "core"), (sum(len(core.cpus) for core in self.cores), "CPU")]
        return f"{self.model}: " + ", ".join(f"{count} {word}{'s' * (count != 1)}"
                                             for count, word in counts)

    def draw(self, usable: frozenset[int], width: int = 78) -> list[str]:
        """A line for each socket and node, then its cores, each with its CPUs in brackets. CPUs
        that are not `usable` are in parentheses."""
        lines = []
        for socket in dict.fromkeys(core.socket for core in self.cores):
            lines.append(f"socket {socket}")
            here = [core for core in self.cores if core.socket == socket]
            for node in dict.fromkeys(core.node for core in here):
                size = self.node_bytes.get(node)
                memory = f", {size / 2**30:.1f} GiB" if size else ""
                lines.append(f"  node {node}{memory}")
                line = "   "
                for core in (core for core in here if core.node == node):
                    drawn = " ".join(f"{cpu}" if cpu in usable else f"({cpu})"
                                     for cpu in core.cpus)
                    if len(line) + len(drawn) + 3 > width and line.strip():
                        lines.append(line)
                        line = "   "
                    line += f" [{drawn}]"
                lines.append(line)
        return lines


def cpu_list(text: str) -> list[int]:
    """The kernel's notation, as 0-3,8. No more than MOST_CPUS of a range, which may be anybody's.
    """
    found: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.strip().isdigit():
            found += range(int(first), min(int(last or first), int(first) + MOST_CPUS) + 1)
    return found


def _read(path: Path, otherwise: str = "") -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return otherwise


def _number(path: Path) -> int:
    """-1, which some virtual machines say of a socket, is 0."""
    text = _read(path)
    return int(text) if text.isdigit() else 0


def _model(root: Path) -> str:
    for line in _read(root / "proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _bytes_of(node: Path) -> int:
    for line in _read(node / "meminfo").splitlines():
        fields = line.split()
        if "MemTotal:" in fields:
            return int(fields[fields.index("MemTotal:") + 1]) * 1024
    return 0


def machine(root: Path = Path("/")) -> Machine:
    """This one; `root` is for tests."""
    system = root / "sys/devices/system"
    nodes: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for folder in (system / "node").glob("node[0-9]*"):
        number = int(folder.name[len("node"):])
        sizes[number] = _bytes_of(folder)
        nodes.update(dict.fromkeys(cpu_list(_read(folder / "cpulist")), number))
    cores: dict[tuple[int, int, int], list[int]] = {}
    for cpu in cpu_list(_read(system / "cpu/online", "0")):
        folder = system / f"cpu/cpu{cpu}/topology"
        place = (_number(folder / "physical_package_id"), nodes.get(cpu, 0),
                 _number(folder / "core_id") if (folder / "core_id").exists() else cpu)
        cores.setdefault(place, []).append(cpu)
    return Machine(_model(root), tuple(Core(*place, tuple(cpus))
                                       for place, cpus in sorted(cores.items())), sizes)
