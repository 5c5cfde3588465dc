# SPDX-License-Identifier: Apache-2.0
"""What the tests of heddlecc have in common: the wrappers, a source with a clause, a folder."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY",
                              HERE.parents[1] / "build/release/lib/libheddle.so")).resolve()
BIN = LIBRARY.parents[1] / "bin"
HEDDLECC, HEDDLECXX, HEDDLEFC = (BIN / name for name in ("heddlecc", "heddlec++", "heddlefc"))
BACK_ENDS = ["gcc", *(["clang"] if shutil.which("clang-19") else [])]
NATIVE = {"gcc": "gcc", "clang": "clang-19"}
STRICT = ("-O1", "-Wall", "-Wextra", "-Werror")
TIMEOUT = 100

PLAIN = """\
#include <stdio.h>
/* affinity(thread: 3) in a comment */
int adaptive(int affinity) {
    int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < affinity; i++)
        sum += i;
    return sum;
}
"""
HINTED = """\
int f_%s(void);
int f_%s(void) {
    int ran = 0;
#pragma omp parallel
#pragma omp single
#pragma omp task affinity(thread: 0) shared(ran)
    ran = VALUE;
    return ran;
}
"""


def clean_environment(**variables):
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE", "LD_"))} \
        | {"LC_ALL": "C"} | variables


class Folder(unittest.TestCase):
    """A test in an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def call(self, *command, text=None, **variables):
        return subprocess.run([str(part) for part in command], cwd=self.folder, input=text,
                              capture_output=True, text=True, timeout=TIMEOUT,
                              env=clean_environment(**variables), check=False)

    def succeed(self, *command, text=None, **variables):
        """What the command says on stdout; it says nothing on stderr."""
        done = self.call(*command, text=text, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def run_program(self, name="program"):
        self.assertEqual(self.succeed(self.folder / name, HEDDLE_TASK_AFFINITY="learn"), "")
