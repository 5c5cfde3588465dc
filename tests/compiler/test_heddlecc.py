# SPDX-License-Identifier: Apache-2.0
"""heddlecc, heddlec++ and heddlefc: clauses by what their programs do, diagnostics by their places,
command lines by what comes out, and sources without a clause by byte-identical objects.

ctest runs this with HEDDLE_LIBRARY set; the wrappers are in bin/ beside the library's folder. gcc
must be there; what needs clang-19, gfortran or cmake is skipped without.
"""

import os
import re
import shutil
import unittest

import command_lines
from common import (BACK_ENDS, HEDDLECC, HEDDLECXX, HEDDLEFC, HERE, HINTED, LIBRARY, NATIVE, PLAIN,
                    STRICT, Folder)

CommandLines, Dependencies = command_lines.CommandLines, command_lines.Dependencies
PLACES = """\
void g(int);
void f(int n, int *a) {
    #pragma omp task affinity(thread:   lost1)  \\
            firstprivate(n)   shared(lost2)
    g(lost3);   g( lost4 );
#pragma omp   taskgroup affinity(spread: /* of */ \\
          n +   lost5)
    g(lost6 + n);
#pragma omp task affinity(data: a[0:n], lost7)
    g(n +  lost8);
  #pragma omp for schedule(adaptive, 2) shared(n)
    for (int i = 0; i < n; i++) g(lost9);
}
"""
FIXED = """\
      PROGRAM P
      INTEGER K, TOTAL
      TOTAL = 0
C$OMP PARALLEL DO SCHEDULE(ADAPTIVE,
C$OMP+4) REDUCTION(+:TOTAL) ! schedule(adaptive)
      DO K = 1, 100
        TOTAL = TOTAL + K
      END DO
!$OMP TASK
*$OMP&  AFFINITY(TOTAL)
      IF (TOTAL /= 5050) STOP 1
!$OMP END TASK
      END
"""
CONTINUED = """\
program p
integer :: x
x = 0
!$omp parallel
!$omp single
!$omp task shared(x), & ! the rest is a hint
!$omp affinity(thread: 0) ! alone in its line
x = x + 1
!$omp end task
!$omp taskwait
!$omp task affinity(thread: &
  ! a note

!$omp& 0) &

!$omp&  shared(x)
x = x + 1
!$omp end task
!$omp taskwait
!$omp task &
!$omp& affinity(thread: 0), & ! between others
!$omp& untied
x = x + 1
!$omp end task
!$omp end single
!$omp end parallel
if (x /= 3) stop 1
end program
"""
TASK = "on task accepted are affinity(thread: e), affinity(data: list) or " \
    "affinity([iterator(...):] list)"
GROUP = "on taskgroup accepted is affinity(spread|close|primary[: n])"
LOOP = "on taskloop accepted are affinity(spread|close|primary[: n]), affinity(thread: e) or " \
    "affinity(data: list)"
WHERE = "affinity is accepted on task, taskgroup, taskloop, and taskloop combined with simd, " \
    "master or masked, not on "
