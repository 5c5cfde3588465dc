# SPDX-License-Identifier: Apache-2.0
"""libheddle.so offers exactly libgomp's and libomp's symbols, needs only the C library, and stays
small in TLS.

ctest runs this with HEDDLE_LIBRARY naming the library of a Release build.
"""

import os
import re
import unittest
from pathlib import Path

import elf

HERE = Path(__file__).resolve().parent
EXPORTS_MAP = HERE.parents[1] / "src/abi/exports.map"
ALIASES = HERE.parents[1] / "src/abi/kmp/aliases.ld"
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))

# Declared by libgomp's omp.h and omp_lib, exported by no libgomp: programs could not link.
BEYOND_LIBGOMP = {(name + spelling, "OMP_4.5") for spelling in ("", "_")
                  for name in ("omp_init_lock_with_hint", "omp_init_nest_lock_with_hint")}
# Where the routines of OpenMP 6.0 are that libgomp does not declare.
OWN_NODES = {"HEDDLE_1.0": None}
LIBOMP_NODE = "VERSION"
TWIN = "heddle_"  # begins the names of what libomp's programs need instead of gcc's
DROP_INS = ("libgomp.so.1", "libomp.so", "libomp.so.5", "libiomp5.so")
ALLOWED_NEEDED = re.compile(r"libc\.so\.6|ld-linux-[-_0-9a-z]+\.so\.\d")
CXX_RUNTIME = re.compile(r"_Z|__cxa_(?!finalize|thread_atexit_impl)|__gxx_|_Unwind_|__dynamic_cast")
MAX_STATIC_TLS = 64  # bytes: what is left of glibc's surplus when others took theirs is little


def libgomp_symbols():
    """{(name, node)} of libgomp up to gcc 17."""
    lines = (HERE / "libgomp_symbols.tsv").read_text().splitlines()
    return {tuple(line.split("\t")) for line in lines if not line.startswith("#")}


def libomp_symbols(*states):
    """The names in libomp's node, of these states; of all without any."""
    lines = (HERE / "libomp_symbols.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {name for name, _, state in rows if not states or state in states}


def without_comments(path):
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def listed_symbols():
    """[(name, node)] of the version script."""
    nodes = re.findall(r"(\w[\w.]*)\s*\{(.*?)\}", without_comments(EXPORTS_MAP), re.DOTALL)
    return [(name, node) for node, body in nodes
            for name in re.findall(r'([\w*.]+)"?;', body) if name != "*"]


def aliases():
    """[(name, node or "", the function it stands for)] of the linker script."""
    found = re.findall(r'^"?(\w+)(?:@(\w+))?"? = (\w+);$', without_comments(ALIASES), re.MULTILINE)
    return [tuple(alias) for alias in found]


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
        gnu = {(name, node) for name, node in listed if node != LIBOMP_NODE}
        self.assertEqual(gnu - own_symbols(), libgomp_symbols() - twins | BEYOND_LIBGOMP)

    def test_aliases_are_named_once(self):
        names = [name for name, _, _ in aliases()]
        self.assertGreater(len(names), 300)
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_aliases_with_a_version_have_a_gnu_one(self):
        listed = dict(listed_symbols())
        prefixes = tuple(name[:-1] for name in listed if name.endswith("*"))
        for name, node, _ in aliases():
            with self.subTest(name):
                if node:
                    self.assertEqual(node, LIBOMP_NODE)
                in_node = listed.get(name) == LIBOMP_NODE or name.startswith(prefixes)
                self.assertEqual(in_node, not node)

    def test_prefixes_are_of_libomp_alone(self):
        prefixes = {(name, node) for name, node in listed_symbols() if name.endswith("*")}
        self.assertEqual({node for _, node in prefixes}, {LIBOMP_NODE})
        self.assertEqual([name for name, _ in prefixes if name.startswith(("omp_", "GOMP_"))], [])


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.exported = elf.exported(LIBRARY)
        cls.have = {(symbol.name, symbol.node) for symbol in cls.exported}

    def test_every_listed_symbol_is_there(self):
        missing = (libgomp_symbols() | BEYOND_LIBGOMP | own_symbols()) - self.have
        if missing:
            self.fail(f"{len(missing)} missing:\n{as_text(missing)}")

    def test_every_symbol_of_libomp_is_there(self):
        missing = {(name, LIBOMP_NODE) for name in libomp_symbols("served", "stub")} - self.have
        if missing:
            self.fail(f"{len(missing)} missing:\n{as_text(missing)}")

    def test_aliases_are_the_functions_they_name(self):
        default = {symbol.name: symbol.address for symbol in self.exported if symbol.default}
        libomp = {symbol.name: symbol.address for symbol in self.exported
                  if symbol.node == LIBOMP_NODE}
        for name, node, function in aliases():
            with self.subTest(name):
                if function.startswith(TWIN):
                    self.assertNotIn(function, default)
                    self.assertNotEqual(libomp.get(name), default.get(name) if node else None)
                else:
                    self.assertEqual(libomp.get(name), default[function])

    def test_nothing_else_is_exported(self):
        libomp = {(name, LIBOMP_NODE) for name in libomp_symbols("served", "stub")}
        extra = self.have - libgomp_symbols() - BEYOND_LIBGOMP - own_symbols() - libomp
        if extra:
            self.fail(f"{len(extra)} leak:\n{as_text(extra)}")

    def test_linkers_bind_to_the_newest_version(self):
        default = {symbol.name: symbol.node for symbol in self.exported if symbol.default}
        names = {symbol.name for symbol in self.exported}
        self.assertEqual(names - set(default), set(), "no default version")
        for name, node in libgomp_symbols():
            if node != "OMP_1.0" or (name, "OMP_3.0") not in libgomp_symbols():
                self.assertEqual(default.get(name), node, name)

    def test_the_nodes_are_libgomps_chains(self):
        expected = expected_parents({node for _, node in libgomp_symbols()})
        expected |= OWN_NODES | {LIBOMP_NODE: None}
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

    def test_drop_ins_are_this_library(self):
        folder = LIBRARY.parent / "drop-in"
        self.assertEqual({path.name for path in folder.iterdir()}, set(DROP_INS))
        for name in DROP_INS:
            self.assertTrue((folder / name).samefile(LIBRARY), name)


if __name__ == "__main__":
    unittest.main()
