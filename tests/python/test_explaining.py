# SPDX-License-Identifier: Apache-2.0
"""What `heddle info` and `heddle doctor` tell: of made-up machines, control groups and situations,
and of real programs and processes.

Called by ctest with HEDDLE_LIBRARY and CC set and a Python that has click, rich and pyelftools.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_command import LIBRARY, ROOT, TIMEOUT, environment, heddle

sys.path.insert(0, str(ROOT / "python"))
sys.argv[0] = "heddle"  # so that importing the package activates nothing here

from heddle import budget, diagnosis, launcher, machine, runtimes, subject  # noqa: E402

OMP = "/usr/lib/llvm-19/lib/libomp.so.5"


def files(root, **texts):
    """Files below a folder; a name's "__" is a slash and "_dot_" a dot."""
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)


class Budget(Scratch):
    def test_version_2_up_to_the_top(self):
        files(self.root, proc__self__cgroup="0::/a/b\n", top__a__b__cpu_dot_max="max 100000\n",
              proc__self__mountinfo="25 1 0:2 / /top rw - cgroup2 cgroup2 rw\n",
              top__a__cpu_dot_max="150000 100000\n", top__cpu_dot_max="900000 100000\n")
        found = budget.budget(root=self.root)
        self.assertEqual([(one.cpus, str(one.file.relative_to(self.root))) for one in found.quotas],
                         [(1.5, "top/a/cpu.max"), (9.0, "top/cpu.max")])
        self.assertEqual(found.quota.cpus, 1.5)
        self.assertEqual(found.cpus, min(2, len(os.sched_getaffinity(0))))
        self.assertIn("quota: 1.5 CPUs, set by", "\n".join(found.explain()))

    def test_version_1_in_a_container(self):
        files(self.root, proc__self__cgroup="4:cpu,cpuacct:/docker/x\n0::/\n",
              proc__self__mountinfo="30 1 0:3 /other /with\\040blank rw - cgroup cgroup rw,cpu\n",
              **{"with blank__cpu_dot_cfs_quota_us": "50000\n",
                 "with blank__cpu_dot_cfs_period_us": "100000\n"})
        found = budget.budget(root=self.root)
        self.assertEqual([one.cpus for one in found.quotas], [0.5])
        self.assertEqual(found.cpus, 1)

    def test_no_quota(self):
        files(self.root, proc__self__cgroup="0::/\n", top__cpu_dot_max="max 100000\n",
              proc__self__mountinfo="25 1 0:2 / /top rw - cgroup2 cgroup2 rw\n")
        found = budget.budget(root=self.root)
        self.assertEqual((found.quotas, found.cpus), ((), len(os.sched_getaffinity(0))))

    def test_ranges(self):
        self.assertEqual(budget.ranges(frozenset({0, 1, 2, 5, 7, 8})), "0-2,5,7-8")


class Machine(Scratch):
    def test_two_sockets(self):
        folder = "sys__devices__system__"
        files(self.root, proc__cpuinfo="model name\t: Loom 9\n",
              **{f"{folder}cpu__online": "0-7\n", f"{folder}node__node0__cpulist": "0-1,4-5\n",
                 f"{folder}node__node1__cpulist": "2-3,6-7\n",
                 f"{folder}node__node0__meminfo": "Node 0 MemTotal:  2097152 kB\n"},
              **{f"{folder}cpu__cpu{cpu}__topology__physical_package_id": f"{cpu // 2 % 2}\n"
                 for cpu in range(8)},
              **{f"{folder}cpu__cpu{cpu}__topology__core_id": f"{cpu % 2}\n" for cpu in range(8)})
        found = machine.machine(self.root)
        self.assertEqual(found.heading(), "Loom 9: 2 sockets, 2 NUMA nodes, 4 cores, 8 CPUs")
        self.assertEqual(found.draw(frozenset({0, 1, 2, 3, 4, 5, 6})),
                         ["socket 0", "  node 0, 2.0 GiB", "    [0 4] [1 5]",
                          "socket 1", "  node 1", "    [2 6] [3 (7)]"])

    def test_this_one(self):
        self.assertGreaterEqual(sum(len(core.cpus) for core in machine.machine().cores), 1)


