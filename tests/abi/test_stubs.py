# SPDX-License-Identifier: Apache-2.0
"""What Heddle does not implement names itself in one line on stderr, and aborts.

These are the symbols of OpenACC and of libgomp's offload plugins, and libomp's internals and
Intel's extensions: all of them and no others.
ctest runs this with HEDDLE_LIBRARY and CC set.
"""

import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILER = os.environ.get("CC", "gcc")
ABI = HERE.parents[1] / "src/abi"
TIMEOUT = 60
REASONS = {"OPENACC": "OpenACC is not supported",
           "OFFLOAD_PLUGIN": "offload plugins are not supported",
           "INTERNAL": "internal functions of libomp are not supported",
           "EXTENSION": "this extension of libiomp5 is not supported"}

# Calls the function that its argument names, as a program that libgomp was linked to would.
CALLER = """
#define _GNU_SOURCE
#include <dlfcn.h>
int main(int argc, char **argv) {
    void (*function)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, argv[argc - 1]);
    if (!function)
        return 2;
    function();
    return 3;
}
"""


def out_of_scope():
    """{symbol: the macro that must define its stub} of libgomp's symbols."""
    symbols = {}
    for line in (HERE / "libgomp_symbols.tsv").read_text().splitlines():
        name, _, node = line.partition("\t")
        if node.startswith(("OACC_", "GOACC_")):
            symbols[name] = "OPENACC"
        elif node.startswith("GOMP_PLUGIN_"):
            symbols[name] = "OFFLOAD_PLUGIN"
    return symbols


def stubs_of_libomp():
    rows = [line.split("\t") for line in (HERE / "libomp_symbols.tsv").read_text().splitlines()
            if not line.startswith("#")]
    return {name for name, _, state in rows if state == "stub"}


def listed(source):
    """{symbol: macro} of the stubs that a source file defines."""
    found = re.findall(rf"\b({'|'.join(REASONS)})\((\w+_\w+)\)", (ABI / source).read_text())
    return {name: macro for macro, name in found}


class Stubs(unittest.TestCase):
    def test_nothing_else_is_a_stub(self):
        self.assertEqual(listed("gomp/unsupported.cpp"), out_of_scope())
        self.assertEqual(set(listed("kmp/unsupported.cpp")), stubs_of_libomp())

    def test_each_names_itself_and_aborts(self):
        self.assertTrue(LIBRARY.is_file(), LIBRARY)
        env = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "caller.c", Path(folder) / "caller"
            source.write_text(CALLER)
            subprocess.run([COMPILER, str(source), "-o", str(program)], check=True, timeout=TIMEOUT)
            for name, macro in (out_of_scope() | listed("kmp/unsupported.cpp")).items():
                with self.subTest(name):
                    done = subprocess.run([program, name], env=env | {"LD_PRELOAD": str(LIBRARY)},
                                          capture_output=True, text=True, timeout=TIMEOUT)
                    self.assertEqual(done.stderr, f"heddle: {name}: {REASONS[macro]}\n")
                    self.assertEqual(done.returncode, -signal.SIGABRT)
                    self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
