# SPDX-License-Identifier: Apache-2.0
"""Programs are recorded as graphs (sim/record) and executed again by heddle-sim; graphs that are
none are refused.

Usage: test_record.py BUILD HEDDLE_SIM CC
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCE = r"""
#include <stdio.h>
static volatile int turns;
static void work(int n) { for (int i = 0; i < 1000 * n; ++i) ++turns; }
static void tree(int depth) {
    work(1);
    if (depth == 0)
        return;
    for (int i = 0; i < 2; ++i) {
        #pragma omp task firstprivate(depth)
        tree(depth - 1);
    }
    #pragma omp taskwait
    work(1);
}
int main(int argc, char** argv) {
    (void)argv;
    #pragma omp parallel
    #pragma omp single
    work(1); /* has fewer tasks */
    #pragma omp parallel
    {
        #pragma omp single
        {
            #pragma omp taskgroup
            tree(5);
            if (argc > 1) {
                int x = 0;
                #pragma omp task depend(out: x)
                work(1);
            }
        }
        #pragma omp for
        for (int i = 0; i < 10; ++i) {
            #pragma omp task
            work(1);
        }
        #pragma omp barrier
    }
    return puts("done") < 0;
}
"""
BUILD = SIM = CC = ""


def record(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-B", str(ROOT / "sim/record/record.py"), BUILD,
                           *arguments], capture_output=True, text=True, timeout=100, check=False)


def replay(graph: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SIM, "run", "graph", "--json", "--param", f"file={graph}", *arguments],
                          capture_output=True, text=True, timeout=100, check=False)


class Recording(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    program: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = Path(cls.folder.name) / "program"
        source = cls.program.with_suffix(".c")
        source.write_text(SOURCE)
        subprocess.run([CC, "-O1", "-fopenmp", str(source), "-o", str(cls.program)], check=True)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def recorded(self, *options: str) -> Path:
        output = self.program.with_suffix(".graph")
        done = record(str(output), "--runs", "2", *options, "--", str(self.program))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("72 tasks", done.stdout)
        return output

    def test_the_graph_is_the_programs(self) -> None:
        """A tree of 62 tasks below a taskgroup, ten in a loop, and the barriers."""
        lines = self.recorded().read_text().splitlines()
        self.assertEqual(lines[0], "heddle-graph 1")
        self.assertIn("72 tasks", lines[1])
        shape = "".join(c for line in lines[2:] for c in line if not c.isdigit())

        def tree(depth: int) -> str:
            return f"({tree(depth - 1)})({tree(depth - 1)})w" if depth else ""

        self.assertEqual(shape, f"[{tree(5)}]b" + 10 * "()" + "bb)")

    def test_pieces_add_up_to_what_is_known(self) -> None:
        result = self.run_graph(self.recorded("--seconds", "0.25"), 1)
        self.assertAlmostEqual(result["work_seconds"], 0.25, delta=0.01)

    def test_it_runs_on_any_machine(self) -> None:
        graph = self.recorded("--seconds", "0.25")
        for threads in (1, 4, 16):
            result = self.run_graph(graph, threads)
            self.assertEqual((result["answer"], result["tasks"]), ("72", 72))
            self.assertLessEqual(result["times_serial"], min(threads, result["parallelism"]))

    def run_graph(self, graph: Path, threads: int) -> dict[str, Any]:
        done = replay(graph, "--machine", "opteron16", "--threads", str(threads))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result: dict[str, Any] = json.loads(done.stdout)
        self.assertTrue(result["checked"])
        return result

    def test_what_a_graph_cannot_tell_is_refused(self) -> None:
        output = self.program.with_suffix(".none")
        done = record(str(output), "--", str(self.program), "with dependences")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a task with dependences: no graph is written", done.stderr)
        self.assertFalse(output.exists())
        for arguments in (("x.graph",), ("--kernels", "no-such-kernel"), ("--runs", "0", "a", "--",
                                                                        "true")):
            self.assertEqual(record(*arguments).returncode, 2, arguments)

    def test_kept_graphs_are_executed(self) -> None:
        for graph in sorted((ROOT / "sim/graphs").glob("*.graph")):
            with self.subTest(graph=graph.stem):
                done = replay(Path(graph.stem), "--machine", "opteron16", "--threads", "4")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f" {json.loads(done.stdout)['answer']} tasks, ",
                              graph.read_text().splitlines()[1])

    def test_large_tasks_of_one_creator_reach_all(self) -> None:
        """docs/task-policy.md, rule 8: as well as one queue for all shares them out."""
        def times_serial(*policy: str) -> float:
            done = replay(Path("sparselu"), "--machine", "opteron16", "--threads", "16", *policy)
            return float(json.loads(done.stdout)["times_serial"])

        self.assertGreater(times_serial(), 0.9 * times_serial("--policy", "bff:maxtasks=1024"))

    def test_what_is_no_graph_is_refused(self) -> None:
        file = self.program.with_suffix(".bad")
        for text, told in (("", "first line"), ("heddle-graph 2\n", "first line"),
                           ("heddle-graph 1\n5(3", "ends inside a task"),
                           ("heddle-graph 1\n5(3))1", "something follows"),
                           ("heddle-graph 1\n5])", "has not begun"),
                           ("heddle-graph 1\n[(])", "cross"),
                           ("heddle-graph 1\n(b))", "barrier inside"),
                           ("heddle-graph 1\nx)", "'x' is no construct"),
                           ("heddle-graph 1\n1000000000001)", "more than 1000 s"),
                           ("heddle-graph 1\n" + "(" * 10001, "more than 10000 tasks"),
                           ("heddle-graph 1\n" + "[" * 10001, "more than 10000 tasks")):
            with self.subTest(text=text):
                file.write_text(text)
                done = replay(file)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(f"--param file={file}: ", done.stderr)
                self.assertIn(told, done.stderr)
        done = replay(Path("no-such-graph"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such graph", done.stderr)

    def test_deep_graphs_are_executed(self) -> None:
        graph = self.program.with_suffix(".deep")
        for opening, closing in (("(", ")"), ("[", "]"), ("([", "])")):
            times = 10000 // len(opening)
            graph.write_text("heddle-graph 1\n" + f"1{opening}" * times + closing * times + ")")
            for threads in ("1", "3"):
                with self.subTest(opening=opening, threads=threads):
                    done = replay(graph, "--threads", threads)
                    self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    BUILD, SIM, CC = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
