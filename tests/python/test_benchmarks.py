# SPDX-License-Identifier: Apache-2.0
"""`heddle bench`: it runs, keeps and shows what the harness of bench/ measures. Times are not
looked at.

Called by ctest with HEDDLE_LIBRARY and CC set and a Python that has click and rich.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from html.parser import HTMLParser
from pathlib import Path

from test_command import LIBRARY, ROOT, TIMEOUT, environment, heddle

sys.path.insert(0, str(ROOT / "python"))
sys.argv[0] = "heddle"  # so that importing the package activates nothing here

from heddle import benchmark_page, benchmark_plot  # noqa: E402
from heddle.benchmark_tables import Case, Row  # noqa: E402

ORIGIN = {"machine": "A <machine>", "when": "now", "compilers": {"gcc": "gcc 12"}, "quick": False,
          "contenders": {"libgomp": {"library": "linked", "sha256": None}}, "seed": 1,
          "environment": {"OMP_PLACES": "<cores>"}}


class Page(HTMLParser):
    """The cells of each row, and what a browser would fetch from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.fetched, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.fetched += [value for name, value in attrs
                         if name in ("src", "href") and not value.startswith("data:")]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "table"

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


class PageTest(unittest.TestCase):
    def test_rows(self):
        rows = (Row(2, "heddle", "", 0.5, 0.25, 2.0), Row(1, "libgomp", "", 1.0, 1.0, 1.0),
                Row(1, "lib<omp>", "", None, None, None, "crashed with SIGSEGV & more"))
        page = Page(benchmark_page.page(ORIGIN, [Case("fib", "Tasks & tasks", 0.1, rows)],
                                        lambda seconds: f"{seconds} s", "It was busy"))
        self.assertEqual(page.fetched, [])
        self.assertIn(["2", "heddle", "0.5 s", "0.25 s", "2.00x", ""], page.rows)
        self.assertIn(["1", "lib<omp>", "crashed with SIGSEGV & more"], page.rows)


class Plot(unittest.TestCase):
    CASE = Case("fib", "Tasks", None, (Row(2, "libgomp", "", 1.0, 1.0, 1.0),
                                       Row(2, "heddle", "", 0.25, 0.25, 4.0),
                                       Row(2, "lib<omp>", "", 2.0, 2.0, 0.5),
                                       Row(2, "libiomp5", "", None, None, None, "crashed")))

    def test_a_bar_for_each_ratio(self):
        plot = benchmark_plot.draw(benchmark_plot.of_cases([self.CASE]), "a title")
        self.assertEqual(plot.count("<title>"), 2)
        self.assertIn("<title>heddle: 4.00 times libgomp</title>", plot)
        self.assertIn("<title>lib&lt;omp&gt;: 0.50 times libgomp</title>", plot)
        # One octave to the left of 1, two to the right, of 480 pixels.
        self.assertRegex(plot, r'class="heddle" x="370.0" y="\d+" width="320.0"')
        self.assertRegex(plot, r'class="other1" x="210.0" y="\d+" width="160.0"')

    def test_bars_of_one_colour_differ_in_more(self):
        names = ("heddle", "libomp", "libiomp5", "heddle-clang", "libomp-clang", "libiomp5-clang")
        rows = tuple(Row(2, name, "", 1.0, 1.0, 2.0) for name in names)
        plot = benchmark_plot.draw(benchmark_plot.of_cases([Case("fib", "", None, rows)]), "")
        legend = dict(reversed(found) for found in re.findall(
            r'<rect class="([^"]+)" x=1 [^>]*></svg> (\S+) ', plot))
        self.assertEqual(legend, {
            "heddle": "heddle", "libomp": "other1", "libiomp5": "other2",
            "heddle-clang": "heddle hollow", "libomp-clang": "other1 hollow",
            "libiomp5-clang": "other2 hollow"})
        for name, kind in legend.items():
            self.assertRegex(plot, f'<rect class="{kind}" x="[^>]+><title>{name}: ')

    def test_numbers_on_the_axis_keep_a_distance(self):
        rows = [Row(2, f"heddle {ratio}", "", 1.0, 1.0, ratio) for ratio in (0.011, 142.0)]
        case = Case("fib", "", None, tuple(rows))
        plot = benchmark_plot.draw(benchmark_plot.of_cases([case]), "a title")
        places = sorted(float(found) for found in re.findall(
            r'<text x="([\d.]+)" y="15" text-anchor=middle>', plot))
        self.assertGreater(len(places), 4)
        self.assertTrue(all(b - a >= 39.9 for a, b in zip(places, places[1:])), places)
        self.assertIn(">0.011<", plot)
        self.assertIn(">142<", plot)

    def test_constructs_have_a_plot_of_their_own(self):
        rows = [Row(2, name, "barrier", 1e-6, 1e-6, ratio)
                for name, ratio in (("libgomp", 1.0), ("heddle", 3.0))]
        case = Case("overheads", "Constructs", None, tuple(rows))
        self.assertEqual(benchmark_plot.of_cases([case]), [])
        groups = benchmark_plot.of_constructs(case)
        self.assertEqual([(group.label, group.ratios) for group in groups],
                         [("barrier x2", {"heddle": 3.0})])

    def test_nothing_to_compare(self):
        alone = Case("fib", "Tasks", None, (Row(1, "libgomp", "", 1.0, 1.0, 1.0),))
        self.assertEqual(benchmark_plot.draw(benchmark_plot.of_cases([alone]), "a title"), "")


