# SPDX-License-Identifier: Apache-2.0
"""The command `heddle`, from the source tree: what a user types and what comes out.

Called by ctest with HEDDLE_LIBRARY and CC set and a Python that has click and rich.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ["HEDDLE_LIBRARY"]).absolute()
TIMEOUT = 120

# How many threads a region has, and which libraries the process has.
PROGRAM = r"""
#include <stdio.h>
int main(void) {
    int members = 0;
#pragma omp parallel reduction(+ : members)
    members++;
    printf("%d\n", members);
    FILE *maps = fopen("/proc/self/maps", "r");
    for (int c; (c = fgetc(maps)) != EOF;) putchar(c);
    return 0;
}
"""


def environment(**variables):
    """Without what would change the command or the runtime."""
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "GOMP_", "KMP_", "HEDDLE_", "LD_"))}
    return {**own, "PYTHONPATH": str(ROOT / "python"), "HEDDLE_LIBRARY": str(LIBRARY), **variables}


def heddle(*arguments, cwd=None, **variables):
    return subprocess.run([sys.executable, "-B", "-m", "heddle", *map(str, arguments)],
                          env=environment(**variables), capture_output=True, text=True,
                          timeout=TIMEOUT, check=False, cwd=cwd)


def libm():
    """A shared object that is not Heddle's."""
    ctypes.CDLL("libm.so.6")
    return next(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()
                if "/libm.so.6" in line)


def variables_of(done):
    return dict(line.partition("=")[::2] for line in done.stdout.splitlines())


class Help(unittest.TestCase):
    def test_every_subcommand_is_listed(self):
        done = heddle("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("run", "info", "doctor", "bench", "trace", "debug", "stacks", "sim"):
            self.assertRegex(done.stdout, rf"(?m)^  {name} ")

    def test_an_unknown_one_is_refused(self):
        self.assertEqual(heddle("weave").returncode, 2)

    def test_one_version_everywhere(self):
        version = re.search(r"project\(heddle VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
        project = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)
        self.assertEqual(heddle("--version").stdout, f"heddle {version[1]}\n")
        self.assertEqual(project[1], version[1])

    def test_the_command_itself_loads_no_runtime(self):
        done = heddle("--version", OMP_DISPLAY_ENV="true")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Output(unittest.TestCase):
    """What cannot be written is one line."""

    def shell(self, line):
        """$H is the command."""
        own = environment(H=f"{sys.executable} -B -m heddle")
        return subprocess.run(["bash", "-o", "pipefail", "-c", line], env=own, text=True,
                              capture_output=True, timeout=TIMEOUT, check=False)

    def test_a_full_disk(self):
        for name in ("info", "--help", "--version", "bench --list", "sim --help"):
            done = self.shell(f"$H {name} >/dev/full")
            self.assertEqual((done.returncode, done.stderr),
                             (1, "heddle: No space left on device\n"), name)

    def test_a_closed_one(self):
        for name in ("info", "--help", "doctor", "sim list"):
            done = self.shell(f"$H {name} >&-")
            self.assertEqual((done.returncode, done.stderr),
                             (1, "heddle: standard output is closed\n"), name)
        done = self.shell("$H run sh -c 'exit 3' >&-")  # it is the program's business
        self.assertEqual((done.returncode, done.stderr), (3, ""))

    def test_a_reader_that_leaves(self):
        """At once, so that nobody is there when the first line is written."""
        gone = "import os, subprocess, sys\nread, write = os.pipe()\nos.close(read)\n" \
            "sys.exit(subprocess.run(sys.argv[1:], stdout=write).returncode)"
        for name in ("info", "doctor", "--help", "info --help", "bench --list", "sim --help"):
            done = subprocess.run([sys.executable, "-c", gone, sys.executable, "-B", "-m", "heddle",
                                   *name.split()], env=environment(), capture_output=True,
                                  text=True, timeout=TIMEOUT, check=False)
            self.assertEqual((done.returncode, done.stderr), (141, ""), name)
        done = self.shell("$H sim list | true")  # of a program that takes the command's place
        self.assertEqual(done.stderr, "")
        self.assertIn(done.returncode, (0, 1, 141))


class Packages(unittest.TestCase):
    def test_what_is_missing_is_told_with_how_to_get_it(self):
        for missing in ("click", "rich", "elftools"):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / f"{missing}.py").write_text(
                    f"raise ModuleNotFoundError('none', name='{missing}')\n")
                done = heddle("info", PYTHONPATH=f"{folder}:{ROOT / 'python'}")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("pip install click rich pyelftools", done.stderr)


