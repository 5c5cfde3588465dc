# SPDX-License-Identifier: Apache-2.0
"""libgomp's own tests: what each DejaGnu .exp driver would compile and run. Called by run.py.

clang and flang compile them too, for libomp: many of the flags are gcc's alone, and a test that the
compiler refuses is out.
"""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import compile_cache, dejagnu, execution
from harness import library as libraries
from harness.execution import COMPILE_ERROR, FAIL, PASS, SKIP, TIMEOUT, Result

MARKER = "libgomp/testsuite/libgomp.c/c.exp"
STUBS = Path(__file__).resolve().parent / "stubs"
DEFAULT_FLAGS = ["-O2"]
FORTRAN_SUFFIXES = {".f", ".F", ".f90", ".F90", ".f95", ".f03", ".f08"}
VERSION = "12"
WRAPPERS = {"c": "heddlecc", "c++": "heddlec++", "fortran": "heddlefc"}
FOLDERS = {
    "libgomp-c": [("libgomp.c", {".c"}, "c")],
    "libgomp-c++": [("libgomp.c++", {".C"}, "c++")],
    "libgomp-common": [("libgomp.c-c++-common", {".c"}, "c"),
                       ("libgomp.c-c++-common", {".c"}, "c++")],
    "libgomp-fortran": [("libgomp.fortran", FORTRAN_SUFFIXES, "fortran")],
}


@dataclass(frozen=True)
class Family:
    """Compilers that share a runtime: their names, what they are always told, the runtime's name,
    and a symbol that every parallel region calls."""
    compilers: dict
    flags: list
    runtime: str
    probe_symbol: str


GCC = Family({"c": "gcc", "c++": "g++", "fortran": "gfortran"},
             ["-fmessage-length=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
              "-fopenmp"], "libgomp.so", "GOMP_parallel")
CLANG = Family({"c": "clang", "c++": "clang++", "fortran": "flang"}, ["-fopenmp"], "libomp.so",
               "__kmpc_fork_call")


@dataclass(frozen=True)
class Test:
    name: str
    path: Path
    language: str


