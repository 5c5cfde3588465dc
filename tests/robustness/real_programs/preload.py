# SPDX-License-Identifier: Apache-2.0
"""Run a program as it is and with Heddle preloaded, and see where its symbols were bound.

Called by the tests in this folder; ctest sets HEDDLE_LIBRARY.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", ROOT / "build/release/lib/libheddle.so")).resolve()
OPENMP_VARIABLE = re.compile(r"(OMP|GOMP|HEDDLE|LD)_")
BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `([^']+)'")
OPENMP_SYMBOL = re.compile(r"(GOMP|omp)_")
THREADS = 2
TIMEOUT = 240


def cache_folder():
    return Path(os.environ.get("HEDDLE_CACHE") or Path.home() / ".cache/heddle")


def environment(preload, **extra):
    """This process's environment without OpenMP settings, for THREADS threads."""
    env = {name: value for name, value in os.environ.items() if not OPENMP_VARIABLE.match(name)}
    env["OMP_NUM_THREADS"] = str(THREADS)
    if preload:
        env["LD_PRELOAD"] = str(LIBRARY)
    return env | extra


def run(argv, preload, **extra):
    """The finished program; one that fails is an error that shows what it said."""
    if preload and not LIBRARY.is_file():
        raise FileNotFoundError(f"no library to preload: {LIBRARY}")
    done = subprocess.run([str(word) for word in argv], env=environment(preload, **extra),
                          capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, argv))} ended with {done.returncode}\n"
                             f"{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done


def openmp_bindings(argv):
    """{(user's file, symbol): the file it was bound to} of a preloaded run, by the loader."""
    with tempfile.TemporaryDirectory() as folder:
        run(argv, preload=True, LD_DEBUG="bindings", LD_DEBUG_OUTPUT=f"{folder}/log",
            LD_BIND_NOW="1")
        text = "".join(path.read_text(errors="replace") for path in Path(folder).iterdir())
    return {(user, symbol): Path(bound).resolve() for user, bound, symbol in BINDING.findall(text)
            if OPENMP_SYMBOL.match(symbol)}


def strangers(bindings, user_part):
    """OpenMP symbols that files whose name has user_part take from elsewhere than Heddle."""
    return sorted(f"{Path(user).name}: {symbol} from {bound}"
                  for (user, symbol), bound in bindings.items()
                  if user_part in user and bound != LIBRARY)
