# SPDX-License-Identifier: Apache-2.0
"""HEDDLE_STATS in whole programs: the counters add up, and are printed when they should be.

Run by ctest with HEDDLE_LIBRARY and CC set. statistics.c counts its own tasks; gcc and clang
compile it, for the two ABIs.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so")).resolve()
SOURCE = Path(__file__).with_name("statistics.c")
PAGE = ROOT / "docs/statistics.md"
TIMEOUT = 60
NOBODY = 65534


def compile_with(compiler, target, folder=None):
    subprocess.run([compiler, "-O2", "-fopenmp", str(SOURCE), "-o", str(target),
                    f"-Wl,-rpath,{folder or LIBRARY.parent / 'drop-in'}"],
                   check=True, timeout=TIMEOUT)


class Statistics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.programs = {}
        clang = next(filter(shutil.which, ("clang-19", "clang")), None)
        for name, compiler in (("gcc", os.environ.get("CC", "gcc")), ("clang", clang)):
            if compiler:
                cls.programs[name] = cls.folder / name
                compile_with(compiler, cls.programs[name])

    def run_program(self, program, mode, **variables):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_", "LD_"))}
        return subprocess.run([program, mode], env=env | variables, capture_output=True, text=True,
                              timeout=TIMEOUT, check=False)

    def counted(self, program, mode, **variables):
        """What the program says of itself, and the sums of the counters in the file."""
        file = self.folder / "counters.json"
        file.unlink(missing_ok=True)
        done = self.run_program(program, mode, HEDDLE_STATS=str(file), **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        process, *threads = map(json.loads, file.read_text().splitlines())
        self.assertEqual(process["threads"], len(threads))
        self.assertEqual({row["process"] for row in threads}, {process["process"]})
        total = {name: sum(row[name] for row in threads)
                 for name in threads[0] if name not in ("process", "thread", "batches")}
        total["batches"] = [sum(column) for column in zip(*(row["batches"] for row in threads))]
        tasks, joined = map(int, done.stdout.split())
        return tasks, joined, total, threads

    def check_sums(self, tasks, joined, total):
        self.assertEqual(total["at_once"] + total["deferred"] - total["discarded"], tasks)
        self.assertEqual(total["taken_back"] + total["stolen"], total["deferred"])
        self.assertEqual(total["regions"], joined)
        self.assertEqual(sum(total["batches"]), total["steals"] + total["leapfrogs"])
        self.assertLessEqual(total["largest_batch"], total["moved"])
        self.assertLessEqual(sum(total["batches"]), total["moved"])

    def each(self, check):
        """check(program, variables) for each compiler and some sizes of teams."""
        for name, program in self.programs.items():
            for threads in ("1", "2", "4"):
                with self.subTest(compiler=name, threads=threads):
                    check(program, {"OMP_NUM_THREADS": threads})

    def test_every_task_is_counted_once(self):
        def check(program, variables):
            tasks, joined, total, rows = self.counted(program, "kinds", **variables)
            self.assertGreater(tasks, 5 * 1900)
            self.check_sums(tasks, joined, total)
            self.assertEqual(len(rows), int(variables["OMP_NUM_THREADS"]))
            self.assertGreater(total["at_once"], 0)
        self.each(check)

    def test_every_task_is_counted_once_with_all_queued(self):
        def check(program, variables):
            for more in ({"KMP_ENABLE_TASK_THROTTLING": "0"}, {"OMP_MAX_TASK_PRIORITY": "2"},
                         {"OMP_CANCELLATION": "true"}):
                tasks, joined, total, _ = self.counted(program, "kinds", **variables, **more)
                self.check_sums(tasks, joined, total)
                if "OMP_CANCELLATION" not in more:
                    self.assertGreater(total["deferred"], tasks // 2)
        self.each(check)

    def test_records_are_counted(self):
        def check(program, variables):
            tasks, _, total, _ = self.counted(program, "kinds", **variables,
                                              KMP_ENABLE_TASK_THROTTLING="0")
            self.assertEqual(total["records"], 5 * 1000)  # those with a depend clause
            self.assertLessEqual(total["released"], total["records"])
            self.assertGreater(total["released"], 0)
        self.each(check)

    def test_a_steal_is_counted_where_it_happens(self):
        for name, program in self.programs.items():
            with self.subTest(compiler=name):
                tasks, joined, total, rows = self.counted(program, "steal",
                                                          KMP_ENABLE_TASK_THROTTLING="0")
                self.check_sums(tasks, joined, total)
                self.assertEqual((tasks, total["deferred"]), (64, 64))
                by_number = {row["thread"]: row for row in rows}
                self.assertEqual(by_number[0]["deferred"], 64)
                self.assertGreater(by_number[1]["stolen"], 0)
                self.assertGreater(by_number[1]["steals"], 0)
                self.assertGreater(by_number[1]["batch_ns"], 0)

    def test_discarded_tasks_are_counted(self):
        for name, program in self.programs.items():
            with self.subTest(compiler=name):
                tasks, joined, total, _ = self.counted(program, "cancel", OMP_CANCELLATION="true",
                                                       KMP_ENABLE_TASK_THROTTLING="0")
                self.check_sums(tasks, joined, total)
                self.assertEqual(tasks + total["discarded"], 100)
                self.assertGreater(total["discarded"], 0)

    def test_the_table(self):
        done = self.run_program(self.programs["gcc"], "kinds", HEDDLE_STATS="1",
                                OMP_NUM_THREADS="2")
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"^heddle: process \d+ used OpenMP for \d+\.\d{3} ms with 2 threads")
        for title in ("tasks", "thefts", "waits"):
            start = next(i for i, line in enumerate(lines) if line.startswith(title))
            labels = [line.split()[0] for line in lines[start + 1:start + 4]]
            self.assertEqual(labels[2], "all")
            self.assertEqual(set(labels[:2]), {"0", "1"})
            self.assertEqual({len(line) for line in lines[start:start + 4]}, {len(lines[start])})
        self.assertLess(max(map(len, lines)), 140)
        self.assertEqual(self.without_numbers(lines), self.without_numbers(
            re.search(r"(?ms)^(heddle: process .*?)^```", PAGE.read_text())[1].splitlines()))

    def without_numbers(self, lines):
        return [line for line in lines if not line.startswith((" ", "heddle: ", "batches "))]

    def test_exit_inside_a_region(self):
        for name, program in self.programs.items():
            with self.subTest(compiler=name):
                done = self.run_program(program, "exit", HEDDLE_STATS="true", OMP_NUM_THREADS="2")
                self.assertEqual(done.returncode, 3)
                self.assertEqual(done.stderr.count("heddle: process"), 1)

    def test_a_child_that_used_openmp_counts_from_zero(self):
        pattern = str(self.folder / "child.%p.json")
        for mode, reports in (("fork", 1), ("fork-and-use", 2)):
            done = self.run_program(self.programs["gcc"], mode, HEDDLE_STATS=pattern,
                                    OMP_NUM_THREADS="2")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            files = list(self.folder.glob("child.*.json"))
            self.assertEqual(len(files), reports)
            seen = set()
            for file in files:
                rows = [json.loads(line) for line in file.read_text().splitlines()][1:]
                self.assertIn(str(rows[0]["process"]), file.name)
                seen.add(f"{sum(row['at_once'] + row['deferred'] for row in rows)} "
                         f"{sum(row['regions'] for row in rows)}")
                file.unlink()
            self.assertEqual(seen, set(done.stdout.splitlines()) - {"0 0"})

    def test_nothing_is_printed_unasked(self):
        for variables in ({}, {"HEDDLE_STATS": "0"}):
            done = self.run_program(self.programs["gcc"], "kinds", **variables)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_program("/bin/true", "", HEDDLE_STATS="1", LD_PRELOAD=str(LIBRARY))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bad_values(self):
        done = self.run_program(self.programs["gcc"], "kinds", HEDDLE_STATS="yes")
        self.assertRegex(done.stderr, r"\Aheddle: HEDDLE_STATS: bad value 'yes': expected .*\n\Z")
        done = self.run_program(self.programs["gcc"], "kinds", HEDDLE_STATS="/nowhere/%p.json")
        first, second, *_ = done.stderr.splitlines()
        self.assertRegex(first, r"^heddle: HEDDLE_STATS: cannot write '/nowhere/\d+\.json': "
                                r"No such file or directory; using stderr$")
        self.assertRegex(second, "^heddle: process")
        done = self.run_program(self.programs["gcc"], "kinds", HEDDLE_STAT="1")
        self.assertEqual(done.stderr, "heddle: HEDDLE_STAT: unknown variable; the nearest known "
                                      "one is HEDDLE_STATS\n")

    def test_targets_that_fail(self):
        """One message, the tables on stderr, and the program's own output: never a signal."""
        pipe, full = self.folder / "pipe", self.folder / "full.json"
        os.mkfifo(pipe)
        limited = f"ulimit -f 0; exec {self.programs['gcc']} kinds"
        for target, program, error in (
                ("/dev/full", [self.programs["gcc"], "kinds"], "No space left on device"),
                (pipe, [self.programs["gcc"], "kinds"], "No such device or address"),
                (full, ["bash", "-c", limited], "File too large")):
            with self.subTest(target=target):
                done = subprocess.run(program, env=os.environ | {"HEDDLE_STATS": str(target)},
                                      capture_output=True, text=True, timeout=TIMEOUT, check=False)
                first, second, *_ = done.stderr.splitlines()
                self.assertEqual(first, f"heddle: HEDDLE_STATS: cannot write '{target}': {error}; "
                                        "using stderr")
                self.assertRegex(second, "^heddle: process")
                self.assertEqual(done.returncode, 0)
                self.assertNotEqual(done.stdout, "")

    def test_nobody_reads_the_table(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([self.programs["gcc"], "kinds"], stdout=subprocess.PIPE, stderr=write,
                              env=os.environ | {"HEDDLE_STATS": "1"}, timeout=TIMEOUT, check=False)
        os.close(write)
        self.assertEqual(done.returncode, 0)
        self.assertNotEqual(done.stdout, b"")

    def test_a_process_with_more_rights_writes_nothing(self):
        if os.geteuid() != 0 or os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("needs root and a file system with set-user-ID programs")
        program, file = self.folder / "privileged", self.folder / "written.json"
        # Where anybody may read it: the build may lie in root's home.
        shutil.copy(LIBRARY, self.folder / "libgomp.so.1")
        compile_with(os.environ.get("CC", "gcc"), program, self.folder)
        self.folder.chmod(0o777)
        for mode, written in ((0o755, True), (0o4755, False)):
            program.chmod(mode)
            done = subprocess.run([program, "kinds"], env={"HEDDLE_STATS": str(file)}, user=NOBODY,
                                  group=NOBODY, extra_groups=(), capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(file.exists(), written)
            file.unlink(missing_ok=True)


class Documentation(unittest.TestCase):
    def test_names_every_counter(self):
        header = (ROOT / "src/team/statistics.hpp").read_text()
        page = PAGE.read_text()
        names = re.findall(r"^ +COUNTER\((\w+),", header, re.M)
        self.assertGreater(len(names), 10)
        self.assertEqual([name for name in names if f"`{name}`" not in page], [])


if __name__ == "__main__":
    unittest.main()
