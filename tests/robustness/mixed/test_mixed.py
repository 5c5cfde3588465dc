# SPDX-License-Identifier: Apache-2.0
"""A library of gcc and a library of clang, nested in each other's regions, share one runtime.

Run by ctest with HEDDLE_LIBRARY, CC and HEDDLE_SANITIZE set; skipped where clang-19 is missing. Each
library is linked as its users link it, with libgomp and with libomp; both names then lead to Heddle.
With HEDDLE_SANITIZE=thread both compilers instrument their code. Their instrumentation calls the same
interface: the program is linked by gcc, so that gcc's runtime, with which Heddle was built, serves all.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY",
                              HERE.parents[2] / "build/release/lib/libheddle.so")).resolve()
GCC = os.environ.get("CC", "gcc")
CLANG = shutil.which("clang-19")
SANITIZE = os.environ.get("HEDDLE_SANITIZE", "")
TIMEOUT = 100


@unittest.skipUnless(CLANG, "needs clang-19")
class Mixed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        flags = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fopenmp"]
        flags += [f"-fsanitize={SANITIZE}"] if SANITIZE else []
        part = [str(HERE / "part.c"), "-shared", "-fPIC", "-o"]
        cls.build(GCC, *flags, *part, "libgnu_part.so")
        cls.build(CLANG, *flags, "-DCLANG", *part, "libllvm_part.so")
        cls.build(GCC, *flags, str(HERE / "main.c"), "-o", "mixed", "-L.", "-lgnu_part",
                  "-lllvm_part", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined")

    @classmethod
    def build(cls, *command):
        subprocess.run(command, check=True, cwd=cls.folder, timeout=TIMEOUT)

    def run_program(self, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "KMP_", "GOMP_", "LD_"))}
        environment |= {"LD_LIBRARY_PATH": str(LIBRARY.parent / "drop-in"), **variables}
        done = subprocess.run([self.folder / "mixed", "3" if SANITIZE else "20"], env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_both_names_lead_to_one_library(self):
        environment = os.environ | {"LD_LIBRARY_PATH": str(LIBRARY.parent / "drop-in"),
                                    "LD_TRACE_LOADED_OBJECTS": "1"}
        loaded = subprocess.run([self.folder / "mixed"], env=environment, check=True,
                                capture_output=True, text=True, timeout=TIMEOUT).stdout
        runtimes = [line.split()[2] for line in loaded.splitlines()
                    if line.split()[0].startswith(("libgomp.", "libomp."))]
        self.assertEqual({Path(path).resolve() for path in runtimes}, {LIBRARY}, loaded)

    def test_regions_in_each_other(self):
        self.run_program()

    def test_threads_that_sleep_at_once(self):
        self.run_program(OMP_WAIT_POLICY="passive")

    def test_reductions_in_a_tree(self):
        self.run_program(KMP_FORCE_REDUCTION="tree")


if __name__ == "__main__":
    unittest.main()
