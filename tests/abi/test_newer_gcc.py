# SPDX-License-Identifier: Apache-2.0
"""The entry points that gcc 13 to 17 call work, with one thread, with several, and with many.

ctest runs this with HEDDLE_LIBRARY and CC set. The program is linked with Heddle alone: the
compiler's own libgomp may lack the symbols.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 60


def build(folder, *options):
    program = Path(folder) / "newer_gcc"
    # After the library nothing is missing, so --as-needed leaves libgomp out.
    subprocess.run([COMPILER, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fopenmp",
                    "-foffload=disable", *options, str(HERE / "newer_gcc.c"), "-o", str(program),
                    f"-L{LIBRARY.parent}", "-lheddle", f"-Wl,-rpath,{LIBRARY.parent}",
                    "-Wl,--as-needed"], check=True, timeout=TIMEOUT)
    return program


class NewerGcc(unittest.TestCase):
    def test_each_entry_point_with_1_2_and_8_threads(self):
        self.assertTrue(LIBRARY.is_file(), LIBRARY)
        with tempfile.TemporaryDirectory() as folder:
            for level in ("-O0", "-O2"):
                program = build(folder, level)
                for threads in (1, 2, 8):
                    with self.subTest(level=level, threads=threads):
                        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
                        done = subprocess.run([program], env=environment, capture_output=True,
                                              text=True, timeout=TIMEOUT)
                        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
