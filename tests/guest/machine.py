# SPDX-License-Identifier: Apache-2.0
"""A machine that is not there: QEMU's translator, a Debian cloud kernel, four NUMA nodes.

8 CPUs in 2 sockets of 2 dies; a die is a NUMA node of 2 cores with a last-level cache of its own.
Nodes of one socket are near (distance 16), those of the other far (22). Needs no rights: the kernel's
package is downloaded and unpacked, not installed. Called by guest.py.

The balanced machine is the same one, on a clock of its own that counts instructions: its CPUs run in
turn, each for as long. Slower, but what they do does not depend on who else is on this machine.
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
CPUS = NODES * CPUS_PER_NODE
CPU = "qemu64"
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
BALANCED_OPTIONS = (f"nr_cpus={CPUS}", "iomem=relaxed")  # the second lets slices.c do its work


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


def _cpus():
    """Eight CPUs, which run at the same time as far as there are real ones."""
    return ["-machine", "q35", "-accel", "tcg,thread=multi",
            "-smp", f"{CPUS},sockets=2,dies=2,cores={CPUS_PER_NODE},threads=1"]


def _balanced_cpus():
    """Eight CPUs, which take turns of as many instructions, of 2 ns each.

    A turn ends when a timer of the emulator is due, and QEMU before 8.1 gives the next CPU a turn of
    no length then, in which the timer is served. So next to each CPU there is one that is never
    started, and loses that turn: those of sockets 2 and 3, which BALANCED_OPTIONS hide from Linux.
    CPUs take turns in the order in which they are made. Without an HPET the timer that ends the
    turns is the PIT (slices.c).
    """
    line = ["-machine", "q35,hpet=off", "-accel", "tcg,thread=single", "-icount", "shift=1,sleep=off",
            "-rtc", "clock=vm",
            "-smp", f"1,maxcpus={2 * CPUS},sockets=4,dies=2,cores={CPUS_PER_NODE},threads=1"]
    for number in range(1, 2 * CPUS):  # 0 is there
        node, core = divmod(number // 2 + number % 2 * CPUS, CPUS_PER_NODE)
        line += ["-device", f"{CPU}-x86_64-cpu,socket-id={node // 2},die-id={node % 2},"
                            f"core-id={core},thread-id=0"]
    return line


def command(emulator, kernel, initramfs, balanced=False):
    """Boots into `initramfs`; the console is on stdout; a panic ends the emulator."""
    line = [emulator, "-cpu", f"{CPU},+rdrand", *(_balanced_cpus() if balanced else _cpus()),
            "-m", f"{NODES * int(NODE_MEMORY[:-1])}{NODE_MEMORY[-1]}"]
    for node in range(NODES):
        first = node * CPUS_PER_NODE
        last = first + CPUS_PER_NODE - 1
        if balanced and node == NODES - 1:
            last += CPUS  # each CPU has a node, those that are never started as well
        line += ["-object", f"memory-backend-ram,id=memory{node},size={NODE_MEMORY}",
                 "-numa", f"node,nodeid={node},memdev=memory{node},cpus={first}-{last}"]
    for node, other in itertools.combinations(range(NODES), 2):
        distance = NEAR if node // 2 == other // 2 else FAR
        line += ["-numa", f"dist,src={node},dst={other},val={distance}"]
    options = KERNEL_OPTIONS + (BALANCED_OPTIONS if balanced else ())
    return [*line, "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio",
            "-kernel", str(kernel), "-initrd", str(initramfs), "-append", " ".join(options)]


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
