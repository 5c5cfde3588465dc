#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/environment.md: every control variable, from what the library says itself.

Usage: tools/environment_page.py [libheddle.so] [--check]
With --check nothing is written, and the exit status is 1 if the page differs. The tables in
src/config are asked in two ways: OMP_DISPLAY_ENV lists names, and a value that nobody can mean
makes the library say what it expects and what it uses instead. Called by hand after a table was changed;
ctest calls it with --check.
"""
from __future__ import annotations

import argparse
import difflib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "environment.md"
LIBRARY = ROOT / "build" / "release" / "lib" / "libheddle.so"
NOBODY_MEANS = "?" * 5000  # longer than any text that is kept
NOT_LISTED = ("OMP_DISPLAY_ENV", "KMP_ALL_THREADS")  # one makes the list, one is an old name
# Any text is right.
ANY_TEXT = {"OMP_TOOL_LIBRARIES": ("paths of libraries, separated by colons", "none"),
            "OMP_TOOL_VERBOSE_INIT": ("stdout, stderr, disabled, or a file's path", "disabled")}
REFUSAL = re.compile(r"^heddle: (\w+): bad value '.*?\.\.\.': expected (.*); using (.*)$", re.M)
SECONDS = 60

HEAD = """# Environment reference

Every control variable that the library reads, what a value looks like, and what counts without one, or instead of
one that is refused. What they do is told in the [user guide](user-guide.md#environment-variables). This page is
written by `tools/environment_page.py` from the library's own messages; a test compares them.

Letters may be small or capital. `OMP_DISPLAY_ENV=verbose` shows the values in effect, `heddle info` also where each is from.
"""
GROUPS = (("OMP_", "OpenMP's"), ("GOMP_", "libgomp's"), ("KMP_", "libomp's"),
          ("HEDDLE_", "Heddle's own"))


def said(library: Path, **variables: str) -> str:
    """What the library prints to stderr, in a process that does nothing."""
    env = {"LD_PRELOAD": str(library), "OMP_DISPLAY_ENV": "verbose", **variables}
    done = subprocess.run(["/bin/true"], env=env, capture_output=True, text=True, check=True,
                          timeout=SECONDS)
    return done.stderr


def describe(library: Path, name: str) -> tuple[str, str, str]:
    """Name, format and default of a variable."""
    if name in ANY_TEXT:
        return name, *ANY_TEXT[name]
    found = REFUSAL.findall(said(library, **{name: NOBODY_MEANS}))
    if [entry[0] for entry in found] != [name]:
        raise SystemExit(f"environment_page: {name} does not say what it expects")
    return found[0]


def page(library: Path) -> str:
    """The whole page."""
    names = [name for name in re.findall(r"^  (\w+) = '", said(library), re.M)
             if name != "_OPENMP"]
    parts = [HEAD]
    for prefix, whose in GROUPS:
        group = [name for name in [*names, *NOT_LISTED] if name.startswith(prefix)]
        parts.append(f"\n## {whose}\n\n| variable | a value is | without it |\n|---|---|---|\n")
        for name, form, fallback in (describe(library, name) for name in group):
            parts.append(f"| `{name}` | {cell(form)} | {cell(fallback)} |\n")
        if whole := [name for name in group if has_all(library, name)]:
            parts.append("\nWhere one of these is not set, the same name with `_ALL` counts, which is for the "
                         f"host and for devices alike: {', '.join(f'`{name}_ALL`' for name in whole)}. Those "
                         "with `_DEV` and `_DEV_1` are for devices alone, of which there is none.\n")
    return "".join(parts)


def has_all(library: Path, name: str) -> bool:
    """Whether NAME_ALL is read."""
    return bool(REFUSAL.findall(said(library, **{f"{name}_ALL": NOBODY_MEANS})))


def cell(text: str) -> str:
    """Text in a table of Markdown."""
    return re.sub(r"([|*<>])", r"\\\1", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("library", nargs="?", type=Path, default=LIBRARY, help="libheddle.so")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    if not options.library.is_file():
        parser.error(f"there is no file {options.library}")
    text = page(options.library.absolute())
    if not options.check:
        PAGE.write_text(text)
        return 0
    there = PAGE.read_text() if PAGE.is_file() else ""
    sys.stdout.writelines(difflib.unified_diff(there.splitlines(True), text.splitlines(True),
                                               str(PAGE), "what the library says"))
    if there != text:
        print(f"{PAGE.name} is out of date: run tools/environment_page.py", file=sys.stderr)
    return int(there != text)


if __name__ == "__main__":
    sys.exit(main())