class Runtimes(unittest.TestCase):
    def test_names(self):
        for name, expected in (("libgomp-e985bcbb.so.1.0.0", "gomp"), ("libgomp.so.1", "gomp"),
                               ("libomp.so.5", "omp"), ("libiomp5.so", "iomp5"),
                               ("libheddle.so", "heddle"), ("libompd.so", ""),
                               ("libomptarget.so.19", ""), ("libgompx.so", "")):
            self.assertEqual(runtimes.kind(f"/nowhere/{name}"), expected, name)

    def test_a_drop_in_link_is_heddle(self):
        self.assertEqual(runtimes.kind(str(LIBRARY.parent / "drop-in" / "libgomp.so.1")), "heddle")


class Diagnosis(unittest.TestCase):
    """Two CPUs of four, unless a test says otherwise."""

    def fixes(self, environ=None, quotas=(), cpus=2, **more):
        granted = budget.Budget(frozenset(range(cpus)), 4, quotas)
        now = diagnosis.Situation(environ or {}, granted, **more)
        return [finding.fix for finding in diagnosis.examine(now)]

    def test_nothing(self):
        self.assertEqual(self.fixes(), [])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "2"}), [])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "nonsense"}), [])

    def test_more_threads_than_cpus(self):
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "3"}), ["OMP_NUM_THREADS=2"])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "2,2"}), ["OMP_NUM_THREADS=2"])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "2", "LOCAL_WORLD_SIZE": "2"}),
                         ["OMP_NUM_THREADS=1"])
        self.assertEqual(self.fixes({"LOCAL_WORLD_SIZE": "2"}), ["OMP_NUM_THREADS=1"])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS_ALL": "64"}), ["OMP_NUM_THREADS_ALL=2"])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS_ALL": "64", "OMP_NUM_THREADS": "2"}), [])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "9" * 18 + f",{'9' * 18}" * 999}),
                         ["OMP_NUM_THREADS=2"])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "9" * 5000}), [])
        self.assertEqual(self.fixes(siblings=3, threads=6), ["OMP_NUM_THREADS=1 for each"])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "4", "OMP_WAIT_POLICY": "active"}),
                         ["OMP_NUM_THREADS=2", "unset OMP_WAIT_POLICY"])

    def test_processes_of_slurm(self):
        """Its list has the tasks of each machine, as the library reads it."""
        step = {"SLURM_STEP_ID": "0", "OMP_NUM_THREADS": "1"}
        for listed, node, processes in (("4", "0", 4), ("2(x2),3", "1", 2), ("2(x2),3", "2", 3),
                                        ("2(x2),3", "3", 1), ("x", "0", 1), ("9" * 5000, "0", 1)):
            own = {**step, "SLURM_STEP_TASKS_PER_NODE": listed, "SLURM_NODEID": node}
            self.assertEqual(launcher.local_processes(own), (processes, "srun" if processes > 1
                                                             else ""), listed)
        own = {"SLURM_STEP_TASKS_PER_NODE": "4", "OMP_NUM_THREADS": "2"}
        self.assertEqual(self.fixes({**own, "SLURM_STEP_ID": "0"}), ["OMP_NUM_THREADS=1"])
        self.assertEqual(self.fixes(own), [])
        self.assertEqual(launcher.local_processes({**step, "SLURM_NTASKS_PER_NODE": "3"}),
                         (3, "srun"))

    def test_quota(self):
        half = (budget.Quota(1.0, Path("cpu.max")),)
        self.assertEqual(self.fixes(quotas=half), ["heddle run PROGRAM, or OMP_NUM_THREADS=1"])
        self.assertEqual(self.fixes({"OMP_NUM_THREADS": "1"}, quotas=half), [])
        self.assertEqual(self.fixes({"LD_PRELOAD": str(LIBRARY)}, quotas=half), [])
        self.assertEqual(self.fixes(quotas=(budget.Quota(2.0, Path("cpu.max")),)), [])

    def test_binding(self):
        launched = {"OMP_PROC_BIND": "close", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"}
        self.assertEqual(len(self.fixes(launched, cpus=4)), 1)
        self.assertEqual(self.fixes(launched), [])  # bound by the launcher
        self.assertEqual(self.fixes({**launched, "LD_PRELOAD": str(LIBRARY)}, cpus=4), [])
        self.assertEqual(len(self.fixes({"OMP_PLACES": "{0},{3}"})), 1)
        self.assertEqual(len(self.fixes({"GOMP_CPU_AFFINITY": "0-1 3"})), 1)
        self.assertEqual(len(self.fixes({"GOMP_CPU_AFFINITY": "0-99999999999"})), 1)
        self.assertEqual(len(self.fixes({"OMP_PLACES": "{0},{999999999999}"})), 1)
        self.assertEqual(self.fixes({"OMP_PLACES": "{0},{1}"}), [])
        self.assertEqual(self.fixes({"OMP_PLACES": "{0:4:2}"}), [])
        self.assertEqual(self.fixes({"OMP_PLACES": "cores", "KMP_AFFINITY": "compact"}),
                         ["keep OMP_PLACES alone"])

    def test_several_runtimes(self):
        two = subject.Serving(("/a/libgomp.so.1", "/b/libomp.so.5"), {"GOMP_*": "/a/libgomp.so.1"})
        self.assertEqual(len(self.fixes(serving=two)), 1)
        ours = subject.Serving(("/a/libgomp.so.1", str(LIBRARY)), {"GOMP_*": str(LIBRARY)})
        self.assertEqual(self.fixes(serving=ours), [])

    def test_what_the_library_refuses(self):
        self.assertEqual(self.fixes(refusals=["heddle: OMP_SCHEDULE: bad value 'x': expected y"]),
                         ["correct or unset OMP_SCHEDULE"])

    def test_preloading(self):
        for path in ("/nowhere/lib.so", "libnosuch.so", "libm.so.6:libnosuch.so"):
            self.assertEqual(self.fixes({"LD_PRELOAD": path}), ["correct or unset LD_PRELOAD"])
        self.assertEqual(self.fixes({"LD_PRELOAD": "libm.so.6"}), [])
        folder = {"LD_LIBRARY_PATH": str(LIBRARY.parent), "LD_PRELOAD": LIBRARY.name}
        self.assertEqual(self.fixes(folder), [])
        self.assertEqual(len(self.fixes(hindrance="a blank in its name")), 1)
        fixed = subject.Serving((), {}, (), "it is linked statically")
        self.assertEqual(len(self.fixes({"LD_PRELOAD": str(LIBRARY)}, serving=fixed)), 1)
        self.assertEqual(self.fixes(serving=fixed), [])


class Commands(Scratch):
    def compile(self, name, *flags):
        source, program = self.root / "source.c", self.root / name
        source.write_text("#include <unistd.h>\n#include <stdio.h>\nint heddle_version;\n"
                          "int main(void) {\n"
                          "#pragma omp parallel\n;\nputs(\"ready\");\nfflush(stdout);\n"
                          "return (int)read(0, &(char){0}, 1);\n}\n")
        subprocess.run([os.environ.get("CC", "gcc"), "-fopenmp", source, "-o", program, *flags],
                       check=True, timeout=TIMEOUT, stderr=subprocess.DEVNULL)
        return program

    def test_info_of_the_machine(self):
        done = heddle("info", OMP_NUM_THREADS="3", OMP_SCHEDULE="nonsense")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"CPU budget: {budget.budget().cpus}\n", done.stdout)
        self.assertRegex(done.stdout, r"OMP_NUM_THREADS +3 +environment")
        self.assertRegex(done.stdout, r"OMP_DYNAMIC +FALSE +default")
        self.assertIn("OMP_SCHEDULE: bad value 'nonsense'", done.stdout)

    def sources(self, **variables):
        """By name: what `heddle info` says of the variables that are not as by default."""
        done = heddle("info", **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.split() for line in done.stdout.splitlines() if line.endswith("environment")]
        return {fields[0]: fields[1] for fields in lines}, done.stdout

    def test_whose_value_it_is(self):
        """Another variable may decide, and what is refused decides nothing."""
        for variables, expected in (
                ({"OMP_NUM_THREADS_ALL": "3"}, {"OMP_NUM_THREADS": "3"}),
                ({"GOMP_STACKSIZE": "1M"}, {"OMP_STACKSIZE": "1048576",
                                            "GOMP_STACKSIZE": "1048576"}),
                ({"KMP_ALL_THREADS": "7"}, {"OMP_THREAD_LIMIT": "7",
                                            "KMP_DEVICE_THREAD_LIMIT": "7"}),
                ({"KMP_LIBRARY": "turnaround"}, {"KMP_LIBRARY": "turnaround",
                                                 "OMP_WAIT_POLICY": "ACTIVE"}),
                ({"OMP_NUM_THREADS": "abc", "OMP_DYNAMIC": "false"}, {"OMP_DYNAMIC": "FALSE"}),
                ({"OMP_AFFINITY_FORMAT": "a\n  b = 'c'\nd"},
                 {"OMP_AFFINITY_FORMAT": "a\\n"}),
                ({"KMP_SETTINGS": "1", "HEDDLE_STATS": "./f"}, {"KMP_SETTINGS": "TRUE",
                                                               "HEDDLE_STATS": "./f"})):
            self.assertEqual(self.sources(**variables)[0], expected)

    def test_nothing_is_kept_back_that_is_refused(self):
        for variables in ({"KMP_WARNINGS": "0", "OMP_SCHEDULE": "bla"}, {"KMP_HW_SUBSET": "4097c"},
                          {"OMP_DISPLAY_ENV": "perhaps"}, {"HEDDLE_STATS": "perhaps"},
                          {"OMP_TOOL": "maybe"}, {"OMP_PLACES": "{0},{4096}"}):
            name = list(variables)[-1]
            done = heddle("doctor", **variables)
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn(f"problem: {name}: ", done.stdout)
            self.assertEqual(done.stdout.count("problem:"), 1, done.stdout)

    def test_what_is_asked_for_is_no_problem(self):
        done = heddle("doctor", KMP_AFFINITY="verbose,compact")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_library_that_cannot_be_preloaded(self):
        folder = self.root / "a b"
        folder.mkdir()
        (folder / "libheddle.so").symlink_to(LIBRARY)
        named = {"HEDDLE_LIBRARY": str(folder / "libheddle.so"), "OMP_NUM_THREADS": "3"}
        values, told = self.sources(**named)
        self.assertEqual(values, {"OMP_NUM_THREADS": "3"})
        self.assertIn("takes no path with blanks", told)
        self.assertIn("takes no path with blanks", heddle("doctor", **named).stdout)

    def test_a_library_that_does_not_answer(self):
        program = self.compile("other.so", "-shared", "-fPIC", "-fno-openmp")
        for command in ("info", "doctor"):
            done = heddle(command, HEDDLE_LIBRARY=str(program))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\AError: '.*' does not tell its variables: .*undefined "
                                          r"symbol.*\n\Z")

    def test_the_budget_is_the_librarys(self):
        asked = subprocess.run(
            [sys.executable, "-c", "import ctypes, sys\n"
             "print(ctypes.CDLL(sys.argv[1]).omp_get_max_threads())", LIBRARY],
            env=environment(), capture_output=True, text=True, check=True, timeout=TIMEOUT)
        self.assertEqual(int(asked.stdout), budget.budget().cpus)

    def test_info_of_programs(self):
        program = self.compile("gcc")
        self.assertRegex(heddle("info", program).stdout, r"GOMP_\* are served by \S+/libgomp\.so")
        preloaded = heddle("info", program, LD_PRELOAD=str(LIBRARY)).stdout
        self.assertIn(f"GOMP_* are served by {LIBRARY}", preloaded)
        folder = LIBRARY.parent / "drop-in"
        replaced = heddle("info", program, LD_LIBRARY_PATH=str(folder)).stdout
        self.assertIn(f"GOMP_* are served by {folder}/libgomp.so.1", replaced)
        self.assertIn("linked statically", heddle("info", self.compile("fixed", "-static")).stdout)
        pie = self.compile("pie", "-static-pie", "-fPIE")
        self.assertIn("linked statically", heddle("info", pie).stdout)
        self.assertIn("none is linked", heddle("info", "/bin/true").stdout)

    def test_a_program_without_section_headers(self):
        """What the loader reads is all in the segments."""
        program = self.compile("gcc")
        data = bytearray(program.read_bytes())
        data[40:48], data[58:64] = bytes(8), bytes(6)  # e_shoff; e_shentsize, e_shnum, e_shstrndx
        program.write_bytes(data)
        told = heddle("info", program).stdout
        self.assertRegex(told, r"GOMP_\* are served by \S+/libgomp\.so")
        self.assertNotIn("statically", told)

    def test_a_program_with_more_rights(self):
        """The loader takes nothing from the environment for it."""
        program = self.compile("gcc")
        try:
            os.chown(program, 65534, 65534)
        except OSError:
            self.skipTest("only root gives files away")
        program.chmod(0o4755)
        told = heddle("info", program, LD_PRELOAD=str(LIBRARY)).stdout
        self.assertRegex(told, r"GOMP_\* are served by \S+/libgomp\.so")
        self.assertIn("it is set-uid or set-gid: LD_PRELOAD does not reach it", told)
        done = heddle("doctor", program, LD_PRELOAD=str(LIBRARY))
        self.assertIn("it is set-uid or set-gid: LD_PRELOAD does not reach it", done.stdout)

    def test_what_is_not_there(self):
        for name in ("/nowhere", "999999999", "no_such_package"):
            done = heddle("info", name)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_folders_with_any_name(self):
        for name in ("a*", "[b"):
            folder = self.root / name
            folder.mkdir()
            for command, status in (("info", 0), ("doctor", 0)):
                for target, place in ((folder, ROOT), (".", folder)):
                    done = subprocess.run([sys.executable, "-B", "-m", "heddle", command, target],
                                          env=environment(), capture_output=True, text=True,
                                          timeout=TIMEOUT, check=False, cwd=place)
                    self.assertEqual((done.returncode, done.stderr), (status, ""), target)

    def test_doctor_of_a_program(self):
        program = self.compile("gcc")
        # Two runtimes in one process; the first named serves all.
        both = {"LD_PRELOAD": OMP}
        if not os.path.exists(OMP):
            self.skipTest("there is no libomp")
        done = heddle("doctor", program, **both)
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 OpenMP runtimes in one process", done.stdout)
        both = {"LD_PRELOAD": f"{LIBRARY}:{OMP}"}
        self.assertNotIn("runtimes in one process", heddle("doctor", program, **both).stdout)

    def test_of_a_process(self):
        program = self.compile("gcc")
        own = environment(OMP_NUM_THREADS="3", LD_PRELOAD=str(LIBRARY))
        with subprocess.Popen([program], env=own, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            told = heddle("info", process.pid)
            problems = heddle("doctor", process.pid)
            process.stdin.close()
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertRegex(told.stdout, r"OMP_NUM_THREADS +3 +environment")
        self.assertIn(f"all is served by {LIBRARY}", told.stdout)
        self.assertNotIn("runtimes in one process", problems.stdout)

    def test_of_a_package(self):
        folder = self.root / "package"
        folder.mkdir()
        self.compile("package/part.so", "-shared", "-fPIC")
        done = heddle("info", folder)
        self.assertRegex(done.stdout, r"GOMP_\* are served by \S+/libgomp\.so\.1")
        self.assertIn("taken from the system", done.stdout)


if __name__ == "__main__":
    unittest.main()
