# SPDX-License-Identifier: Apache-2.0
"""Which of libgomp's tests use only what Heddle implements. Called by `run.py select`.

Most of it is read off the compiled test: one that imports a stub of unsupported.cpp is not in
scope. What symbols cannot tell (a clause is an argument, a variable is read at run time) is read
off the source. A line leaves LATER, or unsupported.cpp, when its construct is implemented.
"""

import re
import tempfile
from pathlib import Path

from harness import compile_cache
from harness.library import dynamic_symbols

ROOT = Path(__file__).resolve().parents[3]
STUBS = ROOT / "src/abi/gomp/unsupported.cpp"
STUB = re.compile(r"\b([A-Z_]+)\((GOMP_\w+|GOACC_\w+|acc_\w+)\)")

LATER = {
    "dependences": r"\bdepend\s*\(|\bdepobj\b",
    "detached tasks": r"\bdetach\s*\(|omp_fulfill_event",
    "task reductions": r"\breduction\s*\(\s*task\b|\b(in|task)_reduction\s*\(",
    "affinity": r"affinity|OMP_PLACES|OMP_PROC_BIND|GOMP_CPU_AFFINITY|omp_get_(place|partition)",
    "cancellation": r"OMP_CANCELLATION",
}


def stubs(text):
    """{entry point that aborts: the construct it belongs to}, from the text of unsupported.cpp."""
    return {name: group.lower().replace("_", " ") for group, name in STUB.findall(text)}


def later_constructs(text):
    """What a source text asks for that is for later."""
    return [what for what, pattern in LATER.items() if re.search(pattern, text)]


class Scope:
    def __init__(self, suite):
        self.suite = suite
        self.stubs = stubs(STUBS.read_text())

    def why_not(self, test):
        """Why the test is out of scope, or '' when it is in."""
        spec = self.suite.read_spec(test)
        if spec.skip:
            return spec.skip
        with tempfile.TemporaryDirectory() as work:
            executable, _ = self.suite.build(test, spec, work)
        if executable is None:
            return "does not compile"
        called = {name for name, _ in dynamic_symbols(executable, "undefined")}
        constructs = sorted({self.stubs[name] for name in called & self.stubs.keys()})
        if constructs:
            return "calls stubs: " + ", ".join(constructs)
        sources = [test.path, *(test.path.parent / name for name in spec.sources)]
        text = "\n".join(path.read_text(errors="replace")
                         for path in compile_cache.with_local_includes(sources))
        return ", ".join(later_constructs(text))
