# SPDX-License-Identifier: Apache-2.0
"""HEDDLE_TRACE and HEDDLE_HANG_SIGNAL in whole programs: what is recorded agrees with what is
counted, and is there whatever ends the process; a deadlock is told.

Run by ctest with HEDDLE_LIBRARY and CC set.
"""

import json
import re
import resource
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from programs import GCC, TIMEOUT, Programs, clean_environment

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "trace"))
import reader  # noqa: E402
from heddle.trace import replay, summary  # noqa: E402

CHUNK = reader.events.CHUNK_BYTES


class Recorded(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.build("trace.c")
        cls.counting = cls.build_with_each("statistics.c", "-Wno-unused-variable")

    def setUp(self):
        self.file = self.folder / "run.trace"
        for left in self.folder.glob("run.trace*"):
            left.unlink()

    def record(self, program, *arguments, expect=0, variables=None, **options):
        done = self.run_program(program, *arguments, variables={"HEDDLE_TRACE": str(self.file)}
                                | (variables or {}), **options)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def test_agrees_with_the_counters(self):
        """With every compiler, on one thread and two, with tasks at once and queued."""
        for name, program in self.counting.items():
            for threads in ("1", "2"):
                for mode, more in (("kinds", {}), ("kinds", {"KMP_ENABLE_TASK_THROTTLING": "0"}),
                                   ("kinds", {"HEDDLE_TASK_POLICY": "wfff"})):
                    with self.subTest(compiler=name, threads=threads, mode=mode, more=more):
                        counters = self.folder / "counters.json"
                        counters.unlink(missing_ok=True)
                        self.record(program, mode, variables={
                            "HEDDLE_STATS": str(counters), "OMP_NUM_THREADS": threads} | more)
                        self.compare(counters)

    def compare(self, counters):
        trace = reader.events.read(self.file)
        result = replay.Replay(trace).run()
        self.assertEqual(trace.damages, [])
        self.assertEqual(result.ignored_ends, 0)
        seen = summary.totals(result)
        rows = [json.loads(line) for line in counters.read_text().splitlines()][1:]
        for counter in ("at_once", "deferred", "taken_back", "stolen", "steals", "leapfrogs",
                        "moved", "regions", "task_waits"):
            self.assertEqual(seen[counter], sum(row[counter] for row in rows), counter)
        # While the process ends, another thread may be just about to note that it has no work.
        self.assertLessEqual(abs(seen["barrier_waits"] - sum(row["barrier_waits"] for row in rows)),
                             len(rows) - 1)
        self.assertGreater(seen["at_once"] + seen["deferred"], 0)
        for worker in result.workers.values():  # all of a worker's time is in some state
            self.assertEqual(worker.total_ns(), worker.ended - worker.began)

    def test_steals_are_recorded(self):
        for name, program in self.counting.items():
            with self.subTest(compiler=name):
                self.record(program, "steal", variables={"KMP_ENABLE_TASK_THROTTLING": "0"})
                _, found = reader.counts(self.file)
                self.assertEqual(found["task_deferred"], 64)
                self.assertEqual(found["task_origin"], 64)
                self.assertGreater(found["steal"], 0)
                self.assertGreater(found["stolen"], 0)

    def test_loops_are_recorded(self):
        self.record(self.program, "loops", 100)
        trace, found = reader.counts(self.file)
        self.assertEqual((found["loop_begin"], found["loop_end"]), (6, 6))
        iterations = {value for worker in trace.workers for _, kind, value, _ in
                      trace.events(worker) if kind == reader.KIND["loop_begin"]}
        self.assertEqual(iterations, {100})

    def test_code_is_the_programs(self):
        """Regions and tasks are named by the program's code, not by the runtime's."""
        kinds = [reader.KIND[name] for name in ("region_begin", "implicit_begin", "task_begin")]
        for name, program in self.build_with_each("trace.c").items():
            with self.subTest(compiler=name):
                self.record(program, "constructs", variables={"OMP_NUM_THREADS": "2"})
                trace, found = reader.counts(self.file)
                self.assertGreaterEqual(found["region_begin"], 3)
                self.assertGreaterEqual(found["task_begin"], 2)
                (module,) = [each for each in trace.modules if Path(each.path).name == program.name]
                for worker in trace.workers:
                    for _, kind, code, _ in trace.events(worker):
                        if kind in kinds:
                            self.assertTrue(module.low <= code < module.high,
                                            (reader.events.KINDS[kind], hex(code)))

    def test_is_there_whatever_ends_the_process(self):
        for mode, status in (("kill", -signal.SIGKILL), ("abort", -signal.SIGABRT), ("_exit", 0)):
            with self.subTest(mode):
                self.record(self.program, mode, 500, expect=status,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                trace, found = reader.counts(self.file)
                self.assertEqual((found["task_begin"], found["task_end"]), (500, 500))
                self.assertEqual((found["region_end"], found["thread_end"]), (1, 0))
                self.assertEqual([Path(module.path).name for module in trace.modules], ["trace"])

    def test_a_child_has_a_file_of_its_own(self):
        for mode, parents in (("fork", 200), ("fork first", 100)):
            with self.subTest(mode):
                done = self.record(self.program, mode, 100)
                child = Path(f"{self.file}.{done.stdout.strip()}")
                _, found = reader.counts(self.file)
                self.assertEqual((found["task_begin"], found["thread_end"]), (parents, 1))
                trace, found = reader.counts(child)
                self.assertEqual((found["task_begin"], found["thread_begin"]), (200, 1))
                self.assertEqual(trace.process, int(done.stdout))

    def test_the_oldest_events_give_way(self):
        self.record(self.program, "tasks", 100000, variables={"HEDDLE_TRACE_SIZE": "2M"})
        trace, found = reader.counts(self.file)
        self.assertEqual(self.file.stat().st_size, 3 * CHUNK)
        self.assertEqual(trace.lost_chunks, {0: 2})
        self.assertLess(found["task_begin"], 100000)
        self.assertGreater(found["task_begin"], reader.events.EVENTS_IN_CHUNK // 2)
        self.assertEqual(found["region_end"], 1)
        result = replay.Replay(trace).run()
        worker = result.workers[0]  # what is left of its only region is an end
        self.assertGreater(worker.lost_ns, 0)
        self.assertLess(worker.time_ns[summary.STATES.index("outside")], worker.time_ns[0])
        self.assertFalse(result.span_known)

    def test_no_room(self):
        """A limit on the size of files ends nothing; what fits is recorded."""
        done = self.record(self.program, "tasks", 100000, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (2 * CHUNK, 2 * CHUNK)))
        self.assertRegex(done.stderr, r"\Aheddle: HEDDLE_TRACE: no room for more in '.*': File too "
                                      r"large; older events give way to new ones\n\Z")
        self.assertGreater(reader.counts(self.file)[1]["task_begin"], 1000)
        self.file.unlink()
        done = self.record(self.program, "tasks", 100, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertRegex(done.stderr, r"\Aheddle: HEDDLE_TRACE: cannot write '.*': File too large; "
                                      r"nothing is recorded\n\Z")

    def test_replaces_traces_only(self):
        self.record(self.program, "tasks", 10)
        self.record(self.program, "tasks", 20)
        self.assertEqual(reader.counts(self.file)[1]["task_begin"], 20)
        self.file.write_text("a letter")
        done = self.record(self.program, "tasks", 10)
        self.assertIn("there is something that is no trace in", done.stderr)
        self.assertEqual(self.file.read_text(), "a letter")
        for name in ("/dev/null", str(self.folder / "none" / "run.trace")):
            done = self.record(self.program, "tasks", 10, variables={"HEDDLE_TRACE": name})
            self.assertRegex(done.stderr, rf"\Aheddle: HEDDLE_TRACE: .* '{name}'.*; nothing is "
                                          r"recorded\n\Z")

    def test_a_program_that_closes_our_file_keeps_its_own(self):
        """Ours is then not what its number means."""
        source = self.folder / "closes.c"
        source.write_text("""#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static volatile int sink;
static void run(int n) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < n; i++) {
#pragma omp task
        sink++;
    }
}
int main(int count, char **values) {
    run(10);
    for (int file = 3; file < 100; file++)
        close(file);
    for (int file = 3; file < 100; file++)
        if (open(values[count - 1], O_RDWR | O_CREAT, 0600) < 0)
            return 1;
    run(100000);
    return 0;
}
""")
        own = self.folder / "own"
        self.record(self.build(source), own)
        self.assertEqual(own.stat().st_size, 0)
        self.assertGreater(reader.counts(self.file)[1]["task_begin"], 0)

    def test_nothing_is_recorded_unasked(self):
        for variables in ({}, {"HEDDLE_TRACE": "0"}, {"HEDDLE_TRACE_SIZE": "4M"}):
            before = set(self.folder.iterdir())
            done = self.run_program(self.program, "tasks", 10, variables=variables,
                                    cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(set(self.folder.iterdir()), before)


class HangReport(Programs):
    def offsets(self, program):
        """By name: where the program's symbols lie in its file."""
        listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True)
        return {fields[2]: int(fields[0], 16) for fields in map(str.split, listed.stdout.splitlines())
                if len(fields) == 3}

    def report_of(self, program, enough):
        """What the process tells when it is asked again and again, up to a report that is
        `enough`; then it is killed."""
        with open(self.folder / "said", "w+", encoding="utf-8") as said, subprocess.Popen(
                [program, "deadlock"], stdout=subprocess.PIPE, stderr=said, text=True,
                env=clean_environment(HEDDLE_HANG_SIGNAL="USR1")) as process:
            try:
                self.assertEqual(process.stdout.readline(), "ready\n")
                for _ in range(TIMEOUT * 20):
                    process.send_signal(signal.SIGUSR1)
                    time.sleep(0.05)
                    reports = Path(said.name).read_text(encoding="utf-8").split("heddle: process ")
                    for report in reports:
                        if enough(report):
                            return report
                self.fail(f"no report says it: {reports[-1]}")
            finally:
                process.kill()

    def test_a_deadlock_is_told(self):
        for name, program in self.build_with_each("trace.c").items():
            with self.subTest(compiler=name):
                report = self.report_of(program,
                                        lambda text: text.count("waits for a lock ") == 2
                                        and text.endswith(" ms\n"))
                waits = dict(re.findall(r"worker (\d) \(thread \d+\), \d of 2, in region \S+, waits "
                                        rf"for a lock {program.name}\+0x([0-9a-f]+) since", report))
                places = self.offsets(program)
                self.assertEqual({int(number): int(offset, 16) for number, offset in waits.items()},
                                 {0: places["lock_b"], 1: places["lock_a"]}, report)

    def test_a_program_that_handles_the_signal_keeps_it(self):
        program = self.build("trace.c", compiler=GCC)
        done = self.run_program(program, "handles", 10, variables={"HEDDLE_HANG_SIGNAL": "USR1"})
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, "heddle: HEDDLE_HANG_SIGNAL: the program handles that signal "
                                      "itself; there will be no report\n")

    def test_nothing_changes_unasked(self):
        program = self.build("trace.c", compiler=GCC)
        with subprocess.Popen([program, "deadlock"], stdout=subprocess.PIPE, text=True,
                              env=clean_environment()) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.wait(TIMEOUT), -signal.SIGUSR1)


if __name__ == "__main__":
    unittest.main()
