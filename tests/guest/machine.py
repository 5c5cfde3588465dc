# SPDX-License-Identifier: Apache-2.0
"""A machine that is not there: QEMU's translator, a Debian cloud kernel, four NUMA nodes.

8 CPUs in 2 sockets of 2 dies; a die is a NUMA node of 2 cores with a last-level cache of its own.
Nodes of one socket are near (distance 16), those of the other far (22). It has the architecture of
the library under test. Needs no rights: the kernel's package is downloaded and unpacked, not
installed. Called by guest.py.

The balanced machine is the same one, on a clock of its own that counts instructions: its CPUs run in
turn, each for as long. Slower, but what they do does not depend on who else is on this machine. Only
x86-64 has one.
"""

import itertools
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import debian

NODES = 4
CPUS_PER_NODE = 2
CPUS = NODES * CPUS_PER_NODE
NODE_MEMORY = "256M"
NEAR, FAR = 16, 22


@dataclass(frozen=True)
class Architecture:
    """An architecture by its name in `uname -m`: Debian's name, the emulator, its model of a CPU, and
    of the board, what a NUMA node is within a socket, the console, options of its kernel alone, and
    what the machine does not tell of itself."""
    name: str
    debian: str
    emulator: str
    package: str
    cpu: str
    board: str
    node: str
    console: str
    options: tuple = ()
    lacks: tuple = ()


X86_64 = Architecture("x86_64", "amd64", "qemu-system-x86_64", "qemu-system-x86", "qemu64,+rdrand", "q35",
                      "dies", "ttyS0", ("no_timer_check", "tsc=reliable"))
AARCH64 = Architecture("aarch64", "arm64", "qemu-system-aarch64", "qemu-system-arm", "neoverse-n1",
                       "virt,gic-version=3", "clusters", "ttyAMA0", lacks=("ll_caches",))
ELF_MACHINES = {62: X86_64, 183: AARCH64}

# Left out of the boot: what takes emulated seconds and no test looks at. The emulator has no side
# channels to close. Pages stay where a program puts them, for tests look where that is.
KERNEL_OPTIONS = (
    "quiet", "loglevel=1", "panic=-1", "mitigations=off", "nokaslr",
    "cryptomgr.notests", "lpj=10000000", "apparmor=0", "numa_balancing=disable",
    "initcall_blacklist=ima_init,load_system_certificate_list,crypto_kdf108_init,"
    "init_acpi_pm_clocksource")
BALANCED_OPTIONS = (f"nr_cpus={CPUS}", "iomem=relaxed")  # the second lets slices.c do its work


def architecture_of(library):
    """That of an ELF file."""
    number = int.from_bytes(Path(library).read_bytes()[18:20], "little")
    if number not in ELF_MACHINES:
        raise debian.Unavailable(f"{library} is for a machine that is not emulated here")
    return ELF_MACHINES[number]


def find_kernel(architecture):
    """The kernel of HEDDLE_GUEST_KERNEL, or Debian's, which is downloaded once."""
    if named := os.environ.get("HEDDLE_GUEST_KERNEL"):
        if not os.access(named, os.R_OK):
            raise debian.Unavailable(f"HEDDLE_GUEST_KERNEL: cannot read '{named}'")
        return Path(named)
    folder = debian.cache_folder() / architecture.debian
    if not any(folder.glob("vmlinuz-*")):
        # It depends on the package that holds the newest kernel.
        debian.fetch(f"linux-image-cloud-{architecture.debian}", "boot/vmlinuz-*", folder,
                     architecture.debian, exact=r"linux-image-\d\S*")
    return max(folder.glob("vmlinuz-*"), key=lambda path: path.stat().st_mtime)


def find_busybox(architecture):
    """busybox without libraries: this machine's, or, for another architecture, Debian's."""
    if architecture.name == os.uname().machine:
        return find_program("busybox", "busybox-static")
    folder = debian.cache_folder() / architecture.debian
    if not (folder / "busybox").exists():
        debian.fetch("busybox-static", "bin/busybox", folder, architecture.debian)
    return str(folder / "busybox")


def find_program(name, package):
    if not shutil.which(name):
        raise debian.Unavailable(f"no {name} here; Debian's package {package} has it")
    return shutil.which(name)


def find_emulator(architecture):
    return find_program(architecture.emulator, architecture.package)


def _cpus(architecture):
    """Eight CPUs, which run at the same time as far as there are real ones."""
    return ["-machine", architecture.board, "-accel", "tcg,thread=multi",
            "-smp", f"{CPUS},sockets=2,{architecture.node}=2,cores={CPUS_PER_NODE},threads=1"]


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
        line += ["-device", f"qemu64-x86_64-cpu,socket-id={node // 2},die-id={node % 2},"
                            f"core-id={core},thread-id=0"]
    return line


def command(architecture, emulator, kernel, initramfs, balanced=False):
    """Boots into `initramfs`; the console is on stdout; a panic ends the emulator."""
    line = [emulator, "-cpu", architecture.cpu,
            *(_balanced_cpus() if balanced else _cpus(architecture)),
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
    options = (f"console={architecture.console}", *KERNEL_OPTIONS, *architecture.options,
               *(BALANCED_OPTIONS if balanced else ()))
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
