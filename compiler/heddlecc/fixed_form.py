# SPDX-License-Identifier: Apache-2.0
"""Extension clauses in a fixed-form Fortran source: the word `adaptive` is rewritten in its place;
affinity clauses of ours, which need lines of their own in front of the directive, are refused with a
message. Called by rewriting. Text has a character for each byte.
"""
import re

from . import clauses
from .c_source import SourceError, escaped

DIRECTIVE = re.compile(r"[!c*]\$omp[ 0]", re.IGNORECASE)
CONTINUED = re.compile(r"[!c*]\$omp[^ 0\n]", re.IGNORECASE)
LINE = re.compile(r"[^\n]*\n|[^\n]+")
MARKER = re.compile(r'#\s*(?:line\s+)?(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?')
COMMENT = re.compile(r"""((?:"[^"]*"|'[^']*'|[^"'!])*)""")
SENTINEL = 6  # columns
REFUSED = "affinity clauses of Heddle are accepted in free-form Fortran only"


class Source:
    """`text` of the file `path`, whose lines count up to column `width`; `directives` are the spans
    of the word adaptive."""

    def __init__(self, text, path, width):
        self.text, self.name, self.width = text, escaped(path), width
        self.directives = []
        self._read()

    def _read(self):
        lines = LINE.findall(self.text)
        file, number, at, index = self.name, 0, 0, 0
        while index < len(lines):
            number += 1
            marker = MARKER.match(lines[index])
            if marker:
                number, file = int(marker[1]) - 1, marker[2] or file
            last = index + 1
            if DIRECTIVE.match(lines[index]):
                while last < len(lines) and CONTINUED.match(lines[last]):
                    last += 1
                self._directive(at, lines[index:last], file, number)
            at += sum(map(len, lines[index:last]))
            number += last - index - 1
            index = last

    def _code(self, line):
        """The line without sentinel, comment and what is behind the last column that counts."""
        text = COMMENT.match(line[SENTINEL:self.width].rstrip("\r\n"))[1]
        return (" " * SENTINEL + text).ljust(len(line))

    def _directive(self, start, lines, file, number):
        clean = "".join(map(self._code, lines))
        try:
            found = clauses.read(clean, 0, True)
            for hint in found.hints:
                if hint.kind != "list":
                    shown = " ".join(hint.span.of(clean).split())
                    raise clauses.ClauseError(hint.span.start, f"{shown}: {REFUSED}")
        except clauses.ClauseError as error:
            before, line = 0, 0
            while before + len(lines[line]) <= error.position:
                before += len(lines[line])
                line += 1
            raise SourceError(file, number + line, number, error.position - before + 1,
                              error.message, lines[line].rstrip("\n")) from None
        self.directives += [(start + span.start, start + span.end) for span in found.adaptive]

    def asks_for_addresses(self):
        return False

    def rewritten(self):
        """The text for the compiler."""
        text = list(self.text)
        for start, end in self.directives:
            text[start:end] = "guided".ljust(end - start)
        return f'# 1 "{self.name}"\n' + "".join(text)
