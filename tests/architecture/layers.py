# SPDX-License-Identifier: Apache-2.0
"""The architecture's rules on sources, as a function from a tree to violations.

Run as a script on the root of a source tree; test_layers.py runs it on this one.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

# A layer includes only itself and layers of a lower rank; layers of one rank are strangers.
RANKS = {"platform": 0, "config": 1, "concurrent": 1, "place": 2, "tool": 2, "team": 3,
         "schedule": 4, "construct": 5, "abi": 6}
INCLUDE_PATH = ("src", "src/platform/native", "include")  # as in CMakeLists.txt
PLATFORM_ONLY = re.compile(r"pthread\.h|linux/.*|sys/syscall\.h|atomic|thread")
FORBIDDEN_WORDS = ("throw", "dynamic_cast", "typeid", "std::thread")
SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".S", ".map", ".inc"}
MAX_LINES = 450
LICENCE = "SPDX-License-Identifier: Apache-2.0"
MAP = "docs/architecture.md"  # its table says where to look for what each file has

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT = re.compile(r"\s*(//|\*)\s*\S")
NAME = re.compile(r"`([^`]+)`")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


@dataclass(frozen=True)
class Violation:
    path: str
    line: int
    what: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}"


def code_only(text):
    """The text with comments, strings and characters blanked; lines keep their numbers."""
    return NOT_CODE.sub(lambda found: "\n" * found[0].count("\n") or " ", text)


def included_layer(root, path, quote, name):
    """The layer that an #include of name leads to, or None when it leaves the house."""
    folders = [path.parent] if quote == '"' else []
    for folder in [*folders, *(root / entry for entry in INCLUDE_PATH)]:
        target = (folder / name).resolve()
        if target.is_file():
            inside = target.is_relative_to(root / "src")
            return target.relative_to(root / "src").parts[0] if inside else None
    first = Path(name).parts[0]
    return first if first in RANKS else None


def check_include(root, path, layer, quote, name):
    """What is wrong with one #include, or None."""
    if layer != "platform" and PLATFORM_ONLY.fullmatch(name):
        return f"{layer}/ includes <{name}>, which belongs to platform/"
    target = included_layer(root, path, quote, name)
    if target in (None, layer):
        return None
    if target not in RANKS:
        return f"{name} is in src/{target}/, which has no rank"
    if RANKS[target] >= RANKS[layer]:
        return f"{layer}/ includes {name}: {target}/ is not below it"
    return None


def check_file(root, path):
    """The violations of one file below src/."""
    shown = str(path.relative_to(root))
    layer = path.relative_to(root / "src").parts[0]
    text = path.read_text()
    lines = text.splitlines()
    if layer not in RANKS:
        yield Violation(shown, 1, f"src/{layer}/ has no rank in layers.py")
        return
    if LICENCE not in (lines or [""])[0]:
        yield Violation(shown, 1, f"does not begin with '{LICENCE}'")
    if len(lines) < 2 or not COMMENT.match(lines[1]):
        yield Violation(shown, 2, "no comment says what the file has")
    if len(lines) > MAX_LINES:
        yield Violation(shown, len(lines), f"{len(lines)} lines, at most {MAX_LINES} are allowed")
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        wrong = include and check_include(root, path, layer, include[1], include[2])
        if wrong:
            yield Violation(shown, number, wrong)
    if path.suffix != ".map":
        yield from check_words(shown, text)


def check_words(shown, text):
    for number, line in enumerate(code_only(text).splitlines(), 1):
        for word in FORBIDDEN_WORDS:
            if re.search(rf"(?<![\w:]){word}\b", line):
                yield Violation(shown, number, f"uses {word}")


def mapped_names(text):
    """By folder below src/, what the rows of the table "Where to look" name in the last column."""
    names, folder = {}, None
    for line in text.partition("### Where to look")[2].partition("\n### ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) < 3 or not cells[2].startswith("`"):
            continue
        if cells[0]:
            folder = cells[0].strip("`")
        names.setdefault(folder, set()).update(NAME.findall(cells[-1]))
    return names


def check_map(root, paths):
    """The files that no row for their folder, or the one around it, names."""
    page = root / MAP
    names = mapped_names(page.read_text()) if page.is_file() else {}
    for path in paths if names else ():
        folder = path.parent.relative_to(root / "src")
        while str(folder) not in names and folder != Path():
            folder = folder.parent
        if not names.get(str(folder), set()) & {path.stem, path.name}:
            yield Violation(str(path.relative_to(root)), 1, f"{MAP} does not say what it is for")


def violations(root):
    """Every violation in the tree at root, whose sources lie below src/."""
    root = Path(root).resolve()
    paths = [path for path in sorted((root / "src").rglob("*"))
             if path.is_file() and path.suffix in SOURCE_SUFFIXES]
    found = list(check_map(root, paths))
    for path in paths:
        found += check_file(root, path)
    return found


if __name__ == "__main__":
    wrong = violations(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    print("".join(f"{violation}\n" for violation in wrong), end="")
    sys.exit(1 if wrong else 0)
