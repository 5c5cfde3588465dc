# SPDX-License-Identifier: Apache-2.0
"""What the tests of manners share: programs that gcc and clang compile and Heddle serves.

Called by the tests in this folder, which ctest runs with HEDDLE_LIBRARY and CC set.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY",
                              HERE.parents[1] / "build/release/lib/libheddle.so")).resolve()
DROP_IN = LIBRARY.parent / "drop-in"
GCC = os.environ.get("CC", "gcc")
CLANG = next(filter(shutil.which, ("clang-19", "clang")), None)
COMPILERS = {name: path for name, path in (("gcc", GCC), ("clang", CLANG)) if path}
STRICT = ("-O1", "-g", "-Wall", "-Wextra", "-Werror")
TIMEOUT = 100
NOBODY = 65534


def clean_environment(**variables):
    """The caller's environment without what steers an OpenMP runtime or the loader, and
    `variables`."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_", "LD_"))} | variables


class Programs(unittest.TestCase):
    """A test with a folder of its own, `self.folder`, which everybody may read."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.folder.chmod(0o755)

    @classmethod
    def build(cls, source, *flags, compiler=GCC, name=None, openmp=True, libraries=DROP_IN):
        """Compiles tests/robustness/`source`; what is compiled with OpenMP gets Heddle through the
        runtime's name in the folder `libraries`."""
        target = cls.folder / (name or Path(source).stem)
        runtime = ["-fopenmp", f"-Wl,-rpath,{libraries}"] if openmp else []
        subprocess.run([compiler, *STRICT, *runtime, str(HERE / source), "-o", str(target), *flags],
                       check=True, timeout=TIMEOUT)
        return target

    @classmethod
    def build_with_each(cls, source, *flags):
        """{compiler's name: program}"""
        return {name: cls.build(source, *flags, compiler=compiler, name=f"{Path(source).stem}.{name}")
                for name, compiler in COMPILERS.items()}

    def run_program(self, program, *arguments, variables=None, **options):
        options = {"timeout": TIMEOUT, "check": False} | options
        return subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True,
                              env=clean_environment(**(variables or {})), **options)
