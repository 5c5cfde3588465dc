# SPDX-License-Identifier: Apache-2.0
"""heddle.h and heddle.hpp in every dialect, with and without exceptions: they compile without a
warning and keep their promises; the page's programs run; a program that lacks the library is told.

ctest runs this with HEDDLE_LIBRARY and CC set. gcc and g++ must be there; clang 19 is asked too
where it is installed.
"""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = ROOT / "include"
STRESS = ROOT / "tests/stress"
PAGE = ROOT / "docs/heddle-hpp.md"
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so"))
C_COMPILERS = [name for name in (os.environ.get("CC", "gcc"), "clang-19") if shutil.which(name)]
CXX_COMPILERS = [name for name in (os.environ.get("CXX", "g++"), "clang++-19") if shutil.which(name)]
STRICT = ("-pedantic", "-Wall", "-Wextra", "-Wundef", "-Wshadow", "-Werror", f"-I{INCLUDE}")
LINK = (f"-L{LIBRARY.parent}", "-lheddle", f"-Wl,-rpath,{LIBRARY.parent}")
TIMEOUT = 300


def run(*command, folder, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "GOMP_", "KMP_", "LD_"))}
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True,
                          env=environment | variables, text=True, timeout=TIMEOUT)


class Programs(unittest.TestCase):
    def build_and_run(self, *command, **variables):
        with tempfile.TemporaryDirectory() as folder:
            built = run(*command, "-o", "program", *LINK, folder=folder)
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            for threads in ("1", "2", "3"):
                done = run("./program", folder=folder, OMP_NUM_THREADS=threads, **variables)
                self.assertEqual(done.returncode, 0, f"{threads} threads: {done.stdout}{done.stderr}")

    def test_c(self):
        for compiler, dialect in itertools.product(C_COMPILERS, ("c99", "c11", "gnu17", "c2x")):
            with self.subTest(compiler=compiler, dialect=dialect):
                self.build_and_run(compiler, f"-std={dialect}", "-O1", *STRICT, HERE / "spawn.c")

    def test_c_header_in_cxx(self):
        for compiler, dialect in itertools.product(CXX_COMPILERS, ("c++11", "c++20")):
            with self.subTest(compiler=compiler, dialect=dialect):
                self.build_and_run(compiler, f"-std={dialect}", *STRICT, "-x", "c++",
                                   HERE / "spawn.c")

    def test_locality(self):
        for command in ((C_COMPILERS[0], "-std=c99"), (CXX_COMPILERS[0], "-std=c++11", "-x", "c++")):
            with self.subTest(command):
                self.build_and_run(*command, "-O1", *STRICT, HERE / "locality.c")

    def test_wait_policy(self):
        environments = (("0", {}), ("1", {"OMP_WAIT_POLICY": "active"}),
                        ("2", {"OMP_WAIT_POLICY": "passive"}), ("3", {"KMP_BLOCKTIME": "5"}),
                        ("3", {"GOMP_SPINCOUNT": "100", "OMP_WAIT_POLICY": "active"}))
        for command in ((C_COMPILERS[0], "-std=gnu99"), (CXX_COMPILERS[0], "-std=gnu++11", "-x",
                                                         "c++")):
            with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                built = run(*command, *STRICT, HERE / "wait_policy.c", "-o", "program", *LINK,
                            folder=folder)
                self.assertEqual((built.returncode, built.stderr), (0, ""))
                for expected, variables in environments:
                    done = run("./program", expected, folder=folder, **variables)
                    self.assertEqual(done.returncode, 0, f"{variables}: {done.stderr}")

    def test_cxx(self):
        for compiler, dialect, options in itertools.product(
                CXX_COMPILERS, ("c++17", "c++20"), (("-O3",), ("-O1", "-fno-exceptions"))):
            with self.subTest(compiler=compiler, dialect=dialect, options=options):
                self.build_and_run(compiler, f"-std={dialect}", *options, *STRICT,
                                   "-Wno-unknown-pragmas", STRESS / "spawn_semantics.cpp",
                                   HEDDLE_STRESS_SCALE="0.1")

    def test_reducers(self):
        for compiler, dialect in itertools.product(CXX_COMPILERS, ("c++17", "gnu++20")):
            with self.subTest(compiler=compiler, dialect=dialect):
                self.build_and_run(compiler, f"-std={dialect}", "-O2", "-fno-exceptions", "-fno-rtti",
                                   "-fopenmp", *STRICT, STRESS / "spawn_random.cpp",
                                   HEDDLE_STRESS_SCALE="0.1")

    def test_cancelled_tasks_are_destroyed(self):
        for compiler in CXX_COMPILERS:
            with self.subTest(compiler=compiler):
                self.build_and_run(compiler, "-std=c++17", "-fopenmp", "-O1", *STRICT,
                                   HERE / "cancelled.cpp", OMP_CANCELLATION="true")

    def test_the_pages_programs(self):
        programs = re.findall(r"^```cpp\n(.*?)^```\n(?:.*?^```text\n(.*?)^```\n)?", PAGE.read_text(),
                              re.DOTALL | re.MULTILINE)
        complete = [program for program in programs if "int main" in program[0]]
        self.assertGreaterEqual(len(complete), 3)
        for (text, output), compiler in itertools.product(complete, CXX_COMPILERS):
            with self.subTest(compiler=compiler, text=text), \
                    tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "program.cpp").write_text(text)
                built = run(compiler, "-std=c++17", "-O2", *STRICT, "-Wold-style-cast",
                            "program.cpp", "-o", "program", *LINK, folder=folder)
                self.assertEqual((built.returncode, built.stderr), (0, ""))
                done = run("./program", folder=folder)
                self.assertEqual((done.returncode, done.stdout), (0, output))


