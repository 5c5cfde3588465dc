# SPDX-License-Identifier: Apache-2.0
"""The tree keeps the architecture's rules, and each rule of layers.py can be broken. Run by ctest."""

import tempfile
import unittest
from pathlib import Path

import layers

ROOT = Path(__file__).resolve().parents[2]
HEADER = f"// {layers.LICENCE}\n// What it has.\n"
MAP = """### Where to look

| in | for | file |
|---|---|---|
| `team` | threads | `pool` |
| | data; queues | `team`; `queues/`: `ring` |

### More
| `team` | | `other` |
"""


class ThisTree(unittest.TestCase):
    def test_keeps_the_rules(self):
        wrong = layers.violations(ROOT)
        self.assertFalse(wrong, "\n" + "\n".join(map(str, wrong)))

    def test_is_seen(self):
        ranked = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
        self.assertEqual(ranked - set(layers.RANKS), set())
        self.assertIn("abi", ranked)


class PlantedTree(unittest.TestCase):
    """Small trees with one fault, or none."""

    def check(self, files):
        """What is found wrong in a tree of these files, as text."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / (name if name == layers.MAP else f"src/{name}")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [str(violation) for violation in layers.violations(folder)]

    def assert_fault(self, files, *words):
        wrong = self.check(files)
        self.assertEqual(len(wrong), 1, wrong)
        for word in words:
            self.assertIn(word, wrong[0])

    def test_downward_and_own_includes_are_fine(self):
        self.assertEqual(self.check({
            "team/pool.cpp": HEADER + '#include "pool.hpp"\n#include "concurrent/deque.hpp"\n'
                                      '#include <cstddef>\n#include "contract_impl.hpp"\n',
            "team/pool.hpp": HEADER, "concurrent/deque.hpp": HEADER,
            "platform/native/contract_impl.hpp": HEADER + "#include <atomic>\n"}), [])

    def test_upward_include(self):
        self.assert_fault({"team/pool.cpp": HEADER + '\n#include "construct/task.hpp"\n',
                           "construct/task.hpp": HEADER}, "src/team/pool.cpp:4", "construct/")

    def test_upward_include_of_a_missing_file(self):
        self.assert_fault({"construct/task.cpp": HEADER + "# include <abi/gomp/task.hpp>\n"}, "abi/")

    def test_upward_include_by_a_relative_path(self):
        self.assert_fault({"concurrent/deque.cpp": HEADER + '#include "../team/worker.hpp"\n',
                           "team/worker.hpp": HEADER}, "team/")

    def test_upward_include_from_the_platforms_own_folder(self):
        self.assert_fault({"platform/native/futex.cpp": HEADER + '#include "config/icv.hpp"\n',
                           "config/icv.hpp": HEADER}, "config/")

    def test_sideways_include(self):
        self.assert_fault({"place/topology.cpp": HEADER + '#include "tool/trace.hpp"\n',
                           "tool/trace.hpp": HEADER}, "tool/")

    def test_platform_headers(self):
        for name in ("pthread.h", "linux/futex.h", "sys/syscall.h", "atomic"):
            self.assert_fault({"team/pool.cpp": HEADER + f"#include <{name}>\n"}, name)

    def test_forbidden_words(self):
        for code in ("throw 1;", "auto x = dynamic_cast<A*>(y);", "typeid(x);", "std::thread t;"):
            self.assert_fault({"team/pool.cpp": HEADER + f"void f() {{ {code} }}\n"},
                              "src/team/pool.cpp:3")

    def test_words_in_comments_and_strings_are_fine(self):
        self.assertEqual(self.check({
            "team/pool.cpp": HEADER + '// never throw\n/* typeid\n std::thread */\n'
                                      'auto s = "throw"; int throw_count = 0; char q = \'"\';\n'}), [])

    def test_licence_and_length(self):
        self.assert_fault({"team/pool.cpp": "int a;\n// What it has.\n"}, "SPDX")
        self.assert_fault({"team/pool.cpp": HEADER + "\n" * layers.MAX_LINES}, "lines")

    def test_header_comment(self):
        licence = HEADER.splitlines(True)[0]
        self.assert_fault({"team/pool.cpp": licence + "#include <cstddef>\n"}, "comment")
        self.assert_fault({"team/pool.cpp": licence + "//\n"}, "comment")
        self.assert_fault({"team/pool.hpp": licence}, "comment")
        self.assertEqual(self.check({"abi/exports.map": f"/* {layers.LICENCE}\n * All. */\n"}), [])

    def test_map(self):
        self.assertEqual(self.check({layers.MAP: MAP, "team/pool.cpp": HEADER,
                                     "team/pool.hpp": HEADER, "team/queues/ring.hpp": HEADER}), [])
        for name in ("team/other.cpp", "team/queues/box.hpp", "tool/pool.cpp"):
            self.assert_fault({layers.MAP: MAP, name: HEADER}, f"src/{name}:1", layers.MAP)

    def test_unknown_layer(self):
        self.assert_fault({"attic/old.cpp": HEADER}, "attic")


if __name__ == "__main__":
    unittest.main()
