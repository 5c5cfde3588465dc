# SPDX-License-Identifier: Apache-2.0
"""`import heddle` before two libraries with OpenMP, as a wheel is such a library: both are
Heddle's, in forked and spawned processes and in threads too; after them it does nothing and says so.

Called by ctest with HEDDLE_LIBRARY and CC set. Needs no network, and no package of Python's.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = Path(os.environ["HEDDLE_LIBRARY"]).absolute()
THREADS = 3
TIMEOUT = 120

# The program's parts; ONE and TWO are the libraries, HERE is where process.py is.
START = """
import ctypes, json, sys
sys.path.insert(0, sys.argv[3])
import process
ONE, TWO = sys.argv[1:3]
def library(path):
    return ctypes.CDLL(path)
def observe(*counts):
    print(json.dumps({"counts": counts, "census": process.census()}), flush=True)
"""
MULTIPLE = """
import heddle
import ctypes, json, multiprocessing, os, sys
def members(path):
    return ctypes.CDLL(path).members(), str(heddle.status().active), os.getpid()
if __name__ == "__main__":
    here = members(sys.argv[1])
    found = [here]
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            found.append(pool.apply(members, (sys.argv[1],)))
    print(json.dumps(found))
"""


class Activation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.libraries = [f"{cls.scratch.name}/lib{name}.so" for name in ("one", "two")]
        for library in cls.libraries:
            subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-fopenmp", "-shared", "-fPIC",
                            HERE / "two_libraries.c", "-o", library], check=True, timeout=TIMEOUT)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def python(self, program, **variables):
        """(what a program prints, as lines of JSON, and its stderr)."""
        script = Path(self.scratch.name) / "program.py"
        script.write_text(program)
        done = self.interpreter(script, *self.libraries, HERE, **variables)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def interpreter(self, *arguments, **variables):
        """What Python does with arguments, in the scratch folder."""
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_", "LD_"))}
        env.update(PYTHONPATH=str(ROOT / "python"), HEDDLE_LIBRARY=str(LIBRARY),
                   OMP_NUM_THREADS=str(THREADS), **variables)
        done = subprocess.run([sys.executable, "-B", *arguments], env=env, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False, cwd=self.scratch.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_first(self):
        (seen,), told = self.python(START + """
import heddle
observe(library(ONE).members(), library(TWO).members(), heddle.max_threads(),
        heddle.status().active, heddle.status().reason)
""")
        self.assertEqual(seen["counts"], [THREADS, THREADS, THREADS, True, "imported"])
        self.assertEqual({name: count for name, count in seen["census"].items() if "libgomp" in name
                          or "heddle" in name}, {LIBRARY.resolve().name: THREADS - 1})
        self.assertEqual(told, "")

    def test_after_another_runtime(self):
        (seen,), told = self.python(START + """
one = library(ONE)
import heddle
heddle.activate()
try:
    heddle.max_threads()
except RuntimeError as error:
    observe(one.members(), library(TWO).members(), heddle.status().active)
""")
        self.assertEqual(seen["counts"], [THREADS, THREADS, False])
        self.assertNotIn("libheddle.so", seen["census"])
        lines = told.splitlines()
        self.assertEqual(len(lines), 1, told)
        self.assertRegex(lines[0], r"heddle: not activated: \S*libgomp\S* is loaded already")

    def test_a_package_that_is_run(self):
        """`python3 -m`: its __init__.py is imported before the program's name is known. What other
        modules are named after, and the program's arguments, count for nothing."""
        package = Path(self.scratch.name) / "heddled"
        package.mkdir(exist_ok=True)
        (package / "__init__.py").write_text("import heddle\n")
        (package / "__main__.py").write_text("import heddle\nprint(heddle.status().reason)\n")
        for arguments in (["-m", "heddled"], ["-mheddled", "-m", "heddle"], ["-Bm", "heddled"],
                          ["-X", "dev", "-sm", "heddled.__main__", "heddle"]):
            done = self.interpreter(*arguments)
            self.assertEqual((done.stdout, done.stderr), ("imported\n", ""), arguments)

    def test_a_script_of_that_name(self):
        script = Path(self.scratch.name) / "heddle"
        for program, reason in (("import heddle", "imported"),
                                ("import heddle  # heddle.command", "not asked for yet")):
            script.write_text(f"{program}\nprint(heddle.status().reason)\n")
            self.assertEqual(self.interpreter(script).stdout, f"{reason}\n")

    def test_preloaded(self):
        (seen,), told = self.python(START + """
import heddle
observe(library(ONE).members(), heddle.status().reason, heddle.max_threads())
""", LD_PRELOAD=str(LIBRARY))
        self.assertEqual((seen["counts"], told), ([THREADS, "preloaded", THREADS], ""))

    def test_without_the_library(self):
        (seen,), told = self.python(START + """
import os
os.environ["HEDDLE_LIBRARY"] = "/nowhere/libheddle.so"
import heddle
observe(library(ONE).members(), heddle.status().active)
""")
        self.assertEqual(seen["counts"], [THREADS, False])
        self.assertEqual(told, "heddle: not activated: HEDDLE_LIBRARY: there is no file "
                               "'/nowhere/libheddle.so'\n")

    def test_threads(self):
        (seen,), _ = self.python(START + """
import heddle, threading
one, counts = library(ONE), []
with heddle.threads(2):
    counts.append(one.members())
    other = threading.Thread(target=lambda: counts.append(one.members()))
    other.start()
    other.join()
    try:
        with heddle.threads(1):
            counts.append(one.members())
            raise KeyError
    except KeyError:
        counts.append(one.members())
counts.append(one.members())
for bad in (0, -1, 2**31, "2", 1.5):
    try:
        with heddle.threads(bad):
            pass
    except (TypeError, ValueError) as error:
        counts.append(type(error).__name__)
observe(*counts)
""")
        self.assertEqual(seen["counts"], [2, THREADS, 1, 2, THREADS, "ValueError", "ValueError",
                                          "ValueError", "TypeError", "TypeError"])

    def test_forked_and_spawned(self):
        (found,), told = self.python(MULTIPLE)
        self.assertEqual([entry[:2] for entry in found], [[THREADS, "True"]] * 3)
        self.assertEqual(len({entry[2] for entry in found}), 3)
        self.assertEqual(told, "")

    def test_children(self):
        (before, after), told = self.python(START + """
import heddle, os, subprocess
program = "import heddle, json; print(json.dumps(heddle.status().reason), flush=True)"
subprocess.run([sys.executable, "-c", program], check=True)
heddle.activate(children=True)
subprocess.run([sys.executable, "-c", program], check=True)
""")
        self.assertEqual((before, after, told), ("imported", "preloaded", ""))


if __name__ == "__main__":
    unittest.main()
