# SPDX-License-Identifier: Apache-2.0
"""A cheap look whether a program can have an extension clause at all: the words that these contain,
in the source and in the headers of the project that it may include. Headers of the system are not
read. It errs on the side of yes; the preprocessor decides then. Called by driver for every source,
so `re`, whose import takes as long as Python's start, is only loaded where a word is found.
"""
import os

WORDS = (b"affinity", b"adaptive")
HEADERS = frozenset(("heddle.h", "heddle.hpp"))


class Scan:
    """`own`: the source has the words; `others`: a header, or a macro of the command line, may have;
    `wants_headers`: somebody includes heddle.h, which is not in the folders given."""

    def __init__(self, text, path, command):
        self.own = has_words(text)
        self.others = False
        self.wants_headers = False
        self._folders = [folder for _, folder in command.folders]
        self._quoted = [folder for option, folder in command.folders if option == "-iquote"]
        for variable in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"):
            self._folders += filter(None, os.environ.get(variable, "").split(os.pathsep))
        self._seen = set()
        if any("=" in argument and has_words(os.fsencode(argument))
               for argument in command.arguments):
            self.others = True
        for name in command.included:
            self._include(name, "", True)
        self._follow(text, "" if path == "-" else os.path.dirname(path))

    def _follow(self, text, folder):
        for name in includes(text):
            if name[:1] in (b'"', b"<"):
                end = name.find(b'"' if name[:1] == b'"' else b">", 1)
                self._include(os.fsdecode(name[1:end]), folder, name[:1] == b'"')
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
            self.others = self.others or has_words_in_code(text)
            self._follow(text, os.path.dirname(path))
            return
        if name in HEADERS:
            self.wants_headers = True


def has_words(text):
    lower = text.lower()  # Fortran has no case
    return any(word in lower for word in WORDS)


def has_words_in_code(text):
    """Not in comments, nor as a part of another name."""
    if not has_words(text):
        return False
    import re
    code = re.sub(rb'//[^\n]*|/\*.*?\*/|("(?:[^"\\\n]|\\.)*")', lambda match: match[1] or b" ", text,
                  flags=re.DOTALL)
    return re.search(rb"\b(?:affinity|adaptive)\b", code, re.IGNORECASE) is not None


def includes(text):
    """What stands behind each #include of the text, as `"name"` or `<name>` or a macro."""
    at = text.find(b"include")
    while at >= 0:
        begin, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
        if text[begin:at].replace(b" ", b"").replace(b"\t", b"") == b"#":
            line = text[at + len(b"include"):end if end >= 0 else len(text)]
            yield (line[len(b"_next"):] if line.startswith(b"_next") else line).strip()
        at = text.find(b"include", at + 1)
