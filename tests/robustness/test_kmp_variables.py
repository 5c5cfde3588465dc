# SPDX-License-Identifier: Apache-2.0
"""libomp's variables in whole programs: where threads go, how many there are, what is printed.

Run by ctest with HEDDLE_LIBRARY and CC set. The programs are gcc's: one library, one state. The
routines kmp_* are called through the program's own declarations, as clang's omp.h has them.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so")).resolve()
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 60

# Prints the size of a team and the CPUs that each of its threads may use, then those outside.
PLACED = r"""
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
static void cpus(char *text) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &mask)) text += sprintf(text, ".%d", cpu);
}
int main(void) {
    static char text[64][8192];
    int size = 0;
    #pragma omp parallel
    {
        cpus(text[omp_get_thread_num()]);
        #pragma omp master
        size = omp_get_num_threads();
    }
    printf("%d:", size);
    for (int i = 0; i < size; i++) printf(" %s", text[i]);
    cpus(text[0]);
    printf(" outside %s\n", text[0]);
    return 0;
}
"""

# Loops whose threads 1, 3, ... are slow, so that others steal from them. Its exit status: 1: a thread
# got an iteration that precedes one before; 2: one that precedes its first.
TARGET = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
    int most = -1, threads = -1;
#pragma omp target map(from : most, threads)
    {
        most = omp_get_max_threads();
#pragma omp parallel
#pragma omp master
        threads = omp_get_num_threads();
    }
    printf("%d %d %d\n", omp_get_max_threads(), most, threads);
    return 0;
}
"""
LOOPS = r"""
#include <omp.h>
static volatile long work;
int main(void) {
    int back = 0, before_first = 0;
    for (int turn = 0; turn < 20; turn++) {
#pragma omp parallel num_threads(4) reduction(| : back, before_first)
        {
            int first = -1, last = -1;
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 3000; i++) {
                first = first < 0 ? i : first;
                before_first |= i < first;
                back |= i < last;
                last = i;
                for (int j = 0; j < (omp_get_thread_num() % 2 ? 900 : 90); j++)
                    work = j;
            }
        }
    }
    return back | before_first << 1;
}
"""

