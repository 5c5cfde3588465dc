# SPDX-License-Identifier: Apache-2.0
"""Binding keeps to its regions: outside, in children, and beside a libgomp that binds at load.

Run by ctest with HEDDLE_LIBRARY and CC set. Where threads go in a team is tests/stress/binding.cpp's
subject; here it is who is bound when, and what a user is told.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so")).resolve()
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 60

# Prints how many CPUs it may use, at some points of its life.
PROGRAM = r"""
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int cpus(void) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    return CPU_COUNT(&mask);
}
static void *thread(void *result) { *(int *)result = cpus(); return NULL; }
int main(int argc, char **argv) {
    int inside = 0, in_thread = 0, status;
    pthread_t other;
    if (argc > 1) { printf("executed %d\n", cpus()); return 0; }
    printf("places %d place %d\n", omp_get_num_places(), omp_get_place_num());
    #pragma omp parallel num_threads(2) reduction(max: inside)
    inside = cpus();
    printf("inside %d outside %d\n", inside, cpus());
    pthread_create(&other, NULL, thread, &in_thread);
    pthread_join(other, NULL);
    printf("thread %d\n", in_thread);
    fflush(stdout);
    #pragma omp parallel num_threads(2)
    #pragma omp master
    if (fork() == 0) { printf("forked %d\n", cpus()); exit(0); }
    wait(&status);
    if (fork() == 0) execl(argv[0], argv[0], "again", (char *)0);
    wait(&status);
    return status != 0;
}
"""

# Changes the affinity format and has the variables displayed.
FORMAT = """
#include <omp.h>
int main(void) {
    omp_set_affinity_format("mine %n");
    omp_display_env(0);
    return 0;
}
"""


def clean_environment():
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_", "HEDDLE_", "LD_"))}


class Binding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = cls.compile("program", PROGRAM)
        cls.format = cls.compile("format", FORMAT)
        cls.cpus = len(os.sched_getaffinity(0))

    @classmethod
    def compile(cls, name, text):
        program = Path(cls.folder.name) / name
        source = program.with_suffix(".c")
        source.write_text(text)
        subprocess.run([COMPILER, "-fopenmp", str(source), "-o", str(program)], check=True,
                       timeout=TIMEOUT)
        return program

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_program(self, preload, program=None, **variables):
        where = ({"LD_PRELOAD": str(LIBRARY)} if preload
                 else {"LD_LIBRARY_PATH": str(LIBRARY.parent / "drop-in")})
        return subprocess.run([program or self.program], check=True, capture_output=True, text=True,
                              env=clean_environment() | where | variables, timeout=TIMEOUT)

    def messages(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("heddle: ")]

    def test_threads_are_bound_in_regions_only(self):
        """Also preloaded, where libgomp's constructor binds the initial thread for its lifetime."""
        for preload in (False, True):
            for variables in ({"OMP_PLACES": "threads"},
                              {"OMP_PLACES": "threads", "OMP_PROC_BIND": "spread"}):
                with self.subTest(preload=preload, **variables):
                    done = self.run_program(preload, **variables)
                    self.assertEqual(self.messages(done), [])
                    self.assertEqual(done.stdout.splitlines()[:4],
                                     [f"places {self.cpus} place 0",
                                      f"inside 1 outside {self.cpus}", f"thread {self.cpus}",
                                      f"forked {self.cpus}"])
                    executed = 1 if preload else self.cpus  # by libgomp, before the program's main
                    self.assertEqual(done.stdout.splitlines()[4], f"executed {executed}")

    def test_nothing_is_bound_unless_asked_for(self):
        for variables in ({}, {"OMP_PROC_BIND": "false", "OMP_PLACES": "threads"},
                          {"OMP_DISPLAY_ENV": "false"}):
            with self.subTest(**variables):
                done = self.run_program(True, **variables)
                self.assertEqual(done.stderr, "")
                self.assertEqual(done.stdout.splitlines()[:2],
                                 ["places 0 place -1", f"inside {self.cpus} outside {self.cpus}"])

    def test_a_bad_value_is_one_line_and_means_cores(self):
        done = self.run_program(False, OMP_PLACES="{0:,1}")
        self.assertRegex(done.stderr, r"\Aheddle: OMP_PLACES: bad value '\{0:,1\}': expected .*\n\Z")
        self.assertRegex(done.stdout, r"\Aplaces [1-9]\d* place 0\n")

    def test_places_that_cannot_be_used(self):
        done = self.run_program(False, OMP_PLACES="{8191}")
        self.assertEqual(done.stderr, "heddle: OMP_PLACES: no place has a CPU that this process may "
                                      "use; using cores\n")
        self.assertRegex(done.stdout, r"\Aplaces [1-9]\d* place 0\n")

    def test_places_are_those_of_the_process(self):
        lowest = min(os.sched_getaffinity(0))
        done = subprocess.run(["taskset", "-c", str(lowest), str(self.program)], check=True,
                              env=clean_environment() | {"OMP_PLACES": "threads",
                                                         "LD_PRELOAD": str(LIBRARY)},
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.stdout.splitlines()[:2], ["places 1 place 0", "inside 1 outside 1"])

    def test_the_display_of_variables_has_the_format_of_now(self):
        done = self.run_program(False, program=self.format)
        self.assertIn("  OMP_AFFINITY_FORMAT = 'mine %n'\n", done.stderr)

    def test_the_display_is_one_line_a_thread_and_only_when_something_changes(self):
        done = self.run_program(False, OMP_DISPLAY_AFFINITY="true",
                                OMP_AFFINITY_FORMAT="level %L of %N thread %n")
        shown = sorted(done.stderr.splitlines())
        self.assertEqual(shown, ["level 1 of 2 thread 0", "level 1 of 2 thread 1"])
        done = self.run_program(False, OMP_DISPLAY_AFFINITY="true", OMP_PLACES="threads")
        self.assertTrue(all(re.fullmatch(r"level 1 thread \d+ affinity \d+", line)
                            for line in done.stderr.splitlines()), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