class Scripts(unittest.TestCase):
    """Of tools/: asked for help, or called wrongly, they do nothing but tell."""

    def call(self, name, *arguments):
        return subprocess.run([f"./{name}", *arguments], cwd=ROOT / "tools", capture_output=True,
                              text=True, timeout=TIMEOUT, check=False)

    def test_help(self):
        for name in ("build.sh", "demo.sh", "docs.sh", "newer_compilers.sh", "python_wheels.sh",
                     "setup.sh"):
            for arguments in (["--help"], ["-h"], ["here", "--help"]):
                with self.subTest(name, arguments=arguments):
                    done = self.call(name, *arguments)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    first, second, *_ = done.stdout.splitlines()
                    self.assertRegex(first, r"^[A-Z]\w+ .*\w")
                    self.assertTrue(second.startswith(f"Usage: tools/{name}"), second)
                    self.assertNotIn("#", done.stdout)

    def test_wrong_arguments(self):
        for name, *arguments in (("build.sh", "release"), ("demo.sh", "now"), ("docs.sh", "--html"),
                                 ("docs.sh", "a", "b"), ("newer_compilers.sh",),
                                 ("python_wheels.sh", "--x"), ("setup.sh",), ("setup.sh", "--x")):
            with self.subTest(name, arguments=arguments):
                done = self.call(name, *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"\nUsage: tools/{name}", done.stderr)


class Run(unittest.TestCase):
    def test_exit_status(self):
        self.assertEqual(heddle("run", "sh", "-c", "exit 3").returncode, 3)

    def test_signals(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            done = heddle("run", "--", "sh", "-c", f"kill -{number:d} $$")
            self.assertEqual(done.returncode, -number)

    def test_what_python_ignores_the_program_does_not(self):
        status = heddle("run", "cat", "/proc/self/status").stdout
        ignored = next(line for line in status.splitlines() if line.startswith("SigIgn:"))
        self.assertEqual(int(ignored.split()[1], 16) & 1 << signal.SIGPIPE - 1, 0)

    def test_a_program_of_gcc_runs_on_heddle(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "program.c", Path(folder) / "program"
            source.write_text(PROGRAM)
            subprocess.run([os.environ.get("CC", "gcc"), "-fopenmp", source, "-o", program],
                           check=True, timeout=TIMEOUT)
            stats = Path(folder) / "stats.json"
            done = heddle("run", "--threads", "3", f"--stats={stats}", program)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.splitlines()[0], "3")
            self.assertIn(str(LIBRARY.resolve()), done.stdout)
            self.assertTrue(stats.read_text())

    def test_options_are_variables(self):
        done = heddle("run", "--threads", "4,2", "--bind", "close", "--policy", "ompi:slots=2",
                      "--stats", "--trace", "out", "--", "env", LD_PRELOAD="libm.so.6",
                      OMP_SCHEDULE="static")
        found = variables_of(done)
        self.assertEqual({name: found.get(name) for name in (
            "OMP_NUM_THREADS", "OMP_PROC_BIND", "HEDDLE_TASK_POLICY", "HEDDLE_STATS",
            "HEDDLE_TRACE", "LD_PRELOAD", "OMP_SCHEDULE")}, {
                "OMP_NUM_THREADS": "4,2", "OMP_PROC_BIND": "close",
                "HEDDLE_TASK_POLICY": "ompi:slots=2", "HEDDLE_STATS": "1",
                "HEDDLE_TRACE": f"{os.getcwd()}/out",
                "LD_PRELOAD": f"{LIBRARY}:libm.so.6", "OMP_SCHEDULE": "static"})

    def test_files_are_in_this_folder(self):
        """Also if the program goes to another one. %p is the process, but not in a folder's name.
        """
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch).resolve() / "a%p"
            folder.mkdir()
            done = subprocess.run(
                [sys.executable, "-B", "-m", "heddle", "run", "--trace", "run.%p", "--stats=s.json",
                 "env"], env=environment(), capture_output=True, text=True, timeout=TIMEOUT,
                check=False, cwd=folder)
        found = variables_of(done)
        self.assertEqual((found["HEDDLE_TRACE"], found["HEDDLE_STATS"]),
                         (f"{folder.parent}/a%%p/run.%p", f"{folder.parent}/a%%p/s.json"))

    def test_without_options_the_environment_is_passed_on(self):
        found = variables_of(heddle("run", "env", OMP_NUM_THREADS="5"))
        self.assertEqual(found["OMP_NUM_THREADS"], "5")
        self.assertNotIn("HEDDLE_STATS", found)

    def test_the_programs_options_are_its_own(self):
        done = heddle("run", "--threads", "2", "echo", "--stats=file", "--threads", "--", "--help")
        self.assertEqual(done.stdout, "--stats=file --threads -- --help\n")

    def test_a_program_that_is_not_there(self):
        done = heddle("run", "/nowhere/program")
        self.assertEqual((done.returncode, done.stdout), (127, ""))
        self.assertEqual(done.stderr, "heddle run: there is no program '/nowhere/program'\n")
        self.assertEqual(heddle("run", "/").returncode, 126)
        with tempfile.TemporaryDirectory() as folder:  # here, but not in PATH
            (Path(folder) / "prog").write_text("#!")
            (Path(folder) / "prog").chmod(0o755)
            done = heddle("run", "prog", cwd=folder)
            self.assertEqual((done.returncode, done.stderr),
                             (127, "heddle run: there is no program 'prog'\n"))
            done = heddle("run", "./prog", cwd=folder)
            self.assertEqual(done.stderr.count("\n"), bool(done.returncode), done.stderr)
        done = heddle("run", "")
        self.assertEqual((done.returncode, done.stderr),
                         (127, "heddle run: the name of the program is missing\n"))

    def test_a_library_with_wild_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            data = bytearray(Path(libm()).read_bytes())
            data[32:40] = b"\xff" * 8  # where the program headers are
            wild = Path(folder) / "libheddle.so"
            wild.write_bytes(data)
            done = heddle("info", HEDDLE_LIBRARY=str(wild))
            self.assertEqual(done.returncode, 1)
            self.assertNotIn("Traceback", done.stderr)

    def test_scripts(self):
        """Without a first line that says by what, the shell runs them; and what that line names may
        be missing, as may a program's dynamic linker."""
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script"
            for text, told in (
                    ("echo \"$0 $1\"\n", (0, f"{script} 7\n", "")),
                    ("#!/nowhere/sh -e\n", (126, "", f"heddle run: '{script}' cannot be run: there "
                                            "is no interpreter '/nowhere/sh'\n")),
                    ("\x7fELF\2\0\0", (126, "", f"heddle run: '{script}' cannot be run: Exec "
                                        "format error\n"))):
                script.write_text(text)
                script.chmod(0o755)
                done = heddle("run", script, 7)
                self.assertEqual((done.returncode, done.stdout, done.stderr), told)
            source, program = Path(folder) / "source.c", Path(folder) / "program"
            source.write_text("int main(void) { return 0; }\n")
            subprocess.run([os.environ.get("CC", "gcc"), source, "-o", program,
                            "-Wl,--dynamic-linker=/nowhere/ld.so"], check=True, timeout=TIMEOUT)
            done = heddle("run", program)
            self.assertEqual(done.returncode, 126)
            self.assertIn("there is no interpreter '/nowhere/ld.so'", done.stderr)

    def test_bad_values(self):
        for option, value in (("--threads", "0"), ("--threads", "2,"), ("--bind", "near")):
            done = heddle("run", option, value, "env")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"'{value}'", done.stderr)

    def test_the_name_of_a_file_is_missing(self):
        for option in ("--trace=", "--stats="):
            done = heddle("run", option, "env")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"'{option.rstrip('=')}", done.stderr)
            self.assertIn("the name of the file is missing", done.stderr)

    def cut_off(self):
        """A library of which only the beginning is there."""
        if not hasattr(self, "beginning"):
            file = tempfile.NamedTemporaryFile(suffix=".so")
            self.addCleanup(file.close)
            file.write(LIBRARY.read_bytes()[:1 << 17])
            file.flush()
            self.beginning = file.name
        return self.beginning

    def test_a_library_that_is_none(self):
        for named, told in (("/nowhere/libheddle.so", "there is no file '/nowhere/libheddle.so'"),
                            (__file__, f"'{__file__}' is no shared object that can be read"),
                            (self.cut_off(), f"'{self.cut_off()}' is cut off"),
                            (libm(), f"'{libm()}' is no library of Heddle's")):
            for arguments in (["run", "env"], ["info"], ["doctor"]):
                done = heddle(*arguments, HEDDLE_LIBRARY=named)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (1, "", f"Error: HEDDLE_LIBRARY: {told}\n"))


