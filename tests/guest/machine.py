# SPDX-License-Identifier: Apache-2.0
"""A machine that is not there: QEMU's translator, a Debian cloud kernel, four NUMA nodes.

8 CPUs in 2 sockets of 2 dies; a die is a NUMA node of 2 cores with a last-level cache of its own.
Nodes of one socket are near (distance 16), those of the other far (22). Needs no rights: the kernel's
package is downloaded and unpacked, not installed. Called by guest.py.
"""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

EMULATOR = "qemu-system-x86_64"
KERNEL_PACKAGE = "linux-image-cloud-amd64"  # depends on the package that holds the newest kernel
NODES = 4
CPUS_PER_NODE = 2
NODE_MEMORY = "256M"
NEAR, FAR = 16, 22

# Left out of the boot: what takes emulated seconds and no test looks at. The emulator has no side
# channels to close. Pages stay where a program puts them, for tests look where that is.
KERNEL_OPTIONS = (
    "console=ttyS0", "quiet", "loglevel=1", "panic=-1", "mitigations=off", "nokaslr",
    "cryptomgr.notests", "no_timer_check", "tsc=reliable", "lpj=10000000", "apparmor=0",
    "numa_balancing=disable",
    "initcall_blacklist=ima_init,load_system_certificate_list,crypto_kdf108_init,"
    "init_acpi_pm_clocksource")


class Unavailable(Exception):
    """The machine cannot be had here."""


def kernel_folder():
    return Path(os.environ.get("HEDDLE_CACHE") or Path.home() / ".cache/heddle") / "guest"


def _apt_get(scratch, own_lists, *arguments):
    """apt-get by anybody; with lists of its own where the system has none, or old ones."""
    settings = ["-o", "APT::Sandbox::User=root"]
    if own_lists:
        for name in ("lists/partial", "cache/archives/partial"):
            (scratch / name).mkdir(parents=True, exist_ok=True)
        settings += ["-o", f"Dir::State::Lists={scratch}/lists", "-o", f"Dir::Cache={scratch}/cache"]
    return subprocess.run(["apt-get", "-q", *settings, *arguments], cwd=scratch, text=True,
                          capture_output=True)


def _download(scratch, own_lists):
    """The kernel's package in `scratch`, or None and what apt-get said."""
    if own_lists:
        _apt_get(scratch, own_lists, "update")
    planned = _apt_get(scratch, own_lists, "install", "--simulate", "--no-install-recommends",
                       "--reinstall", KERNEL_PACKAGE)
    names = re.findall(r"(?m)^Inst (linux-image-\d\S*)", planned.stdout)
    if not names:
        return None, planned.stderr
    done = _apt_get(scratch, own_lists, "download", names[0])
    return next(scratch.glob("linux-image-*.deb"), None), done.stderr


def _fetch_kernel(folder):
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise Unavailable("no apt-get and dpkg-deb to get a kernel with; HEDDLE_GUEST_KERNEL names one")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        scratch = Path(name)
        for own_lists in (False, True):
            package, said = _download(scratch, own_lists)
            if package:
                break
        else:
            raise Unavailable(f"{KERNEL_PACKAGE} cannot be downloaded: "
                              + (said.strip().splitlines() or ["apt-get said nothing"])[-1])
        subprocess.run(["dpkg-deb", "--extract", package, scratch / "unpacked"], check=True)
        kernel = next((scratch / "unpacked/boot").glob("vmlinuz-*"))
        kernel.rename(folder / kernel.name)


def find_kernel():
    """The kernel of HEDDLE_GUEST_KERNEL, or Debian's, which is downloaded once."""
    if named := os.environ.get("HEDDLE_GUEST_KERNEL"):
        if not os.access(named, os.R_OK):
            raise Unavailable(f"HEDDLE_GUEST_KERNEL: cannot read '{named}'")
        return Path(named)
    folder = kernel_folder()
    if not any(folder.glob("vmlinuz-*")):
        _fetch_kernel(folder)
    return max(folder.glob("vmlinuz-*"), key=lambda path: path.stat().st_mtime)


def find_emulator():
    for program in (EMULATOR, "busybox"):
        if not shutil.which(program):
            raise Unavailable(f"no {program} here; tools/setup.sh --test installs it")
    return shutil.which(EMULATOR)


def command(emulator, kernel, initramfs):
    """Boots into `initramfs`; the console is on stdout; a panic ends the emulator."""
    line = [emulator, "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "qemu64,+rdrand",
            "-smp", f"{NODES * CPUS_PER_NODE},sockets=2,dies=2,cores={CPUS_PER_NODE},threads=1",
            "-m", f"{NODES * int(NODE_MEMORY[:-1])}{NODE_MEMORY[-1]}"]
    for node in range(NODES):
        first = node * CPUS_PER_NODE
        line += ["-object", f"memory-backend-ram,id=memory{node},size={NODE_MEMORY}",
                 "-numa", f"node,nodeid={node},memdev=memory{node},"
                          f"cpus={first}-{first + CPUS_PER_NODE - 1}"]
    for node, other in itertools.combinations(range(NODES), 2):
        distance = NEAR if node // 2 == other // 2 else FAR
        line += ["-numa", f"dist,src={node},dst={other},val={distance}"]
    return [*line, "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio",
            "-kernel", str(kernel), "-initrd", str(initramfs), "-append", " ".join(KERNEL_OPTIONS)]


def run(line, console, limit):
    """Runs the machine until it is off, for `limit` seconds at most; False when that was too short."""
    with open(console, "wb") as out, subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=out,
                                                      stderr=subprocess.STDOUT) as emulator:
        try:
            emulator.wait(limit)
            return True
        except subprocess.TimeoutExpired:
            emulator.kill()
            return False
