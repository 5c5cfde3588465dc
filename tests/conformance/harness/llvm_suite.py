# SPDX-License-Identifier: Apache-2.0
"""LLVM's openmp/runtime tests: what each test's RUN lines compile and run. Called by run.py.

A RUN line is a shell command line with names that start with %. Its compilations are done first,
through the cache; in the line itself a compilation is then a link to what it gave.
"""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from harness import compile_cache, execution
from harness import library as libraries
from harness.execution import COMPILE_ERROR, FAIL, PASS, SKIP, TIMEOUT, Result

MARKER = "openmp/runtime/test/lit.cfg"
VERSION = "19"
SUFFIXES = {".c", ".cpp"}
DIRECTIVE = re.compile(r"\b(RUN|REQUIRES|UNSUPPORTED|XFAIL):(.*)")
COMPILATION = re.compile(r"%clang(?:XX)?\b[^&|;]*")
# The tests that need "ompt" too are a run of their own, see docs/ompt.md.
FEATURES = {"linux", "affinity", "hidden-helper", "true"}
TOOLS_FEATURE = "ompt"

# The compilations a RUN line can name: compiler and flags, of %libomp-NAME and %libomp-NAME-and-run.
COMPILATIONS = {
    "compile": "%clang %openmp_flags %flags",
    "c99-compile": "%clang %openmp_flags %flags -std=c99",
    "irbuilder-compile": "%clang %openmp_flags %flags -fopenmp-enable-irbuilder",
    "cxx-compile": "%clangXX %openmp_flags %flags -std=c++17",
    "cxx-compile-c": "%clangXX %openmp_flags %flags -std=c++17 -x c++",
    "cxx20-compile": "%clangXX %openmp_flags %flags -std=c++20",
}
# What a suite's own names mean, in those that both suites have.
SPELLINGS = {"%libomp-run": "%t"} | {
    f"%libomp-{name}": f"{command} %s -o %t -lm" for name, command in COMPILATIONS.items()} | {
    f"%libomp-{name}-and-run": f"{command} %s -o %t -lm && %t"
    for name, command in COMPILATIONS.items()}


@dataclass(frozen=True)
class Test:
    name: str
    path: Path


class CompileFailed(Exception):
    """A compilation of a test failed; the text is what the compiler said."""


def tools_of(compiler):
    """What the suite's names of programs stand for, with clang-N."""
    machine, _, version = compile_cache.split_compiler(compiler)
    return {name: " ".join(compile_cache.compiler_command(machine, program, version))
            for name, program in (("%clangXX", "clang++"), ("%clang", "clang"))} | {
        "FileCheck": f"FileCheck{version}"}


def read_directives(text):
    """{'RUN': [command line...], 'REQUIRES': {feature...}...}; a RUN line that ends in \\ goes on."""
    found = {"RUN": [], "REQUIRES": set(), "UNSUPPORTED": set(), "XFAIL": set()}
    unfinished = ""
    for kind, value in DIRECTIVE.findall(text):
        value = value.strip()
        if kind != "RUN":
            found[kind] |= {name.strip() for name in value.split(",")} - {""}
        elif value.endswith("\\"):
            unfinished += value[:-1] + " "
        else:
            found["RUN"].append(unfinished + value)
            unfinished = ""
    return found


def skip_reason(directives, features):
    """Why the test does not apply here, or ''."""
    if missing := directives["REQUIRES"] - features:
        return "needs " + ", ".join(sorted(missing))
    if barred := directives["UNSUPPORTED"] & features:
        return "unsupported on " + ", ".join(sorted(barred))
    if directives["XFAIL"] & features:
        return "expected to fail upstream"
    return ""


def compiler_features(version):
    """clang, clang-19, clang-19.1, clang-19.1.7"""
    parts = version.split(".")
    return {"clang"} | {"clang-" + ".".join(parts[:count]) for count in range(1, len(parts) + 1)}


def machine_features(machine):
    """What this machine, or another with its CPUs, has of what tests ask for."""
    machine = machine or platform.machine()
    found = FEATURES | {f"{machine}-target-arch"}
    if machine in ("x86_64", "i386"):
        found.add("x86-target-arch")
    if len(os.sched_getaffinity(0)) > 1:
        found.add("multicpu")
    return found


def replace_names(line, values):
    """The line with every name's value for the name; of two that fit, the longer name counts."""
    longest_first = sorted(values, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda match: values[match[0]], line)


def split_output(argv):
    """(argv without '-o FILE', FILE)"""
    at = argv.index("-o")
    return argv[:at] + argv[at + 2:], argv[at + 1]


