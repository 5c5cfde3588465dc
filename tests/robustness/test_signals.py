# SPDX-License-Identifier: Apache-2.0
"""Signals are the program's own. The one exception is a line when a worker runs over the end of its
stack, where the program has left SIGSEGV alone; the process ends as it would have ended.

Run by ctest with HEDDLE_LIBRARY and CC set. signals.c has the programs.
"""

import resource
import signal
import subprocess
import sys
import unittest

from programs import TIMEOUT, Programs, clean_environment

OVERFLOW = (r"\Aheddle: a thread has run over the end of its stack of {} KiB; "
            r"OMP_STACKSIZE asks for larger ones\n\Z")

# Python with a library of its own: a region, and whatever the command line says then.
PYTHON = """
import ctypes, os, signal, sys
plugin = ctypes.CDLL(sys.argv[1])
plugin.region()
{}
"""

PLUGIN = """
#include <omp.h>
int region(void) {
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    return members;
}
void fault(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) *(volatile int *)0 = 1;
}
"""


class Signals(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = cls.build_with_each("signals.c", "-fno-optimize-sibling-calls")
        # A core file of a fault on purpose helps nobody.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

    def expect(self, mode, status, said, **variables):
        for name, program in self.programs.items():
            with self.subTest(compiler=name, mode=mode):
                done = self.run_program(program, mode, variables=variables)
                self.assertRegex(done.stderr, said)
                self.assertEqual((done.returncode, done.stdout), (status, ""))

    def test_overflow_of_a_stack(self):
        for mode in ("overflow", "large frames", "overflow in child"):
            self.expect(mode, -signal.SIGSEGV, OVERFLOW.format(1024), OMP_STACKSIZE="1M")
        self.expect("overflow", -signal.SIGSEGV, OVERFLOW.format("64"), OMP_STACKSIZE="64K")
        self.expect("overflow", -signal.SIGSEGV, OVERFLOW.format(r"\d+"))

    def test_overflow_of_the_programs_own_stack(self):
        self.expect("overflow in main", -signal.SIGSEGV, r"\A\Z")

    def test_other_faults(self):
        for mode in ("fault", "fault in main", "kill"):
            self.expect(mode, -signal.SIGSEGV, r"\A\Z")

    def test_handlers_of_the_program(self):
        for mode in ("own before", "own after"):
            self.expect(mode, 3, r"\Amine\n\Z")

    def test_what_stays_as_it_is(self):
        for mode in ("nothing changes", "no team", "children", "outside"):
            self.expect(mode, 0, r"\A\Z")

    def test_interrupted_waits(self):
        for policy in ("passive", "active"):
            self.expect("interrupted", 0, r"\A\Z", OMP_WAIT_POLICY=policy)

    def test_profilers(self):
        self.expect("profiled", 0, r"\A\Z")


class InPython(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = cls.folder / "plugin.c"
        source.write_text(PLUGIN)
        cls.plugin = cls.build(source, "-shared", "-fPIC")

    def python(self, text, *flags):
        return subprocess.run([sys.executable, *flags, "-c", PYTHON.format(text), str(self.plugin)],
                              env=clean_environment(), capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)

    def test_faulthandler(self):
        for flags, enable in ((("-X", "faulthandler"), ""),
                              ((), "import faulthandler; faulthandler.enable()\n")):
            done = self.python(f"{enable}plugin.fault()", *flags)
            self.assertEqual(done.returncode, -signal.SIGSEGV)
            self.assertRegex(done.stderr, r"\AFatal Python error: Segmentation fault")
            self.assertNotIn("heddle", done.stderr)

    def test_interrupt_from_the_keyboard(self):
        done = self.python("""
try:
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        plugin.region()
except KeyboardInterrupt:
    print(plugin.region())
""")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "2\n", ""))


if __name__ == "__main__":
    unittest.main()
