# SPDX-License-Identifier: Apache-2.0
"""Loading Heddle starts nothing: a program that opens no parallel region keeps its one thread. And
plugins that see their own libraries first, as PHP's do, are reached through the drop-in folder.

Run by ctest with HEDDLE_LIBRARY and CC set. What loading costs is tools/measure_load.py's subject.
"""

import subprocess
import tempfile
import unittest
from pathlib import Path

from programs import DROP_IN, GCC, LIBRARY, clean_environment

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


# A plugin that says how large its team is and who serves it, and what loads it.
PLUGIN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
void work(void) {
    int members = 0;
    Dl_info from;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    dladdr((void *)omp_get_max_threads, &from);
    printf("%d %s\n", members, from.dli_fname);
}
"""
LOADER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
int main(int argc, char **argv) {
    void *plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_GLOBAL | RTLD_DEEPBIND);
    if (!plugin) return 1;
    ((void (*)(void))dlsym(plugin, "work"))();
    return 0;
}
"""


class Loading(unittest.TestCase):
    def test_a_plugin_bound_to_its_own_libraries(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin, loader = Path(folder) / "plugin.so", Path(folder) / "loader"
            for text, target, flags in ((PLUGIN, plugin, ("-fopenmp", "-shared", "-fPIC")),
                                        (LOADER, loader, ())):
                subprocess.run([GCC, *flags, "-x", "c", "-", "-o", str(target), "-ldl"],
                               input=text, text=True, check=True, timeout=TIMEOUT)
            for preload in ({}, {"LD_PRELOAD": str(LIBRARY)}):
                done = subprocess.run([loader, plugin], check=True, capture_output=True, text=True,
                                      timeout=TIMEOUT, env=clean_environment() | preload | {
                                          "LD_LIBRARY_PATH": str(DROP_IN)})
                size, server = done.stdout.split()
                self.assertEqual((size, Path(server).resolve()), ("2", LIBRARY), preload)

    def run_program(self, *flags):
        """What the program prints, preloaded; it must say nothing on stderr."""
        self.assertTrue(LIBRARY.is_file(), LIBRARY)
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "program.c", Path(folder) / "program"
            source.write_text(PROGRAM)
            subprocess.run([GCC, *flags, str(source), "-o", str(program)], check=True,
                           timeout=TIMEOUT)
            done = subprocess.run([program], check=True, capture_output=True, text=True,
                                  env=clean_environment() | {"LD_PRELOAD": str(LIBRARY)},
                                  timeout=TIMEOUT)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_a_program_without_openmp(self):
        self.assertEqual(self.run_program(), "threads 1 mapped 1\n")

    def test_a_program_that_only_asks(self):
        self.assertEqual(self.run_program("-fopenmp"), "threads 1 mapped 1\n")


if __name__ == "__main__":
    unittest.main()