SCHEDULE = "accepted is schedule([modifier:] adaptive[, n])"
# directive, column, message
WRONG = (
    ("task affinity(thrad: 3)", 29, f"affinity(thrad: 3): {TASK}"),
    ("task   affinity(thread: 1,\\\n 2)", 22, f"affinity(thread: 1, 2): {TASK}"),
    ("task affinity(thread:)", 20, f"affinity(thread:): {TASK}"),
    ("task affinity()", 20, f"affinity(): {TASK}"),
    ("task affinity(data: n, )", 20, f"affinity(data: n, ): {TASK}"),
    ("task affinity(iterator(i = 0): n)", 20,
     "affinity(iterator(i = 0): n): an iterator is [type] name = begin:end[:step]"),
    ("task affinity(thread: 1) affinity(data: n)", 40, "affinity(data: n): a directive has one "
     "affinity clause of thread, data, spread, close or primary"),
    ("task affinity(thread: (1)", 20, "affinity: the parenthesis is not closed"),
    ("taskgroup affinity(far)", 34, f"affinity(far): {GROUP}"),
    ("taskgroup affinity(thread: 1)", 34, f"affinity(thread: 1): {GROUP}"),
    ("taskgroup affinity(close:)", 25, f"affinity(close:): {GROUP}"),
    ("taskloop affinity(close: 1, 2)", 24, f"affinity(close: 1, 2): {LOOP}"),
    ("taskloop affinity(n)", 33, f"affinity(n): {LOOP}"),
    ("parallel affinity(close)", 24, f"affinity(close): {WHERE}parallel"),
    ("parallel master taskloop affinity(close)", 40,
     f"affinity(close): {WHERE}parallel master taskloop"),
    ("for schedule(adaptive 3)", 19, f"schedule(adaptive 3): {SCHEDULE}"),
    ("for schedule(adaptive: 3)", 19, f"schedule(adaptive: 3): {SCHEDULE}"),
    ("for schedule(adaptive, )", 19, f"schedule(adaptive, ): {SCHEDULE}"),
)


class Clauses(Folder):
    def each_way(self, source, *flags):
        for back_end in BACK_ENDS:
            for wrapper, language in ((HEDDLECC, "c"), (HEDDLECXX, "c++")):
                with self.subTest(source, back_end=back_end, language=language):
                    self.succeed(wrapper, "--backend", back_end, *STRICT, *flags,
                                 "-Wno-pass-failed" if back_end == "clang" else "-pedantic",
                                 "-fopenmp", "-x", language, HERE / source, "-o", "program")
                    self.run_program()

    def test_tasks(self):
        self.each_way("tasks.c")

    def test_loops(self):
        self.each_way("loops.c")

    def test_macros(self):
        self.each_way("macros.c")

    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_fortran(self):
        for standard in ("gnu", "f2018"):
            with self.subTest(standard):
                self.succeed(HEDDLEFC, *STRICT, f"-std={standard}", "-fopenmp",
                             HERE / "clauses.f90", "-o", "program")
                self.run_program()

    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_fixed_form(self):
        for name, text, flags in (("fixed.f", FIXED, ()), ("fixed.F", FIXED, ()),
                                  ("fixed.f90", FIXED, ("-ffixed-form",)),
                                  ("wide.f", f"!{' ' * 90}adaptive\n{FIXED}",
                                   ("-ffixed-line-length-none",))):
            with self.subTest(name):
                source = self.write(name, text)
                self.succeed(HEDDLEFC, "-fopenmp", *flags, "-c", source.name, "-o", "fixed.o")
                self.assertIn(b"GOMP_loop_nonmonotonic_guided_start",
                              (self.folder / "fixed.o").read_bytes())
                self.succeed(HEDDLEFC, "-fopenmp", "fixed.o", "-o", "program")
                self.run_program()


    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_continued_lines(self):
        self.write("continued.f90", CONTINUED)
        self.succeed(HEDDLEFC, *STRICT, "-fopenmp", "continued.f90", "-o", "program")
        self.run_program()


