# SPDX-License-Identifier: Apache-2.0
"""Loading Heddle starts nothing: a program that opens no parallel region keeps its one thread.

Run by ctest with HEDDLE_LIBRARY and CC set. What loading costs is tools/measure_load.py's subject.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so")).resolve()
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 30

# Prints how many threads the process has, and whether the library is mapped.
PROGRAM = r"""
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
int main(void) {
    int threads = 0, mapped = 0;
    char line[4096];
#ifdef _OPENMP
    if (omp_get_max_threads() < 1 || omp_in_parallel() || omp_get_thread_num() != 0) return 1;
#endif
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks));) threads += entry->d_name[0] != '.';
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) mapped |= strstr(line, "libheddle.so") != NULL;
    printf("threads %d mapped %d\n", threads, mapped);
    return 0;
}
"""


class Loading(unittest.TestCase):
    def run_program(self, *flags):
        """What the program prints, preloaded; it must say nothing on stderr."""
        self.assertTrue(LIBRARY.is_file(), LIBRARY)
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "program.c", Path(folder) / "program"
            source.write_text(PROGRAM)
            subprocess.run([COMPILER, *flags, str(source), "-o", str(program)], check=True,
                           timeout=TIMEOUT)
            env = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "GOMP_", "HEDDLE_", "LD_"))}
            done = subprocess.run([program], env=env | {"LD_PRELOAD": str(LIBRARY)}, check=True,
                                  capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_a_program_without_openmp(self):
        self.assertEqual(self.run_program(), "threads 1 mapped 1\n")

    def test_a_program_that_only_asks(self):
        self.assertEqual(self.run_program("-fopenmp"), "threads 1 mapped 1\n")


if __name__ == "__main__":
    unittest.main()
