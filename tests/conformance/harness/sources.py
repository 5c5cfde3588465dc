# SPDX-License-Identifier: Apache-2.0
"""Get the test suites from the source packages of this machine's own Debian mirror.

They are fetched into a cache when tests run and never become part of this tree (libgomp's is GPL).
Called by run.py.
"""

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import libgomp_suite, llvm_suite

NOTE = "SOURCES.txt"


@dataclass(frozen=True)
class Package:
    """A Debian source package, and the folders of it that hold suites."""
    name: str
    wanted: tuple
    marker: str


DEFAULTS = ("gcc-12", "llvm-19")


class FetchError(Exception):
    """The suite could not be had."""


def package(name):
    """The package by the name of its folder in the cache, gcc-N or llvm-N."""
    kind, _, version = name.partition("-")
    if not version.isdigit() or kind not in ("gcc", "llvm"):
        raise FetchError(f"no such package: {name}; expected gcc-N or llvm-N")
    if kind == "gcc":
        return Package(name, ("libgomp", "include"), libgomp_suite.MARKER)
    return Package(f"llvm-toolchain-{version}",
                   ("openmp/runtime/test", "openmp/runtime/src/kmp_platform.h",
                    "openmp/tools/archer/tests"),
                   llvm_suite.MARKER)


def apt_folder():
    """Where apt keeps its configuration, as apt itself says."""
    dump = subprocess.run(["apt-config", "shell", "FOLDER", "Dir::Etc/d"],
                          capture_output=True, text=True, check=True).stdout
    return Path(re.search(r"FOLDER='([^']*)'", dump)[1])


def source_stanzas(text):
    """The stanzas of a .sources file that give binary packages, asking for sources instead."""
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if not line.startswith("#")]
        stanza = "\n".join(lines)
        if re.search(r"(?mi)^Types:.*\bdeb\b(?!-)", stanza) and not re.search(r"(?mi)^Enabled:\s*no", stanza):
            yield re.sub(r"(?mi)^Types:.*$", "Types: deb-src", stanza)


def source_lines(text):
    """The 'deb ...' lines of a .list file as 'deb-src ...'."""
    return [re.sub(r"^deb\s", "deb-src ", line) for line in text.splitlines()
            if re.match(r"deb\s", line)]


def write_apt_sources(apt, folder):
    """Copy apt's entries into folder as entries for source packages; say how many."""
    folder.mkdir()
    count = 0
    for path in sorted(apt.glob("sources.list.d/*.sources")):
        stanzas = list(source_stanzas(path.read_text()))
        (folder / path.name).write_text("\n\n".join(stanzas) + "\n")
        count += len(stanzas)
    for path in [apt / "sources.list", *sorted(apt.glob("sources.list.d/*.list"))]:
        lines = source_lines(path.read_text()) if path.is_file() else []
        (folder / (path.stem + ".list")).write_text("\n".join(lines) + "\n")
        count += len(lines)
    return count


def apt_get(scratch, *arguments):
    """apt-get with the temporary sources and its own state."""
    for name in ("lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True, exist_ok=True)
    options = {"Dir::Etc::SourceList": os.devnull, "Dir::Etc::SourceParts": scratch / "sources",
               "Dir::State::Lists": scratch / "lists", "Dir::Cache": scratch / "cache",
               "APT::Sandbox::User": "root",
               "APT::Get::List-Cleanup": "false"}
    settings = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    return subprocess.run(["apt-get", "-q", *settings, *arguments], cwd=scratch,
                          capture_output=True, text=True)


def download(package, scratch):
    """The upstream archive of a source package."""
    done = apt_get(scratch, "source", "--download-only", package)
    archives = sorted(scratch.glob(f"{package}_*.orig.tar.*"))
    archives = [path for path in archives if not path.name.endswith(".asc")]
    if not archives:
        raise FetchError(f"apt-get source {package} gave no archive:\n{done.stderr[-1500:]}")
    return archives[0]


def copy_tree_members(archive, folders, dest):
    """Write the members below TOP/FOLDER, for the wanted folders, to dest/FOLDER."""
    for member in archive:
        if member.isfile() and re.search(r"-dfsg\.tar\.\w+$", member.name):
            with tarfile.open(fileobj=archive.extractfile(member), mode="r|*") as inner:
                copy_tree_members(inner, folders, dest)
            continue
        path = Path(*Path(member.name).parts[1:])
        wanted = any(path.is_relative_to(folder) for folder in folders)
        if member.isfile() and wanted and ".." not in path.parts:
            target = dest / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.extractfile(member) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy)


def unpack_package(package, folder):
    """Download the package and write its wanted folders, and its archive's name, to folder."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch_name:
        scratch = Path(scratch_name)
        if not write_apt_sources(apt_folder(), scratch / "sources"):
            raise FetchError("apt has no entries to derive source entries from")
        update = apt_get(scratch, "update")
        try:
            archive = download(package.name, scratch)
        except FetchError as error:
            raise FetchError(f"{error}\napt-get update said:\n{update.stderr[-1500:]}") from None
        with tarfile.open(archive) as opened:
            copy_tree_members(opened, package.wanted, folder)
        (folder / NOTE).write_text(f"{archive.name}\n")


def fetch(package, dest):
    """Fill dest with the package's wanted folders, unless they are there; return the archive's name."""
    if not all((dest / part).exists() for part in (NOTE, *package.wanted)):
        if not shutil.which("apt-get"):
            raise FetchError(f"apt-get is not here; unpack {', '.join(package.wanted)} of "
                             f"{package.name} into {dest} by hand")
        dest.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=dest.parent, prefix="fetch-") as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            unpack_package(package, made)
            if not (made / package.marker).is_file():
                raise FetchError(f"the package {package.name} holds no {package.marker}")
            shutil.rmtree(dest, ignore_errors=True)
            os.replace(made, dest)
    return (dest / NOTE).read_text().strip()
