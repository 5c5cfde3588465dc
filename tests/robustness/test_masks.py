# SPDX-License-Identifier: Apache-2.0
"""Threads of the pool may use the CPUs of the thread whose region they are in, whoever had them
before, and the first call on a pinned thread does not decide how many CPUs the process has.

Run by ctest with HEDDLE_LIBRARY and CC set. masks.c is compiled by gcc and by clang. With one CPU
there is nothing to see.
"""

import os
import unittest

from programs import Programs


class Masks(Programs):
    def test_masks_of_threads_that_change_hosts(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        for name, program in self.build_with_each("masks.c", "-pthread").items():
            with self.subTest(compiler=name):
                whole = self.run_program(program, "count").stdout.strip()
                done = self.run_program(program)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, f"{whole} 0 0\n")


if __name__ == "__main__":
    unittest.main()
