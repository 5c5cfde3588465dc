#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What compare.py relies on, without any wheel: that process.py finds out who started a thread,
that bindings.py finds out what a reference is bound to, and that both see the difference that
preloading Heddle makes to two libraries in one Python process.

Called by ctest with HEDDLE_LIBRARY and CC set. Needs no network.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import bindings
import compare

HERE = Path(__file__).resolve().parent
HEDDLE = Path(os.environ["HEDDLE_LIBRARY"])
THREADS = 3

# Two libraries, and a second thread of Python that uses one of them.
PROGRAM = """
import ctypes, json, sys, threading
sys.path.insert(0, sys.argv[1])
import process
one, two = ctypes.CDLL(sys.argv[2]), ctypes.CDLL(sys.argv[3])
counts = [one.members(), two.members(), one.widest()]
done, counted = threading.Event(), threading.Event()
def client():
    counts.append(two.members())
    done.set()
    counted.wait()
thread = threading.Thread(target=client)
thread.start()
done.wait()
print(json.dumps({"counts": counts, "census": process.census(), "runtimes": process.runtimes()}))
counted.set()
"""


class ProcessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.libraries = [f"{cls.folder.name}/lib{name}.so" for name in ("one", "two")]
        for library in cls.libraries:
            subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-fopenmp", "-shared", "-fPIC",
                            HERE / "two_libraries.c", "-o", library], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def observe(self, library):
        command = [sys.executable, "-B", "-c", PROGRAM, str(HERE), *self.libraries]
        done, found = bindings.run(command, compare.environment(THREADS, library),
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        return json.loads(done.stdout), found

    def test_stock(self):
        seen, found = self.observe(None)
        self.assertEqual(seen["counts"], [THREADS, THREADS, THREADS, THREADS])
        owners = [name.split(".so")[0] for name in compare.owned(seen["census"])]
        self.assertEqual(owners, ["libgomp"])
        self.assertEqual(len(seen["runtimes"]), 1)
        strangers = bindings.strangers(found, HEDDLE.name)
        self.assertIn(("libone.so", "GOMP_parallel"), [(entry[0], entry[2]) for entry in strangers])
        self.assertIn(("libtwo.so", "GOMP_parallel"), [(entry[0], entry[2]) for entry in strangers])

    def test_heddle(self):
        seen, found = self.observe(HEDDLE)
        self.assertEqual(seen["counts"], [THREADS, THREADS, THREADS, THREADS])
        self.assertEqual(compare.owned(seen["census"]), {HEDDLE.name: 2 * (THREADS - 1)})
        self.assertEqual(bindings.strangers(found, HEDDLE.name), [])
        self.assertIn(("libone.so", HEDDLE.name, "GOMP_parallel", "GOMP_4.0"), found)

    def test_other_runtime_by_handle(self):
        """threadpoolctl asks every runtime of a process by its handle. What libomp then calls of
        its own goes through the loader, and must not end at a stub of ours."""
        program = "import ctypes; print(ctypes.CDLL('libomp.so.5').omp_get_max_threads())"
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                              env=compare.environment(THREADS, HEDDLE), check=False)
        self.assertEqual((done.returncode, done.stdout), (0, f"{THREADS}\n"))


class CompareTest(unittest.TestCase):
    def test_loader_log(self):
        log = ["   7:\tbinding file /w/libx.so [0] to /w/libgomp-1.so.1.0.0 [0]: normal symbol "
               "`GOMP_parallel' [GOMP_4.0]",
               "   7:\tbinding file /w/libx.so [0] to /h/libheddle.so [0]: normal symbol "
               "`omp_in_final'",
               "   7:\tbinding file /w/libgomp-1.so.1.0.0 [0] to /w/libgomp-1.so.1.0.0 [0]: normal "
               "symbol `GOMP_barrier' [GOMP_1.0]",
               "   7:\tbinding file /w/libx.so [0] to /lib/libc.so.6 [0]: normal symbol `free'"]
        found = bindings.parse(log)
        self.assertEqual(found, {("libx.so", "libgomp-1.so.1.0.0", "GOMP_parallel", "GOMP_4.0"),
                                 ("libx.so", "libheddle.so", "omp_in_final", "")})
        self.assertEqual([entry[2] for entry in bindings.strangers(found, "libheddle.so")],
                         ["GOMP_parallel"])

    def test_results(self):
        near = {"shape": [2], "sample": [1.0, 2.0], "tolerance": 1e-6}
        self.assertTrue(compare.same(near, dict(near, sample=[1.0, 2.0 + 1e-7])))
        self.assertFalse(compare.same(near, dict(near, sample=[1.0, 2.1])))
        self.assertFalse(compare.same(near, dict(near, sample=[1.0, float("nan")])))
        exact = {"shape": [2], "sha256": "a"}
        self.assertTrue(compare.same(exact, dict(exact)))
        self.assertFalse(compare.same(exact, dict(exact, sha256="b")))
        self.assertFalse(compare.same(exact, near))

    def test_pool(self):
        def found(*censuses):
            names = ("torch", "clients", "more clients")
            return {"parts": {name: {"census": census} for name, census in zip(names, censuses)}}

        good = ({"libheddle.so": 3}, {"libheddle.so": 9, "libx.so": 5}, {"libheddle.so": 9})
        self.assertEqual(compare.one_pool(found(*good), "libheddle.so", 4), [])
        self.assertTrue(compare.one_pool(found({"libgomp.so.1": 1}, *good[1:]), "libheddle.so", 4))
        self.assertTrue(compare.one_pool(found({"libheddle.so": 4}, *good[1:]), "libheddle.so", 4))
        self.assertTrue(compare.one_pool(found(*good[:2], {"libheddle.so": 12}), "libheddle.so", 4))


if __name__ == "__main__":
    unittest.main()
