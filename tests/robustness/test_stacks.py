# SPDX-License-Identifier: Apache-2.0
"""Chains of tasks on stacks that are not the thread's own, that nobody tells of, or of which the
program's thread-local data take a part: they end, for what does not fit is deferred.

Run by ctest with HEDDLE_LIBRARY and CC set; stacks.c has a mode for each. gcc and clang compile it.
"""

import unittest

from programs import Programs

LENGTH = 200000


class Stacks(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = cls.build_with_each("stacks.c", "-pthread")

    def check(self, mode, programs=None, **options):
        for name, program in (programs or self.programs).items():
            with self.subTest(compiler=name):
                done = self.run_program(program, mode, **options)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, f"{LENGTH}\n", ""))

    def test_of_a_coroutine(self):
        self.check("coroutine")

    def test_when_no_file_can_be_opened(self):
        self.check("no-files")

    def test_no_keys_are_left(self):
        self.check("no-keys")

    def test_without_proc(self):
        before = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o ro none /proc && exec "$@"', "-"]
        tried = self.run_program(before[0], *before[1:], "true")
        if tried.returncode != 0:
            self.skipTest(f"no namespace for this: {tried.stderr}")
        for name, program in self.programs.items():
            with self.subTest(compiler=name):
                done = self.run_program(before[0], *before[1:], program, "plain")
                self.assertEqual((done.returncode, done.stdout), (0, f"{LENGTH}\n"), done.stderr)

    def test_with_much_thread_local_data(self):
        programs = self.build_with_each("stacks.c", "-pthread", "-DTHREAD_DATA=200000")
        for size in ("16K", "64K", "200K"):
            self.check("plain", programs, variables={"OMP_STACKSIZE": size})


if __name__ == "__main__":
    unittest.main()
