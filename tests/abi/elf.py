# SPDX-License-Identifier: Apache-2.0
"""What the tests ask of an ELF file, read with readelf. Called by the tests in this folder."""

import re
import subprocess
from dataclasses import dataclass

ABSOLUTE = "ABS"      # the section of the symbols that stand for version nodes
UNDEFINED = "UND"


@dataclass(frozen=True)
class Symbol:
    name: str
    node: str         # "" when the symbol has no version
    default: bool     # name@@node: what a linker binds to
    section: str
    address: str


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, str(path)], capture_output=True,
                          text=True, check=True).stdout


def dynamic_symbols(path):
    """Every entry of the dynamic symbol table that has a name, but for sections (AArch64's ld)."""
    for line in readelf(path, "--dyn-syms").splitlines():
        fields = line.split()
        if len(fields) >= 8 and re.fullmatch(r"\d+:", fields[0]) and fields[3] != "SECTION":
            name, _, node = fields[7].partition("@")
            yield Symbol(name, node.lstrip("@"), node.startswith("@"), fields[6], fields[1])


def exported(path):
    """The symbols that the file offers to others, without those that stand for nodes."""
    return [symbol for symbol in dynamic_symbols(path)
            if symbol.section not in (UNDEFINED, ABSOLUTE)]


def imported(path):
    return [symbol for symbol in dynamic_symbols(path) if symbol.section == UNDEFINED]


def version_parents(path):
    """{node: its parent, or None} of the version nodes that the file defines."""
    parents, last = {}, None
    for line in readelf(path, "--version-info").splitlines():
        node = re.search(r"Flags: (\S+)\s+Index: \d+\s+Cnt: \d+\s+Name: (\S+)", line)
        parent = re.search(r"Parent \d+: (\S+)", line)
        if node and node[1] != "BASE":
            last = node[2]
            parents[last] = None
        elif parent and last:
            parents[last] = parent[1]
    return parents


def needed(path):
    """The file names that the dynamic loader must load first."""
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", readelf(path, "--dynamic"))


def dynamic_flags(path):
    """The words of DT_FLAGS and DT_FLAGS_1."""
    return " ".join(re.findall(r"\(FLAGS(?:_1)?\)\s+(.*)", readelf(path, "--dynamic"))).split()


def static_tls_bytes(path):
    """The size of the file's thread-local block in memory."""
    sizes = re.findall(r"^\s+TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+(0x[0-9a-f]+)",
                       readelf(path, "--program-headers"), re.MULTILINE)
    return sum(int(size, 16) for size in sizes)
