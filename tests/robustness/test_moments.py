# SPDX-License-Identifier: Apache-2.0
"""Regions in fork's handlers, in callbacks of the loader, in constructors, on threads that are
cancelled: they come to an end, and so does the program.

Run by ctest with HEDDLE_LIBRARY and CC set. moments.c has a mode and a time limit for each; gcc and
clang compile it, for the two ABIs.
"""

import unittest

from programs import COMPILERS, Programs


class Moments(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = cls.build_with_each("moments.c", "-pthread")
        cls.plugins = {name: cls.build("moments.c", "-pthread", "-fPIC", "-shared", "-DPLUGIN",
                                       compiler=compiler, name=f"plugin.{name}.so")
                       for name, compiler in COMPILERS.items()}

    def check(self, *arguments, variables=None):
        for name, program in self.programs.items():
            with self.subTest(compiler=name):
                done = self.run_program(program, *arguments, variables=variables)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_forks_handlers_want_a_lock_that_a_region_is_under(self):
        self.check("handlers-that-lock")

    def test_regions_in_forks_handlers(self):
        self.check("handlers-with-regions")

    def test_fork_while_the_program_asks_the_loader(self):
        self.check("program-asks-loader")
        self.check("program-asks-loader", variables={
            "HEDDLE_TRACE": str(self.folder / "moments.%p.trace"), "HEDDLE_TRACE_SIZE": "1M"})

    def test_regions_in_a_callback_of_the_loader(self):
        self.check("loader-calls-back")
        self.check("loader-calls-first")

    def test_fork_while_the_first_call_is_made(self):
        self.check("starting")

    def test_a_thread_that_is_cancelled_in_its_first_region(self):
        self.check("cancellation")

    def test_the_smallest_stack(self):
        self.check("little-stack")

    def test_a_constructor_waits_for_a_region(self):
        for name, program in self.programs.items():
            with self.subTest(compiler=name):
                done = self.run_program(program, "constructor", self.plugins[name])
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
