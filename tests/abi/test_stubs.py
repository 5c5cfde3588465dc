# SPDX-License-Identifier: Apache-2.0
"""What Heddle does not implement names itself in one line on stderr, and aborts.

ctest runs this with HEDDLE_LIBRARY and CC set. A construct that gets implemented leaves the list.
"""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 60

PROGRAMS = {
    "taskloop": ("#pragma omp taskloop\nfor (int i = 0; i < 9; i++) sink = i;",
                 "GOMP_taskloop is not supported yet (taskloop)"),
    "taskwait": ("int x = 0;\n#pragma omp taskwait depend(in: x)\nsink = x;",
                 "GOMP_taskwait_depend is not supported yet (taskwait with dependences)"),
    "task_reduction": ("int x = 0;\n#pragma omp taskgroup task_reduction(+: x)\nsink = x;",
                       "GOMP_taskgroup_reduction_register is not supported yet (task reductions)"),
    "openacc": ("acc_init(2);", "acc_init: OpenACC is not supported"),
    "plugin": ("GOMP_PLUGIN_malloc(8);",
               "GOMP_PLUGIN_malloc: offload plugins are not supported"),
}
PROLOGUE = ("void acc_init(int);\nvoid *GOMP_PLUGIN_malloc(unsigned long);\nvolatile int sink;\n"
            "int main(void) {\n")
EPILOGUE = "\nreturn 0;\n}\n"


def compile_program(body, folder):
    """The compiled program; it finds its symbols in libgomp, or in what stands in for it."""
    source, program = Path(folder) / "program.c", Path(folder) / "program"
    source.write_text(PROLOGUE + body + EPILOGUE)
    subprocess.run([COMPILER, "-fopenmp", "-foffload=disable", "-O1", str(source),
                    "-o", str(program)], check=True, timeout=TIMEOUT)
    return program


def run_preloaded(program):
    env = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    return subprocess.run([program], env=env | {"LD_PRELOAD": str(LIBRARY)}, capture_output=True,
                          text=True, timeout=TIMEOUT)


class Stubs(unittest.TestCase):
    def test_each_names_itself_and_aborts(self):
        self.assertTrue(LIBRARY.is_file(), LIBRARY)
        for name, (body, line) in PROGRAMS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                done = run_preloaded(compile_program(body, folder))
                self.assertEqual(done.stderr, f"heddle: {line}\n")
                self.assertEqual(done.returncode, -signal.SIGABRT)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