class Bench(unittest.TestCase):
    def test_one_program(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            done = heddle("bench", "fib", "--quick", "--threads", "1", "--runtime", "heddle",
                          "--output", folder / "out", "--json", folder / "runs.json",
                          "--html", folder / "page.html")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            kept = json.loads((folder / "runs.json").read_text())
            page = Page((folder / "page.html").read_text())
            self.assertEqual(len(list((folder / "out" / "results").glob("*.json"))), 1)
        self.assertEqual({run["contender"] for run in kept["runs"]}, {"libgomp", "heddle"})
        self.assertTrue(all(run["result"]["check"] == "ok" for run in kept["runs"]))
        self.assertEqual(kept["contenders"]["heddle"]["library"], str(LIBRARY))
        self.assertEqual(page.fetched, [])
        shown = {row[1] for row in page.rows if row[0] == "1"}
        self.assertEqual(shown, {"libgomp", "heddle"})
        self.assertRegex(done.stdout, r"1 +heddle +[\d.]+ \w+ +[\d.]+ \w+ +[\d.]+x")

    def test_the_list(self):
        done = heddle("bench", "--list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^fib ")
        self.assertIn(str(LIBRARY), done.stdout)

    def test_what_is_not_there(self):
        for arguments, told in ((["weave"], "no benchmark is called 'weave'"),
                                (["fib", "--runtime", "loom"], "there is no runtime 'loom' here"),
                                (["fib", "--threads", "0"], "'0' is not a positive number"),
                                (["fib", "--threads", "0"], "Usage: heddle bench "),
                                (["fib", "--json", "/nodir/x"], "'/nodir/x' cannot be written"),
                                (["fib", "--html", "/nodir/x"], "'/nodir/x' cannot be written")):
            done = heddle("bench", *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "")  # nothing has been measured
            self.assertIn(told, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_an_interrupt(self):
        with tempfile.TemporaryDirectory() as scratch:
            begun = Path(scratch) / "begun"
            compiler = Path(scratch) / "gcc"
            compiler.write_text(f"#!/bin/sh\n: >{begun}\nexec sleep {TIMEOUT}\n")
            compiler.chmod(0o755)
            path = f"{scratch}:{os.environ['PATH']}"
            command = [sys.executable, "-B", "-m", "heddle", "bench", "fib", "--output", scratch]
            with subprocess.Popen(command, env=environment(PATH=path), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, start_new_session=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
                                  ) as process:
                while not begun.exists() and process.poll() is None:
                    time.sleep(0.01)
                os.killpg(process.pid, signal.SIGINT)
                self.assertNotIn(b"Traceback", process.stderr.read())
        self.assertEqual(process.returncode, 130)

    def test_without_a_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            done = heddle("bench", "fib", "--quick", "--output", folder, PATH="/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot run the compiler 'gcc'", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
