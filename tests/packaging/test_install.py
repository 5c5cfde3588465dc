# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` leaves can be used, also after the tree was moved: by find_package, by
pkg-config, linked statically, and in libgomp's place.

Called by ctest with HEDDLE_LIBRARY (in the build folder that is installed), CC and CMAKE set.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ["HEDDLE_LIBRARY"]).absolute().parents[1]
CMAKE = os.environ.get("CMAKE", "cmake")
COMPILER = os.environ.get("CC", "gcc")
TIMEOUT = 120


def run(*command, **variables):
    """What a command prints; it must succeed."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "GOMP_", "HEDDLE_", "LD_", "PKG_CONFIG", "CMAKE_"))}
    done = subprocess.run([str(part) for part in command], env={**env, **variables},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT, check=False)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = (cls.folder / "first").rename(cls.folder / "moved")
        # In other folders there are links to it.
        cls.libraries = next(path for path in cls.prefix.rglob("libheddle.so")
                             if not path.is_symlink()).parent

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_find_package(self):
        build = self.folder / "build"
        run(CMAKE, "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={COMPILER}")
        run(CMAKE, "--build", build)
        for program in ("shared", "static"):
            self.assertRegex(run(build / program), r"^\d+\.\d+\.\d+\n$")
        self.assertIn(str(self.libraries / "libheddle.so"), run("ldd", build / "shared"))
        folder = Path((build / "drop-in.txt").read_text())
        self.assertEqual(folder.resolve(), (self.libraries / "heddle-drop-in").resolve())

    def test_the_archive_shows_no_names_of_cpp(self):
        names = run("nm", "--extern-only", "--defined-only", self.libraries / "libheddle.a")
        self.assertIn(" GOMP_parallel\n", names)
        self.assertEqual([line for line in names.splitlines() if " _Z" in line], [])

    def test_the_archive_beside_the_same_templates(self):
        """Of what a program in C++ and the archive both have, the linker keeps one; nobody may need
        the other."""
        source, program = self.folder / "templates.cpp", self.folder / "templates"
        source.write_text("""#include <charconv>
            #include <cstdio>
            #include <string>
            int main(int count, char**) {
                char digits[20] = "";
                std::to_chars(digits, digits + 20, 7 * count);
                std::string all = std::to_string(unsigned(count));
            #pragma omp parallel for reduction(+ : count)
                for (int i = 1; i <= 10; ++i)
                    count += i;
                std::puts((all + digits + std::to_string(count)).c_str());
            }""")
        for flags in ([], ["-static"]):
            run(COMPILER, "-std=c++20", "-O2", "-fopenmp", *flags, source, "-o", program,
                self.libraries / "libheddle.a", "-lstdc++", "-lm", "-lpthread")
            self.assertEqual(run(program), "1756\n")

    def test_pkg_config(self):
        found = {"PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "heddle", **found).split()
        program = self.folder / "by_pkg_config"
        run(COMPILER, "-fopenmp", HERE / "program.c", "-o", program, *flags)
        version = run("pkg-config", "--modversion", "heddle", **found)
        self.assertEqual(run(program, LD_LIBRARY_PATH=str(self.libraries)), version)

    def test_in_libgomps_place(self):
        program = self.folder / "plain"
        run(COMPILER, "-fopenmp", HERE / "plain.c", "-o", program)
        folder = self.libraries / "heddle-drop-in"
        self.assertEqual({path.name for path in folder.iterdir()},
                         {"libgomp.so.1", "libomp.so", "libomp.so.5", "libiomp5.so"})
        for path in folder.iterdir():
            self.assertEqual(path.resolve(), (self.libraries / "libheddle.so").resolve())
        served = run(program, LD_LIBRARY_PATH=str(folder)).strip()
        self.assertEqual(Path(served).resolve(), (self.libraries / "libheddle.so").resolve())

    def test_gdb_loads_its_commands(self):
        data = self.prefix / "share"
        first = self.folder / "first"  # where it was before it was moved
        library = first / self.libraries.relative_to(self.prefix)
        script = data / "gdb/auto-load" / library.relative_to("/") / "libheddle.so-gdb.py"
        said = run("gdb", "-nx", "-batch", "-ex", f"source {script}", "-ex", "help heddle")
        self.assertIn("\nheddle teams --", said)

    def test_suppressions(self):
        self.assertIn("Memcheck:Leak", (self.prefix / "share/heddle/heddle.supp").read_text())

    @unittest.skipUnless(shutil.which("gfortran"), "no gfortran")
    def test_find_package_in_a_project_of_fortran_alone(self):
        source, build = self.folder / "fortran", self.folder / "fortran_build"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.25)
            project(user LANGUAGES Fortran)
            find_package(OpenMP REQUIRED)
            find_package(Heddle REQUIRED)
            add_executable(shared program.f90)
            target_link_libraries(shared PRIVATE Heddle::heddle OpenMP::OpenMP_Fortran)
            add_executable(static program.f90)
            target_compile_options(static PRIVATE ${OpenMP_Fortran_FLAGS})
            target_link_libraries(static PRIVATE Heddle::heddle_static)""")
        (source / "program.f90").write_text("""program main
            integer :: members = 0
            !$omp parallel num_threads(3) reduction(+: members)
            members = members + 1
            !$omp end parallel
            print *, members
            end program""")
        run(CMAKE, "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(CMAKE, "--build", build)
        for program in ("shared", "static"):
            self.assertEqual(run(build / program).split(), ["3"])
        self.assertIn(str(self.libraries / "libheddle.so"), run("ldd", build / "shared"))

    def loaded(self, place):
        """What the module sets if it lies at `place`: {variable: values, first ones first}."""
        file = next((self.prefix / "share/modulefiles/heddle").iterdir())
        script = self.folder / "module.tcl"
        script.write_text(f"""set ModulesCurrentModulefile {place / file.name}
            proc module-whatis {{text}} {{}}
            proc conflict {{name}} {{}}
            proc prepend-path {{name value}} {{ puts "$name $value" }}
            proc setenv {{name value}} {{ puts "$name $value" }}
            source {file}""")
        found = {}
        for line in run("tclsh", script).splitlines():
            name, value = line.split()
            found.setdefault(name, []).insert(0, value)
        return found

    @unittest.skipUnless(shutil.which("tclsh"), "no tclsh")
    def test_module_file(self):
        prefix = self.prefix.resolve()
        libraries = prefix / self.libraries.relative_to(self.prefix)
        self.assertTrue((prefix / "bin/heddlecc").is_file())
        self.assertEqual(self.loaded(prefix / "share/modulefiles/heddle"), {
            "PATH": [f"{prefix}/bin"],
            "LD_LIBRARY_PATH": [f"{libraries}/heddle-drop-in", f"{libraries}"],
            "LIBRARY_PATH": [f"{libraries}"], "PKG_CONFIG_PATH": [f"{libraries}/pkgconfig"],
            "CMAKE_PREFIX_PATH": [f"{prefix}"], "HEDDLE_LIBRARY": [f"{libraries}/libheddle.so"]})

    @unittest.skipUnless(shutil.which("tclsh"), "no tclsh")
    def test_module_file_of_the_debian_package(self):
        libraries = Path("/usr") / self.libraries.relative_to(self.prefix)
        self.assertEqual(self.loaded(Path("/usr/share/modulefiles/heddle")), {
            "LD_LIBRARY_PATH": [f"{libraries}/heddle-drop-in"],
            "HEDDLE_LIBRARY": [f"{libraries}/libheddle.so"]})


if __name__ == "__main__":
    unittest.main()
