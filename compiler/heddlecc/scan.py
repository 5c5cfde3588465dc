# SPDX-License-Identifier: Apache-2.0
"""A cheap look whether a program can have an extension clause at all: the words that these contain,
in the source and in the headers of the project that it may include. Headers of the system are not
read. It errs on the side of yes; the preprocessor decides then. Called by driver.
"""
import os
import re

WORD = re.compile(rb"\b(?:affinity|adaptive)\b", re.IGNORECASE)
INCLUDE = re.compile(rb"^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*([<\"]?)([^>\"\n]*)",
                     re.MULTILINE)
HEADERS = frozenset(("heddle.h", "heddle.hpp"))


class Scan:
    """`own`: the source has the words; `others`: a header, or a macro of the command line, may have;
    `wants_headers`: somebody includes heddle.h, which is not in the folders given."""

    def __init__(self, text, path, command):
        self.own = WORD.search(text) is not None
        self.others = False
        self.wants_headers = False
        self._folders = [folder for _, folder in command.folders]
        self._quoted = [folder for option, folder in command.folders if option == "-iquote"]
        for variable in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"):
            self._folders += filter(None, os.environ.get(variable, "").split(os.pathsep))
        self._seen = set()
        arguments = "\n".join(command.arguments).encode(errors="surrogateescape")
        if any(b"=" in line and WORD.search(line) for line in arguments.split(b"\n")):
            self.others = True
        here = "" if path == "-" else os.path.dirname(path)
        for name in command.included:
            self._include(name, "", True)
        self._follow(text, here)

    def _follow(self, text, folder):
        for opening, raw in INCLUDE.findall(text):
            name = raw.decode(errors="surrogateescape").strip()
            if opening:
                self._include(name, folder, opening == b'"')
            else:
                self.others = True  # the name is a macro

    def _include(self, name, folder, quoted):
        places = [folder, *self._quoted] if quoted else []
        for place in [*places, *self._folders]:
            path = os.path.join(place, name)
            if path in self._seen:
                return
            try:
                with open(path, "rb") as file:
                    text = file.read()
            except OSError:
                continue
            self._seen.add(path)
            if WORD.search(text) and WORD.search(without_comments(text)):
                self.others = True
            self._follow(text, os.path.dirname(path))
            return
        if name in HEADERS:
            self.wants_headers = True


COMMENT = re.compile(rb'//[^\n]*|/\*.*?\*/|("(?:[^"\\\n]|\\.)*")', re.DOTALL)


def without_comments(text):
    return COMMENT.sub(lambda match: match[1] or b" ", text)
