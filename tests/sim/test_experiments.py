# SPDX-License-Identifier: Apache-2.0
"""sim/run.py: experiments are judged, repeat bit for bit, and make a page; bad input is one line.

Usage: test_experiments.py HEDDLE_SIM
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIM = Path(__file__).resolve().parents[2] / "sim"
sys.path.insert(0, str(SIM))

from experiments import claims, registry, report  # noqa: E402
from experiments.chart import draw  # noqa: E402
from experiments.outcome import Outcome, Table, Verdict  # noqa: E402

PROGRAM = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path()
TWO = ("uts-fig7", "locks-fig6")


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-B", str(SIM / "run.py"), *arguments],
                          capture_output=True, text=True, timeout=250, check=False)


class Claims(unittest.TestCase):
    def test_each_claim_has_its_experiment(self) -> None:
        known = claims.load()
        names = {e.name for e in registry.EXPERIMENTS}
        self.assertEqual(len(names), len(registry.EXPERIMENTS), "two experiments of one name")
        self.assertEqual(len({c.id for c in known.claims}), len(known.claims), "an id twice")
        for claim in known.claims:
            self.assertIn(claim.experiment, names, claim.id)
            for text in (claim.place, claim.says, claim.shape):
                self.assertTrue(text.strip(), claim.id)
        self.assertEqual({c.paper for c in known.claims}, set(known.papers))


class Runs(unittest.TestCase):
    def test_two_experiments_repeat_and_make_a_page(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            records = []
            for jobs in ("1", "2"):
                done = run(*TWO, "--quick", "--simulator", str(PROGRAM), "--output", folder,
                           "--jobs", jobs)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for name in TWO:
                    self.assertIn(f"{name}: ", done.stdout)
                self.assertIn(f"page: {folder}/report.html, of 2 experiments", done.stdout)
                records.append([self.without_host(Path(folder) / f"{n}.json") for n in TWO])
            self.assertEqual(*records)
            for name, record in zip(TWO, records[0]):
                judged = {v["claim"] for v in record["verdicts"]}
                self.assertEqual(judged, {c.id for c in claims.load().of(name)})
                self.assertTrue(all(r["checked"] for r in record["runs"]))
            self.assertEqual(run("report", "--output", folder).returncode, 0)
            page = (Path(folder) / "report.html").read_text(encoding="utf-8")
            self.assertIn("<svg", page)
            self.assertNotIn("src=", page)  # nothing from elsewhere
            for name in TWO:
                self.assertIn(f'id="{name}"', page)

    @staticmethod
    def without_host(path: Path) -> "dict[str, object]":
        """What was simulated: not how long this machine took."""
        record = json.loads(path.read_text(encoding="utf-8"))
        del record["host_seconds"]
        for one in record["runs"]:
            for key in [k for k in one if "host" in k]:
                del one[key]
        return record

    def test_bad_input_is_one_line(self) -> None:
        for arguments, told in ((("no-such-thing", "--simulator", str(PROGRAM)), "no-such-thing"),
                                ((TWO[0], "--simulator", "/nowhere/sim"), "/nowhere/sim"),
                                (("report", "--output", "/nowhere"), "/nowhere")):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(told, done.stderr)

    def test_what_the_system_refuses_is_one_line(self) -> None:
        script = str(SIM / "run.py")
        for line, told in (('"$0" -B "$1" list >/dev/full', "No space left on device"),
                           ('"$0" -B "$1" list >&-', "standard output is closed"),
                           ('"$0" -B "$1" uts-fig1 --simulator "$2" --output /proc/x',
                            "/proc/x: ")):
            done = subprocess.run(["sh", "-c", line, sys.executable, script, str(PROGRAM)],
                                  capture_output=True, text=True, timeout=250, check=False)
            self.assertEqual(done.returncode, 1, line)
            self.assertRegex(done.stderr, rf"\Asim/run.py: {told}.*\n\Z")

    def test_a_reader_that_leaves_is_no_error(self) -> None:
        with subprocess.Popen([sys.executable, "-B", str(SIM / "run.py"), "list"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.returncode, 141)

    def test_no_jobs_at_all(self) -> None:
        for number in ("0", "-1", "x"):
            done = run(TWO[0], "--quick", f"--jobs={number}")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"--jobs: '{number}' is not a positive number", done.stderr)

    def test_a_damaged_result_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{TWO[0]}.json"
            for content in (b"", b"{}", b"[1]", b'{"tables": [7], "verdicts": []}', b"\xff"):
                file.write_bytes(content)
                done = run("report", "--output", folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(f"{file}: no result of an experiment", done.stderr)

    def test_a_wrong_answer_is_a_failure(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "heddle-sim"
            fake.write_text('#!/bin/sh\necho \'{"checked": false, "answer": "7"}\'\n')
            os.chmod(fake, 0o755)
            done = run(TWO[0], "--quick", "--simulator", str(fake), "--output", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("wrong answer 7", done.stderr)


class Page(unittest.TestCase):
    def test_verdicts_and_missing_values(self) -> None:
        known = claims.load()
        table = Table("a <b>", "us", "threads", ["1", "2"], ["x", "y"], [[1.0, None], [100.0, 3.0]],
                      log_y=True)
        outcome = Outcome("ompi-fig5b", "title & more", ["m"], False, 1, [table],
                          [Verdict("ompi-fig5b-best", "ours <1>", True)])
        page = report.page([Outcome.restored(json.loads(json.dumps(outcome.record())))], known)
        for words in ("a &lt;b&gt;", "title &amp; more", "ours &lt;1&gt;", ">pass<", ">not run<"):
            self.assertIn(words, page)
        self.assertNotIn(">fail<", page)
        self.assertEqual(draw(table).count("<circle"), 3)
        self.assertEqual(draw(Table("", "", "", ["1"], ["x"], [[1.0]])), "")


if __name__ == "__main__":
    unittest.main()
