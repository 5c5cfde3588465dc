# SPDX-License-Identifier: Apache-2.0
"""The tests of Archer, the tool that teaches ThreadSanitizer what OpenMP orders. Called by run.py.

Suite `archer` compiles them with clang, as LLVM does; `archer-gcc` compiles the same ones with gcc,
whose own runtime tells no tool anything.
"""

import shutil
import subprocess
from pathlib import Path

from harness import compile_cache, llvm_suite
from harness import library as libraries

MARKER = "openmp/tools/archer/tests/lit.cfg"
TOOL = Path("/usr/lib/llvm-19/lib/libarcher.so")  # of libomp-19-dev
OPTIONS = "report_data_leak=1"

COMPILE = "%clang %openmp_flags %archer_flags %flags %s -o %t"
QUIET = "env TSAN_OPTIONS=ignore_noninstrumented_modules=1"  # for the runtime's own accesses
LOUD = "env TSAN_OPTIONS=ignore_noninstrumented_modules=0:exitcode=0"
# Two threads add to a variable: if one is stopped between its read and its write, what the other's
# write races with is the read. The tests expect the write, so either is called that.
RACE = "%deflake %t 2>&1 | sed 's/Previous read of/Previous write of/'"
RUNS = {"run": f"{QUIET} %t 2>&1", "run-race": f"{QUIET} {RACE}",
        "run-nosuppression": f"{LOUD} %t 2>&1",
        "run-race-noserial": f"env ARCHER_OPTIONS='ignore_serial=1 {OPTIONS}' {QUIET} {RACE}"}
SPELLINGS = {"%libarcher-compile": COMPILE, "%clang-archer": "%clang"} | {
    f"%libarcher-{name}": run for name, run in RUNS.items()} | {
    f"%libarcher-compile-and-{name}": f"{COMPILE} && {run}" for name, run in RUNS.items()}


class ArcherSuite(llvm_suite.LlvmSuite):
    marker = MARKER
    spellings = SPELLINGS
    environment = {"OMP_TOOL_LIBRARIES": str(TOOL), "ARCHER_OPTIONS": OPTIONS}

    def __init__(self, source_root, cache, work_root, with_gcc=False):
        super().__init__(source_root, cache, work_root)
        if not TOOL.is_file():
            raise libraries.LibraryError(f"not installed: {TOOL}")
        self.features = llvm_suite.machine_features("") | {"tsan"}
        if with_gcc: # upstream excludes gcc for what libomp, or gcc 10, lacks: here all are tried
            self.tools |= {"%clangXX": "g++", "%clang": "gcc"}
            self.probe_compiler, self.probe_symbol = ["gcc"], "GOMP_parallel"
            self.toolchain = compile_cache.toolchain_id(["gcc"])
            # gcc 12's ThreadSanitizer does not find its way about in some randomized layouts.
            fixed = ["setarch", "--addr-no-randomize"]
            if shutil.which(fixed[0]) and subprocess.run([*fixed, "true"], capture_output=True).returncode == 0:
                self.launcher = fixed
        else:
            self.features |= llvm_suite.compiler_features(self.version)

    def names(self, test, work):
        return super().names(test, work) | {
            "%flags": f"-I{self.root}", "%archer_flags": "-gdwarf-4 -O1 -fsanitize=thread",
            "%deflake": f"bash {self.root}/deflake.bash"}