class Sim(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.library = self.folder / "lib" / "libheddle.so"  # beside it the simulator is looked for
        self.library.parent.mkdir()
        self.library.symlink_to(LIBRARY)
        self.simulator = self.folder / "sim" / "heddle-sim"
        self.simulator.parent.mkdir()

    def sim(self, *arguments, says='echo "$@"; exit 5'):
        self.simulator.write_text(f"#!/bin/sh\n{says}\n")
        self.simulator.chmod(0o755)
        return heddle("sim", *arguments, HEDDLE_LIBRARY=str(self.library))

    def test_a_run_becomes_the_simulator_of_the_build(self):
        done = self.sim("run", "fib", "--help", "--", "-x")
        self.assertEqual((done.returncode, done.stdout), (5, "run fib --help -- -x\n"))
        self.assertEqual(self.sim("machines").stdout, "list\n")

    def test_experiments_are_listed(self):
        done = self.sim("list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("ompi-fig5a", "uts-fig1", "adaptive-table1"):
            self.assertRegex(done.stdout, rf"(?m)^{name} .* claims ")

    def test_an_experiment_runs_the_simulator_of_the_build(self):
        done = self.sim("uts-fig7", "--quick", "--jobs", "1", "--output", self.folder / "out",
                        says="echo '{\"checked\": false, \"answer\": \"7\"}'")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{self.simulator} run hashes ", done.stderr)
        self.assertIn("wrong answer 7", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_what_is_not_there_is_one_line(self):
        for arguments, told in ((["weave"], "there is no experiment 'weave'"),
                                (["report", "--output", "/nowhere"], "no results in /nowhere")):
            done = self.sim(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(told, done.stderr)

    def test_help(self):
        for arguments in ((), ("--help",), ("-h",)):
            done = self.sim(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("heddle sim EXPERIMENT...", done.stdout)


if __name__ == "__main__":
    unittest.main()
