# SPDX-License-Identifier: Apache-2.0
"""`heddle trace`, from the source tree, on a run that `heddle run --trace` recorded.

Called by ctest with HEDDLE_LIBRARY and CC set and a Python that has click and rich.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TIMEOUT = 60

PROGRAM = """
static volatile int sink;
static int leaf(int n) { return n < 2 ? n : leaf(n - 1) + leaf(n - 2); }
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task
        sink += leaf(12);
    }
    return 0;
}
"""


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        source = cls.folder / "leaves.c"
        source.write_text(PROGRAM, encoding="utf-8")
        cls.program = cls.folder / "leaves"
        subprocess.run([os.environ.get("CC", "gcc"), "-O1", "-g", "-fopenmp", str(source), "-o",
                        str(cls.program)], check=True, timeout=TIMEOUT)
        cls.trace = cls.folder / "run.trace"
        done = cls.heddle("run", "--trace", str(cls.trace), "--", str(cls.program))
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    @staticmethod
    def heddle(*arguments):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("OMP_", "GOMP_", "KMP_", "LD_"))}
        return subprocess.run([sys.executable, "-B", "-m", "heddle", *arguments],
                              env=env | {"PYTHONPATH": str(ROOT / "python")}, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False)

    def test_summary(self):
        done = self.heddle("trace", str(self.trace))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("leaves, process", done.stdout)
        self.assertIn("main._omp_fn", done.stdout)
        self.assertIn("100 times", done.stdout)

    def test_files(self):
        html, chrome = self.folder / "run.html", self.folder / "run.json"
        done = self.heddle("trace", str(self.trace), "--html", str(html), "--json", str(chrome))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertIn("const data = {", html.read_text(encoding="utf-8"))
        listed = json.loads(chrome.read_text(encoding="utf-8"))["traceEvents"]
        self.assertEqual(sum(event.get("cat") == "task" for event in listed), 100)

    def test_a_pipe_is_not_waited_for(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        done = self.heddle("trace", str(pipe))
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", f"Error: {pipe}: no regular file\n"))

    def test_a_name_that_is_missing(self):
        for arguments in (("",), (str(self.trace), "--html", ""), (str(self.trace), "--json=")):
            with self.subTest(arguments):
                done = self.heddle("trace", *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("the name of the file is missing", done.stderr)

    def test_nothing_is_written_over_the_recording(self):
        before = self.trace.read_bytes()
        link, none = self.folder / "link", self.folder / "new.html"
        link.symlink_to(self.trace)
        for arguments in (("--json", str(self.trace)), ("--html", str(link)),
                          ("--html", f"{self.folder}/./run.trace"),
                          ("--html", str(none), "--json", f"{self.folder}/./new.html")):
            with self.subTest(arguments):
                done = self.heddle("trace", str(self.trace), *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("are the same file", done.stderr)
        self.assertEqual(self.trace.read_bytes(), before)
        self.assertFalse(none.exists())

    def test_a_full_disk_is_the_outputs(self):
        for option in ("--html", "--json"):
            done = self.heddle("trace", str(self.trace), option, "/dev/full")
            self.assertEqual((done.returncode, done.stderr),
                             (1, "Error: /dev/full: No space left on device\n"))

    def test_errors_are_one_line(self):
        broken = self.folder / "broken.trace"
        broken.write_bytes(self.trace.read_bytes()[:1000])
        for arguments in ((str(broken),), (str(self.folder / "none"),), (str(self.folder),),
                          (str(self.program),),
                          (str(self.trace), "--html", str(self.folder / "none" / "a.html"))):
            with self.subTest(arguments):
                done = self.heddle("trace", *arguments)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, r"\AError: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
