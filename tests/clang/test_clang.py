# SPDX-License-Identifier: Apache-2.0
"""The programs of this folder, compiled by clang-19, on Heddle in libomp's place.

ctest runs this with HEDDLE_LIBRARY set; skipped where clang-19 is missing. A program prints nothing and
returns 0 when all is as it should be, whatever the default size of teams, with cancellation and
without. clang generates other code with optimization, without thread-local storage (for threadprivate
variables alone), and through its newer builder, which forgets clauses of parallel and crashes on others.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILERS = {".c": shutil.which("clang-19"), ".cpp": shutil.which("clang++-19")}
WAYS = {"-O0": ["-O0"], "-O3": ["-O3"]}
MORE_WAYS = {
    "threadprivate.c": {"without TLS": ["-O1", "-fnoopenmp-use-tls", "-DWITHOUT_TLS"]},
    "teams.c": {"builder": ["-O1", "-fopenmp-enable-irbuilder"]},
}
TIMEOUT = 100


def environment(**variables):
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "KMP_", "GOMP_", "LD_"))}
    return own | {"LD_LIBRARY_PATH": str(LIBRARY.parent / "drop-in"), **variables}


@unittest.skipUnless(all(COMPILERS.values()), "needs clang-19")
class Programs(unittest.TestCase):
    def run_all_ways(self, source, folder):
        for way, flags in (WAYS | MORE_WAYS.get(source.name, {})).items():
            program = folder / source.stem
            # -latomic: clang reads and writes the widest types through it.
            subprocess.run([COMPILERS[source.suffix], *flags, "-Wall", "-Wextra", "-Werror",
                            "-Wno-pass-failed", "-fopenmp", str(source), "-o", str(program),
                            "-lm", "-latomic"], check=True, timeout=TIMEOUT)
            for threads in ("1", "2", "3", "8"):
                for cancellation in ("false", "true"):
                    with self.subTest(way=way, threads=threads, cancellation=cancellation):
                        done = subprocess.run(
                            [program], capture_output=True, text=True, timeout=TIMEOUT,
                            env=environment(OMP_NUM_THREADS=threads, OMP_CANCELLATION=cancellation))
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


def add_test(source):
    def test(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_all_ways(source, Path(folder))
    setattr(Programs, f"test_{source.stem}", test)


for program_source in sorted(HERE.glob("*.c*")):
    add_test(program_source)

if __name__ == "__main__":
    unittest.main()
