# SPDX-License-Identifier: Apache-2.0
"""The headers compile without a warning in every dialect, agree with each other and with the
library, and every routine that they declare works.

ctest runs this with HEDDLE_LIBRARY and CC set. gcc, g++ and gfortran must be there; clang 19 is
asked too where it is installed.
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
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so"))
C_COMPILERS = [os.environ.get("CC", "gcc"), "clang-19"]
CXX_COMPILERS = [os.environ.get("CXX", "g++"), "clang++-19"]
FORTRAN = os.environ.get("FC", "gfortran")
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wundef", "-Wshadow", "-Werror", f"-I{INCLUDE}"]
# The 16-byte integers of omp_depend_kind are C's __int128, which the Fortran standard does not know.
FORTRAN_STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-c-binding-type",
                  "-Wno-function-elimination", f"-I{INCLUDE}"]
# After the library nothing is missing, so --as-needed leaves the compiler's own runtime out.
LINK = [f"-L{LIBRARY.parent}", "-lheddle", f"-Wl,-rpath,{LIBRARY.parent}", "-Wl,--as-needed"]
TIMEOUT = 60


def run(*command, folder):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "GOMP_", "LD_"))}
    return subprocess.run([str(word) for word in command], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=TIMEOUT)


def heddles_routines():
    """The names of the routines that start like OpenMP's, but that heddle.h declares."""
    return set(re.findall(r"(?m)^\w[\w *]*\b(omp_\w+)\(", (INCLUDE / "heddle.h").read_text()))


def exported_routines():
    """The names of OpenMP's user routines, without the spellings that only Fortran uses, and without
    the variables of libomp, which its own omp.h declares."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "src/abi/exports.map").read_text(), flags=re.DOTALL)
    text = re.sub(r"^VERSION \{.*?^\}", "", text, flags=re.DOTALL | re.MULTILINE)
    names = {name for name in re.findall(r"\b(omp_\w+);", text) if not name.endswith("_")}
    return names - heddles_routines()


def spelled_alike(text, kinds):
    """A Fortran declaration without spaces, with the bytes of each kind in the place of its name."""
    return re.sub(r"^(integer|logical)\((?:kind=)?(\w+)\)",
                  lambda match: f"{match[1]}({kinds.get(match[2], match[2])})",
                  re.sub(r"\s", "", text))


def fortran_header(path, kinds):
    """What a Fortran header declares: {routine with an interface: [arguments, declarations...]} and
    {external routine: its type, nothing for a subroutine}."""
    text = re.sub(r"(?m)^ *!.*\n", "", path.read_text())
    text = re.sub(r" *& *\n *&? *", " ", text)
    interfaces = {}
    for _, name, arguments, body in re.findall(
            r"(?m)^ *(function|subroutine) (omp_\w+)(.*)\n((?:.*\n)*?) *end \1 \2$", text):
        interfaces[name] = [spelled_alike(line, kinds) for line in [arguments, *body.splitlines()]
                            if not line.strip().startswith(("use", "import"))]
    external = {}
    for name in re.findall(r"(?m)^ *external (omp_\w+)$", text):
        kind = re.search(rf"(?m)^ *(\w.*) {name}$\n *external {name}$", text)
        external[name] = spelled_alike(kind[1], kinds) if kind else ""
    return interfaces, external


def number(text, known):
    """The value of a constant's definition, in 32 bits for what C's and Fortran's signs tell apart."""
    text = text.strip()
    if text in known:
        return known[text]
    value = {"__UINTPTR_MAX__": -1, "-huge(1_4) - 1": -2**31,
             "0x80000000U": -2**31}.get(text)
    return int(text) if value is None else value


def constants(path, pattern):
    """{name: value} of what `pattern` finds in a header."""
    known = {}
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    for name, value in re.findall(pattern, text):
        known[name] = number(value, known)
    return known