# Calls every group of the kmp_* routines; its exit status is the number of the check that failed.
ROUTINES = r"""
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void kmp_set_stacksize_s(size_t); size_t kmp_get_stacksize_s(void);
void kmp_set_blocktime(int); int kmp_get_blocktime(void);
void kmp_set_library(int); int kmp_get_library(void); void kmp_set_library_serial(void); void kmp_set_library_throughput(void);
void kmp_set_defaults(const char *); int kmp_get_num_known_threads(void);
void kmp_set_warnings_off(void);
void *kmp_malloc(size_t), *kmp_calloc(size_t, size_t), *kmp_realloc(void *, size_t);
void *kmp_aligned_malloc(size_t, size_t); void kmp_free(void *);
void kmp_create_affinity_mask(void **); void kmp_destroy_affinity_mask(void **);
int kmp_set_affinity(void **), kmp_get_affinity(void **), kmp_get_affinity_max_proc(void);
int kmp_set_affinity_mask_proc(int, void **), kmp_unset_affinity_mask_proc(int, void **);
int kmp_get_affinity_mask_proc(int, void **), kmp_set_thread_affinity_mask_initial(void);
void kmp_set_defaults_(const char *, int); void kmp_set_blocktime_(const int *);
int kmp_get_affinity_mask_proc_(const int *, void **);
#define CHECK(what) do { number++; if (!(what)) return number; } while (0)
int main(void) {
    int number = 0, three = 3, cpu = 0, count = 0;
    void *mask, *now;
    kmp_set_defaults("OMP_NUM_THREADS=3|OMP_DYNAMIC=false");
    kmp_set_defaults_("OMP_MAX_ACTIVE_LEVELS=2 and more", 23);
    CHECK(omp_get_max_threads() == 3);
    CHECK(omp_get_max_active_levels() == 2);
    kmp_set_stacksize_s(1000000);
    CHECK(kmp_get_stacksize_s() == 1000000);
    kmp_set_blocktime(7);
    CHECK(kmp_get_blocktime() == 7);
    kmp_set_blocktime_(&three);
    CHECK(kmp_get_blocktime() == 3);
    CHECK(kmp_get_library() == 3);
    kmp_set_library(2);
    CHECK(kmp_get_library() == 2 && kmp_get_blocktime() == INT_MAX);
    kmp_set_library(3);
    CHECK(kmp_get_blocktime() < INT_MAX);
    #pragma omp parallel reduction(+: count)
    count++;
    CHECK(count == 3 && kmp_get_num_known_threads() >= 3);
    kmp_set_warnings_off();
    kmp_set_stacksize_s(2000000); /* too late */
    CHECK(kmp_get_stacksize_s() == 1000000);
    kmp_set_library_serial();
    CHECK(omp_get_max_threads() == 1);
    count = 0;
    #pragma omp parallel num_threads(3) reduction(+: count)
    count++;
    CHECK(count == 1);
    kmp_set_library_throughput();
    count = 0;
    #pragma omp parallel num_threads(3) reduction(+: count)
    count++;
    CHECK(count == 3 && omp_get_max_threads() > 1);

    char *block = kmp_aligned_malloc(100, 4096);
    CHECK(block && (uintptr_t)block % 4096 == 0);
    kmp_free(block);
    CHECK(!kmp_aligned_malloc(100, 100));
    block = kmp_calloc(10, 10);
    CHECK(block && !memchr(block, 1, 100) && block[99] == 0);
    block[99] = 5;
    block = kmp_realloc(block, 100000);
    CHECK(block && block[99] == 5);
    kmp_free(block);
    kmp_free(kmp_malloc(10));

    kmp_create_affinity_mask(&mask);
    kmp_create_affinity_mask(&now);
    CHECK(kmp_get_affinity(&mask) == 0);
    while (kmp_get_affinity_mask_proc(cpu, &mask) == 0) cpu++;
    CHECK(kmp_get_affinity_mask_proc(cpu, &mask) == 1);
    CHECK(cpu < kmp_get_affinity_max_proc());
    CHECK(kmp_unset_affinity_mask_proc(cpu, &mask) == 0);
    CHECK(kmp_get_affinity_mask_proc_(&cpu, &mask) == 0);
    CHECK(kmp_set_affinity_mask_proc(-1, &mask) == -1);
    kmp_destroy_affinity_mask(&mask);
    CHECK(mask == NULL);
    kmp_create_affinity_mask(&mask);
    CHECK(kmp_set_affinity(&mask) != 0); /* no CPU */
    CHECK(kmp_set_affinity_mask_proc(cpu, &mask) == 0 && kmp_set_affinity(&mask) == 0);
    CHECK(kmp_get_affinity(&now) == 0 && kmp_get_affinity_mask_proc(cpu, &now) == 1);
    for (int other = cpu + 1; other < kmp_get_affinity_max_proc(); other++)
        CHECK(kmp_get_affinity_mask_proc(other, &now) == 0);
    CHECK(kmp_set_thread_affinity_mask_initial() == 0);
    return 0;
}
"""


def clean_environment():
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_", "LD_"))}


