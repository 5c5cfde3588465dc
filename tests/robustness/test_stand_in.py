# SPDX-License-Identifier: Apache-2.0
"""Regions with more threads than CPUs: threads stand in for others, but not where the program could
notice that. Seen from the stacks on which the parts of a region run.

Run by ctest with HEDDLE_LIBRARY and CC set.
"""

import os
import resource
import unittest

from programs import COMPILERS, Programs

THREADS = 8


class StandIn(Programs):
    def stacks(self, *flags, address_space=None, label=None, **variables):
        """The fewest on which a region ran, by compiler; on one CPU. -DMEET: what that counts."""
        def confine():
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            if address_space:
                resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

        found = {}
        for name, compiler in COMPILERS.items():
            program = self.build("stand_in.c", *flags, "-pthread", compiler=compiler,
                                 name=f"{name}{label or ''.join(flags)}")
            done = self.run_program(program, THREADS, 500, variables=variables,
                                    preexec_fn=confine)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            found[name] = int(done.stdout)
        return found

    def test_standing_in(self):
        for compiler, stacks in self.stacks().items():
            self.assertLess(stacks, THREADS, compiler)

    def test_parts_that_meet(self):
        """One thread executes all and goes from one to another; the lookout takes a nap or two."""
        for compiler, stops in self.stacks("-DMEET").items():
            self.assertLess(stops, THREADS, compiler)

    def test_no_memory_for_stacks(self):
        """Eight stacks of threads fit, those beside them do not: all threads begin."""
        for compiler, stops in self.stacks("-DMEET", address_space=90 << 20).items():
            self.assertGreater(stops, THREADS, compiler)

    def expect_own_stacks(self, *flags, **variables):
        for compiler, stacks in self.stacks(*flags, **variables).items():
            self.assertEqual(stacks, THREADS, compiler)

    def test_switched_off(self):
        self.expect_own_stacks(HEDDLE_STAND_IN="0")

    def test_thread_local_storage(self):
        self.expect_own_stacks("-DLOCAL")

    def linked_with_thread_data(self, name):
        library = self.build("stand_in.c", "-DLIBRARY", "-shared", "-fPIC", f"-Wl,-soname,{name}",
                             name=name, openmp=False)
        return self.stacks("-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{self.folder}",
                           label=name)

    def test_thread_local_storage_of_libraries(self):
        """A compiler's own library may have some, as libgcc_s of gcc 14 does, a program's not."""
        for compiler, stacks in self.linked_with_thread_data("libkeeps.so").items():
            self.assertEqual(stacks, THREADS, compiler)
        for compiler, stacks in self.linked_with_thread_data("libgcc_s-keeps.so.1").items():
            self.assertLess(stacks, THREADS, compiler)

    def test_which_thread(self):
        self.expect_own_stacks("-DSELF")

    def test_functions_that_concern_one_thread(self):
        """A locale and cancelling are a thread's; a child has the stack of the thread that forks."""
        for function in ("uselocale", "pthread_setcancelstate", "fork"):
            self.expect_own_stacks(f'-DTHREADS="{function}"')

    def test_bound_threads(self):
        self.expect_own_stacks(OMP_PROC_BIND="true")

    def test_larger_stacks(self):
        self.expect_own_stacks(OMP_STACKSIZE="1G")

    def test_cancellation_and_priorities(self):
        for variable, value in (("OMP_CANCELLATION", "true"), ("OMP_MAX_TASK_PRIORITY", "10")):
            for compiler, stacks in self.stacks(**{variable: value}).items():
                self.assertLess(stacks, THREADS, (compiler, variable))

    def test_parts_that_are_cancelled(self):
        """While most of them wait at a barrier that the one which cancels does not come to."""
        for compiler, stops in self.stacks("-DMEET", "-DCANCEL", OMP_CANCELLATION="true").items():
            self.assertLess(stops, THREADS, compiler)

    def test_counted_threads(self):
        self.expect_own_stacks(HEDDLE_STATS=str(self.folder / "statistics"))


if __name__ == "__main__":
    unittest.main()