class Diagnostics(Folder):
    def test_wrong_clauses(self):
        for directive, column, message in WRONG:
            source = self.write("wrong.c", f"int n;\nvoid f(void) {{\n  #pragma omp {directive}\n"
                                ";}\n")
            with self.subTest(directive):
                done = self.call(HEDDLECC, "-fopenmp", "-c", source.name)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertEqual(done.stderr.splitlines()[0],
                                 f"wrong.c:3:{column}: error: {message}")
                self.assertFalse((self.folder / "wrong.o").exists())

    def test_wrong_clauses_that_are_not_compiled(self):
        self.write("skipped.c", "#if 0\n#pragma omp task affinity(thrad: 3)\n#endif\nint n;\n")
        self.succeed(HEDDLECC, "-fopenmp", "-c", "skipped.c")
        self.write("plain.c", "void f(void) {\n#pragma omp task affinity(thrad: 3)\n;}\n")
        self.succeed(HEDDLECC, "-c", "plain.c")

    def test_places_of_the_back_ends_errors(self):
        self.write("places.c", PLACES)
        expected = {}
        for number, line in enumerate(PLACES.splitlines(), 1):
            for match in re.finditer(r"lost\d", line):
                expected[match[0]] = (number, match.start() + 1)
        for back_end in BACK_ENDS:
            with self.subTest(back_end):
                done = self.call(HEDDLECC, "--backend", back_end, "-fopenmp", "-c", "places.c")
                self.assertEqual(done.returncode, 1)
                found = {}
                for line, column, name in re.findall(
                        r"places\.c:(\d+):(\d+): error: .*?(lost\d)", done.stderr):
                    found.setdefault(name, (int(line), int(column)))
                self.assertEqual(found, expected)
                self.assertRegex(done.stderr, r"places\.c:11:41: error: .*shared")

    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_places_in_fortran(self):
        text = "program p\nimplicit none\n  !$omp task affinity(thread: &\n    !$omp   lost)\n" \
            "  !$omp end task\n  print *, missing\nend\n"
        self.write("places.f90", text)
        done = self.call(HEDDLEFC, "-fopenmp", "-c", "places.f90")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"places\.f90:4:")
        self.assertRegex(done.stderr, r"places\.f90:6:")
        self.write("wrong.f90", text.replace("thread", "thrad").replace("lost", "1"))
        done = self.call(HEDDLEFC, "-fopenmp", "-c", "wrong.f90")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (
            1, f"wrong.f90:3:23: error: affinity(thrad: 1): {TASK}"))

    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_hints_in_fixed_form(self):
        refused = "affinity clauses of Heddle are accepted in free-form Fortran only"
        for clause, column, message in (("AFFINITY(THREAD: K)", 8, refused),
                                        ("AFFINITY(THRAD: K)", 17, TASK)):
            self.write("hint.f", f"      SUBROUTINE S(K)\n!$OMP TASK\n!$OMP& {clause}\n"
                       "      PRINT *, K\n!$OMP END TASK\n      END\n")
            done = self.call(HEDDLEFC, "-fopenmp", "-c", "hint.f")
            self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                             (1, f"hint.f:3:{column}: error: {clause}: {message}"))

    def test_old_c(self):
        self.write("old.c", "void f(void) {\n#pragma omp task affinity(thread: 1)\n;}\n")
        done = self.call(HEDDLECC, "-std=c89", "-fopenmp", "-c", "old.c")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (
            1, "old.c:2:1: error: affinity clauses are accepted in C99 and later, not with "
            "-std=c89"))

    def test_missing_back_ends(self):
        self.write("empty.c", "")
        for arguments, message in (
                ((), "no gcc or gcc-12 and later and no clang or clang-19 and later found in PATH"),
                (("--backend", "clang"), "no clang or clang-19 and later found in PATH"),
                (("--backend=gcc-13",), "no gcc-13 found in PATH"),
                (("--backend=",), "--backend: its value is missing: gcc, clang, or one with a "
                 "version, as gcc-13, is accepted"),
                (("--backend", "icc"), "--backend icc: gcc, clang, or one with a version, as "
                 "gcc-13, is accepted")):
            with self.subTest(arguments):
                folder = self.folder / "path"
                folder.mkdir(exist_ok=True)
                if not (folder / "python3").exists():
                    (folder / "python3").symlink_to(shutil.which("python3"))
                done = self.call(HEDDLECC, *arguments, "-c", "empty.c", PATH=str(folder))
                self.assertEqual((done.returncode, done.stderr), (1, f"heddlecc: {message}\n"))


    def test_back_end_without_a_value(self):
        done = self.call(HEDDLECC, "-c", "none.c", "--backend")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^heddlecc: --backend: its value is missing: .+\n$")


