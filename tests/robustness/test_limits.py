# SPDX-License-Identifier: Apache-2.0
"""What the system refuses costs threads, never the program: one warning, a smaller team, the right
answer. Real limits, real control groups, real namespaces where this machine lets them be made.

Run by ctest with HEDDLE_LIBRARY and CC set.
"""

import os
import resource
import subprocess
import unittest
from pathlib import Path

from control_groups import Group
from programs import DROP_IN, LIBRARY, NOBODY, Programs, clean_environment

WARNING = r"\Aheddle: the system refused a thread: .* asked for {} threads and gets {}.*\n\Z"
THREADS = 6
MIB = 1 << 20


class Limits(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = cls.build_with_each("limits.c")
        cls.refusing_library = cls.build("refuse.c", "-DLIBRARY", "-shared", "-fPIC", openmp=False,
                                         name="refuse.so")
        cls.refuse = cls.build("refuse.c", openmp=False)

    def each(self, *, before=(), regions=3, **options):
        """Runs both programs, behind the command line `before`. For each, the size of the first
        team, that of the last, omp_get_max_threads(), the growth of memory in KiB, its size, and what
        was said."""
        variables = {"OMP_NUM_THREADS": str(THREADS)} | options.pop("variables", {})
        results = []
        for program in self.programs.values():
            done = self.run_program(*before, program, regions, variables=variables, **options)
            if done.returncode == 77:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 0, (program, done.stderr))
            results.append((*map(int, done.stdout.split()), done.stderr))
        return results

    def expect_team(self, size, **options):
        """That first and last team have `size` threads, and that it is told once if these are few."""
        for first, last, offered, *_, said in self.each(**options):
            self.assertEqual((first, last, offered), (size, size, THREADS))
            if size < THREADS:
                self.assertRegex(said, WARNING.format(THREADS, size))
            else:
                self.assertEqual(said, "")

    def expect_smaller_teams(self, **options):
        """That teams are smaller than asked for, by one warning."""
        for first, last, offered, *_, said in self.each(**options):
            self.assertEqual(offered, THREADS)
            self.assertTrue(1 <= first < THREADS and 1 <= last < THREADS, (first, last))
            self.assertRegex(said, WARNING.format(THREADS, r"\d"))

    def test_small_stacks(self):
        """A thread of the pool that comes first to a loop, which it describes to the others, needs
        little of its stack for it."""
        for program in self.programs.values():
            done = self.run_program(program, 3, "late", variables={"OMP_NUM_THREADS": "4",
                                                                   "OMP_STACKSIZE": "32K"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            self.assertEqual(done.stdout.split()[:3], ["4", "4", "4"])

    def test_threads_that_cannot_be_created(self):
        for allowed in range(THREADS):
            self.expect_team(allowed + 1, variables={"LD_PRELOAD": str(self.refusing_library),
                                                     "REFUSE_AFTER": str(allowed)})

    def test_refusals_do_not_gather_memory(self):
        for *_, growth, _, said in self.each(regions=20000, variables={
                "LD_PRELOAD": str(self.refusing_library), "REFUSE_AFTER": "1"}):
            self.assertLess(growth, 1024)
            self.assertRegex(said, WARNING.format(THREADS, 2))

    def test_address_space(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (120 * MIB, 120 * MIB))
        self.expect_smaller_teams(preexec_fn=limit, variables={"OMP_STACKSIZE": "60M"})

    def test_hardly_any_address_space(self):
        """What is left after loading has room for one default stack, or for none."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (12 * MIB, 12 * MIB))
        self.expect_smaller_teams(preexec_fn=limit)

    def test_stacks_leave_addresses_to_the_heap(self):
        for name, program in self.build_with_each("many_tasks.c").items():
            for size in range(32, 161, 16):
                def limit(size=size):
                    resource.setrlimit(resource.RLIMIT_AS, (size * MIB, size * MIB))
                with self.subTest(compiler=name, mib=size):
                    done = self.run_program(program, preexec_fn=limit)
                    self.assertEqual((done.returncode, done.stdout), (0, "12000\n"), done.stderr)

    def test_a_warning_that_nobody_reads_ends_nothing(self):
        for program in self.programs.values():
            reader, writer = os.pipe()
            os.close(reader)
            with open(writer, "wb") as nobody:
                done = subprocess.run([program, "3"], stdout=subprocess.PIPE, stderr=nobody,
                                      env=clean_environment(KMP_BLOCKTIME="zz",
                                                            OMP_NUM_THREADS="2"), check=False,
                                      timeout=100)
            self.assertEqual((done.returncode, done.stdout.split()[:3]), (0, [b"2", b"2", b"2"]))

    def test_data_segment(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (20 * MIB, 20 * MIB))
        self.expect_smaller_teams(preexec_fn=limit)

    def test_stacks_larger_than_the_machine(self):
        for *_, said in self.each(variables={"OMP_STACKSIZE": "100000G"}):
            self.assertRegex(said, WARNING.format(THREADS, 1))
            self.assertIn("OMP_STACKSIZE", said)
        for *_, said in self.each(variables={"KMP_STACKSIZE": "100000G"}):
            self.assertIn("KMP_STACKSIZE", said)

    def test_processes_of_the_user(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": ()} if os.geteuid() == 0 else {}
        try:
            os.stat(self.programs["gcc"])
            subprocess.run(["ls", str(self.programs["gcc"]), str(DROP_IN / "libgomp.so.1")],
                           check=True, capture_output=True, timeout=10, **user)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("another user cannot read the test's folder")
        self.expect_team(1, preexec_fn=limit, **user)

    def test_processes_of_a_control_group(self):
        with Group("pids", {1: {"pids.max": "3"}, 2: {"pids.max": "3"}}) as group:
            self.expect_team(3, before=group.command())

    def test_stacks_are_no_memory_until_they_are_used(self):
        threads = 50
        for size, *_, memory, said in self.each(variables={"OMP_NUM_THREADS": str(threads),
                                                           "OMP_STACKSIZE": "64M"}):
            self.assertEqual((size, said), (threads, ""))
            self.assertLess(memory, threads * 4 * 1024)  # a huge page each, where they are asked for

    def test_threads_that_start_reserve_no_addresses(self):
        """But for their stacks. For a thread that asks for memory the C library reserves 64 MiB,
        which may be those that the stack of the next one would have had."""
        for name, program in self.programs.items():
            done = self.run_program(program, 1, "addresses", variables={
                "OMP_NUM_THREADS": str(THREADS), "OMP_STACKSIZE": "256K", "HEDDLE_STAND_IN": "0"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertLess(int(done.stdout), 32 << 10, name)

    def test_stack_limits(self):
        for size in (64 << 10, MIB, resource.RLIM_INFINITY):
            def limit(size=size):
                resource.setrlimit(resource.RLIMIT_STACK, (size, resource.RLIM_INFINITY))
            hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
            if hard == resource.RLIM_INFINITY:
                self.expect_team(THREADS, preexec_fn=limit)

    def test_no_files_can_be_opened(self):
        """Control groups and topology cannot be read then."""
        for name, program in self.programs.items():
            with self.subTest(compiler=name):
                done = self.run_program(program, 3, "no-files",
                                        variables={"OMP_NUM_THREADS": str(THREADS),
                                                   "OMP_PLACES": "cores"})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.split()[:3], [str(THREADS)] * 3)

    def test_nobody_listens(self):
        """Warnings without a stderr are no reason to fail."""
        for program in self.programs.values():
            done = self.run_program(
                "sh", "-c", 'exec "$0" "$@" 2>&-', program, 3,
                variables={"OMP_NUM_THREADS": str(THREADS), "OMP_SCHEDULE": "nonsense",
                           "LD_PRELOAD": str(self.refusing_library), "REFUSE_AFTER": "1"})
            self.assertEqual((done.returncode, done.stdout.split()[:2]), (0, ["2", "2"]))

    def test_without_system_calls_that_filters_forbid(self):
        calls = ("membarrier", "sched_setaffinity", "sched_getaffinity", "sched_yield", "getcpu",
                 "getrusage", "mbind", "set_mempolicy", "get_mempolicy", "sigaltstack", "clone3",
                 "rseq")
        for forbidden in (*[(call,) for call in calls], calls):
            self.expect_team(THREADS, before=(self.refuse, *forbidden, "--"))

    def test_locks_whose_sleepers_a_filter_keeps_from_fencing_the_others(self):
        program = self.build("contended.c", name="contended")
        for policy in ("active", "passive"):
            done = self.run_program(self.refuse, "membarrier", "--", program, 200,
                                    variables={"OMP_NUM_THREADS": str(THREADS),
                                               "OMP_WAIT_POLICY": policy})
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, f"{200 * THREADS} {200 * THREADS}\n", ""))

    def test_binding_that_a_filter_forbids_is_one_warning(self):
        for *_, said in self.each(before=(self.refuse, "sched_setaffinity", "--"),
                                  variables={"OMP_PLACES": "threads"}):
            self.assertRegex(said, r"\Aheddle: the system refused to bind a thread to place \d+.*\n\Z")

    def test_memory_that_a_filter_forbids_to_place(self):
        include = Path(__file__).resolve().parents[2] / "include"
        program = self.build("../heddle/locality.c", f"-I{include}", str(LIBRARY),
                             f"-Wl,-rpath,{LIBRARY.parent}", name="locality", openmp=False)
        calls = ("mbind", "set_mempolicy", "get_mempolicy", "move_pages")
        done = self.run_program(self.refuse, *calls, "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)

    def in_namespace(self, change):
        """A command line that runs a program where the shell command `change` has been at work."""
        flags = ["--mount"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--mount"]
        before = ["unshare", *flags, "sh", "-c", f'{change} && exec "$0" "$@"']
        try:
            done = subprocess.run([*before, "true"], capture_output=True, text=True, timeout=30,
                                  check=False)
        except FileNotFoundError as error:
            self.skipTest(str(error))
        if done.returncode != 0:
            self.skipTest(f"no namespace for this: {done.stderr}")
        return before

    def test_without_shared_memory(self):
        for change in ("umount -l /dev/shm", "mount -t tmpfs -o ro none /dev/shm"):
            self.expect_team(THREADS, before=self.in_namespace(change))

    def test_without_proc_and_sys(self):
        for change in ("mount -t tmpfs -o ro none /sys", "mount -t tmpfs -o ro none /proc"):
            for variables in ({}, {"OMP_PLACES": "cores"}):
                self.expect_team(THREADS, before=self.in_namespace(change), variables=variables)


if __name__ == "__main__":
    unittest.main()