class LibgompSuite:
    """`wrappers`: the folder of heddlecc, which then compiles; what it gives is not kept.
    `compiler`: gcc, gcc-N or clang-N, which stands for the C++ and Fortran compilers beside it;
    one for another machine with that machine before it, as in aarch64-linux-gnu-gcc."""

    def __init__(self, suite, source_root, cache, work_root, wrappers=None, compiler="gcc"):
        machine, kind, version = compile_cache.split_compiler(compiler)
        self.family = CLANG if kind == "clang" else GCC
        self.probe_symbol = self.family.probe_symbol
        self.backends = {language: compile_cache.compiler_command(machine, name, version)
                         for language, name in self.family.compilers.items()}
        self.compilers = {language: [str(wrappers / name), "--backend", compiler]
                          for language, name in WRAPPERS.items()} if wrappers else self.backends
        self.probe_compiler = self.compilers["c"]
        self.folders = FOLDERS[suite]
        self.source_root = source_root
        self.testsuite = source_root / "libgomp/testsuite"
        self.cache = compile_cache.CompileCache(work_root if wrappers else cache)
        self.work_root = work_root
        languages = {language for _, _, language in self.folders}
        self.toolchains = {name: compile_cache.toolchain_id(self.backends[name]) for name in languages}
        self.targets = {name: dejagnu.Target(name, machine.partition("-")[0]) for name in languages}

    def native_symbols(self):
        """What the compiler's own runtime defines."""
        path = subprocess.run([*self.backends["c"], f"-print-file-name={self.family.runtime}"],
                              capture_output=True, text=True, check=True).stdout.strip()
        return libraries.dynamic_symbols(path, "defined")

    def tests(self):
        found = []
        for folder, suffixes, language in self.folders:
            mark = f":{language}" if len(self.folders) > 1 else ""
            for path in sorted((self.testsuite / folder).rglob("*")):
                if path.suffix in suffixes:
                    found.append(Test(f"{path.relative_to(self.testsuite)}{mark}", path, language))
        return found

    def compile_command(self, test, spec):
        """The compiler's arguments, without the output, and the sources among them."""
        flags = DEFAULT_FLAGS if spec.options is None or test.language == "fortran" else []
        flags = flags + (spec.options or []) + spec.extra_options
        sources = [test.path, *(test.path.parent / name for name in spec.sources)]
        includes = [f"-I{self.source_root / 'include'}", f"-I{self.source_root / 'libgomp'}",
                    f"-I{STUBS}"]
        as_cxx = ["-x", "c++"] if test.language == "c++" and test.path.suffix == ".c" else []
        argv = [*self.compilers[test.language], *self.family.flags, *includes, *flags, *as_cxx,
                *map(str, sources), "-lm"]
        return argv, sources

    def read_spec(self, test):
        """What the test's directives ask for; spec.skip says why it cannot run here."""
        spec = dejagnu.read_spec(test.path, self.targets[test.language], DEFAULT_FLAGS)
        if not spec.skip and spec.action != "run":
            spec.skip = f"{spec.action} only, never runs the library"
        return spec

    def build(self, test, spec, work):
        """(executable, None), or (None, the compiler's messages)."""
        argv, sources = self.compile_command(test, spec)
        keyed = [argument.replace(str(STUBS), "$STUBS") for argument in argv]
        key = compile_cache.compilation_key(self.toolchains[test.language], keyed, sources,
                                            self.source_root)
        return self.cache.build(key, argv, work)

    def compile(self, test):
        """PASS when the test compiles; this runs nothing."""
        spec = self.read_spec(test)
        if spec.skip:
            return Result(test.name, SKIP, spec.skip)
        with tempfile.TemporaryDirectory(dir=self.work_root) as work:
            executable, messages = self.build(test, spec, work)
        return Result(test.name, PASS) if executable else uncompiled(test, messages)

    def run(self, test, library, options):
        spec = self.read_spec(test)
        if spec.skip:
            return Result(test.name, SKIP, spec.skip)
        with tempfile.TemporaryDirectory(dir=self.work_root) as work:
            executable, messages = self.build(test, spec, work)
            if executable is None:
                return uncompiled(test, messages)
            return self._execute(test, spec, executable, work, library, options)

    def _execute(self, test, spec, executable, work, library, options):
        env = libraries.clean_environment(options.env | spec.env | library.environment())
        limit = (spec.timeout or options.timeout) * spec.timeout_factor
        done = execution.run_in_group([str(executable)], work, env, limit)
        outcome, detail = judge(spec, done)
        borrowed = library.borrowed_symbols(executable)
        if options.strict_symbols and borrowed and outcome == PASS:
            outcome, detail = FAIL, "library lacks " + ", ".join(borrowed)
        output = "" if outcome == PASS else execution.excerpt(done.output)
        return Result(test.name, outcome, detail, done.seconds, borrowed, output)


def uncompiled(test, messages):
    return Result(test.name, COMPILE_ERROR, execution.telling_line(messages),
                  output=execution.excerpt(messages))


def in_libgomps_name(output):
    """The output with Heddle's messages as libgomp's: after a blank line, and under its name."""
    return re.sub("(?m)^heddle: ", "\nlibgomp: ", output)


def judge(spec, done):
    """(outcome, detail) by the exit status and dg-output."""
    if done.returncode is None:
        return TIMEOUT, ""
    if (done.returncode != 0) != spec.should_fail:
        if spec.should_fail:
            return FAIL, "rc=0, but should fail"
        return FAIL, execution.failure_detail(done.returncode, done.output)
    if spec.output and not re.search(spec.output, in_libgomps_name(done.output)):
        return FAIL, f"output is not as expected: {execution.telling_line(done.output)}"
    return PASS, ""
