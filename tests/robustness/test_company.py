# SPDX-License-Identifier: Apache-2.0
"""Where Linux has put a thread of the pool on its primary's CPU: it leaves a CPU to its primary
alone, but not where threads of the process that are none of ours run on the others.

Run by ctest with HEDDLE_LIBRARY and CC set.
"""

import os
import unittest

from programs import Programs


class Company(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.build("company.c", "-rdynamic", "-pthread", name="company")

    def moves(self, *arguments):
        def confine():
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])

        done = self.run_program(self.program, *arguments, preexec_fn=confine)
        if done.returncode == 77:
            self.skipTest("needs two CPUs")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return int(done.stdout)

    def test_beside_another_process(self):
        self.assertGreater(self.moves("process", 2000), 0)

    def test_beside_another_pool(self):
        self.assertEqual(self.moves("thread", 100), 0)


if __name__ == "__main__":
    unittest.main()