class KmpVariables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.placed = cls.compile("placed", PLACED)
        cls.routines = cls.compile("routines", ROUTINES)
        cls.loops = cls.compile("loops", LOOPS)
        cls.target = cls.compile("target", TARGET)
        cls.cpus = sorted(os.sched_getaffinity(0))
        cls.all = "".join(f".{cpu}" for cpu in cls.cpus)

    @classmethod
    def compile(cls, name, text):
        program = Path(cls.folder.name) / name
        source = program.with_suffix(".c")
        source.write_text(text)
        subprocess.run([COMPILER, "-fopenmp", str(source), "-o", str(program), "-L",
                        str(LIBRARY.parent), "-lheddle"], check=True, timeout=TIMEOUT)
        return program

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_program(self, program, **variables):
        where = {"LD_PRELOAD": str(LIBRARY), "LD_LIBRARY_PATH": str(LIBRARY.parent)}
        return subprocess.run([program], env=clean_environment() | where | variables,
                              capture_output=True, text=True, timeout=TIMEOUT)

    def places(self, **variables):
        """The CPUs of each thread, those of the initial thread afterwards, and what was said."""
        done = self.run_program(self.placed, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        size, rest = done.stdout.split(":")
        threads, outside = rest.split("outside")
        self.assertEqual(len(threads.split()), int(size))
        return threads.split(), outside.strip(), done.stderr

    def test_compact_threads_take_the_cpus_in_turn(self):
        count = len(self.cpus)
        threads, outside, said = self.places(KMP_AFFINITY="granularity=fine,compact",
                                             OMP_NUM_THREADS=str(count + 1))
        self.assertEqual(sorted(threads[:count]), sorted(f".{cpu}" for cpu in self.cpus))
        self.assertEqual(threads[count], threads[0])
        self.assertEqual((outside, said), (threads[0], ""))

    def test_an_unknown_part_is_a_message_and_the_rest_binds(self):
        threads, _, said = self.places(KMP_AFFINITY="bogus,granularity=fine,compact",
                                       OMP_NUM_THREADS="1")
        self.assertEqual(threads[0].count("."), 1)
        self.assertRegex(said, r"\Aheddle: KMP_AFFINITY: bad value 'bogus,.*\n\Z")

    def test_reset_gives_the_cpus_back(self):
        threads, outside, _ = self.places(KMP_AFFINITY="granularity=fine,compact,reset")
        self.assertEqual(outside, self.all)
        self.assertTrue(all(thread.count(".") == 1 for thread in threads))

    def test_explicit_places(self):
        last, first = f".{self.cpus[-1]}", f".{self.cpus[0]}"
        threads, _, said = self.places(
            KMP_AFFINITY=f"explicit,granularity=fine,proclist=[{last[1:]},{first[1:]}]",
            OMP_NUM_THREADS="2")
        self.assertEqual((threads, said), ([last, first], ""))

    def test_a_list_of_any_length(self):
        every = ",".join(map(str, range(8192)))
        threads, _, said = self.places(
            KMP_AFFINITY=f"explicit,granularity=fine,proclist=[{every}]",
            OMP_NUM_THREADS=str(len(self.cpus)))
        self.assertEqual(threads, [f".{cpu}" for cpu in self.cpus])
        self.assertRegex(said, r"\Aheddle: KMP_AFFINITY: places of the proclist without .*\n\Z")

    def test_nothing_is_bound_by_these(self):
        for value in ("none", "disabled", "respect", "reset"):
            with self.subTest(value=value):
                threads, outside, said = self.places(KMP_AFFINITY=value, OMP_NUM_THREADS="2")
                self.assertEqual((threads, outside, said), ([self.all] * 2, self.all, ""))

    def test_a_subset_is_fewer_threads_on_fewer_cpus(self):
        threads, _, said = self.places(KMP_HW_SUBSET=":1t")
        self.assertEqual((len(threads), threads[0].count("."), said), (1, 1, ""))

    def test_target_regions_have_the_subset_too(self):
        for variables in ({"KMP_HW_SUBSET": ":1t"},
                          {"OMP_PLACES": "threads", "LOCAL_RANK": "0",
                           "LOCAL_WORLD_SIZE": str(len(self.cpus))}):
            with self.subTest(variables):
                done = self.run_program(self.target, **variables)
                self.assertEqual((done.stdout, done.stderr), ("1 1 1\n", ""))

    def test_the_environment_is_displayed_as_it_is_in_the_end(self):
        for threads, variables in (
                (1, {"KMP_HW_SUBSET": ":1t"}),
                (1, {"OMP_PLACES": "threads", "LOCAL_RANK": "0",
                     "LOCAL_WORLD_SIZE": str(len(self.cpus))}),
                (3, {"KMP_HW_SUBSET": ":1t", "OMP_NUM_THREADS": "3"})):
            with self.subTest(variables):
                done = self.run_program(self.target, **variables, OMP_DISPLAY_ENV="true")
                self.assertIn(f"  OMP_NUM_THREADS = '{threads}'\n", done.stderr)

    def test_a_subset_that_is_not_there_is_one_warning(self):
        threads, _, said = self.places(KMP_HW_SUBSET="9999c", OMP_NUM_THREADS="2")
        self.assertEqual(threads, [self.all] * 2)
        self.assertRegex(said, r"\Aheddle: KMP_HW_SUBSET: ignored.*\n\Z")

    def test_kmp_affinity_wins_over_openmp(self):
        first, last = f".{self.cpus[0]}", f".{self.cpus[-1]}"
        two = f"explicit,granularity=fine,proclist=[{last[1:]},{first[1:]}]"
        every = [self.all] * 2
        for value, expected in ((two, [last, first]), ("none", every), ("disabled", every)):
            for name, other in (("OMP_PROC_BIND", "false"), ("OMP_PROC_BIND", "spread"),
                                ("OMP_PLACES", f"{{{first[1:]}}}"),
                                ("GOMP_CPU_AFFINITY", first[1:])):
                with self.subTest(value=value, name=name, other=other):
                    threads, _, said = self.places(KMP_AFFINITY=value, OMP_NUM_THREADS="2",
                                                   **{name: other})
                    self.assertEqual(threads, expected)
                    self.assertEqual(said, f"heddle: {name}: ignored, for KMP_AFFINITY is set\n")

    def test_modifiers_alone_leave_openmp_in_charge(self):
        first = f".{self.cpus[0]}"
        threads, _, said = self.places(KMP_AFFINITY="respect", OMP_NUM_THREADS="2",
                                       OMP_PLACES=f"{{{first[1:]}}}")
        self.assertEqual((threads, said), ([first] * 2, ""))

    def test_verbose_tells_where_threads_go(self):
        _, _, said = self.places(KMP_AFFINITY="verbose,compact", OMP_NUM_THREADS="1")
        self.assertRegex(said, r"heddle: KMP_AFFINITY: place 0: CPUs \d")
        self.assertRegex(said, r"heddle: KMP_AFFINITY: thread \d+ is bound to place 0\n")

    def test_limits(self):
        self.assertEqual(len(self.places(OMP_NUM_THREADS="4", KMP_DEVICE_THREAD_LIMIT="2")[0]), 2)
        self.assertEqual(len(self.places(OMP_NUM_THREADS="4", KMP_LIBRARY="serial")[0]), 1)

    def test_a_bad_value_is_one_line_and_warnings_can_be_off(self):
        _, _, said = self.places(KMP_BLOCKTIME="foo")
        self.assertRegex(said, r"\Aheddle: KMP_BLOCKTIME: bad value 'foo': expected .*\n\Z")
        self.assertEqual(self.places(KMP_BLOCKTIME="foo", KMP_WARNINGS="0")[2], "")

    def test_settings_and_version_are_printed(self):
        _, _, said = self.places(KMP_SETTINGS="1", KMP_VERSION="1", KMP_BLOCKTIME="50us")
        self.assertRegex(said, r"Heddle \d+\.\d+")
        user, effective = said.split("Effective settings:")
        self.assertIn("   KMP_BLOCKTIME=50us\n", user)
        self.assertIn("   KMP_BLOCKTIME='50us'\n", effective)

    def test_settings_are_those_of_the_user_before_the_program_begins(self):
        _, _, said = self.places(KMP_SETTINGS="1", OMP_DISPLAY_ENV="true", KMP_BLOCKTIME="50us")
        user = said.split("User settings:")[1].split("Effective settings:")[0]
        self.assertIn("   KMP_BLOCKTIME=50us\n", user)

    def test_loops_in_order(self):
        done = self.run_program(self.loops, KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE="true")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_program(self.loops)
        self.assertEqual((done.returncode & 2, done.stderr), (0, ""))

    def test_routines(self):
        done = self.run_program(self.routines)
        self.assertEqual((done.returncode, done.stderr), (0, ""), "the number of the check")


if __name__ == "__main__":
    unittest.main()
