# SPDX-License-Identifier: Apache-2.0
"""heddlecc's command lines, with an extension clause, so that a copy stands in the source's place.
Run by test_heddlecc.py.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from common import (BACK_ENDS, HEDDLECC, HEDDLEFC, HINTED, NATIVE, PLAIN, STRICT, Folder,
                    clean_environment)


def compiles_into(folder):
    """Does gcc's compiler proper have its assembler file in `folder` open? Until then an end of its
    driver, which removes that file, leaves the compiler to make it anew.
    """
    inside = os.path.realpath(folder) + "/"
    for link in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        try:
            target = os.readlink(link)
            name = (link.parent.parent / "comm").read_text()
        except OSError:
            continue
        if name == "cc1\n" and target.startswith(inside) and target.endswith(".s"):
            return True
    return False


class CommandLines(Folder):
    """With an extension clause, so that a copy stands in the source's place."""

    def setUp(self):
        super().setUp()
        for name, value in (("a", 1), ("b", 2)):
            self.write(f"{name}/value.h", f"#define VALUE {value}\n")
            self.write(f"{name}/{name}.c", '#include "value.h"\n' + HINTED % (name, name))
        self.write("main.c", "int f_a(void), f_b(void), puts(const char *);\nint main(void) {\n"
                   '    return f_a() == 1 && f_b() == 2 ? puts("served") < 0 : 1;\n}\n')

    def symbols(self, path):
        return re.findall(r" T (\w+)", self.succeed("nm", path))

    def test_several_sources_link(self):
        for back_end in BACK_ENDS:
            with self.subTest(back_end):
                self.succeed(HEDDLECC, "-o", "program", f"--backend={back_end}", "a/a.c", "main.c",
                             *STRICT, "b/b.c", "-fopenmp", "-lm")
                self.assertEqual(self.succeed("./program"), "served\n")

    def test_several_sources_compile(self):
        self.succeed(HEDDLECC, "-c", "a/a.c", "main.c", "b/b.c", "-fopenmp")
        self.assertEqual([self.symbols(name) for name in ("a.o", "b.o", "main.o")],
                         [["f_a"], ["f_b"], ["main"]])
        self.succeed(HEDDLECC, "-fopenmp", "a.o", "b.o", "main.o", "-o", "program")
        self.assertEqual(self.succeed("./program"), "served\n")

    def test_language_and_standard_input(self):
        shutil.copy(self.folder / "a/a.c", self.folder / "a/text")
        self.succeed(HEDDLECC, "-fopenmp", "-x", "c", "a/text", "-c", "-o", "text.o")
        self.succeed(HEDDLECC, "-fopenmp", "-xc", "-", "-c", "-oinput.o", "-Ia",
                     text=(self.folder / "a/a.c").read_text())
        self.succeed(HEDDLECC, "-fopenmp", "-x", "c", "-c", "-", "-o", "plain.o", text=PLAIN)
        self.assertEqual([self.symbols(name) for name in ("text.o", "input.o", "plain.o")],
                         [["f_a"], ["f_a"], ["adaptive"]])
        done = self.call(HEDDLECC, "-fopenmp", "-x", "c", "-c", "-",
                         text="\n  #pragma omp parallel affinity(close)\n")
        self.assertRegex(done.stderr, "^<stdin>:2:24: error: ")

    def test_response_files(self):
        self.write("arguments", "-fopenmp 'a/a.c' -c\n-o \"of file.o\"\n")
        self.succeed(HEDDLECC, "@arguments")
        self.assertEqual(self.symbols("of file.o"), ["f_a"])

    def test_assembly_and_syntax(self):
        self.succeed(HEDDLECC, "-fopenmp", "-S", "a/a.c")
        self.assertRegex((self.folder / "a.s").read_text(), "heddle_affinity_thread")
        self.succeed(HEDDLECC, "-fopenmp", "-fsyntax-only", "b/b.c")
        self.assertFalse((self.folder / "b.s").exists() or (self.folder / "b.o").exists())

    def test_preprocessed_input(self):
        for flags in ((), ("-P",)):
            (self.folder / "a.i").write_text(self.succeed("gcc", "-E", *flags, "-fopenmp", "a/a.c"))
            self.succeed(HEDDLECC, "-fopenmp", "-c", "a.i", "-o", "a.o")
            self.assertEqual(self.symbols("a.o"), ["f_a"])

    def test_debuggers_see_the_source(self):
        for back_end in BACK_ENDS:
            with self.subTest(back_end):
                self.succeed(HEDDLECC, "--backend", back_end, "-g", "-fopenmp", "-c", "a/a.c")
                self.assertNotIn(b"heddlecc-", (self.folder / "a.o").read_bytes())

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "needs cmake and ninja")
    def test_cmake(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\n"
                   "project(p LANGUAGES C)\nfind_package(OpenMP REQUIRED)\n"
                   "add_executable(program a/a.c b/b.c main.c)\n"
                   "target_link_libraries(program OpenMP::OpenMP_C)\n")
        done = self.call("cmake", "-G", "Ninja", "-S", ".", "-B", "build", CC=str(HEDDLECC))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.call("cmake", "--build", "build")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.succeed("build/program"), "served\n")

    def test_several_sources_for_one_output(self):
        for back_end in BACK_ENDS:
            for flags in ("-c", "-S"):
                with self.subTest(back_end, flags=flags):
                    arguments = (flags, "a/a.c", "b/b.c", "-o", "out")
                    native = self.call(NATIVE[back_end], *arguments)
                    done = self.call(HEDDLECC, f"--backend={back_end}", "-fopenmp", *arguments)
                    self.assertEqual((done.returncode, done.stderr), (1, native.stderr))

    def test_options_of_the_preprocessor(self):
        self.write("a/hint.h", "#define HINT affinity(thread: 0)\n")
        self.write("user.c", "void f(void) {\n#pragma omp task HINT\n;}\n")
        for back_end in BACK_ENDS:
            for flags in ("-include a/hint.h", "-includea/hint.h", "--include=a/hint.h",
                          "--include a/hint.h", "-Ia -imacros hint.h", "-iquote a -include hint.h",
                          "-DHINT=affinity(thread:0) -Wp,-DX,-DY -isystem a"):
                with self.subTest(back_end, flags=flags):
                    self.succeed(HEDDLECC, f"--backend={back_end}", "-fopenmp", *STRICT,
                                 *flags.split(), "-c", "user.c")
                    self.assertIn(b"heddle_affinity", (self.folder / "user.o").read_bytes())
            (self.folder / "a.i").write_text(self.succeed("gcc", "-E", "-fopenmp", "a/a.c"))
            self.succeed(HEDDLECC, f"--backend={back_end}", *STRICT, "-fopenmp", "-c", "a.i")

    @unittest.skipUnless("clang" in BACK_ENDS, "needs clang-19")
    def test_precompiled_headers_of_clang(self):
        self.write("pre.h", "#define HINT affinity(thread: 0)\nstatic inline void g(void) {}\n")
        self.write("user.c", "void f(void) {\n#pragma omp task HINT\n    ;\n    g();\n}\n")
        clang = (HEDDLECC, "--backend=clang", *STRICT, "-fopenmp")
        self.succeed(*clang, "-x", "c-header", "pre.h", "-o", "pre.pch")
        for flags in ("-include-pch pre.pch", "-Xclang -include-pch -Xclang pre.pch",
                      "-Xclang -include -Xclang pre.h"):
            with self.subTest(flags):
                self.succeed(*clang, *flags.split(), "-c", "user.c")
                self.assertIn(b"heddle_affinity", (self.folder / "user.o").read_bytes())

    def test_signals_leave_no_files(self):
        task = "#pragma omp task affinity(thread: 0) shared(x)\nx++;\n"
        self.write("long.c", f"void f(int x) {{\n{task * 3000}}}\n")
        temporary = self.folder / "temporary"
        temporary.mkdir()
        for number in (signal.SIGINT, signal.SIGTERM):
            environment = clean_environment(TMPDIR=str(temporary))
            with self.subTest(number), subprocess.Popen(
                    [HEDDLECC, "-fopenmp", "-O2", "-c", "long.c"], cwd=self.folder,
                    stderr=subprocess.PIPE, env=environment) as process:
                while process.poll() is None and not compiles_into(temporary):
                    time.sleep(0.01)
                process.send_signal(number)
                self.assertEqual((process.communicate()[1], process.returncode), (b"", -number))
                self.assertEqual(list(temporary.iterdir()), [])


