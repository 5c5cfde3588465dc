# SPDX-License-Identifier: Apache-2.0
"""Cancellation in a program that clang has compiled, with each way to do its reduction.

ctest runs this with HEDDLE_LIBRARY set; skipped where clang-19 is missing.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
CLANG = shutil.which("clang-19")
TIMEOUT = 60


@unittest.skipUnless(CLANG, "needs clang-19")
class Cancel(unittest.TestCase):
    def test_every_construct(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "kmp_cancel"
            subprocess.run([CLANG, "-O1", "-Wall", "-Wextra", "-Werror", "-fopenmp",
                            str(HERE / "kmp_cancel.c"), "-o", program], check=True, timeout=TIMEOUT)
            for method in ("", "critical", "atomic", "tree"):
                with self.subTest(method=method):
                    environment = os.environ | {"LD_LIBRARY_PATH": str(LIBRARY.parent / "drop-in"),
                                                "OMP_CANCELLATION": "true"}
                    if method:
                        environment["KMP_FORCE_REDUCTION"] = method
                    done = subprocess.run([program], env=environment, capture_output=True,
                                          text=True, timeout=TIMEOUT)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
