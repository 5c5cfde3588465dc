# SPDX-License-Identifier: Apache-2.0
"""Children of fork() have OpenMP in full: whoever forks, wherever, and in any generation.

Run by ctest with HEDDLE_LIBRARY and CC set. fork.c checks what its children can do and kills those
that hang; gcc and clang compile it, for the two ABIs.
"""

import os
import unittest

from programs import Programs


class Fork(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = cls.build_with_each("fork.c")
        cls.asking = cls.build("fork_loader.c", "-rdynamic")

    def fork(self, mode, times, **variables):
        """`times` forks of gcc's program; of clang's, which differs in the calls only, a quarter."""
        for name, program in self.programs.items():
            times = times if name == "gcc" else times // 4
            with self.subTest(compiler=name, mode=mode, **variables):
                done = self.run_program(program, mode, times,
                                        variables={"OMP_NUM_THREADS": "3"} | variables)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_before_the_first_region(self):
        self.fork("unused", 300)

    def test_after_regions(self):
        self.fork("after", 1000)

    def test_three_generations(self):
        self.fork("generations", 100)

    def test_while_other_threads_are_in_regions(self):
        self.fork("siblings", 1000)

    def test_while_other_threads_hold_the_runtimes_locks(self):
        self.fork("locks", 400)

    def test_inside_a_region_by_every_thread(self):
        self.fork("inside", 1000)

    def test_children_that_leave_the_region(self):
        self.fork("leaving", 501)

    def test_inside_tasks(self):
        self.fork("tasks", 300)

    def test_inside_nested_regions(self):
        self.fork("nested", 300, OMP_MAX_ACTIVE_LEVELS="2")

    def test_alone_in_a_region(self):
        self.fork("alone", 300)

    def test_the_original_affinity(self):
        for mode in ("after", "siblings", "inside", "leaving", "nested", "alone"):
            self.fork(mode, 100, OMP_PLACES="threads", OMP_PROC_BIND="close")

    def test_with_what_leaves_the_fast_path(self):
        for mode in ("siblings", "inside"):
            self.fork(mode, 100, OMP_CANCELLATION="true", OMP_MAX_TASK_PRIORITY="5",
                      OMP_WAIT_POLICY="passive")

    def test_while_the_loader_is_asked(self):
        """By a region of more threads than CPUs, and about code that a trace has not met yet."""
        trace = {"HEDDLE_TRACE": str(self.folder / "fork.trace")}
        for threads, variables in ((2 * os.cpu_count(), {}), (2, trace)):
            with self.subTest(threads=threads):
                done = self.run_program(self.asking, threads, variables=variables)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
