# SPDX-License-Identifier: Apache-2.0
"""Tests of the conformance harness itself; run by ctest, needs no suite and no library."""

import argparse
import io
import os
import tarfile
import tempfile
import time
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import run
from harness import (compile_cache, dejagnu, execution, expectation, libgomp_suite, library,
                     llvm_suite, sources)


def spec_of(text, language="c"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.c"
        path.write_text(text)
        return dejagnu.read_spec(path, dejagnu.Target(language), ["-O2"])


def has_ended(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def ends_soon(pid):
    """Whether a process ends within a minute: a killed one lives on until the kernel runs it."""
    deadline = time.monotonic() + 60
    while not has_ended(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return has_ended(pid)


class Selectors(unittest.TestCase):
    def setUp(self):
        self.target = dejagnu.Target("c")
        self.target.triplet = "x86_64-pc-linux-gnu"

    def test_globs_and_logic(self):
        for selector, holds in [("*-*-linux*", True), ("! *-*-*", False), ("i?86-*-* x86_64-*-*", True),
                                ("{ i?86-*-* x86_64-*-* } && { ! ia32 }", True), ("c++ || lto", True),
                                ("{ vect_simd_clones && offload_device }", False),
                                ("lp64 && { ! lp64 }", False), ("skip-all-targets", False)]:
            self.assertEqual(self.target.selects(selector), holds, selector)

    def test_unknown_target(self):
        with self.assertRaises(dejagnu.UnknownTarget):
            self.target.selects("no_such_thing")


class Compilers(unittest.TestCase):
    def test_names(self):
        for name, parts in [("gcc", ["", "gcc", ""]), ("clang-19", ["", "clang", "-19"]), ("", ["", "", ""]),
                            ("aarch64-linux-gnu-gcc-12", ["aarch64-linux-gnu-", "gcc", "-12"])]:
            self.assertEqual(compile_cache.split_compiler(name), parts, name)
        command = compile_cache.compiler_command
        self.assertEqual(command("aarch64-linux-gnu-", "gfortran", "-12"), ["aarch64-linux-gnu-gfortran-12"])
        self.assertEqual(command("aarch64-linux-gnu-", "clang++", "-19"),
                         ["clang++-19", "--target=aarch64-linux-gnu"])
        self.assertEqual(command("", "clang", "-19"), ["clang-19"])
        for bad in ("icc", "gcc-", "aarch64-gcc-x", "clang", "aarch64-linux-gnu-clang"):
            with self.assertRaises(argparse.ArgumentTypeError):
                run.compiler_name(bad)

    def test_another_machine(self):
        target = dejagnu.Target("c", "aarch64")
        self.assertTrue(target.selects("aarch64*-*-* && lp64"))
        self.assertFalse(target.selects("__float128 || avx_runtime || vect_simd_clones"))
        self.assertIn("aarch64-target-arch", llvm_suite.machine_features("aarch64"))


class Directives(unittest.TestCase):
    def test_default_is_run(self):
        self.assertEqual(spec_of("int main(){}").action, "run")

    def test_options(self):
        spec = spec_of('/* { dg-options "-O0" } */\n/* { dg-additional-options "-DA" {target c } } */\n'
                       '/* { dg-additional-options "-DB" { target c++ } } */')
        self.assertEqual((spec.options, spec.extra_options), (["-O0"], ["-DA"]))

    def test_environment_and_output(self):
        spec = spec_of('/* { dg-set-target-env-var OMP_PLACES "{6,7}:4:-2,!{2,3}" } */\n'
                       '/* { dg-output "a(\\n|\\r)" } */\n/* { dg-output "\\\\\\[b" } */\n'
                       '/* { dg-shouldfail "" } */')
        self.assertEqual(spec.env, {"OMP_PLACES": "{6,7}:4:-2,!{2,3}"})
        self.assertEqual((spec.output, spec.should_fail), ("a(\n|\r)\\[b", True))

    def test_skips(self):
        self.assertTrue(spec_of('/* { dg-skip-if "" { *-*-* } } */').skip)
        self.assertFalse(spec_of('/* { dg-skip-if "" { ! run_expensive_tests } { "*" } { "-O2" } } */').skip)
        self.assertTrue(spec_of("/* { dg-require-effective-target offload_device } */").skip)
        self.assertIn("no_such", spec_of("/* { dg-require-effective-target no_such } */").skip)


class Judging(unittest.TestCase):
    def judge(self, returncode, printed="", **spec):
        return libgomp_suite.judge(dejagnu.Spec(**spec), execution.Finished(returncode, printed, 0))[0]

    def test_libgomp(self):
        self.assertEqual(self.judge(0), execution.PASS)
        self.assertEqual(self.judge(None), execution.TIMEOUT)
        self.assertEqual(self.judge(1), execution.FAIL)
        self.assertEqual(self.judge(1, should_fail=True), execution.PASS)
        self.assertEqual(self.judge(0, should_fail=True), execution.FAIL)
        self.assertEqual(self.judge(0, "abc", output="b+"), execution.PASS)
        self.assertEqual(self.judge(0, "abc", output="d"), execution.FAIL)

    def test_messages_of_the_runtime(self):
        for printed, outcome in [("\nlibgomp: a\n\nlibgomp: b\n", execution.PASS),
                                 ("heddle: a\nheddle: b\n", execution.PASS),
                                 ("heddle: a\nb\n", execution.FAIL),
                                 ("xheddle: a\nheddle: b\n", execution.FAIL)]:
            self.assertEqual(self.judge(0, printed, output="libgomp: a\n\nlibgomp: b"), outcome)

    def test_telling_line(self):
        self.assertEqual(execution.telling_line("/a/b: symbol lookup error: /a/b: undefined symbol: f\n"),
                         "undefined symbol: f")
        self.assertEqual(execution.telling_line("x\n/a/b.c:1:2: error: no\nlast"), "b.c:1:2: error: no")
        self.assertEqual(execution.telling_line("heddle: no\nBacktrace for this error:\n"),
                         "heddle: no")
        self.assertEqual(execution.telling_line("x\ny\n"), "y")

    def test_timeout_kills_the_whole_group(self):
        argv = ["sh", "-c", "sleep 600 & echo $! > child; wait"]
        with tempfile.TemporaryDirectory() as folder:
            child = Path(folder) / "child"
            for patience in (1, 10, 100):  # a busy machine may not start the child in a second
                done = execution.run_in_group(argv, folder, dict(os.environ), patience)
                if child.is_file() and child.read_text():
                    break
            pid = int(child.read_text())
        self.assertIsNone(done.returncode)
        self.assertTrue(ends_soon(pid), pid)


class Symbols(unittest.TestCase):
    def test_versions(self):
        wanted = ("GOMP_parallel", "GOMP_4.0")
        self.assertTrue(library.provides({("GOMP_parallel", "")}, wanted))
        self.assertTrue(library.provides({("GOMP_parallel", "GOMP_4.0")}, wanted))
        self.assertFalse(library.provides({("GOMP_parallel", "VERSION")}, wanted))
        self.assertFalse(library.provides({("GOMP_barrier", "")}, wanted))


class Cache(unittest.TestCase):
    def test_key_follows_text_and_not_place(self):
        keys = set()
        for text in ("int a;", "int a;", "int b;"):
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "a.c"
                source.write_text('#include "a.h"\n')
                (Path(folder) / "a.h").write_text(text)
                keys.add(compile_cache.compilation_key("cc", ["cc", str(source)], [source], folder))
        self.assertEqual(len(keys), 2)


class Expecting(unittest.TestCase):
    """What becomes of a test by its list, its directives and the native runtime."""

    class Suite:
        """Gives each test the outcome of its name's part for the library: 'OURS-NATIVE'."""

        def run(self, test, library, _options):
            ours, _, native = test.name.partition("-")
            return execution.Result(test.name, native if library.path is None else ours, "why")

    def outcome(self, name, listed, exceptions=()):
        names = {name} if listed else set()
        expected = expectation.Expectation(names, self.Suite(), dict(exceptions))
        tested = library.Library(__file__)
        return expected.run(libgomp_suite.Test(name, Path(name), "c"), tested, None)

    def test_a_listed_test_must_pass(self):
        self.assertEqual(self.outcome("PASS-FAIL", listed=True).outcome, execution.PASS)
        self.assertEqual(self.outcome("FAIL-PASS", listed=True).outcome, execution.FAIL)
        self.assertEqual(self.outcome("TIMEOUT-PASS", listed=True).outcome, execution.TIMEOUT)

    def test_a_listed_test_must_not_be_skipped(self):
        result = self.outcome("SKIP-SKIP", listed=True)
        self.assertEqual((result.outcome, result.detail),
                         (execution.FAIL, "expected to pass, but skipped: why"))

    def test_an_unlisted_test_needs_a_reason(self):
        result = self.outcome("PASS-PASS", listed=False)
        self.assertEqual((result.outcome, result.detail),
                         (execution.FAIL, "on no list, but the native runtime passes it"))

    def test_directives_are_a_reason(self):
        result = self.outcome("SKIP-SKIP", listed=False)
        self.assertEqual((result.outcome, result.detail), (execution.SKIP, "why"))

    def test_a_failure_of_the_native_runtime_is_a_reason(self):
        result = self.outcome("PASS-FAIL", listed=False)
        self.assertEqual((result.outcome, result.detail),
                         (execution.SKIP, "the native runtime itself: FAIL(why)"))

    def test_a_listed_test_must_exist(self):
        missing = expectation.Expectation({"a", "b"}, self.Suite(), {}).missing(
            [libgomp_suite.Test("a", Path("a"), "c")])
        self.assertEqual([(result.test, result.outcome) for result in missing],
                         [("b", execution.FAIL)])

    def test_an_exception_fails_for_its_reason(self):
        result = self.outcome("FAIL-PASS", True, {"FAIL-PASS": "no such clock"})
        self.assertEqual((result.outcome, result.detail),
                         (execution.SKIP, "exception FAIL-PASS: no such clock"))

    def test_an_exception_must_not_pass(self):
        result = self.outcome("PASS-PASS", True, {"PASS-PASS": "no such clock"})
        self.assertEqual((result.outcome, result.detail),
                         (execution.FAIL, "passes, so it is no exception any more: no such clock"))

    def test_an_exception_must_be_listed(self):
        missing = expectation.Expectation({"a"}, self.Suite(), {"b": "why"}).missing(
            [libgomp_suite.Test("a", Path("a"), "c")])
        self.assertEqual([result.test for result in missing], ["b"])

    def compared(self, name, exceptions=()):
        comparison = expectation.Comparison(self.Suite(), dict(exceptions))
        result = comparison.run(libgomp_suite.Test(name, Path(name), "c"), library.Library(__file__), None)
        return result.outcome, result.detail

    def test_compared_what_the_native_runtime_passes_must_pass(self):
        self.assertEqual(self.compared("PASS-PASS")[0], execution.PASS)
        self.assertEqual(self.compared("FAIL-PASS"), (execution.FAIL, "why"))
        self.assertEqual(self.compared("PASS-FAIL"),
                         (execution.SKIP, "the native runtime itself: FAIL(why)"))
        self.assertEqual(self.compared("SKIP-SKIP"), (execution.SKIP, "why"))

    def test_compared_exceptions_have_a_reason(self):
        self.assertEqual(self.compared("FAIL-PASS", {"FAIL-PASS": "no such clock"}),
                         (execution.SKIP, "exception FAIL-PASS: no such clock"))
        self.assertEqual(self.compared("PASS-PASS", {"PASS-PASS": "no such clock"})[0], execution.PASS)

    def test_exceptions_are_read_by_suite(self):
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write("# note\nllvm a/b.c: it: waits\nlibgomp-c c.c: no\n")
            file.flush()
            self.assertEqual(expectation.read_exceptions(file.name, "llvm"), {"a/b.c": "it: waits"})
            self.assertEqual(expectation.read_exceptions(file.name, "libgomp-c"), {"c.c": "no"})
            file.write("llvm d.c\n")
            file.flush()
            with self.assertRaises(ValueError):
                expectation.read_exceptions(file.name, "llvm")

    def test_lists_hold_names_once_and_in_order(self):
        for suite in [*libgomp_suite.FOLDERS, run.LLVM]:
            path = run.HERE / f"expected/{suite}.txt"
            lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
            self.assertEqual(len(lines), len(set(lines)), path)
            self.assertEqual(set(lines), expectation.read_names(path))
            self.assertGreater(len(lines), 200, path)


class Budget(unittest.TestCase):
    def outcomes(self, budget):
        """Of two tests that take 10 seconds each, by a clock that only they move."""
        options = argparse.Namespace(budget=budget, jobs=1, verbose=False)
        tests = [libgomp_suite.Test(name, Path(name), "c") for name in ("a", "b")]
        clock = mock.Mock(**{"monotonic.return_value": 100})

        def slow(test):
            clock.monotonic.return_value += 10
            return execution.Result(test.name, execution.PASS)

        with mock.patch.object(run, "time", clock), redirect_stdout(io.StringIO()):
            return [result.outcome for result in run.run_tests(slow, tests, options)]

    def test_what_is_not_started_in_time_has_failed(self):
        self.assertEqual(self.outcomes(5), [execution.PASS, execution.FAIL])
        self.assertEqual(self.outcomes(15), [execution.PASS, execution.PASS])
        self.assertEqual(self.outcomes(None), [execution.PASS, execution.PASS])


class FakeSuites(unittest.TestCase):
    """The commands for the compilers, from a small suite of each language."""

    FILES = {"libgomp.c/c.exp": "", "libgomp.c/a.c": '/* { dg-additional-sources "b.c" } */',
             "libgomp.c/b.c": "", "libgomp.c++/d.C": '// { dg-options "-O0" }',
             "libgomp.c-c++-common/e.c": "", "libgomp.fortran/f.f90": '! { dg-options "-O0" }',
             "libgomp.fortran/sub/g.F": "", "libgomp.fortran/h.inc": ""}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in self.FILES.items():
            path = self.root / "libgomp/testsuite" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commands(self, name):
        """{test: its compiler, flags and source names, without what all have in common}"""
        suite = libgomp_suite.LibgompSuite(name, self.root, self.root / "cache", self.root)
        common = ["-fopenmp", "-lm", *libgomp_suite.GCC.flags]
        return {test.name: [Path(word).name for word in
                            suite.compile_command(test, suite.read_spec(test))[0]
                            if word not in common and not word.startswith("-I")]
                for test in suite.tests()}

    def test_clang_stands_for_its_whole_family(self):
        with mock.patch.object(compile_cache, "toolchain_id"):
            for compiler, c, fortran in (("clang-22", "clang-22", "flang-22"), ("gcc-16", "gcc-16", "gfortran-16"),
                                         ("gcc", "gcc", "gfortran")):
                suite = libgomp_suite.LibgompSuite("libgomp-c", self.root, self.root / "cache", self.root,
                                                   compiler=compiler)
                self.assertEqual((suite.compilers["c"], suite.compilers["fortran"]), ([c], [fortran]))
                self.assertEqual(suite.probe_symbol == "__kmpc_fork_call", c == "clang-22")

    def test_c(self):
        self.assertEqual(self.commands("libgomp-c"),
                         {"libgomp.c/a.c": ["gcc", "-O2", "a.c", "b.c"],
                          "libgomp.c/b.c": ["gcc", "-O2", "b.c"]})

    def test_cxx(self):
        self.assertEqual(self.commands("libgomp-c++"), {"libgomp.c++/d.C": ["g++", "-O0", "d.C"]})

    def test_common_is_compiled_in_both_languages(self):
        name = "libgomp.c-c++-common/e.c"
        self.assertEqual(self.commands("libgomp-common"),
                         {f"{name}:c": ["gcc", "-O2", "e.c"],
                          f"{name}:c++": ["g++", "-O2", "-x", "c++", "e.c"]})

    def test_fortran(self):
        self.assertEqual(self.commands("libgomp-fortran"),
                         {"libgomp.fortran/f.f90": ["gfortran", "-O2", "-O0", "f.f90"],
                          "libgomp.fortran/sub/g.F": ["gfortran", "-O2", "g.F"]})


class RunLines(unittest.TestCase):
    """What becomes of the RUN lines and the other directives of LLVM's tests."""

    def test_directives(self):
        found = llvm_suite.read_directives("// RUN: %libomp-compile && env A=1 \\\n// RUN: B=2 %libomp-run\n"
                                           "// REQUIRES: linux, hwloc\n * RUN: x\n// XFAIL: gcc\n")
        self.assertEqual(found["RUN"], ["%libomp-compile && env A=1  B=2 %libomp-run", "x"])
        self.assertEqual((found["REQUIRES"], found["XFAIL"]), ({"linux", "hwloc"}, {"gcc"}))

    def test_skips(self):
        features = {"linux", "clang", "clang-19"}
        for text, reason in [("REQUIRES: linux", ""), ("REQUIRES: linux, ompt", "needs ompt"),
                             ("UNSUPPORTED: gcc, icc-19", ""), ("UNSUPPORTED: clang-19", "unsupported on clang-19"),
                             ("XFAIL: clang", "expected to fail upstream"), ("XFAIL: clang-1", "")]:
            self.assertEqual(llvm_suite.skip_reason(llvm_suite.read_directives(text), features), reason)

    def test_compiler_features(self):
        self.assertEqual(llvm_suite.compiler_features("19.1.7"),
                         {"clang", "clang-19", "clang-19.1", "clang-19.1.7"})

    def test_the_longer_name_counts(self):
        self.assertEqual(llvm_suite.replace_names("%s %S %slow %t", {"%s": "a", "%slow": "b", "%S": "c"}),
                         "a c b %t")

    def test_compilations_are_spelled_out(self):
        for line, meant in [
                ("%libomp-compile -DA && env B=1 %libomp-run 2",
                 "%clang %openmp_flags %flags %s -o %t -lm -DA && env B=1 %t 2"),
                ("%libomp-cxx20-compile-and-run | FileCheck %s",
                 "%clangXX %openmp_flags %flags -std=c++20 %s -o %t -lm && %t | FileCheck %s"),
                ("%libomp-cxx-compile-c && %libomp-run",
                 "%clangXX %openmp_flags %flags -std=c++17 -x c++ %s -o %t -lm && %t")]:
            self.assertEqual(llvm_suite.replace_names(line, llvm_suite.SPELLINGS), meant)

    def test_a_compilation_becomes_a_link(self):
        suite = object.__new__(llvm_suite.LlvmSuite)
        suite.root = suite.source_root = Path("/suite")
        suite.toolchain, commands = "cc", []

        class Cache:
            def build(self, key, argv, cwd):
                commands.append(argv)
                return Path(f"/objects/{len(commands)}"), None

        suite.cache = Cache()
        test = llvm_suite.Test("a.c", Path("/suite/a.c"))
        lines = suite.shell_lines(test, ["%libomp-compile -DA && env B='%t:%L' %libomp-run",
                                         "%clang %s -o %t -DC && %libomp-run 2>&1 | FileCheck %s"], "/w")
        self.assertEqual(lines, ["ln -sf /objects/1 /w/a.c.tmp && env B='/w/a.c.tmp:%L' /w/a.c.tmp",
                                 "ln -sf /objects/2 /w/a.c.tmp && /w/a.c.tmp 2>&1 | "
                                 "FileCheck-19 /suite/a.c"])
        self.assertEqual(commands[1], ["clang-19", "/suite/a.c", "-DC"])
        self.assertEqual(commands[0][-3:], ["/suite/a.c", "-lm", "-DA"])

    def test_a_failed_compilation(self):
        suite = object.__new__(llvm_suite.LlvmSuite)
        suite.root = suite.source_root = Path("/suite")
        suite.toolchain, suite.cache = "cc", mock.Mock(**{"build.return_value": (None, "error: no")})
        with self.assertRaisesRegex(llvm_suite.CompileFailed, "error: no"):
            suite.shell_lines(llvm_suite.Test("a.c", Path("/suite/a.c")), ["%libomp-compile"], "/w")

    def judge(self, *lines, timeout=60):
        """The result of a test of these shell lines."""
        suite, options = object.__new__(llvm_suite.LlvmSuite), argparse.Namespace(env={}, timeout=timeout)
        with tempfile.TemporaryDirectory() as work:
            return suite.execute(llvm_suite.Test("a", Path("a")), lines, work, library.Library(),
                                  options).label()

    def test_outcomes(self):
        self.assertEqual(self.judge("true", "true"), "PASS")
        self.assertEqual(self.judge("true", "echo an error; exit 3", "true"),
                         "FAIL(RUN line 2: rc=3: an error)")
        self.assertEqual(self.judge("false | true"), "FAIL(rc=1)")
        self.assertEqual(self.judge("kill -SEGV $$"), "FAIL(SIGSEGV)")
        self.assertEqual(self.judge("sleep 600", timeout=0.1), "TIMEOUT")


class Unpacking(unittest.TestCase):
    def test_only_the_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            archive, dest = Path(folder) / "a.tar", Path(folder) / "dest"
            with tarfile.open(archive, "w") as made:
                for name in ("top/a/b/c", "top/a/bb", "top/d", "top/a/../e"):
                    made.addfile(tarfile.TarInfo(name))
            with tarfile.open(archive) as opened:
                sources.copy_tree_members(opened, ("a/b", "d", "a/.."), dest)
            found = {str(path.relative_to(dest)) for path in dest.rglob("*") if path.is_file()}
            self.assertEqual(found, {"a/b/c", "d"})


class AptEntries(unittest.TestCase):
    def test_deb822(self):
        text = "# note\nTypes: deb\nURIs: u\n\nTypes: deb-src\nURIs: v\n\nTypes: deb\nEnabled: no\n"
        self.assertEqual(list(sources.source_stanzas(text)), ["Types: deb-src\nURIs: u"])

    def test_one_line(self):
        self.assertEqual(sources.source_lines("deb [a=b] u s m\n# deb x\ndeb-src y z\n"),
                         ["deb-src [a=b] u s m"])


if __name__ == "__main__":
    unittest.main()
