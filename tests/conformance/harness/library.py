# SPDX-License-Identifier: Apache-2.0
"""The runtime library under test: how a test gets it, and whether it really does."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

RUNTIME_VARIABLE = re.compile(r"^(OMP|OMPT|GOMP|KMP|LIBOMP|HEDDLE)_")
NAMES = ["libgomp.so.1", "libgomp.so", "libomp.so.5", "libomp.so"]
BINDING = re.compile(r"binding file \S+ \[0\] to (\S+) \[0\]: normal symbol `([^']+)'")
PROBE_TIMEOUT = 60
PROBE = "int main(void){int n=0;\n#pragma omp parallel\n{\n#pragma omp atomic\nn++;\n}\nreturn n==0;}\n"


class LibraryError(Exception):
    """The library under test cannot be used as asked."""


def clean_environment(extra):
    """This process's environment without OpenMP settings, plus the extra ones."""
    env = {name: value for name, value in os.environ.items()
           if not RUNTIME_VARIABLE.match(name) and name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    return env | {"LC_ALL": "C", "LANG": "C"} | extra


def dynamic_symbols(path, which):
    """{(name, version)} that the file defines or leaves undefined; version may be ''."""
    text = subprocess.run(["nm", "-D", f"--{which}-only", str(path)],
                          capture_output=True, text=True).stdout
    names = [line.split()[-1] for line in text.splitlines() if line.strip()]
    return {(name.partition("@")[0], name.partition("@")[2].lstrip("@")) for name in names}


def provides(defined, wanted):
    """Whether the dynamic loader would bind wanted to a library defining these."""
    name, version = wanted
    return wanted in defined or (name, "") in defined or \
        (not version and any(name == other for other, _ in defined))


class Library:
    """A runtime to test: None is the native one; it is preloaded, or put in its place."""

    def __init__(self, path=None, preload=True):
        self.path = Path(path).resolve() if path else None
        self.preload = preload
        self.shim = None
        if self.path and not self.path.is_file():
            raise LibraryError(f"no such library: {path}")
        if self.path and not preload:
            self.shim = self._make_shim()
        self.defined = dynamic_symbols(self.path, "defined") if self.path else set()
        self.native_defined = set()

    def _make_shim(self):
        """A folder where every runtime's file name leads to the library under test."""
        shim = tempfile.TemporaryDirectory(prefix="conformance-shim-")
        for name in NAMES:
            (Path(shim.name) / name).symlink_to(self.path)
        return shim

    def environment(self):
        if self.shim:
            return {"LD_LIBRARY_PATH": f"{self.shim.name}:{self.path.parent}"}
        return {"LD_PRELOAD": str(self.path)} if self.path else {}

    def borrowed_symbols(self, executable):
        """What a preloaded test still takes from the native runtime, its own lacking it."""
        if not self.path or not self.preload:
            return []
        wanted = dynamic_symbols(executable, "undefined") & self.native_defined
        return sorted({want[0] for want in wanted if not provides(self.defined, want)})

    def check_binding(self, compiler, symbol):
        """Fail unless a small OpenMP program takes the symbol from the library under test."""
        with tempfile.TemporaryDirectory() as scratch:
            source, program = Path(scratch) / "probe.c", Path(scratch) / "probe"
            source.write_text(PROBE)
            subprocess.run([*compiler, "-fopenmp", str(source), "-o", str(program)], check=True)
            env = clean_environment(self.environment() | {"LD_DEBUG": "bindings"})
            run = subprocess.run([str(program)], env=env, capture_output=True, text=True,
                                 timeout=PROBE_TIMEOUT)
        if run.returncode:
            raise LibraryError(f"an empty parallel region ends with rc={run.returncode}\n"
                               + run.stderr[-500:])
        bound = [file for file, name in BINDING.findall(run.stderr) if name == symbol]
        if self.path and (not bound or Path(bound[0]).resolve() != self.path):
            raise LibraryError(f"{symbol} binds to {bound[:1]}, not to {self.path}")
        return str(Path(bound[0]).resolve()) if bound else "nothing"


def library_in(directory):
    """The runtime library of a folder, by the usual names."""
    for name in NAMES:
        if (Path(directory) / name).is_file():
            return Path(directory) / name
    raise LibraryError(f"{directory} holds none of {', '.join(NAMES)}")
