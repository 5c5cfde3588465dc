# SPDX-License-Identifier: Apache-2.0
"""libheddle.so offers exactly libgomp's symbols, needs only the C library, and stays small in TLS.

ctest runs this with HEDDLE_LIBRARY naming the library of a Release build.
"""

import os
import re
import unittest
from pathlib import Path

import elf

HERE = Path(__file__).resolve().parent
EXPORTS_MAP = HERE.parents[1] / "src/abi/exports.map"
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))

# Declared by libgomp's omp.h and omp_lib, exported by no libgomp: programs could not link.
BEYOND_LIBGOMP = {(name + spelling, "OMP_4.5") for spelling in ("", "_")
                  for name in ("omp_init_lock_with_hint", "omp_init_nest_lock_with_hint")}
# Where the routines of OpenMP 6.0 are that libgomp does not declare.
OWN_NODES = {"HEDDLE_1.0": None}
ALLOWED_NEEDED = re.compile(r"libc\.so\.6|ld-linux-[-_0-9a-z]+\.so\.\d")
CXX_RUNTIME = re.compile(r"_Z|__cxa_(?!finalize|thread_atexit_impl)|__gxx_|_Unwind_|__dynamic_cast")
MAX_STATIC_TLS = 64  # bytes: what is left of glibc's surplus when others took theirs is little


def libgomp_symbols():
    """{(name, node)} of libgomp up to gcc 17."""
    lines = (HERE / "libgomp_symbols.tsv").read_text().splitlines()
    return {tuple(line.split("\t")) for line in lines if not line.startswith("#")}


def listed_symbols():
    """[(name, node)] of the version script."""
    text = re.sub(r"/\*.*?\*/", "", EXPORTS_MAP.read_text(), flags=re.DOTALL)
    return [(name, node) for node, body in re.findall(r"(\w[\w.]*)\s*\{(.*?)\}", text, re.DOTALL)
            for name in re.findall(r"([\w*]+);", body) if name != "*"]


def own_symbols():
    return {(name, node) for name, node in listed_symbols() if node in OWN_NODES}


def expected_parents(nodes):
    """Each family of nodes is a chain: OMP_1.0 <- OMP_2.0 <- ..., and so on."""
    def rank(node):
        family, _, version = node.rpartition("_")
        return family, [int(number) for number in version.split(".")]

    ordered = sorted(nodes, key=rank)
    return {node: before if before and rank(before)[0] == rank(node)[0] else None
            for before, node in zip([None, *ordered], ordered)}


def as_text(symbols):
    return "\n".join(sorted(f"  {name}@{node}" for name, node in symbols))


class ExportsMap(unittest.TestCase):
    """The version script alone, which can be checked before anything is built."""

    def test_lists_every_symbol_once(self):
        listed = listed_symbols()
        names = [name for name, _ in listed]
        self.assertEqual(sorted(names), sorted(set(names)), "listed twice: the linker drops one")
        twins = {(name, node) for name, node in libgomp_symbols() - set(listed)}
        self.assertEqual({node for _, node in twins}, {"OMP_1.0"})
        self.assertEqual({name for name, _ in twins} - set(names), set())
        self.assertEqual(set(listed) - own_symbols(), libgomp_symbols() - twins | BEYOND_LIBGOMP)


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.exported = elf.exported(LIBRARY)

    def test_every_listed_symbol_is_there(self):
        have = {(symbol.name, symbol.node) for symbol in self.exported}
        missing = (libgomp_symbols() | BEYOND_LIBGOMP | own_symbols()) - have
        if missing:
            self.fail(f"{len(missing)} missing:\n{as_text(missing)}")

    def test_nothing_else_is_exported(self):
        have = {(symbol.name, symbol.node) for symbol in self.exported}
        extra = have - libgomp_symbols() - BEYOND_LIBGOMP - own_symbols()
        if extra:
            self.fail(f"{len(extra)} leak:\n{as_text(extra)}")

    def test_linkers_bind_to_the_newest_version(self):
        default = {symbol.name: symbol.node for symbol in self.exported if symbol.default}
        names = {symbol.name for symbol in self.exported}
        self.assertEqual(names - set(default), set(), "no default version")
        for name, node in libgomp_symbols():
            if node == "OMP_3.0":
                self.assertEqual(default.get(name), node, name)

    def test_the_nodes_are_libgomps_chains(self):
        expected = expected_parents({node for _, node in libgomp_symbols()}) | OWN_NODES
        self.assertEqual(elf.version_parents(LIBRARY), expected)


class Footprint(unittest.TestCase):
    def test_needs_only_the_c_library(self):
        others = [name for name in elf.needed(LIBRARY) if not ALLOWED_NEEDED.fullmatch(name)]
        self.assertEqual(others, [])

    def test_imports_nothing_of_the_cxx_runtime(self):
        names = [symbol.name for symbol in elf.imported(LIBRARY) if CXX_RUNTIME.match(symbol.name)]
        self.assertEqual(names, [])

    def test_static_tls_is_small(self):
        self.assertLessEqual(elf.static_tls_bytes(LIBRARY), MAX_STATIC_TLS)

    def test_stays_loaded(self):
        self.assertIn("NODELETE", elf.dynamic_flags(LIBRARY), "parked workers run its code")

    def test_drop_in_is_this_library(self):
        drop_in = LIBRARY.parent / "drop-in/libgomp.so.1"
        self.assertTrue(drop_in.samefile(LIBRARY))


if __name__ == "__main__":
    unittest.main()
