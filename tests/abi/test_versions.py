# SPDX-License-Identifier: Apache-2.0
"""Routines that gcc's and clang's programs need different answers from give each its own.

ctest runs this with HEDDLE_LIBRARY and CC set. The program asks by version, so gcc can compile it.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 60
STRICT = ("-std=gnu11", "-Wall", "-Wextra", "-Werror")
OFFLOAD = {None: 1, "default": 1, "disabled": 0, "mandatory": 2}  # as __kmpc_get_target_offload


def compile_c(*arguments):
    subprocess.run([COMPILER, *STRICT, *map(str, arguments)], check=True, timeout=TIMEOUT)


class Versions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = Path(folder.name) / "versions"
        cls.libomptarget = Path(folder.name) / "libomptarget.so"
        # Linked with Heddle first, so that libgomp is there but nothing binds to it.
        compile_c("-fopenmp", HERE / "versions.c", "-o", cls.program, "-Wl,--no-as-needed",
                  f"-L{LIBRARY.parent}", "-lheddle", f"-Wl,-rpath,{LIBRARY.parent}")
        script = Path(folder.name) / "libomptarget.map"
        script.write_text("VERS1.0 { global: omp*; local: *; };\n")
        compile_c("-shared", "-fPIC", HERE / "libomptarget.c", "-o", cls.libomptarget,
                  f"-Wl,--version-script={script}")

    def run_program(self, devices, offload=None, **environment):
        if offload:
            environment["OMP_TARGET_OFFLOAD"] = offload
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("LD_", "OMP_", "GOMP_", "KMP_"))}
        done = subprocess.run([self.program, str(devices), str(OFFLOAD[offload])],
                              env=clean | environment, capture_output=True, text=True,
                              timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_without_libomptarget(self):
        self.run_program(devices=0)

    def test_with_libomptarget(self):
        # What its ompt_start_tool answers is no tool.
        self.run_program(devices=3, LD_PRELOAD=f"{LIBRARY} {self.libomptarget}", OMP_TOOL="disabled")

    def test_target_offload(self):
        for value in ("default", "disabled", "mandatory"):
            with self.subTest(value):
                self.run_program(devices=0, offload=value)

    def test_depend_objects_of_clang(self):
        """Of two words where gcc's have an address and a kind: told, not taken for something."""
        program = self.program.with_name("objects")
        compile_c("-fopenmp", HERE / "foreign_objects.c", "-o", program)
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("LD_", "OMP_", "GOMP_", "KMP_"))}
        done = subprocess.run([program], env=clean | {"LD_PRELOAD": str(LIBRARY)},
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Aheddle: an omp_depend_t that is not .* libomp\n\Z")


if __name__ == "__main__":
    unittest.main()
