# SPDX-License-Identifier: Apache-2.0
"""Finds the compiler behind heddlecc: gcc from version 12 on, or clang and flang from 19 on, in PATH.
Called by driver.
"""
import os

GCC_VERSIONS = range(12, 31)
CLANG_VERSIONS = range(19, 41)
# name of the wrapper: family: (names without a version, names that a version follows)
NAMES = {
    "heddlecc": {"gcc": ("gcc",), "clang": ("clang",)},
    "heddlec++": {"gcc": ("g++",), "clang": ("clang++",)},
    "heddlefc": {"gcc": ("gfortran",), "clang": ("flang", "flang-new")},
}


class BackEnd:
    """A compiler: its path, family ("gcc" or "clang") and version, 0 where the name does not tell."""

    def __init__(self, path, family, version):
        self.path, self.family, self.version = path, family, version


def find(wrapper, wanted):
    """The back end of `wrapper` that `wanted` names: gcc, clang, one with a version as gcc-13, or
    "": the first there is. None and what was looked for where there is none."""
    family, _, version = wanted.partition("-")
    if family not in ("", "gcc", "clang") or (version and not version.isdecimal()):
        return None, f"--backend {wanted}: gcc, clang, or one with a version, as gcc-13, is accepted"
    tried = []
    for kind in (family,) if family else ("gcc", "clang"):
        names = NAMES[wrapper][kind]
        versions = GCC_VERSIONS if kind == "gcc" else CLANG_VERSIONS
        candidates = [(f"{name}-{version}", int(version)) for name in names] if version else [
            *((name, 0) for name in names),
            *((f"{name}-{number}", number) for number in versions for name in names)]
        for name, number in candidates:
            path = which(name)
            number = number or (version_of(path) if path else 0)
            if path and (version or not number or number >= versions[0]):
                return BackEnd(path, kind, number), ""
        tried.append(f"{'/'.join(names)}" + (f"-{version}" if version else
                                             f" or {names[0]}-{versions[0]} and later"))
    return None, f"no {' and no '.join(tried)} found in PATH"


def which(name):
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or ".", name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def version_of(path):
    """By the name of what it is a link to, such as x86_64-linux-gnu-gcc-12 or llvm-19/bin/clang."""
    real = os.path.realpath(path)
    for part in (os.path.basename(real), *reversed(real.split("/")[:-1])):
        name, dash, version = part.rpartition("-")
        if dash and version.isdecimal() and (part == os.path.basename(real) or name == "llvm"):
            return int(version)
    return 0
