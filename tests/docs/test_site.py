# SPDX-License-Identifier: Apache-2.0
"""tools/docs.sh: the documentation site is built without a warning, and nothing in it is from
elsewhere; a broken link, or a page that the navigation lacks, is an error.

Called by ctest. Skips (77) where Sphinx, MyST or Furo is not installed: tools/setup.sh --docs.
"""
from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 800
PACKAGES = Path("/usr/lib/python3/dist-packages")
SCRIPTS = ("tools/docs.sh", "tools/setup.sh", "tools/usage.sh", "docs/site/conf.py")
SITE = ("docs/index.md", "README.md", "docs/protocols/task-deque.md", "bench/README.md")


def build(tree: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(tree / "tools" / "docs.sh"), str(folder)], capture_output=True,
                          text=True, timeout=TIMEOUT, check=False)


class Fetched(HTMLParser):
    """What a browser fetches by itself for a page; links that a reader may follow do not count."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: "list[tuple[str, str | None]]") -> None:
        named = dict(attrs)
        if tag in ("script", "img", "iframe", "source") and named.get("src"):
            self.addresses.append(str(named["src"]))
        if tag == "link" and named.get("rel") in ("stylesheet", "icon", "preload"):
            self.addresses.append(str(named["href"]))


class Site(unittest.TestCase):
    def test_it_is_built_and_whole(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            done = build(ROOT, folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn("docs/index.html", (folder / "index.html").read_text("utf-8"))
            for name in SITE:
                self.assertTrue((folder / name).with_suffix(".html").is_file(), name)
            pages = sorted(folder.glob("**/*.html"))
            self.assertGreater(len(pages), 40)
            for page in pages:
                for address in Fetched(page.read_text("utf-8")).addresses:
                    self.assertNotIn("//", address, f"{page} needs a network")
                    file = page.parent / address.partition("?")[0]
                    self.assertTrue(file.is_file(), f"{page} has no {address}")
            for style in folder.glob("_static/**/*.css"):
                self.assertNotRegex(style.read_text("utf-8"),
                                    r"(@import|url\()\s*[\"']?(https?:|/)", style.name)
            for script in folder.glob("_static/**/*.js"):  # a file cannot import another one
                self.assertNotRegex(script.read_text("utf-8"), r"(?m)^import ", script.name)


class Strictness(unittest.TestCase):
    """On a tree of a few pages."""

    def build(self, **pages: str) -> "subprocess.CompletedProcess[str]":
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "tree"
            for name in SCRIPTS:
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, tree / name)
            for name, text in pages.items():
                (tree / "docs" / f"{name}.md").write_text(text, "utf-8")
            return build(tree, Path(scratch) / "out")

    def test_what_is_right_passes(self) -> None:
        done = self.build(index="# A\n\n[b](b.md#part-two), [tools](../tools)\n\n"
                                "```{toctree}\nb\n```\n", b="# B\n\n## Part two\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_wrong_fails(self) -> None:
        done = self.build(index="# A\n\n[page](none.md), [part](b.md#part-three), "
                                "[folder](../no-folder)\n\n```{toctree}\nb\n```\n",
                          b="# B\n\n## Part two\n\n![plot](none.svg)\n", lost="# C\n")
        self.assertNotEqual(done.returncode, 0)
        for told in ("none.md", "part-three", "no-folder", "none.svg", "lost.md"):
            self.assertIn(told, done.stderr)


if __name__ == "__main__":
    if not (shutil.which("sphinx-build") and (PACKAGES / "myst_parser").is_dir()
            and (PACKAGES / "furo").is_dir()):
        print("skipped: Sphinx, MyST or Furo is not here: tools/setup.sh --docs")
        sys.exit(77)
    unittest.main()
