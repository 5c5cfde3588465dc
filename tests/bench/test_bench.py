# SPDX-License-Identifier: Apache-2.0
"""The benchmark programs check their answers: all, with small inputs, on libgomp and Heddle.

ctest runs this with HEDDLE_LIBRARY set. Programs are compiled into the build folder. Times are not
looked at. Programs for oneTBB take part where it is installed.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY",
                              BENCH.parent / "build/release/lib/libheddle.so")).absolute()
OUTPUT = LIBRARY.parents[1] / "bench"
THREADS = (1, 3)
TIMEOUT = 300

sys.path.insert(0, str(BENCH))

from harness import cases, programs, report  # noqa: E402

UTS_REPORTED = ("taskwait", "threadprivate", "stealing")


def run(*command, **variables):
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "KMP_", "GOMP_", "HEDDLE_", "LD_"))}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=TIMEOUT, env=own | variables)


def harness(script, *arguments):
    return run(sys.executable, "-B", BENCH / script, "--quick", "--contender", f"heddle={LIBRARY}",
               "--output", OUTPUT, *arguments)


def results():
    """What the last run of the harness has kept."""
    return json.loads(max((OUTPUT / "results").glob("*.json")).read_text())


class Harness(unittest.TestCase):
    def test_all_programs(self):
        done = harness("run.py", "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        programs_of = {case.name: case.program for case in cases.CASES}
        ran = {programs_of[r["case"]] for r in results()["runs"] if r["contender"] == "heddle"}
        folders = {path.parent.name for path in BENCH.glob("*/*.c")} - {"common", "studies"}
        if b"heddle_spawn" in LIBRARY.read_bytes():
            folders.add("uts_spawn")
        self.assertEqual(folders - ran, set(), "programs without a case")

    def test_contenders_with_variables(self):
        done = harness("run.py", "nqueens", "--threads", "2", "--policy", "ompi:slots=2",
                       "--contender", f"one={LIBRARY}@OMP_THREAD_LIMIT=1@OMP_WAIT_POLICY=passive")
        self.assertEqual(done.returncode, 1, "the thread limit must have its effect")
        kept = results()
        self.assertEqual(kept["contenders"]["ompi:slots=2"]["environment"],
                         {"HEDDLE_TASK_POLICY": "ompi:slots=2"})
        failed = {r["contender"] for r in kept["runs"] if r["failure"] is not None}
        self.assertEqual(failed, {"one"}, done.stdout + done.stderr)

    def test_bare_calls(self):
        bare = OUTPUT / "bare_calls.so"
        built = run("gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    BENCH / "studies/bare_calls.c", "-o", bare)
        self.assertEqual(built.returncode, 0, built.stderr)
        done = harness("run.py", "fib", "knapsack", "health", "--threads", "1",
                       "--contender", f"bare={bare}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_bare_team(self):
        bare = OUTPUT / "bare_team.so"
        built = run("gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-shared", "-fPIC",
                    BENCH / "studies/bare_team.c", "-o", bare)
        self.assertEqual(built.returncode, 0, built.stderr)
        done = harness("run.py", "overheads-sync", "--threads", "1,2", "--contender",
                       f"bare={bare}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_policy_that_is_none(self):
        """The runtime goes on with its default, which must not be shown under another name."""
        done = harness("run.py", "nqueens", "--threads", "2", "--policy", "lifo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("HEDDLE_TASK_POLICY: bad value 'lifo'", done.stdout)
        failed = {r["contender"] for r in results()["runs"] if r["failure"] is not None}
        self.assertEqual(failed, {"lifo"}, done.stdout + done.stderr)

    def test_study(self):
        done = harness("studies/uts_study.py", "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name, study in results()["studies"].items():
            for table in study["tables"]:
                with self.subTest(study=name, table=table["quantity"]):
                    self.assertIn("heddle x2", table["columns"])
                    self.assertTrue(any(v is not None for row in table["values"] for v in row))

    def test_loops_study(self):
        done = harness("studies/loops_study.py", "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name, study in results()["studies"].items():
            with self.subTest(study=name):
                [table] = study["tables"]
                self.assertEqual(table["rows"], ["static", "static,1", "static,8", "dynamic,1",
                                                 "dynamic,8", "guided,1", "guided,8", "adaptive"])
                self.assertEqual(table["columns"], ["libgomp x2", "heddle x2"])
                self.assertTrue(all(v is not None for row in table["values"][:-1] for v in row))
                self.assertIsNone(table["values"][-1][0], "libgomp has no adaptive")
                self.assertIsNotNone(table["values"][-1][1])
                self.assertEqual([v["column"] for v in study["finals"]], table["columns"])
                self.assertGreater(study["finals"][1]["adaptive_to_best"], 0)
                for run in study["runs"]:
                    if run["result"] is not None:
                        self.assertEqual(f"{name} {run['result']['schedule']}", run["case"])

    def test_link_orders(self):
        build = LIBRARY.parents[1]
        if not (build / "build.ninja").exists():
            self.skipTest("the library was not built by Ninja")
        done = run(sys.executable, "-B", BENCH / "studies/link_orders.py", "single", "--build", build,
                   "--output", OUTPUT, "--orders", "3", "--rounds", "1", "--repetitions", "2",
                   "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        orders = [path.read_bytes() for path in (OUTPUT / "link_orders").glob("*/*.so")]
        self.assertEqual(len(orders), 3)
        self.assertEqual(len(set(orders)), 3, "different orders are different libraries")
        row = done.stdout.splitlines()[1].split()
        self.assertEqual((row[0], row[-1]), ("single", str(build)))
        own, least, middle, most = map(float, row[1:5])
        self.assertLessEqual(least, middle)
        self.assertLessEqual(middle, most)
        self.assertTrue(least <= own <= most)

    def test_debian_programs(self):
        """Programs are run, their answers compared, and those that are missing named."""
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "fasttreeMP"
            fake.write_text('#!/bin/sh\n[ -z "$LD_PRELOAD" ] || echo "$SAYS"\n'
                            f"echo '({'x' * 60}'\nexit $STATUS\n")
            fake.chmod(0o755)

            def study(program, says, status="0"):
                return run(sys.executable, "-B", BENCH / "studies/debian_programs.py", program,
                           "--contender", f"heddle={LIBRARY}", "--threads", "2", "--runs", "2",
                           "--output", folder, PATH=f"{folder}:{os.environ['PATH']}", SAYS=says,
                           STATUS=status)

            done = study("fasttree", "more than that")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"fasttree +x2( +[0-9.]+ \([0-9.]+\)){2}\n")
            for earlier in ("text", "(" + "y" * 60):  # the last match is the answer
                done = study("fasttree", earlier)
                self.assertEqual(done.returncode, 0, done.stdout)
            fake.write_text(fake.read_text().replace("echo \"$SAYS\"", "exec echo \"$SAYS\""))
            done = study("fasttree", "(" + "y" * 60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"heddle x2: answers ({'y' * 60} instead of ({'x' * 60}", done.stdout)
            done = study("fasttree", "none")
            self.assertIn("heddle x2: printed no answer", done.stdout)
            done = study("fasttree", "", status="3")
            self.assertEqual(done.returncode, 1, "nothing was run")
            self.assertRegex(done.stdout, r"fasttree +x2 +fails +-\n")
            self.assertIn("libgomp x2: failed with status 3", done.stdout)
            done = run(sys.executable, "-B", BENCH / "studies/debian_programs.py", "iqtree",
                       "--contender", f"heddle={LIBRARY}", "--output", folder,
                       PATH=f"{folder}")
            self.assertEqual(done.returncode, 1, "nothing was run")
            self.assertIn("not installed: apt-get install iqtree", done.stdout)

    def test_what_a_runtime_lacks(self):
        """It is told and no failure: libgomp has no adaptive, and goes on with its default."""
        done = harness("run.py", "kmeans-adaptive", "--threads", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        [kept] = [r for r in results()["runs"] if r["contender"] == "libgomp"]
        self.assertEqual((kept["result"], kept["failure"]), (None, None))
        self.assertIn("the runtime lacks OMP_SCHEDULE=adaptive", kept["lacks"])
        self.assertIn(kept["lacks"], done.stdout)

    def test_without_what_is_needed(self):
        """What nobody can run is left out by name; if nothing is left, that is an error."""
        done = run(sys.executable, "-B", BENCH / "run.py", "--quick", "uts_spawn", "--output",
                   OUTPUT, "--contender", f"other={BENCH / 'run.py'}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no contender has the functions of heddle.hpp: uts-t3-spawn", done.stderr)
        self.assertIn("nothing is left to run", done.stderr)

    def test_without_tbb(self):
        """Told, and no failure, as long as something else can be run."""
        with tempfile.TemporaryDirectory() as folder:
            compiler = Path(folder, "cc")
            compiler.write_text("#!/bin/sh\n"
                                'case "$*" in *-ltbb*) exit 1; esac\nexec gcc "$@"\n')
            compiler.chmod(0o755)
            done = run(sys.executable, "-B", BENCH / "run.py", "--quick", "fib", "uts_tbb",
                       "--threads", "2", "--cc", compiler, "--output", folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("left out, because oneTBB is not installed (Debian: apt install libtbb-dev): "
                      "uts-t3-tbb", done.stderr)

    def test_folder_that_cannot_be_made(self):
        for name in ("run.py", "studies/uts_study.py", "studies/loops_study.py",
                     "manners/manners.py"):
            with self.subTest(name):
                done = run(sys.executable, "-B", BENCH / name, "--output", "/proc/x")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertRegex(done.stderr.splitlines()[-1], f"^bench/{name}: .*'/proc/x")

    def test_times_are_told_in_fitting_units(self):
        for seconds, text in ((2.0, "2.000 s"), (0.02, "20.00 ms"), (5e-5, "50.0 us"),
                              (4.31e-8, "43.1 ns"), (-6e-9, "-6.0 ns"), (-2e-6, "-2.0 us")):
            self.assertEqual(report.seconds_text(seconds), text)

    def test_missing_compiler(self):
        done = harness("run.py", "uts", "--cc", "no-such-compiler")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot run the compiler 'no-such-compiler'", done.stderr)


class Uts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = programs.build("uts", BENCH, OUTPUT, "gcc")

    def uts(self, *arguments):
        return run(self.program, *arguments, LD_PRELOAD=str(LIBRARY))

    def report(self, *arguments):
        done = self.uts(*arguments, "--report")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_serial_trees(self):
        for tree in ("tiny", "tiny3", "small3"):
            with self.subTest(tree=tree):
                self.assertEqual(self.uts("--variant", "survey", "--tree", tree).returncode, 0)

    def test_report(self):
        """The program itself compares the sums of nodes and tasks."""
        for variant in UTS_REPORTED:
            for threads in THREADS:
                with self.subTest(variant=variant, threads=threads):
                    told = self.report("--variant", variant, "--tree", "tiny3", "--threads",
                                       str(threads), "--hashes", "2")
                    nodes = told["nodes_per_thread"]
                    self.assertEqual(len(nodes), threads)
                    self.assertEqual(sum(nodes), told["answer"])
                    self.assertEqual((told["fewest_nodes"], told["most_nodes"]),
                                     (min(nodes), max(nodes)))
                    self.assertAlmostEqual(told["lost_efficiency"],
                                           1 - sum(nodes) / threads / max(nodes), places=6)
                    self.assertLess(told["unhashed_share"], 1)
                    self.assertEqual(told["migrated"], 0)  # Heddle's tasks stay where they began
                    if threads == 1:
                        self.assertEqual(told["started_elsewhere"], 0)

    def test_in_place(self):
        """The share of tasks that the if clause leaves is the one asked for, more or less."""
        for percent, low, high in (("0", 1, 1), ("25", 0.72, 0.78), ("100", 0, 0)):
            with self.subTest(percent=percent):
                told = self.report("--tree", "tiny3", "--threads", "2", "--if-percent", percent)
                share = told["tasks_created"] / (told["answer"] - 1)
                self.assertTrue(low <= share <= high, share)

    def test_stealing_in_chunks(self):
        for chunk in ("1", "5"):
            with self.subTest(chunk=chunk):
                told = self.report("--variant", "stealing", "--tree", "small3", "--threads", "8",
                                   "--chunk", chunk)
                self.assertLessEqual(told["started_elsewhere"], int(chunk) * told["steals"])

    def test_refused_options(self):
        """An option that the variant has no use for is one line and status 2."""
        for arguments in (("--chunk", "3"), ("--aggregate", "3"),
                          ("--variant", "flat", "--report"), ("--variant", "flat", "--hashes", "2"),
                          ("--variant", "stealing", "--untied"),
                          ("--variant", "serial", "--if-percent", "5"), ("--hashes", "0")):
            with self.subTest(arguments=arguments):
                done = self.uts(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Loops(unittest.TestCase):
    """Programs with schedule(runtime): every loop, schedule and place of memory, on Heddle."""

    def told(self, program, *arguments, status=0, **variables):
        binary = programs.build(program, BENCH, OUTPUT, "gcc")
        done = run(binary, *arguments, LD_PRELOAD=str(LIBRARY), **variables)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout) if status == 0 else done.stderr

    def test_schedules(self):
        for text in ("static", "static,3", "dynamic,2", "guided,4", "monotonic:dynamic,5", "auto",
                     "adaptive", "adaptive,8"):
            for threads in THREADS:
                with self.subTest(schedule=text, threads=threads):
                    told = self.told("irregular", "--loop", "power", "--n", "1000", "--turns", "20",
                                     "--repetitions", "2", "--threads", str(threads),
                                     OMP_SCHEDULE=text)
                    self.assertEqual(told["schedule"], text.rpartition(":")[2])

    def test_loops(self):
        for loop in cases.LOOPS:
            for n in ("1", "2", "777"):
                with self.subTest(loop=loop, n=n):
                    told = self.told("irregular", "--loop", loop, "--n", n, "--turns", "50",
                                     "--threads", "3", OMP_SCHEDULE="dynamic")
                    if loop != "random":
                        self.assertAlmostEqual(told["turns"] / (50 * int(n)), 1, delta=0.02)

    def test_stream(self):
        for form in ("loop", "static", "taskloop", "task", "serial"):
            for touch in ("same", "primary"):
                with self.subTest(form=form, touch=touch):
                    told = self.told("stream", "--variant", form, "--touch", touch, "--n", "5001",
                                     "--tasks", "7", "--repetitions", "2", "--pages")
                    self.assertLessEqual(told.get("local_page_share", 1), 1)

    def test_mergesort(self):
        for n in ("1", "2", "63", "20000"):
            for hint in ("none", "clause"):
                with self.subTest(n=n, hint=hint):
                    told = self.told("mergesort", "--n", n, "--base", "16", "--affinity", hint,
                                     "--repetitions", "2", "--threads", "3")
                    self.assertLessEqual(told["least_seconds"], told["mean_seconds"])
                    self.assertLessEqual(told["mean_seconds"], told["most_seconds"])

    def test_memory_over_domains(self):
        for program, size in (("stream", "5001"), ("mergesort", "20000"), ("pma", "3000")):
            for memory in ("block", "cyclic"):
                with self.subTest(program=program, memory=memory):
                    told = self.told(program, "-n", size, "--memory", memory, "--threads", "3")
                    self.assertEqual(told["memory"], memory)

    def test_hints(self):
        """Each is taken, or, in a library that is without them, told to be lacking."""
        for hint, function in (("thread", b"heddle_affinity_thread"),
                               ("data", b"heddle_affinity_data"),
                               ("close", b"heddle_taskgroup_affinity"),
                               ("spread", b"heddle_taskgroup_affinity"),
                               ("primary", b"heddle_taskgroup_affinity")):
            status = 0 if function in LIBRARY.read_bytes() else 77
            for program, size in (("stream", "5001"), ("mergesort", "20000")):
                form = ("--variant", "task", "--tasks", "7") if program == "stream" else ()
                with self.subTest(program=program, hint=hint):
                    told = self.told(program, "-n", size, *form, "--affinity", hint,
                                     "--repetitions", "2", "--threads", "3", status=status)
                    if status != 0:
                        self.assertIn(f"the runtime lacks {function.decode()}()", told)

    def test_particles(self):
        """As many moves whatever the schedule; also in arrays of a segment, and full ones."""
        for particles in ("1", "16", "17", "3000"):
            with self.subTest(particles=particles):
                moved = {self.told("pma", "--particles", particles, "--steps", "20", "--threads", t,
                                   OMP_SCHEDULE=s)["answer"]
                         for t, s in (("1", "static"), ("3", "static"), ("3", "dynamic,1"))}
                self.assertEqual(len(moved), 1)

    def test_refused(self):
        for program, arguments in (("stream", ("--variant", "loop", "--affinity", "clause")),
                                   ("stream", ("--variant", "taskloop", "--affinity", "data")),
                                   ("kmeans", ("--n", "3", "--clusters", "4"))):
            with self.subTest(program=program, arguments=arguments):
                told = self.told(program, *arguments, status=2)
                self.assertEqual(told.count("\n"), 1, told)


if __name__ == "__main__":
    unittest.main()
