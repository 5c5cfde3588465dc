# SPDX-License-Identifier: Apache-2.0
"""The file system of the guest: programs, the libraries that they ask for, busybox, an init script.

An archive in the "newc" format of cpio, which the kernel unpacks at boot; see the kernel's
Documentation/driver-api/early-userspace/buffer-format.rst. Called by guest.py.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

BUSYBOX = "/bin/busybox"  # in the guest
RUN_LIMIT = 60  # seconds for one run in the guest

INIT = f"""#!{BUSYBOX} sh
{BUSYBOX} --install -s /bin
mkdir -p /proc /sys /dev /tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs tmp /dev/shm
mount -t tmpfs tmp /tmp
cd /tmp
export HOME=/tmp LD_LIBRARY_PATH=/lib
"""


class Archive:
    """Members are in memory until write()."""

    def __init__(self):
        self.members = {}

    def _add(self, name, mode, data=b""):
        parent = os.path.dirname(name)
        if parent and parent not in self.members:
            self._add(parent, 0o040755)
        self.members[name] = (mode, data)

    def file(self, name, data, mode=0o755):
        self._add(name.lstrip("/"), 0o100000 | mode, data)

    def link(self, name, target):
        self._add(name.lstrip("/"), 0o120777, target.encode())

    def __contains__(self, name):
        return name.lstrip("/") in self.members

    def write(self, path):
        with open(path, "wb") as out:
            for number, (name, (mode, data)) in enumerate(self.members.items(), 1):
                self._write_member(out, number, name, mode, data)
            self._write_member(out, 0, "TRAILER!!!", 0, b"")

    @staticmethod
    def _write_member(out, number, name, mode, data):
        name = name.encode() + b"\0"
        # magic, inode, mode, uid, gid, links, time, size, device of the file and of the node, name
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        header = b"070701" + b"".join(b"%08x" % field for field in fields) + name
        out.write(header + bytes(-len(header) % 4))
        out.write(data + bytes(-len(data) % 4))


def read_elf(program):
    """(libraries that the file names, its loader or nothing)"""
    told = subprocess.run(["readelf", "--wide", "-l", "-d", program], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    loader = re.search(r"program interpreter: ([^]]+)]", told)
    return re.findall(r"\(NEEDED\).*\[(.+)]", told), loader and loader[1]


def foreign_libraries_of(program, search, compiler):
    """The same for another architecture: its loader does not run here, but its compiler knows where
    libraries lie."""
    found, queue = {}, [program]
    while queue:
        names, loader = read_elf(queue.pop())
        for name in [*names, *([loader] if loader else [])]:
            if name in found:
                continue
            base = os.path.basename(name)
            places = [f"{folder}/{base}" for folder in search.split(":")]
            places.append(subprocess.run([compiler, f"-print-file-name={base}"], capture_output=True,
                                         text=True, check=True).stdout.strip())
            found[name] = next((place for place in places if os.path.isfile(place)), None)
            if not found[name]:
                raise FileNotFoundError(f"{program} needs {name}")
            queue.append(found[name])
    for path in [name for name in found if name.startswith("/")]:  # the C library names its loader, too
        found.pop(os.path.basename(path), None)
    return found


def libraries_of(program, search, compiler=None):
    """{name: file} of the shared libraries that the loader would take, and the loader itself;
    nothing for a static program. A file that has been loaded under another name is left out.
    `compiler`: of another architecture than this machine's."""
    if compiler:
        return foreign_libraries_of(program, search, compiler)
    told = subprocess.run(["ldd", program], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": search}).stdout
    if missing := re.search(r"(?m)^\s*(\S+) => not found", told):
        raise FileNotFoundError(f"{program} needs {missing[1]}")
    found = dict(re.findall(r"(?m)^\s*(\S+) => (/\S+) \(", told))
    return found | {path: path for path in re.findall(r"(?m)^\s*(/\S+) \(", told)}


def add_program(archive, program, place, search="", compiler=None):
    """Puts `program` at `place`. Its libraries lie in /lib, a file with many names once."""
    archive.file(place, Path(program).read_bytes())
    for library, path in libraries_of(program, search, compiler).items():
        real = os.path.realpath(path)
        if library.startswith("/"):  # the loader: the program names its path
            archive.file(library, Path(real).read_bytes())
            continue
        kept = f"lib/{os.path.basename(real)}"
        if kept not in archive:
            archive.file(kept, Path(real).read_bytes())
        if f"lib/{library}" not in archive:
            archive.link(f"lib/{library}", os.path.basename(real))


def add_drop_in(archive, folder):
    """The other names of Heddle, which programs ask for."""
    for path in sorted(folder.iterdir()):
        if f"lib/{path.name}" not in archive:
            archive.link(f"lib/{path.name}", path.resolve().name)


def add_init(archive, runs, busybox):
    """Each run's lines stand between marks that tell its number, its exit status, and when, in
    seconds since the boot, it began and ended."""
    archive.file(BUSYBOX, Path(busybox).read_bytes())  # which needs no libraries
    lines = []
    for number, run in enumerate(runs):
        words = ["env", *run.variables, "timeout", "-s", "KILL", str(RUN_LIMIT),
                 f"/tests/{run.program}", *run.arguments]
        lines += ["read begin idle </proc/uptime", f"echo; echo @begin {number}",
                  f"{shlex.join(words)} 2>&1", "status=$?", "read end idle </proc/uptime",
                  f"echo; echo @end {number} $status $begin $end"]
    archive.file("init", (INIT + "\n".join([*lines, "poweroff -f", ""])).encode())
