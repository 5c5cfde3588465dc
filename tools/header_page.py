#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/heddle-h.md: the declarations of include/heddle.h, each with its comment.

Usage: tools/header_page.py [--check]
With --check nothing is written, and the exit status is 1 if the page differs. A paragraph of the
header is what stands between two empty lines: a comment, and the declarations that it is about. A
comment alone opens a section. Called by hand after the header was changed; ctest calls it with
--check.
"""
from __future__ import annotations

import argparse
import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = ROOT / "include" / "heddle.h"
PAGE = ROOT / "docs" / "heddle-h.md"
BEGIN = "/* The library's version"  # before it are guards
END = "/* What follows is for heddle.hpp"  # the insides
HEAD = """# heddle.h

What Heddle offers beyond OpenMP, for C and C++. This page is written by `tools/header_page.py` from the comments of
`include/heddle.h`; a test compares them. What the interface is for is told in [heddle-hpp](heddle-hpp.md) (spawn and sync),
[locality](locality.md), [loops](loops.md), [task-affinity](task-affinity.md) and [waiting](waiting.md).
"""
PARAGRAPH = re.compile(r"/\* ?(.*?)\s*\*/\n?(.*)", re.S)

NAME = re.compile(r"\b((heddle|omp|kmp)_\w+(\(\))?|(OMP|GOMP|KMP|HEDDLE)_[A-Z]\w*)")


def prose(comment: str) -> str:
    """A comment as one paragraph of Markdown, with what looks like code as code."""
    text = " ".join(line.lstrip(" *") for line in comment.splitlines())
    pieces = text.split("`")  # every other one is marked as code already
    return "`".join(piece if number % 2 else NAME.sub(r"`\g<0>`", piece)
                    for number, piece in enumerate(pieces))


def page(header: str) -> str:
    """The whole page."""
    parts = [HEAD]
    body = header[header.index(BEGIN):header.index(END)]
    for paragraph in re.split(r"\n\n+", body.strip()):
        found = PARAGRAPH.fullmatch(paragraph)
        comment, code = (found[1], found[2]) if found else ("", paragraph)
        code = re.sub(r"\s+HEDDLE_DOES_NOT_THROW", "", code)
        if code:
            parts.append(f"\n```c\n{code.rstrip()}\n```\n")
        if comment:
            text = prose(comment)
            title, colon, rest = text.partition(": ")
            parts.append(f"\n{text}\n" if code or not colon
                         else f"\n## {title}\n\n{rest[:1].upper()}{rest[1:]}\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    text = page(HEADER.read_text())
    if not check:
        PAGE.write_text(text)
        return 0
    there = PAGE.read_text() if PAGE.is_file() else ""
    sys.stdout.writelines(difflib.unified_diff(there.splitlines(True), text.splitlines(True),
                                               str(PAGE), "what the header says"))
    if there != text:
        print(f"{PAGE.name} is out of date: run tools/header_page.py", file=sys.stderr)
    return int(there != text)


if __name__ == "__main__":
    sys.exit(main())