class Dialects(unittest.TestCase):
    def compile(self, compilers, dialects, source, *options):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / source
            program.write_text("#include <omp.h>\n#include <omp-tools.h>\n"
                               "int main(void) { return omp_get_thread_num(); }\n")
            for compiler in filter(shutil.which, compilers):
                for dialect in dialects:
                    for openmp in ((), ("-fopenmp",)):
                        with self.subTest(compiler=compiler, dialect=dialect, openmp=openmp):
                            done = run(compiler, f"-std={dialect}", *STRICT, *options, *openmp,
                                       "-fsyntax-only", program, folder=folder)
                            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_c(self):
        self.compile(C_COMPILERS, ["c99", "c11", "gnu17", "c2x"], "program.c")

    def test_cxx(self):
        self.compile(CXX_COMPILERS, ["c++98", "c++11", "c++17", "gnu++20", "c++23"], "program.cpp",
                     "-Wold-style-cast")

    def test_cxx_without_exceptions(self):
        self.compile(CXX_COMPILERS, ["c++11", "c++20"], "program.cpp", "-fno-exceptions")

    def test_clang_accepts_the_types_it_knows_by_name(self):
        for compiler, language in zip([C_COMPILERS[1], CXX_COMPILERS[1]], ["c", "c++"]):
            if shutil.which(compiler):
                done = run(compiler, "-x", language, *STRICT, "-fopenmp", "-fsyntax-only",
                           HERE / "every_routine.c", folder=HERE)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Agreement(unittest.TestCase):
    def test_every_routine_is_declared_and_called(self):
        routines = exported_routines()
        self.assertGreater(len(routines), 100)
        for file in (INCLUDE / "omp.h", HERE / "every_routine.c", INCLUDE / "omp_lib.f90",
                     HERE / "every_routine.f90", INCLUDE / "omp_lib.h"):
            words = set(re.findall(r"\b(omp_\w+)", file.read_text()))
            self.assertEqual(routines - words, set(), file.name)

    def test_nothing_is_declared_that_is_not_exported(self):
        declared = set(re.findall(r"\b(omp_\w+)\(", (INCLUDE / "omp.h").read_text()))
        self.assertEqual(declared - exported_routines(), set())
        module = re.findall(r"end (?:function|subroutine) (omp_\w+)",
                            (INCLUDE / "omp_lib.f90").read_text())
        extra = {re.sub(r"_8$", "", name) for name in module} - exported_routines()
        self.assertEqual({name for name in extra if not name.endswith("_proc_t")}, set())

    def test_fortran_declarations_agree(self):
        """The include file declares all that the module does but the versions for 8-byte kinds, and
        each alike: argument by argument, or the type alone where it is external."""
        kinds = dict(re.findall(r"integer, parameter :: (omp_\w+_kind) = (\d+)",
                                (INCLUDE / "omp_lib.h").read_text()))
        kinds |= {"c_int": 4, "c_int32_t": 4, "c_int64_t": 8, "c_intptr_t": 8, "c_size_t": 8}
        module, _ = fortran_header(INCLUDE / "omp_lib.f90", kinds)
        interfaces, external = fortran_header(INCLUDE / "omp_lib.h", kinds)
        self.assertEqual(interfaces.keys() & external.keys(), set())
        self.assertEqual(interfaces.keys() | external.keys(),
                         {name for name in module if not name.endswith("_8")})
        for name, declared in interfaces.items():
            self.assertEqual(declared, module[name], name)
        for name, kind in external.items():
            kind = kind.replace("doubleprecision", "real(kind=kind(1d0))")
            result = [line for line in module[name] if line.endswith(f"::{name}")]
            self.assertEqual([f"{kind}::{name}"] if kind else [], result, name)

    def test_constants_agree(self):
        in_c = constants(INCLUDE / "omp.h", r"(?m)^ +(ompx?_\w+) = ([^,\n]+?) *,? *$")
        module = constants(INCLUDE / "omp_lib.f90",
                           r"(?m)^ +(ompx?_\w+) = ([^&,\n]+?) *(?:, &)?$")
        file = constants(INCLUDE / "omp_lib.h", r"parameter \((ompx?_\w+) = ([^\n]+)\)")
        self.assertGreater(len(in_c), 90)
        self.assertEqual(in_c, module)
        self.assertEqual(in_c, file)

    def test_kinds_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            text = (INCLUDE / "omp_lib.h").read_text()
            kinds = re.findall(r"integer, parameter :: (omp_\w+_kind) = (\d+)", text)
            self.assertGreater(len(kinds), 20)
            lines = [f"if ({name} /= {value}) print *, '{name}', {name}" for name, value in kinds]
            source = "program kinds\nuse omp_lib\nimplicit none\n" + "\n".join(lines) + "\nend\n"
            (Path(folder) / "kinds.f90").write_text(source)
            done = run(FORTRAN, "-fopenmp", INCLUDE / "omp_lib.f90", "kinds.f90", "-o", "kinds",
                       *LINK, folder=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(run("./kinds", folder=folder).stdout, "")


class EveryRoutine(unittest.TestCase):
    """Built with warnings as errors, linked with Heddle alone, and run."""

    def build_and_run(self, *command):
        self.assertTrue(LIBRARY.is_file(), LIBRARY)
        with tempfile.TemporaryDirectory() as folder:
            built = run(*command, "-fopenmp", "-O1", "-o", "program", *LINK, folder=folder)
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            done = run("./program", folder=folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_c(self):
        self.build_and_run(C_COMPILERS[0], "-std=c11", *STRICT, HERE / "every_routine.c")

    def test_cxx(self):
        self.build_and_run(CXX_COMPILERS[0], "-std=c++17", *STRICT, "-x", "c++",
                           HERE / "every_routine.c", "-x", "none")

    def test_cxx_allocators(self):
        self.build_and_run(CXX_COMPILERS[0], "-std=c++17", *STRICT, HERE / "allocators.cpp")

    def test_fortran_module(self):
        self.build_and_run(FORTRAN, *FORTRAN_STRICT, INCLUDE / "omp_lib.f90",
                           HERE / "every_routine.f90")

    def test_fortran_module_with_8_byte_integers(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "wide.f90").write_text(
                "use omp_lib\nif (omp_get_team_size(0) /= 1) stop 1\ncall omp_set_num_threads(2)\n"
                "if (omp_get_max_threads() /= 2) stop 2\ncall omp_set_dynamic(.true.)\n"
                "if (.not. omp_get_dynamic()) stop 3\nend\n")
            self.build_and_run(FORTRAN, *FORTRAN_STRICT, "-fdefault-integer-8",
                               INCLUDE / "omp_lib.f90", Path(folder) / "wide.f90")

    def test_fortran_module_of_heddle(self):
        module = (INCLUDE / "heddle_lib.f90").read_text()
        self.assertEqual(heddles_routines() - set(re.findall(r"end \w+ (omp_\w+)", module)), set())
        self.build_and_run(FORTRAN, *FORTRAN_STRICT, INCLUDE / "heddle_lib.f90",
                           HERE / "locality.f90")
        self.build_and_run(FORTRAN, *FORTRAN_STRICT, INCLUDE / "omp_lib.f90",
                           INCLUDE / "heddle_lib.f90", HERE / "task_affinity.f90")

    def test_fortran_include_file_in_fixed_and_free_form(self):
        for options in itertools.product(("-ffixed-form", "-ffree-form"),
                                         ("-std=gnu", "-std=f2018")):
            with self.subTest(options):
                self.build_and_run(FORTRAN, *FORTRAN_STRICT, "-Wno-unused-parameter", *options,
                                   HERE / "include_file.f")


if __name__ == "__main__":
    unittest.main()
