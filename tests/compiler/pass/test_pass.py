# SPDX-License-Identifier: Apache-2.0
"""The task pass: what it makes of a function (ir/), and that programs do the same with it.

ctest runs this with HEDDLE_LIBRARY and HEDDLE_PASS set; exit status 77 where clang-19, opt-19 or
FileCheck-19 is missing. A program of programs/, and one generated of random nests of tasks, is
compiled plainly and with the pass; all must print the same, on Heddle with few and many threads, and
on libomp, which the pass knows nothing of. HEDDLE_TARGET, such as aarch64-linux-gnu, is the machine of
HEDDLE_LIBRARY if it is another one, whose programs are run by an emulator that the system knows.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import nests

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so"))
PASS = Path(os.environ.get("HEDDLE_PASS", LIBRARY.parent / "heddle-tasks.so"))
TARGET = [f"--target={os.environ['HEDDLE_TARGET']}"] if os.environ.get("HEDDLE_TARGET") else []
TOOLS = ("clang-19", "clang++-19", "opt-19", "llvm-link-19", "FileCheck-19")
SEEDS = (1, 2, 3)
TIMEOUT = 100
SKIPPED = 77


def environment(**variables):
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "KMP_", "GOMP_", "LD_", "HEDDLE_"))}
    return own | variables


def on_heddle(threads, **variables):
    return environment(LD_LIBRARY_PATH=str(LIBRARY.parent / "drop-in"),
                       OMP_NUM_THREADS=str(threads), **variables)


def compiler(source):
    return "clang-19" if source.suffix == ".c" else "clang++-19"


def compiled(source, program, *flags):
    subprocess.run([compiler(source), *TARGET, "-fopenmp", *flags, str(source), "-o", str(program)],
                   check=True, timeout=TIMEOUT)
    return program


def output(program, env, *arguments):
    """What the program prints; its exit status must be 0."""
    done = subprocess.run([program, *arguments], env=env, capture_output=True, text=True, timeout=TIMEOUT,
                          check=False)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{program}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class InTemporaryFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Code(InTemporaryFolder):
    """Each file of ir/ says in comments what the pass makes of it."""

    def check(self, source):
        plain = self.folder / "plain.ll"
        subprocess.run([compiler(source), *TARGET, "-fopenmp", "-fopenmp-version=51", "-O1", "-Werror",
                        "-fno-discard-value-names", "-Xclang", "-disable-llvm-passes", "-S",
                        "-emit-llvm", str(source), "-o", str(plain)], check=True, timeout=TIMEOUT)
        # What is left for LLVM's passes; and what there is behind them all.
        for prefix, passes in (("MARK", "heddle-mark"), ("CODE", "default<O1>")):
            rewritten = self.folder / f"{prefix}.ll"
            subprocess.run(["opt-19", f"-load-pass-plugin={PASS}", f"-passes={passes},verify",
                            "-S", str(plain), "-o", str(rewritten)], check=True, timeout=TIMEOUT)
            done = subprocess.run(["FileCheck-19", str(source), f"--input-file={rewritten}",
                                   f"--check-prefix={prefix}"], capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_files(self):
        sources = sorted((HERE / "ir").glob("*.c*"))
        self.assertGreater(len(sources), 4)
        for source in sources:
            with self.subTest(source.name):
                self.check(source)

    def test_switched_off(self):
        source = HERE / "ir" / "plain.c"
        off = ["-O1", "-S", "-emit-llvm", f"-fpass-plugin={PASS}"]
        for flags, expected in ((off, True),
                                ([*off, f"-fplugin={PASS}", "-mllvm", "-heddle-no-task-pass"], False),
                                ([*off, "-O0"], False)):
            with self.subTest(flags=flags):
                text = compiled(source, self.folder / "code.ll", *flags).read_text()
                self.assertEqual("heddle.thread_offset" in text, expected)

    def test_sanitizers(self):
        """No sanitizer looks at what the runtime writes; where it moves variables off the stack, or gives
        their addresses tags, constructs are left alone."""
        source = HERE / "ir" / "plain.c"
        for sanitizer, marked in (("memory", True), ("thread", True), ("safe-stack", False),
                                  ("hwaddress", False)):
            with self.subTest(sanitizer):
                text = compiled(source, self.folder / "code.ll", "-O1", "-S", "-emit-llvm",
                                "-fno-discard-value-names", f"-fsanitize={sanitizer}",
                                f"-fpass-plugin={PASS}").read_text()
                self.assertEqual("%heddle.room" in text, marked)
                words = [line for line in text.splitlines()
                         if re.search(r"%heddle.(offset|state|current|parent)\d* = load", line)]
                self.assertGreater(len(words), 0)
                self.assertEqual([line for line in words if "!nosanitize" not in line], [])


class Programs(InTemporaryFolder):
    def same_with_the_pass(self, source, levels, *arguments):
        """`arguments` are for runs on Heddle."""
        plain = compiled(source, self.folder / "plain", "-O1")
        expected, basic = output(plain, on_heddle(2), *arguments), output(plain, on_heddle(2))
        for level in levels:
            program = compiled(source, self.folder / f"pass{level}", level, f"-fpass-plugin={PASS}")
            for threads in (1, 2, 8):
                with self.subTest(source=source.name, level=level, threads=threads):
                    self.assertEqual(output(program, on_heddle(threads), *arguments), expected)
            with self.subTest(source=source.name, level=level, runtime="libomp"):
                self.assertEqual(output(program, environment(OMP_NUM_THREADS="2")), basic)

    def test_objects(self):
        self.same_with_the_pass(HERE / "programs" / "objects.cpp", ("-O1", "-O3"), "throw")

    def test_vectors(self):
        source = HERE / "programs" / "vectors.c"
        self.same_with_the_pass(source, ("-O1", "-O3"))
        if platform.machine() == "x86_64" and not TARGET:
            compiled(source, self.folder / "avx512", "-O2", "-march=skylake-avx512",
                     f"-fpass-plugin={PASS}")

    def test_linked_early(self):
        """What the pass has added to a program may be its own, and changed, when the pass comes again."""
        parts = []
        for part in range(4):
            plugin = [f"-fpass-plugin={PASS}"] if part < 3 else []
            parts.append(compiled(HERE / "programs" / "parts.c", self.folder / f"{part}.bc", "-O2", "-c",
                                  "-flto=thin", f"-DPART={part}", f"-DNEXT={(part + 1) % 4}", *plugin))
        whole, optimized = self.folder / "whole.bc", self.folder / "optimized.bc"
        subprocess.run(["llvm-link-19", *parts, "-o", whole], check=True, timeout=TIMEOUT)
        subprocess.run(["opt-19", f"-load-pass-plugin={PASS}", "-passes=internalize,thinlto<O3>,verify",
                        "-internalize-public-api-list=main", whole, "-o", optimized], check=True,
                       timeout=TIMEOUT)
        program = self.folder / "program"
        subprocess.run(["clang-19", *TARGET, "-O2", "-fopenmp", optimized, "-o", program], check=True, timeout=TIMEOUT)
        for threads in (1, 2, 8):
            with self.subTest(threads=threads):
                self.assertEqual(output(program, on_heddle(threads)), "301\n")

    def test_random_nests(self):
        for seed in SEEDS:
            source = self.folder / f"nests{seed}.cpp"
            source.write_text(str(nests.Program(seed)))
            self.same_with_the_pass(source, ("-O1", "-O3")[seed % 2:][:1])

    def test_one_thread_defers_nothing(self):
        source = HERE / "programs" / "once.c"
        expected = {"plain": "fib 610: 2348 tasks, 986 waits\n", "pass": "fib 610: 0 tasks, 0 waits\n"}
        for way, flags in (("plain", []), ("pass", [f"-fpass-plugin={PASS}"])):
            program = compiled(source, self.folder / way, "-O1", *flags)
            with self.subTest(way):
                self.assertEqual(output(program, on_heddle(1)), expected[way])

    def test_everything_deferred(self):
        """A throttle that is off: all tasks take the ordinary form."""
        source = HERE / "programs" / "once.c"
        program = compiled(source, self.folder / "deferred", "-O1", f"-fpass-plugin={PASS}")
        self.assertIn("fib 610: ", output(program, on_heddle(1, HEDDLE_STATS="0",
                                                             KMP_ENABLE_TASK_THROTTLING="0")))


if __name__ == "__main__":
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"skipped: needs {', '.join(missing)}")
        sys.exit(SKIPPED)
    unittest.main()
