# SPDX-License-Identifier: Apache-2.0
"""Regions with more threads than CPUs: threads stand in for others, but not where the program could
notice that. Seen from the stacks on which the parts of a region run.

Run by ctest with HEDDLE_LIBRARY and CC set.
"""

import os
import unittest

from programs import COMPILERS, Programs

THREADS = 8


class StandIn(Programs):
    def stacks(self, *flags, **variables):
        """The fewest on which a region ran, by compiler; on one CPU."""
        one = {min(os.sched_getaffinity(0))}
        found = {}
        for name, compiler in COMPILERS.items():
            program = self.build("stand_in.c", *flags, "-pthread", compiler=compiler,
                                 name=f"{name}{''.join(flags)}")
            done = self.run_program(program, THREADS, 500, variables=variables,
                                    preexec_fn=lambda: os.sched_setaffinity(0, one))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            found[name] = int(done.stdout)
        return found

    def test_standing_in(self):
        for compiler, stacks in self.stacks().items():
            self.assertLess(stacks, THREADS, compiler)

    def expect_own_stacks(self, *flags, **variables):
        for compiler, stacks in self.stacks(*flags, **variables).items():
            self.assertEqual(stacks, THREADS, compiler)

    def test_switched_off(self):
        self.expect_own_stacks(HEDDLE_STAND_IN="0")

    def test_thread_local_storage(self):
        self.expect_own_stacks("-DLOCAL")

    def test_which_thread(self):
        self.expect_own_stacks("-DSELF")

    def test_bound_threads(self):
        self.expect_own_stacks(OMP_PROC_BIND="true")

    def test_larger_stacks(self):
        self.expect_own_stacks(OMP_STACKSIZE="1G")

    def test_cancellation(self):
        self.expect_own_stacks(OMP_CANCELLATION="true")


if __name__ == "__main__":
    unittest.main()