class Diagnostics(unittest.TestCase):
    def compile(self, compiler, *options):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "program.cpp").write_text(
                "#include <heddle.hpp>\nint main() { heddle::run([] { heddle::spawn([] {}); }); }\n")
            return run(compiler, f"-I{INCLUDE}", "program.cpp", *options, folder=folder)

    def test_without_the_library_the_linker_names_what_is_missing(self):
        for compiler in CXX_COMPILERS:
            done = self.compile(compiler, "-std=c++17")
            self.assertNotEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"undefined reference to [`']heddle_")

    def test_an_older_dialect_is_told_which_one_to_ask_for(self):
        for compiler in CXX_COMPILERS:
            done = self.compile(compiler, "-std=c++14", "-c")
            self.assertIn("heddle.hpp needs C++17 or later: -std=c++17", done.stderr)

    def test_an_exception_that_leaves_a_task_terminates(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "program.cpp").write_text(
                "#include <heddle.hpp>\n#include <cstdlib>\nint main() {\n"
                "std::set_terminate([] { std::_Exit(7); });\n"
                "heddle::run([] { for (int i = 0; i < 100; ++i) heddle::spawn([i] {"
                " if (i == 50) throw i; }); }); }\n")
            for threads in ("1", "2"):
                built = run(CXX_COMPILERS[0], "-std=c++17", f"-I{INCLUDE}", "program.cpp", "-o",
                            "program", *LINK, folder=folder)
                self.assertEqual((built.returncode, built.stderr), (0, ""))
                done = run("./program", folder=folder, OMP_NUM_THREADS=threads)
                self.assertEqual(done.returncode, 7, done.stderr)


class Agreement(unittest.TestCase):
    def test_what_the_header_declares_is_exported(self):
        header = re.sub(r"/\*.*?\*/", "", (INCLUDE / "heddle.h").read_text(), flags=re.DOTALL)
        declared = set(re.findall(r"\b(heddle_\w+)(?=\()|\b(heddle_thread_\d)\b", header))
        declared = {function or variable for function, variable in declared}
        exported = set(re.findall(r"\b(heddle_\w+);", (ROOT / "src/abi/exports.map").read_text()))
        self.assertEqual(declared, exported - {"heddle_debug_table"})  # no program uses that

    def test_the_versions_agree(self):
        header = (INCLUDE / "heddle.h").read_text()
        version = ".".join(re.findall(r"#define HEDDLE_VERSION_(?:MAJOR|MINOR) (\d+)", header))
        project = re.search(r"project\(heddle VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())
        self.assertEqual(version, project[1])


if __name__ == "__main__":
    unittest.main()