class LlvmSuite:
    """`wrappers`: as for LibgompSuite. `compiler`: clang-N."""
    tools = tools_of(f"clang-{VERSION}")
    probe_symbol = "__kmpc_fork_call"
    marker = MARKER
    spellings = SPELLINGS
    environment = {}
    launcher = []

    def __init__(self, source_root, cache, work_root, wrappers=None,
                 compiler=f"clang-{VERSION}"):
        self.tools = tools_of(compiler) | ({
            "%clangXX": f"{wrappers}/heddlec++ --backend {compiler}",
            "%clang": f"{wrappers}/heddlecc --backend {compiler}"} if wrappers else {})
        self.probe_compiler = self.tools["%clang"].split()
        absent = [tool for tool in self.tools.values() if not shutil.which(tool.split()[0])]
        if absent:
            raise libraries.LibraryError(f"not installed: {', '.join(absent)}")
        self.source_root = source_root
        self.root = source_root / Path(self.marker).parent
        self.cache = compile_cache.CompileCache(work_root if wrappers else cache)
        self.work_root = work_root
        machine, _, version = compile_cache.split_compiler(compiler)
        command = compile_cache.compiler_command(machine, "clang", version)
        self.toolchain = compile_cache.toolchain_id(command)
        self.version = subprocess.run([*command, "-dumpversion"], capture_output=True, text=True,
                                      check=True).stdout.strip()
        self.features = machine_features(machine.partition("-")[0]) | compiler_features(self.version)

    def native_symbols(self):
        """Nothing can be borrowed: the library under test stands in the native one's place."""
        return set()

    def tests(self):
        paths = [path for path in sorted(self.root.rglob("*")) if path.suffix in SUFFIXES]
        return [Test(str(path.relative_to(self.root)), path) for path in paths
                if "RUN:" in path.read_text(errors="replace")]

    def names(self, test, work):
        """What the names that are left in a spelled-out RUN line stand for."""
        flags = f"-I{self.root} -I{self.root / 'ompt'} -fno-omit-frame-pointer"
        return self.tools | {
            "%openmp_flags": "-fopenmp", "%flags-use-compiler-omp-h": flags, "%flags": flags,
            "%sort-threads": "sort -n -s", "%preload-tool": f"env LD_PRELOAD={work}/tool.so",
            "%no-as-needed-flag": "-Wl,--no-as-needed",
            "%python": shlex.quote(sys.executable) + " -B", "%s": str(test.path),
            "%S": str(test.path.parent), "%t": f"{work}/{test.path.name}.tmp", "%T": str(work)}

    def build(self, command, work):
        """Do one compilation of a RUN line; the shell command that puts the result in its place."""
        argv, output = split_output(shlex.split(command))
        sources = [Path(word) for word in argv if Path(word).suffix in SUFFIXES]
        key = compile_cache.compilation_key(self.toolchain, argv, sources, self.source_root)
        made, messages = self.cache.build(key, argv, work)
        if made is None:
            raise CompileFailed(messages)
        if "-shared" in argv:  # a later compilation may link with it
            Path(output).parent.mkdir(parents=True, exist_ok=True)  # RUN lines run after all of it
            Path(output).unlink(missing_ok=True)
            Path(output).symlink_to(made)
        return f"ln -sf {shlex.quote(str(made))} {shlex.quote(output)} "

    def shell_lines(self, test, lines, work):
        """The RUN lines for bash, after all their compilations; throws CompileFailed."""
        names = self.names(test, work)

        def done(match):
            return self.build(replace_names(match[0], names), work)

        return [replace_names(COMPILATION.sub(done, replace_names(line, self.spellings)), names)
                for line in lines]

    def compile(self, test):
        """PASS when the test compiles; this runs nothing."""
        return self._with_lines(test, lambda lines, work: Result(test.name, PASS))

    def run(self, test, library, options):
        return self._with_lines(
            test, lambda lines, work: self.execute(test, lines, work, library, options))

    def _with_lines(self, test, use):
        """What use makes of the compiled test, or why there is nothing to use."""
        directives = read_directives(test.path.read_text(errors="replace"))
        reason = skip_reason(directives, self.features)
        if reason:
            return Result(test.name, SKIP, reason)
        with tempfile.TemporaryDirectory(dir=self.work_root) as work:
            try:
                lines = self.shell_lines(test, directives["RUN"], work)
            except CompileFailed as failed:
                messages = str(failed)
                return Result(test.name, COMPILE_ERROR, execution.telling_line(messages),
                              output=execution.excerpt(messages))
            return use(lines, work)

    def execute(self, test, lines, work, library, options):
        """Run the lines one after another, until one fails or the test's time is over."""
        env = libraries.clean_environment(self.environment | options.env | library.environment())
        started = time.monotonic()
        for number, line in enumerate(lines, 1):
            left = options.timeout - (time.monotonic() - started)
            done = execution.run_in_group([*self.launcher, "bash", "-o", "pipefail", "-c", line],
                                          work, env, left)
            outcome, detail = judge(done, number if len(lines) > 1 else 0)
            if outcome != PASS:
                break
        output = "" if outcome == PASS else execution.excerpt(done.output)
        return Result(test.name, outcome, detail, time.monotonic() - started, [], output)


def judge(done, number):
    """(outcome, detail) of a RUN line; its number is told unless it is 0."""
    if done.returncode == 0:
        return PASS, ""
    where = f"RUN line {number}" if number else ""
    if done.returncode is None:
        return TIMEOUT, where
    detail = execution.failure_detail(done.returncode, done.output)
    return FAIL, f"{where}: {detail}" if where else detail
