# SPDX-License-Identifier: Apache-2.0
"""Tests of the conformance harness itself; run by ctest, needs no suite and no library."""

import os
import tempfile
import unittest
from pathlib import Path

from harness import compile_cache, dejagnu, execution, libgomp_suite, library, scope, sources


def spec_of(text, language="c"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.c"
        path.write_text(text)
        return dejagnu.read_spec(path, dejagnu.Target(language), ["-O2"])


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

    def test_telling_line(self):
        self.assertEqual(execution.telling_line("/a/b: symbol lookup error: /a/b: undefined symbol: f\n"),
                         "undefined symbol: f")
        self.assertEqual(execution.telling_line("x\n/a/b.c:1:2: error: no\nlast"), "b.c:1:2: error: no")
        self.assertEqual(execution.telling_line("x\ny\n"), "y")

    def test_timeout_kills_the_whole_group(self):
        with tempfile.TemporaryDirectory() as folder:
            argv = ["sh", "-c", "sleep 60 & echo $! > child; wait"]
            done = execution.run_in_group(argv, folder, dict(os.environ), 1)
            child = int((Path(folder) / "child").read_text())
        self.assertIsNone(done.returncode)
        status = Path(f"/proc/{child}/stat")
        self.assertTrue(not status.exists() or status.read_text().split()[2] == "Z")


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


class Scope(unittest.TestCase):
    def test_stubs_are_read_by_group(self):
        text = '#define TARGET(name) NOT_YET(name, "x")\nTARGET(GOMP_target) TARGET(GOMP_teams4)\n' \
               "TASK_REDUCTION(GOMP_scope_start)\n"
        self.assertEqual(scope.stubs(text), {"GOMP_target": "target", "GOMP_teams4": "target",
                                             "GOMP_scope_start": "task reduction"})

    def test_the_stub_file_is_understood(self):
        stubs = scope.stubs(scope.STUBS.read_text())
        self.assertNotIn("GOMP_parallel", stubs)
        self.assertIn("GOMP_target_ext", stubs)

    def test_what_symbols_cannot_tell(self):
        for text, later in [("#pragma omp task depend (in: x)", ["dependences"]),
                            ("#pragma omp task detach(e)", ["detached tasks"]),
                            ("reduction ( task, +: x)", ["task reductions"]),
                            ("in_reduction(+: x)", ["task reductions"]),
                            ("dg-set-target-env-var OMP_PROC_BIND", ["affinity"]),
                            ("setenv (\"OMP_CANCELLATION\"", ["cancellation"]),
                            ("#pragma omp cancel for", []), ("reduction(+: task)", []),
                            ("independent (x); // a task reduction", [])]:
            self.assertEqual(scope.later_constructs(text), later, text)


class AptEntries(unittest.TestCase):
    def test_deb822(self):
        text = "# note\nTypes: deb\nURIs: u\n\nTypes: deb-src\nURIs: v\n\nTypes: deb\nEnabled: no\n"
        self.assertEqual(list(sources.source_stanzas(text)), ["Types: deb-src\nURIs: u"])

    def test_one_line(self):
        self.assertEqual(sources.source_lines("deb [a=b] u s m\n# deb x\ndeb-src y z\n"),
                         ["deb-src [a=b] u s m"])


if __name__ == "__main__":
    unittest.main()
