# SPDX-License-Identifier: Apache-2.0
"""The entry points that gcc 13 to 17 call work, with one thread, with several, and with many.

ctest runs this with HEDDLE_LIBRARY and CC set. The program is linked with Heddle alone: the
compiler's own libgomp may lack the symbols.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 60


def build(folder, *options):
    program = Path(folder) / "newer_gcc"
    # After the library nothing is missing, so --as-needed leaves libgomp out.
    subprocess.run([COMPILER, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fopenmp",
                    "-foffload=disable", *options, str(HERE / "newer_gcc.c"), "-o", str(program),
                    f"-L{LIBRARY.parent}", "-lheddle", f"-Wl,-rpath,{LIBRARY.parent}",
                    "-Wl,--as-needed"], check=True, timeout=TIMEOUT)
    return program


class NewerGcc(unittest.TestCase):
    def test_each_entry_point_with_1_2_and_8_threads(self):
        self.assertTrue(LIBRARY.is_file(), LIBRARY)
        with tempfile.TemporaryDirectory() as folder:
            for level in ("-O0", "-O2"):
                program = build(folder, level)
                for threads in (1, 2, 8):
                    with self.subTest(level=level, threads=threads):
                        environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
                        done = subprocess.run([program], env=environment, capture_output=True,
                                              text=True, timeout=TIMEOUT)
                        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_a_tool_is_told(self):
        """Of each round of newer_gcc.c's worksharing(), which has a static loop every second time."""
        threads, rounds, iterations = 3, 200, 1003
        with tempfile.TemporaryDirectory() as folder:
            program, tool = build(folder, "-O2"), Path(folder) / "tool.so"
            log = Path(folder) / "log"
            subprocess.run([COMPILER, "-shared", "-fPIC", f"-I{HERE.parents[1] / 'include'}",
                            str(HERE.parent / "ompt" / "tool.c"), "-o", str(tool)],
                           check=True, timeout=TIMEOUT)
            subprocess.run([program], check=True, timeout=TIMEOUT, env=os.environ | {
                "OMP_NUM_THREADS": str(threads), "OMP_TOOL_LIBRARIES": str(tool),
                "OMPT_TEST_LOG": str(log)})
            lines = [line.split() for line in log.read_text().splitlines()]
        events = [(words[0], *words[2:4]) for words in lines if len(words) > 3]
        static, distribute, executor = "10", "6", "3"
        orphaned = 1
        for end in ("begin", "end"):
            self.assertEqual(events.count(("work", end, static)), threads * rounds // 2)
            self.assertEqual(events.count(("work", end, distribute)), orphaned)
            self.assertGreaterEqual(events.count(("work", end, executor)), rounds + orphaned)
            self.assertEqual(events.count(("reduction", end, "7")), threads * rounds)
            for kind in ("8", "3"):  # a worksharing region's and the user's
                self.assertGreaterEqual(events.count(("sync_region", end, kind)), threads * rounds)
        self.assertEqual(events.count(("work", "begin", executor)),
                         events.count(("work", "end", executor)))
        chunks = [words for words in lines if words[0] == "dispatch" and words[2] == "3"]
        self.assertEqual(len(chunks), threads * rounds // 2)
        self.assertEqual(sum(int(words[6]) for words in chunks), iterations * rounds // 2)


if __name__ == "__main__":
    unittest.main()
