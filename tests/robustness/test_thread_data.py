# SPDX-License-Identifier: Apache-2.0
"""Threadprivate variables that a library has which opens no regions: many threads of the program
find in them what their last regions left there.

Run by ctest with HEDDLE_LIBRARY and CC set.
"""

import os
import unittest

from programs import COMPILERS, Programs


class ThreadData(Programs):
    def expect_values_kept(self, *flags):
        for name, compiler in COMPILERS.items():
            with self.subTest(compiler=name):
                library = f"lib{name}{len(flags)}.so"
                self.build("thread_data.c", "-DLIBRARY", *flags, "-shared", "-fPIC",
                           f"-Wl,-soname,{library}", compiler=compiler, name=library)
                program = self.build("thread_data.c", *flags, str(self.folder / library),
                                     f"-Wl,-rpath,{self.folder}", "-pthread", compiler=compiler,
                                     name=f"program.{name}{len(flags)}")
                # On one CPU threads execute parts of others where they may.
                one = {min(os.sched_getaffinity(0))}
                done = self.run_program(program, 8, 200,
                                        preexec_fn=lambda: os.sched_setaffinity(0, one))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0\n", ""))

    def test_seen_from_outside(self):
        self.expect_values_kept("-DEXTERN")

    def test_behind_a_function(self):
        self.expect_values_kept()


if __name__ == "__main__":
    unittest.main()
