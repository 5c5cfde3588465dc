# SPDX-License-Identifier: Apache-2.0
"""Which library each OpenMP reference of a program was bound to, as glibc's loader tells it.

With LD_DEBUG=bindings the loader writes a line for every symbol that it binds, those asked for with
dlsym included. It binds functions when they are first called; with LD_BIND_NOW it binds all of
them, when a library is loaded. The log of a process with PyTorch has a hundred megabytes; it is
deleted once it is read.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from process import RUNTIME

SYMBOL = r"(?:GOMP|GOACC|omp|ompc|kmp|kmpc|__kmpc)_\w+"
LINE = re.compile(rf"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol [`']({SYMBOL})'"
                  r"(?: \[(\S+)\])?")


def parse(lines):
    """{(file, file it is bound to, symbol, version or "")} of OpenMP's symbols. What a runtime
    binds to itself is not in it: no user is behind that."""
    found = set()
    for line in lines:
        match = LINE.search(line)
        if match:
            user, target, symbol, version = match.groups()
            user, target = os.path.basename(user), os.path.basename(target)
            if not RUNTIME.match(user):
                found.add((user, target, symbol, version or ""))
    return found


def run(command, env, eager=False, **options):
    """Run a command with the loader's log on: (CompletedProcess, what parse() says of the command
    and all that it starts). Eager: functions count that are never called, too. Libraries that have
    some nobody defines, as MKL's, cannot be loaded so."""
    with tempfile.TemporaryDirectory() as folder:
        logged = dict(env, LD_DEBUG="bindings", LD_DEBUG_OUTPUT=f"{folder}/log",
                      LD_BIND_NOW="1" if eager else "")
        done = subprocess.run(command, env=logged, check=False, **options)
        found = set()
        for path in Path(folder).iterdir():
            with open(path, encoding="utf-8", errors="replace") as log:
                found |= parse(log)
    return done, found


# What threadpoolctl looks up by the handle of an OpenBLAS that uses OpenMP. Such a look-up goes to
# that library and its own dependencies, so no preloaded library is ever asked.
BY_HANDLE = re.compile(r"libopenblaso-\S+ omp_[gs]et_(max|num)_threads ")


def strangers(found, library):
    """The references that were bound to another runtime than the library with this file name,
    less those that no preloaded library could have served."""
    return sorted(entry for entry in found if entry[1] != library and RUNTIME.match(entry[1])
                  and not (BY_HANDLE.match(f"{entry[0]} {entry[2]} ") and not entry[3]))
