# SPDX-License-Identifier: Apache-2.0
"""Memcheck and a program on Heddle, with more threads than CPUs: it finds the program's errors, and
no others."""

import re
import shutil
import subprocess
import unittest

import programs

SUPPRESSIONS = programs.HERE.parents[1] / "packaging/heddle.supp"


class Memcheck(programs.Programs):
    """Side stacks of half a megabyte: memcheck takes jumps of less than two for a stack that
    grows, unless it is told."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        assert shutil.which("valgrind"), "valgrind is not installed: tools/setup.sh --test"
        cls.program = cls.build("memory.c", "-Wno-maybe-uninitialized")

    def memcheck(self, error, **variables):
        """What memcheck says, and the program's own output."""
        done = self.run_program(
            "valgrind", "--quiet", "--leak-check=full", "--error-exitcode=9",
            f"--suppressions={SUPPRESSIONS}", self.program, error,
            variables={"OMP_STACKSIZE": "512K"} | variables)
        return done

    def expect(self, error, words, function):
        """Memcheck tells one error, in that function."""
        done = self.memcheck(error)
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertRegex(done.stderr, words)
        self.assertRegex(done.stderr, rf"(at|by) 0x[0-9A-F]+: {function} ")
        return done.stderr

    def test_no_error_where_there_is_none(self):
        expected = subprocess.run([self.program], capture_output=True, text=True, check=True,
                                  env=programs.clean_environment()).stdout
        for stack in ("512K", "1M", "8M"):
            with self.subTest(stack=stack):
                done = self.memcheck("none", OMP_STACKSIZE=stack)
                self.assertEqual(done.stderr, "")
                self.assertEqual(done.returncode, 0)
                self.assertEqual(done.stdout, expected)

    def test_threads_without_side_stacks(self):
        done = self.memcheck("none", HEDDLE_STAND_IN="0")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_uninitialised_memory_of_a_part(self):
        self.expect("heap", "depends on uninitialised", "look_at")

    def test_uninitialised_variable_on_a_part_s_stack(self):
        said = self.expect("stack", "depends on uninitialised", "look_at")
        self.assertRegex(said, r"by 0x[0-9A-F]+: look_at_variable")

    def test_memory_that_a_task_uses_after_free(self):
        self.expect("task", "Invalid read of size 8", "region._omp_fn.1")

    def test_memory_that_a_part_loses(self):
        said = self.expect("leak", "8,000 bytes in 1 blocks are definitely lost", "region._omp_fn.0")
        self.assertEqual(len(re.findall("blocks are", said)), 1)


if __name__ == "__main__":
    unittest.main()
