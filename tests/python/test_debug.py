# SPDX-License-Identifier: Apache-2.0
"""`heddle debug` and `heddle stacks`, with a real gdb: it finds every OpenMP thread, also those that
were left on a stack which no thread of the system stands on.

Called by ctest with HEDDLE_LIBRARY and CC set and a Python that has click and rich.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from test_command import LIBRARY, TIMEOUT, environment, heddle

SOURCE = Path(__file__).resolve().parent / "debugged.c"
THREADS = 8
ANSWER = sum(400 * number + 6 for number in range(THREADS))
COMPILERS = {"gcc": os.environ.get("CC", "gcc"),
             "clang": next(filter(shutil.which, ("clang-19", "clang")), None)}
ROW = re.compile(r"^ +(\d+)  (not begun|done|left|on thread \d+) *(.*)$", re.M)


def two_cpus():
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def rows(text):
    """{number: (who, where)} of the only team."""
    assert text.count("team 1: level 1") == 1 and "team 2" not in text, text
    found = ROW.findall(text)
    assert sorted(int(number) for number, _, _ in found) == list(range(THREADS)), text
    return {int(number): (who, where) for number, who, where in found}


@unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
class Debugger(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        tried = subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "--args", "true"],
                               capture_output=True, text=True, timeout=TIMEOUT, check=False)
        if "exited normally" not in tried.stdout:
            raise unittest.SkipTest(f"gdb runs no program here: {tried.stderr}")
        cls.programs = {}
        for name, compiler in COMPILERS.items():
            if compiler:
                cls.programs[name] = cls.folder / name
                subprocess.run([compiler, "-g", "-O0", "-fopenmp", SOURCE, "-o",
                                cls.programs[name]], check=True, timeout=TIMEOUT)

    def gdb(self, commands, *arguments, **variables):
        """What `heddle debug` prints where a person types these commands."""
        typed = ["set confirm off", "set pagination off", "set width 0", *commands, "kill", "quit"]
        done = subprocess.run([sys.executable, "-B", "-m", "heddle", "debug",
                               *map(str, arguments)], input="\n".join(typed) + "\n",
                              env=environment(**variables), capture_output=True, text=True,
                              timeout=TIMEOUT, check=False, preexec_fn=two_cpus)
        return done.stdout + done.stderr

    def check_teams(self, text):
        """Each thread where it has to be; the numbers of those that were left."""
        found = rows(text)
        waiting = {}
        stops = 0
        for number, (who, where) in found.items():
            if "stand_still at" in where:
                stops += 1
                self.assertRegex(who, "^on thread")
                self.assertRegex(where, r"debugged\.c:\d+ \(1 task deep\)$")
            else:
                self.assertRegex(where, r"^(in (GOMP|__kmpc)_barrier, )?descend at \S*debugged\.c:\d+$")
                waiting[number] = who
        self.assertEqual(stops, 1)
        left = [number for number, who in waiting.items() if who == "left"]
        self.assertTrue(left, text)
        return left

    def stopped(self, name, *commands):
        """The answers to `heddle teams` and `commands` when the last region stands still."""
        begin = ["break stand_still", "run", "heddle teams"]
        return self.gdb([*begin, *commands], self.programs[name], THREADS)

    def test_teams(self):
        for name in self.programs:
            with self.subTest(name):
                self.check_teams(self.stopped(name))

    def test_all_stacks(self):
        for name in self.programs:
            with self.subTest(name):
                text = self.stopped(name, "heddle backtrace all")
                left = self.check_teams(text)
                stacks = dict(re.findall(r"(?m)^(?:\(gdb\) )?thread 1\.(\d+): (.*(?:\n.+)*)", text))
                self.assertEqual(sorted(map(int, stacks)), list(range(THREADS)))
                for number in range(THREADS):
                    stack = stacks[str(number)]
                    frames = re.findall(r"(?m)^#\d+ +(?:0x\w+ in )?(\w+)", stack)
                    if number in left:
                        self.assertRegex(stack, "^left, in (GOMP|__kmpc)_barrier\n")
                    if "stand_still (" not in stack:
                        self.assertEqual(frames[:4], ["descend"] * 4)
                        self.assertRegex(stack, rf"descend \(depth=3, number={number}, ")
                    self.assertNotIn("heddle::", stack)

    def test_a_thread_that_was_left(self):
        for name in self.programs:
            with self.subTest(name):
                # Which ones are left is seen afterwards only.
                each = [command for number in range(THREADS) for command in (
                    f"echo begin {number}\\n", f"heddle thread {number}", "print mark", "up",
                    "print mark", "heddle thread")]
                text = self.stopped(name, *each)
                left = self.check_teams(text)
                for number in left:
                    part = text.partition(f"begin {number}\n")[2].partition("begin ")[0]
                    values = re.findall(r"\$\d+ = (\d+)", part)
                    self.assertEqual(values[:2], [str(100 * number), str(100 * number + 1)], part)
                    self.assertRegex(part, r"\(gdb\) #0 ")  # the system's thread's own again

    def test_the_program_goes_on(self):
        text = self.stopped("gcc", "heddle thread 0", "heddle backtrace all", "delete", "continue",
                            "heddle teams")
        self.assertRegex(text, rf"(?m)^(\(gdb\) )?{ANSWER}$")
        self.assertIn("exited normally", text)
        self.assertIn("there is no process", text)

    def test_without_parts(self):
        """All threads are gdb's, and the runtime's own frames can be had."""
        text = self.gdb(["break stand_still", "run", "heddle teams", "heddle backtrace -a 0"],
                        self.programs["gcc"], THREADS, HEDDLE_STAND_IN="0")
        found = rows(text)
        self.assertEqual({who.split()[0] for who, _ in found.values()}, {"on"})
        self.assertIn("heddle::", text.partition("thread 1.0: ")[2])

    def test_a_library_without_debugging_information(self):
        library = self.folder / "stripped" / "libheddle.so"
        library.parent.mkdir()
        subprocess.run(["strip", "-o", library, LIBRARY], check=True, timeout=TIMEOUT)
        text = self.gdb(["break stand_still", "run", "heddle teams"], self.programs["gcc"], THREADS,
                        HEDDLE_LIBRARY=str(library))
        self.check_teams(text)

    def test_static_programs(self):
        archive = LIBRARY.with_suffix(".a")
        if not archive.is_file():
            self.skipTest("this build has no libheddle.a")
        for flags in ([], ["-static"]):
            with self.subTest(flags):
                program = self.folder / "static"
                subprocess.run([COMPILERS["gcc"], "-g", "-O0", *flags, "-fopenmp", SOURCE, "-o",
                                program, archive, "-lpthread"], check=True, timeout=TIMEOUT,
                               stderr=subprocess.DEVNULL)  # what glibc says of dlopen()
                text = self.gdb(["break stand_still", "run", "heddle teams",
                                 "heddle backtrace all"], program, THREADS)
                found = rows(text)
                self.assertEqual(sum("stand_still at" in where for _, where in found.values()), 1)
                self.assertEqual(sum("descend at" in where for _, where in found.values()),
                                 THREADS - 1)
                for words in ("heddle::", "clone", "syscall"):
                    self.assertNotIn(words, text.partition("thread 1.0: ")[2])

    def test_bad_threads(self):
        text = self.stopped("gcc", "heddle thread 8", "heddle thread 2.0", "heddle backtrace x",
                            "heddle teams 1")
        self.assertIn("team 1 has threads 0 to 7", text)
        self.assertIn("there is no team 2; 1 are in a region", text)
        self.assertIn("'x' is no thread: THREAD or TEAM.THREAD, as `heddle teams` shows", text)
        self.assertIn("heddle teams: it takes no argument", text)

    def test_before_the_program_runs(self):
        self.assertIn("there is no process", self.gdb(["heddle teams"], self.programs["gcc"], 2))

    def waiting_process(self, preload=LIBRARY):
        process = subprocess.Popen([self.programs["gcc"], str(THREADS), "wait"], text=True,
                                   env=environment(LD_PRELOAD=str(preload)), preexec_fn=two_cpus,
                                   stdout=subprocess.PIPE)
        for step in (process.wait, process.stdout.close, process.kill):  # the last one first
            self.addCleanup(step)
        return process

    def test_stacks_of_a_process(self):
        process = self.waiting_process()
        deadline = time.monotonic() + TIMEOUT
        while True:
            done = heddle("stacks", process.pid)
            if "stand_still at" in done.stdout or time.monotonic() > deadline:
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        found = rows(done.stdout)
        self.assertEqual(sum("stand_still at" in where for _, where in found.values()), 1)
        self.assertEqual(done.stdout.count("\nthread 1."), THREADS)
        self.assertIn("heddle::", heddle("stacks", "-a", process.pid).stdout)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.communicate(timeout=TIMEOUT)[0], f"{ANSWER}\n")
        self.assertEqual(process.returncode, 0)

    def test_stacks_of_a_core_file(self):
        core = self.folder / "core"
        self.stopped("gcc", f"generate-core-file {core}")
        done = heddle("stacks", "--core", core, self.programs["gcc"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("descend (depth=3, number=0, ", done.stdout)
        self.check_teams(done.stdout)
        self.assertIn("team 1", self.gdb(["heddle teams"], "--core", core, self.programs["gcc"]))

    def test_what_cannot_be_looked_at(self):
        process = self.waiting_process("")
        done = heddle("stacks", process.pid)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, f"process {process.pid}: libheddle.so is not loaded here")
        for arguments, said in ((("stacks", 99999999), "there is no process 99999999"),
                                (("stacks", "x"), "'x' is no process number"),
                                (("debug",), "a program is missing, or --pid"),
                                (("debug", "--pid", 1, "--core", SOURCE), "--pid or --core"),
                                (("debug", "--core", "none", "x"), "'none' does not exist")):
            with self.subTest(arguments):
                done = heddle(*arguments)
                self.assertIn(said, done.stderr)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotIn("Traceback", done.stderr)

    def test_without_gdb(self):
        done = heddle("stacks", 1, PATH="/nowhere")
        self.assertIn("there is no gdb on the PATH", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
