# SPDX-License-Identifier: Apache-2.0
"""Fuzzes the reading of the environment with libFuzzer: `run_fuzzer.py [SECONDS [FOLDER]]`.

Run by ctest, for a short while. What it finds beyond the corpus goes to FOLDER, if one is given, and
an input that fails is printed. Skipped where clang or its fuzzer runtime is missing.
"""

import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CLANG = shutil.which("clang++-19") or shutil.which("clang++")
SKIPPED = 77
LONGEST = 600  # bytes of an input
FLAGS = ["-std=gnu++20", "-O1", "-g", "-fno-exceptions", "-fno-rtti",
         "-fsanitize=fuzzer-no-link,address,undefined", "-fno-sanitize-recover=all",
         "-DHEDDLE_CHECKS=1", '-DHEDDLE_VERSION="fuzzed"',
         *(f"-I{ROOT / folder}" for folder in ("src", "src/platform/native", "include"))]


def build(folder):
    sources = [HERE / "environment.cpp"]
    for layer in ("config", "place", "platform/native"):
        sources += sorted((ROOT / "src" / layer).glob("*.cpp"))

    def compiled(source):
        target = folder / f"{source.parent.name}-{source.stem}.o"
        subprocess.run([CLANG, *FLAGS, "-c", str(source), "-o", str(target)], check=True)
        return str(target)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, sources))
    program = folder / "environment"
    subprocess.run([CLANG, "-fsanitize=fuzzer,address,undefined", *objects, "-o", str(program)],
                   check=True)
    return program


def has_fuzzer(folder):
    empty = folder / "empty.cpp"
    empty.write_text("extern \"C\" int LLVMFuzzerTestOneInput(const char*, unsigned long) "
                     "{ return 0; }")
    return CLANG and subprocess.run([CLANG, "-fsanitize=fuzzer,address,undefined", str(empty), "-o",
                                     str(folder / "empty")], capture_output=True,
                                    check=False).returncode == 0


def main(seconds="20", found=None):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not has_fuzzer(folder):
            print("skipped: needs clang with libFuzzer (Debian's libclang-rt-19-dev)")
            return SKIPPED
        program = build(folder)
        new = Path(found) if found else folder / "found"
        new.mkdir(exist_ok=True)
        done = subprocess.run(
            [str(program), "-seed=1", f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=10",
             "-close_fd_mask=2", f"-dict={HERE / 'environment.dict'}", "-print_final_stats=1",
             f"-artifact_prefix={folder}/failed-", str(new), str(HERE / "corpus")],
            stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        print(done.stderr[-6000:])
        for file in folder.glob("failed-*"):
            print(f"{file.name}: {file.read_bytes()!r}")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