class Untouched(Folder):
    def test_objects_are_identical(self):
        self.write("plain.c", PLAIN)
        for back_end in BACK_ENDS:
            for flags in (("-fopenmp", "-O2"), ("-fopenmp", "-g"), ("-O1",)):
                with self.subTest(back_end, flags=flags):
                    self.succeed(NATIVE[back_end], *flags, "-c", "plain.c", "-o", "native.o")
                    self.succeed(HEDDLECC, "--backend", back_end, "--no-task-pass", *flags, "-c",
                                 "plain.c", "-o", "ours.o")
                    self.assertEqual((self.folder / "native.o").read_bytes(),
                                     (self.folder / "ours.o").read_bytes())

    def test_preprocessing_is_the_back_ends(self):
        self.write("hinted.c", HINTED % ("a", "a"))
        for flags in (("-E",), ("-M",), ("-E", "-fdirectives-only"), ("-MM", "-MT", "x")):
            self.assertEqual(self.succeed("gcc", *flags, "-fopenmp", "hinted.c"),
                             self.succeed(HEDDLECC, *flags, "-fopenmp", "hinted.c"))

    @unittest.skipUnless("clang" in BACK_ENDS and (LIBRARY.parent / "heddle-tasks.so").exists(),
                         "needs clang-19 and the pass for tasks")
    def test_the_pass_for_tasks_is_loaded(self):
        self.write("plain.c", PLAIN)
        clang = (HEDDLECC, "--backend", "clang", "-###", "-c", "plain.c")
        for flags, loaded in ((("-fopenmp", "-O1"), True), (("-fopenmp", "-O0"), False),
                              (("-O1",), False), (("-fopenmp", "-O2", "--no-task-pass"), False)):
            with self.subTest(flags):
                said = self.call(*clang, *flags).stderr
                self.assertEqual("heddle-tasks.so" in said, loaded)

    def test_headers_of_heddle_are_found(self):
        self.write("version.c", "#include <heddle.h>\nint n = HEDDLE_VERSION_MAJOR;\n")
        for flags in (("-c",), ("-E", "-fopenmp"), ("-c", "-fopenmp"), ("-MM", "-fopenmp")):
            self.succeed(HEDDLECC, *flags, "version.c")
        self.write("heddle.h", "#define HEDDLE_VERSION_MAJOR 7\n")  # the user's own comes first
        self.assertIn("int n = 7;", self.succeed(HEDDLECC, "-E", "-I.", "version.c"))

    def test_exit_codes_and_what_needs_no_input(self):
        self.assertEqual(self.succeed(HEDDLECC, "--version"), self.succeed("gcc", "--version"))
        self.write("wrong.c", "int f(void) { return lost; }\n")
        ours, native = (self.call(name, "-fopenmp", "-c", "wrong.c") for name in (HEDDLECC, "gcc"))
        self.assertEqual((ours.returncode, ours.stderr), (native.returncode, native.stderr))
        ours, native = (self.call(name, "-fopenmp", "none.c") for name in (HEDDLECC, "gcc"))
        self.assertEqual((ours.returncode, ours.stderr), (native.returncode, native.stderr))

    def test_who_serves_the_program(self):
        self.write("main.c", "#include <omp.h>\nint main(void) { return omp_get_level(); }\n")
        for back_end in BACK_ENDS:
            with self.subTest(back_end):
                self.succeed(HEDDLECC, "--backend", back_end, "-fopenmp", "main.c", "-o", "program")
                needed = self.succeed("readelf", "-d", "program")
                self.assertIn("[libheddle.so]", needed)
                self.assertNotRegex(needed, r"\[lib(gomp|omp|iomp5)")
                self.assertIn(f"[{LIBRARY.parent}]", needed)
                self.run_program()
        self.succeed(HEDDLECC, "main.c", "-fopenmp", "-c")
        self.succeed(HEDDLECC, "-fopenmp", "--no-rpath", "main.o", "-o", "linked")
        needed = self.succeed("readelf", "-d", "linked")
        self.assertIn("[libheddle.so]", needed)
        self.assertNotIn(f"[{LIBRARY.parent}]", needed)
        self.write("serial.c", "int main(void) { return 0; }\n")
        self.succeed(HEDDLECC, "serial.c", "-o", "serial")
        self.assertNotIn("libheddle", self.succeed("readelf", "-d", "serial"))

    @unittest.skipUnless((LIBRARY.parent / "libheddle.a").exists(), "needs libheddle.a")
    def test_static_programs(self):
        self.write("main.c", """#include <heddle.h>
            #include <omp.h>
            int main(void) {
                int ran = -1;
            #pragma omp parallel num_threads(2)
            #pragma omp single
            #pragma omp task affinity(thread: 1) shared(ran)
                ran = omp_get_num_threads();
                return ran != 2 || heddle_version()[0] == 0;
            }""")
        for back_end in BACK_ENDS:
            for flag in "-static", "-static-pie":
                if (back_end, flag) == ("clang", "-static-pie"):
                    continue  # clang 19 links libgcc_s
                with self.subTest(back_end, flag=flag):
                    done = self.call(HEDDLECC, "--backend", back_end, "-fopenmp", flag, "main.c",
                                     "-o", "program")
                    self.assertEqual(done.returncode, 0, done.stderr)  # ld warns of dlopen
                    self.assertNotIn("NEEDED", self.call("readelf", "-d", "program").stdout)
                    self.run_program()

    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_links_of_other_names(self):
        """As update-alternatives makes them, and found in PATH."""
        folder = self.folder / "bin"
        folder.mkdir()
        for name, wrapper, native in (("cc", HEDDLECC, "gcc"), ("c++", HEDDLECXX, "g++"),
                                      ("mpifc", HEDDLEFC, "gfortran")):
            (self.folder / name).symlink_to(wrapper)
            (folder / name).symlink_to(f"../{name}")
            expected = self.succeed(native, "--version")
            self.assertEqual(self.succeed(folder / name, "--version"), expected)
            path = f"{folder}:{os.environ['PATH']}"
            self.assertEqual(self.succeed("env", name, "--version", PATH=path), expected)

    def test_folder_with_a_comma(self):
        wrapper = self.folder / "a, b/bin/heddlecc"
        wrapper.parent.mkdir(parents=True)
        shutil.copy(HEDDLECC, wrapper)
        (self.folder / "a, b/lib").symlink_to(LIBRARY.parent)
        self.write("main.c", "#include <omp.h>\nint main(void) { return omp_get_level(); }\n")
        for back_end in BACK_ENDS:
            self.succeed(wrapper, "--backend", back_end, "-fopenmp", "main.c", "-o", "program")
            self.assertIn("a, b/lib]", self.succeed("readelf", "-d", "program"))
            self.run_program()

    def test_headers_are_precompiled(self):
        self.write("pre.h", "#include <heddle.h>\nint f(void);\n")
        for back_end in BACK_ENDS:
            for flags in (("-x", "c-header", "pre.h"), ("pre.h",), ("-x", "c++-header", "pre.h")):
                with self.subTest(back_end, flags=flags):
                    self.succeed(HEDDLECC, "--backend", back_end, "-fopenmp", *flags, "-o", "pre")
                    (self.folder / "pre").unlink()

    def test_stages_without_linking(self):
        self.write("plain.c", PLAIN)
        for back_end in BACK_ENDS:
            for flags in ("--compile", "--assemble", "--preprocess",
                          *(("-emit-ast", "--analyze") if back_end == "clang" else ())):
                with self.subTest(back_end, flags=flags):
                    self.succeed(HEDDLECC, "--backend", back_end, "-Werror", "-fopenmp", flags,
                                 "plain.c", "-o", "out")


if __name__ == "__main__":
    unittest.main()
