# SPDX-License-Identifier: Apache-2.0
"""The runner of random programs: a runtime that leaves work out is noticed, and bad input told.

Called by ctest, which sets CC. The runtime that leaves work out is a library of two functions.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from generate import generate

RUN, GENERATE = ([sys.executable, "-B", str(Path(__file__).with_name(name))]
                 for name in ("run.py", "generate.py"))
GCC = os.environ.get("CC", "gcc")
KNOWS_NO_LEVELS = "int omp_get_max_active_levels(void) { return 77; }\n"
FORGETS_TASKLOOPS = "void GOMP_taskloop(void) {}\nvoid GOMP_taskloop_ull(void) {}\n"


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_it(self, *arguments):
        return subprocess.run([*RUN, *arguments], text=True, capture_output=True, check=False,
                              timeout=300)

    def build(self, text):
        library = self.folder / "libruntime.so"
        subprocess.run([GCC, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)], input=text,
                       text=True, check=True)
        return library

    def test_a_seed_is_one_program(self):
        self.assertEqual(generate(7), generate(7))
        self.assertNotEqual(generate(7), generate(8))

    def test_kinds(self):
        c, objects, fortran, control = ([generate(seed, kind) for seed in range(1, 9)]
                                        for kind in ("c", "c++", "fortran", "control"))
        self.assertTrue(any("firstprivate(b" in text for text in objects), "no objects")
        self.assertFalse(any("firstprivate(b" in text for text in c), "objects in C")
        self.assertTrue(all("!$omp parallel" in text for text in fortran), "not Fortran")
        self.assertTrue(all("check(&x" in text for text in control), "nothing is checked")
        for arguments in (["1", "pascal"], ["one", "c"]):
            wrong = subprocess.run([*GENERATE, *arguments], text=True, capture_output=True,
                                   check=False)
            self.assertEqual(wrong.returncode, 2)
            self.assertRegex(wrong.stderr, "pascal|one")
            self.assertNotIn("Traceback", wrong.stderr)

    def test_lost_work_is_noticed(self):
        done = self.run_it("--seeds", "1-6", "--compiler", GCC, "--threads", "1", "--alone",
                           "--library", str(self.build(FORGETS_TASKLOOPS)), "--keep", str(self.folder / "kept"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("OMP_NUM_THREADS=1", done.stdout)
        self.assertIn("expected", done.stdout)
        self.assertRegex(done.stdout, r"[0-5] of 6 random programs \(c\) answer as without OpenMP")
        self.assertTrue(list((self.folder / "kept").glob("*.c")), "no program was kept")

    def test_a_wrong_variable_is_noticed(self):
        done = self.run_it("--kind", "control", "--seeds", "1", "--compiler", GCC, "--threads", "1",
                           "--library", str(self.build(KNOWS_NO_LEVELS)))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "max active levels is 77, has to be [0-9]+")

    def test_bad_input(self):
        library = str(self.build(""))
        for arguments, message in ((["--seeds", "few"], "few"), (["--threads", "x"], "x"),
                                   (["--library", "/nowhere/lib.so"], "/nowhere/lib.so")):
            done = self.run_it("--library", library, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
