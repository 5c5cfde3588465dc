# SPDX-License-Identifier: Apache-2.0
"""A tool that ends while threads are in regions, or enter them: they go on, and tell it no more.

ctest runs this with HEDDLE_LIBRARY set. What ends the tool is the program's exit or return, a
thread outside, or the tool itself; when, is up to chance, so each way is tried several times.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILERS = [compiler for compiler in map(shutil.which, ("gcc", "clang-19")) if compiler]
TIMEOUT = 60
EVENTS = range(1, 14)  # of ending.c
DELAYS = [0, 100, 300, 700, 933, 1500, 2500, 4000]  # us


class Ending(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.programs = []
        for compiler in COMPILERS:
            program = Path(folder.name) / Path(compiler).name
            subprocess.run([compiler, "-O1", "-fopenmp", "-rdynamic", "-pthread", f"-I{INCLUDE}",
                            HERE / "ending.c", "-o", program, "-ldl"], check=True, timeout=TIMEOUT)
            cls.programs.append(program)

    def check(self, way, when, expected=0, **environment):
        own = {name: value for name, value in os.environ.items()
               if not name.startswith(("OMP_", "KMP_", "GOMP_", "HEDDLE_", "LD_"))}
        for program in self.programs:
            path = {"LD_PRELOAD": str(LIBRARY)} if program.name == "gcc" else {
                "LD_LIBRARY_PATH": str(LIBRARY.parent / "drop-in")}
            with self.subTest(compiler=program.name, way=way, when=when, **environment):
                done = subprocess.run([program, way, str(when)], capture_output=True, text=True,
                                      timeout=TIMEOUT,
                                      env=own | path | {"OMP_MAX_ACTIVE_LEVELS": "3"} | environment)
                self.assertEqual((done.returncode, done.stderr), (expected, ""))

    def test_exit_in_a_region(self):
        for when in DELAYS:
            self.check("exit", when, expected=7)

    def test_return_while_others_are_in_regions(self):
        for when in DELAYS:
            self.check("return", when)

    def test_stop_while_others_are_in_regions(self):
        for when in DELAYS:
            self.check("stop", when)

    def test_end_asked_for_in_a_callback(self):
        for event in EVENTS:
            self.check("event", event)

    def test_regions_that_are_watched_all_the_same(self):
        for event in EVENTS:
            self.check("event", event, HEDDLE_STATS="/dev/null")
        self.check("stop", 500, HEDDLE_STATS="/dev/null")


if __name__ == "__main__":
    unittest.main()
