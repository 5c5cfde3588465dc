# SPDX-License-Identifier: Apache-2.0
"""The atomic entry points of the kmpc interface: each name, each result, no lost update.

ctest runs this with HEDDLE_LIBRARY and CC set. The programs call the entry points as code of Intel's
compilers does; gcc compiles them, on x86-64, where these names exist.
"""

import os
import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

import elf
import kmp_atomics

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 120
PER_FUNCTION = 40  # statements: a single long function would take the compiler long


def sequential_program(names):
    """A program that checks each of these entry points, but start and end, one after another."""
    statements = [line for name in names for line in kmp_atomics.checks(name)]
    parts = [statements[i:i + PER_FUNCTION] for i in range(0, len(statements), PER_FUNCTION)]
    functions = [f"static void part_{number}(void) {{\n" + "\n".join(lines) + "\n}\n"
                 for number, lines in enumerate(parts)]
    calls = "".join(f"    part_{number}();\n" for number in range(len(parts)))
    return ('#include "kmp_atomics.h"\n' + "".join(functions) +
            f"int main(void) {{\n{calls}    return failures != 0;\n}}\n")


def build(source, program, *options):
    # After the library nothing is missing, so --as-needed leaves libgomp out.
    subprocess.run([COMPILER, "-std=gnu11", "-O0", "-Wno-overflow", f"-I{HERE}", *options,
                    str(source), "-o", str(program), f"-L{LIBRARY.parent}", "-lheddle",
                    f"-Wl,-rpath,{LIBRARY.parent}", "-Wl,--as-needed", "-lm"],
                   check=True, timeout=TIMEOUT)


@unittest.skipUnless(platform.machine() == "x86_64", "the names are Intel's")
class KmpAtomics(unittest.TestCase):
    def run_program(self, program, **settings):
        done = subprocess.run([program], env=os.environ | settings, capture_output=True, text=True,
                              timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_names(self):
        exported = {symbol.name for symbol in elf.exported(LIBRARY)
                    if symbol.name.startswith(kmp_atomics.PREFIX) and symbol.node == "VERSION"}
        self.assertEqual(len(kmp_atomics.NAMES), 506)
        self.assertEqual(set(kmp_atomics.NAMES), exported)

    def test_every_result(self):
        names = [name for name in kmp_atomics.NAMES if not name.endswith(("_start", "_end"))]
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "sequential.c", Path(folder) / "sequential"
            source.write_text(sequential_program(names))
            build(source, program)
            self.run_program(program)

    def test_no_update_is_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "parallel"
            build(HERE / "kmp_atomics_parallel.c", program, "-fopenmp", "-Wall", "-Wextra")
            self.run_program(program, OMP_DYNAMIC="false")


if __name__ == "__main__":
    unittest.main()