class Dependencies(Folder):
    """The files of -MD, which are those of the back end."""

    def setUp(self):
        super().setUp()
        self.write("a/value.h", "#define VALUE 1\n#define HINT affinity(thread: 0)\n")
        text = '#include "value.h"\n' + HINTED % ("a", "a")
        self.sources = [self.write("a/own.c", text).relative_to(self.folder),
                        self.write("a/macro.c", text.replace("affinity(thread: 0)", "HINT"))
                        .relative_to(self.folder)]
        self.write("a b/value.h", "#define VALUE 1\n")
        self.sources.append(self.write("a b/own $.c", text).relative_to(self.folder))

    def written(self, *command):
        """What the command writes: on stdout, and in which files."""
        said = self.succeed(*command)
        files = {path.name: path.read_text() for path in self.folder.iterdir()
                 if path.suffix in (".d", ".dep")}
        for name in files:
            (self.folder / name).unlink()
        return said, files

    def test_files(self):
        for back_end in BACK_ENDS:
            for flags in ("-MD -c", "-MMD -MP -MF x.dep -c", "-MMD -MFx.dep -MT mine -c -o y.o",
                          "-MMD -MF - -c", "-MD -S", "-c -Wp,-MMD,y.d -o y.o",
                          "--compile -MD -oy.o", "-MMD -shared -fPIC", "-MMD -shared -fPIC -o y"):
                for source in self.sources:
                    with self.subTest(source, back_end=back_end, flags=flags):
                        expected = self.written(NATIVE[back_end], *flags.split(), source)
                        self.assertEqual(expected, self.written(
                            HEDDLECC, f"--backend={back_end}", "-fopenmp", *flags.split(), source))

    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_files_of_fortran(self):
        self.write("part.h", "")
        text = '#include "part.h"\nsubroutine s(x)\n!$omp task {} shared(x)\nx = 1\n' \
            "!$omp end task\nend\n"
        for flags in ("-MMD -c", "-MMD -c -o z.o", "-MMD -MF x.dep -MT mine -c"):
            with self.subTest(flags):
                self.write("s.F90", text.format(""))
                native = self.written("gfortran", "-fopenmp", *flags.split(), "s.F90")[1]
                self.write("s.F90", text.format("affinity(thread: 0)"))
                ours = self.written(HEDDLEFC, "-fopenmp", *flags.split(), "s.F90")[1]
                # The order is another, and gfortran includes a header of its own.
                self.assertEqual(*({name: {word for word in files[name].split()
                                           if "math-vector" not in word and word != "\\"}
                                   for name in files} for files in (native, ours)))

    def test_file_that_cannot_be_written(self):
        for source in self.sources:
            done = self.call(HEDDLECC, "-fopenmp", "-MMD", "-MF", "none/x.d", "-c", source)
            self.assertEqual(done.returncode, 1)
            self.assertIn("none/x.d", done.stderr)
