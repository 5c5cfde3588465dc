# SPDX-License-Identifier: Apache-2.0
"""The harness around the guest: a run that did not pass must never look like one that did.

Needs no emulator. Run by ctest.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import debian
import guest
import initramfs
import machine

LINES = """
# a comment

places
OMP_PLACES={0:2}:4:2,!{2:2} places 0-1 4-5
GOMP_CPU_AFFINITY="0-3 6" bench/fib --n 20   # another
"""


class Harness(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.table = self.folder / "runs.txt"
        self.table.write_text(LINES)

    def runs(self, *words):
        return guest.read_runs(self.table, words)

    def failures(self, console):
        """How many of the two runs failed, and what was printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            count = guest.report(self.runs()[:2], console)
        return count, out.getvalue()

    def test_lines(self):
        self.assertEqual([(run.variables, run.program, run.arguments) for run in self.runs()],
                         [((), "places", ()),
                          (("OMP_PLACES={0:2}:4:2,!{2:2}",), "places", ("0-1", "4-5")),
                          (("GOMP_CPU_AFFINITY=0-3 6",), "bench/fib", ("--n", "20"))])
        self.assertEqual([run.program for run in self.runs("fib", "nothing")], ["bench/fib"])

    def test_only_an_exit_status_of_0_passes(self):
        good = "boot\n@begin 0\nhello\n\n@end 0 0 1.5 2.0\n@begin 1\n\n@end 1 0 2.0 2.1\n"
        self.assertEqual(self.failures(good)[0], 0)
        for bad in (good.replace("@end 1 0", "@end 1 1"), good.replace("@end 0 0", "@end 0 137"),
                    good.replace("@end 1 0", "panic"), good.replace("@end 0 0 1.5 2.0\n", ""),
                    good[:good.index("@begin 1")]):
            with self.subTest(bad):
                self.assertEqual(self.failures(bad)[0], 1)
        self.assertEqual(self.failures("")[0], 2)
        self.assertIn("passed     places (0.5 s)\n           hello\n", self.failures(good)[1])

    def test_programs_that_do_not_compile_are_none(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertIsNone(guest.build("no_such_program", self.folder))
            self.assertIsNone(guest.build("stress/no_such_program", self.folder))

    @unittest.skipUnless(shutil.which("busybox"), "no busybox")
    def test_archive_is_one_that_cpio_reads(self):
        archive = initramfs.Archive()
        archive.file("/a/b/file", b"12345")
        archive.link("/a/link", "b/file")
        archive.write(self.folder / "archive")
        subprocess.run(["busybox", "cpio", "-i", "-F", "archive"], cwd=self.folder, check=True,
                       capture_output=True)
        self.assertEqual((self.folder / "a/link").read_bytes(), b"12345")
        self.assertEqual(os.readlink(self.folder / "a/link"), "b/file")

    def test_a_machine_that_hangs_is_stopped(self):
        console = self.folder / "console"
        self.assertFalse(machine.run(["sh", "-c", "echo here; exec sleep 60"], console, 1))
        self.assertEqual(console.read_text(), "here\n")
        self.assertTrue(machine.run(["sh", "-c", "echo there"], console, 60))
        self.assertEqual(console.read_text(), "there\n")

    def test_each_cpu_of_the_balanced_machine_has_one_beside_it_that_is_never_started(self):
        line = " ".join(machine.command(machine.X86_64, "qemu", "kernel", "initramfs", balanced=True))
        made = [(0, 0, 0)] + [tuple(int(number) for number in place) for place in
                              re.findall(r"socket-id=(\d),die-id=(\d),core-id=(\d)", line)]
        sockets = [(socket, die, core) for socket in range(4) for die in range(2) for core in range(2)]
        self.assertEqual(made[::2], sockets[:8])
        self.assertEqual(made[1::2], sockets[8:])
        self.assertIn("nr_cpus=8", line)

    def test_what_cannot_be_had_is_said(self):
        with mock.patch.dict(os.environ, {"HEDDLE_GUEST_KERNEL": "/nonexistent/kernel"}):
            with self.assertRaisesRegex(debian.Unavailable, "HEDDLE_GUEST_KERNEL.*/nonexistent/kernel"):
                machine.find_kernel(machine.X86_64)
        with mock.patch.dict(os.environ, {"PATH": "/nonexistent"}):
            for architecture in (machine.X86_64, machine.AARCH64):
                with self.assertRaisesRegex(debian.Unavailable, architecture.emulator):
                    machine.find_emulator(architecture)
            with self.assertRaisesRegex(debian.Unavailable, "apt-get"):
                debian.fetch("busybox-static", "bin/busybox", self.folder / "new", "arm64")

    def test_the_machine_is_that_of_the_library(self):
        library = self.folder / "library"
        for number, architecture in ((62, machine.X86_64), (183, machine.AARCH64)):
            library.write_bytes(bytes(18) + number.to_bytes(2, "little"))
            self.assertIs(machine.architecture_of(library), architecture)
        library.write_bytes(bytes(18) + b"\x08\0")
        with self.assertRaisesRegex(debian.Unavailable, "library is for a machine"):
            machine.architecture_of(library)

    def test_runs_that_a_machine_cannot_do_are_told(self):
        self.table.write_text("OMP_PLACES=ll_caches places 0\nheddlecc/clauses 0\nplaces 0 1\n")
        out = io.StringIO()
        with mock.patch.object(os, "uname", lambda: mock.Mock(machine="x86_64")):
            with contextlib.redirect_stdout(out):
                self.assertEqual(len(guest.leave_out(self.runs(), machine.X86_64)), 3)
                self.assertEqual(out.getvalue(), "")
                left = guest.leave_out(self.runs(), machine.AARCH64)
        self.assertEqual([run.arguments for run in left], [("0", "1")])
        self.assertIn("2 runs with ll_caches or heddlecc/", out.getvalue())

    def test_libraries_of_another_architecture(self):
        """As ldd and a compiler that knows where they lie tell: what one finds, the other does."""
        program = self.folder / "program"
        subprocess.run([guest.COMPILER, "-x", "c", "-", "-o", program, "-lm"], check=True, text=True,
                       input="#include <math.h>\nint main(int n, char** v) { return sin(n) > 2 || !v; }")
        found = initramfs.libraries_of(program, "", guest.COMPILER)
        self.assertTrue({"libc.so.6", "libm.so.6"} <= set(found), found)
        self.assertEqual(len([name for name in found if name.startswith("/")]), 1)  # the loader
        with self.assertRaisesRegex(FileNotFoundError, "libm.so.6"):
            initramfs.libraries_of(program, "", "echo")


if __name__ == "__main__":
    unittest.main()
