# SPDX-License-Identifier: Apache-2.0
"""Rewrites the extension clauses of a free-form Fortran source: a hint becomes a BLOCK construct in
front of the directive, which declares and calls heddle.h's function, and one behind the directive's
end, which takes back what was not used. Called by rewriting. Text has a character for each byte.
"""
import re

from . import clauses
from .c_source import GROUP_NUMBERS, SourceError, escaped

LINE = re.compile(r"[^\n]*(?:\n|\Z)")
SENTINEL = re.compile(r"\s*!\$omp\b", re.IGNORECASE)
GAP = re.compile(r"(?:[ \t\r]*(?:!(?!\$omp)[^\n]*)?\n)*", re.IGNORECASE)
CONTINUED = re.compile(r"\s*!\$omp[ \t]*&?", re.IGNORECASE)
COMMENT = re.compile(r"""((?:"[^"\n]*"|'[^'\n]*'|[^"'!\n])*)(![^\n]*)?""")
MARKER = re.compile(r'#\s*(?:line\s+)?(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?')
WORD = re.compile(r"\b(?:affinity|adaptive)\b", re.IGNORECASE)
END = re.compile(r"\s*!\$omp\s+(end\s*)?(\w+)", re.IGNORECASE)

FUNCTIONS = {
    "thread": ("heddle_affinity_thread", "thread", "integer(c_int), value :: thread"),
    "data": ("heddle_affinity_data", "data, size",
             "integer(c_intptr_t), value :: data\ninteger(c_size_t), value :: size"),
    "group": ("heddle_taskgroup_affinity", "kind, tasks", "integer(c_int), value :: kind, tasks"),
}
TAKE_BACK = """\
block
interface
subroutine heddle_affinity_none() bind(c)
end subroutine
end interface
call heddle_affinity_none()
end block
"""


class Directive:
    """text[start:end] of the source, without continuations in `clean`, and what it says."""

    def __init__(self, start, end, clean, found, file, line):
        self.start, self.end, self.clean, self.found = start, end, clean, found
        self.file, self.line = file, line


class Source:
    """`text` of the file `path`; `directives` are those with extension clauses."""

    def __init__(self, text, path):
        self.text = text
        self.name = escaped(path)
        self.directives = []
        self.ends = {}  # {offset behind a directive's end: its file and line}
        self._read()

    def _read(self):
        file, line, at = self.name, 1, 0
        open_tasks = []  # (construct, whether it has a hint)
        while at < len(self.text):
            end = LINE.match(self.text, at).end()
            marker = MARKER.match(self.text, at)
            if marker:
                line, file = int(marker[1]) - 1, marker[2] or file
            elif SENTINEL.match(self.text, at):
                end = self._end(at)
                hinted = self._directive(at, end, file, line)
                self._nest(open_tasks, at, end, hinted, file, line)
            line += self.text.count("\n", at, end)
            at = end

    def _end(self, start):
        """Where the directive ends that starts there: blank lines and comments may stand between
        its lines."""
        end, head = LINE.match(self.text, start).end(), SENTINEL.match(self.text, start).end()
        while COMMENT.match(self.text, head)[1].rstrip().endswith("&"):
            following = GAP.match(self.text, end).end()
            continued = CONTINUED.match(self.text, following)
            if not continued:
                break
            end, head = LINE.match(self.text, following).end(), continued.end()
        return end

    def _directive(self, start, end, file, line):
        if not WORD.search(self.text, start, end):
            return False
        clean, at = "", start
        while at < end:
            stop = LINE.match(self.text, at).end()
            sentinel = (SENTINEL if at == start else CONTINUED).match(self.text, at)
            head, code = (sentinel or re.compile("").match(self.text, at)).end(), ""
            code = COMMENT.match(self.text, head)[1]
            tail = code.rstrip()
            if tail.endswith("&"):
                code = tail[:-1]
            clean += " " * (head - at) + code
            clean += re.sub(r"[^\n]", " ", self.text[at + len(clean) - (at - start):stop])
            at = stop
        try:
            found = clauses.read(clean, SENTINEL.match(self.text, start).end() - start, True)
        except clauses.ClauseError as error:
            offset = start + error.position
            begin = self.text.rfind("\n", 0, offset) + 1
            shown = self.text[begin:].partition("\n")[0]
            raise SourceError(file, line + self.text.count("\n", start, offset), line,
                              offset - begin + 1, error.message, shown) from None
        if found.hints or found.adaptive:
            self.directives.append(Directive(start, end, clean, found, file, line))
        return bool(found.hints)

    def _nest(self, open_tasks, start, end, hinted, file, line):
        """Notes where the hinted constructs end that have an end directive."""
        directive = END.match(self.text, start)
        if not directive:
            return
        name = directive[2].lower()
        if name not in ("task", "taskgroup", "taskloop"):
            return
        if not directive[1]:
            open_tasks.append((name, hinted))
            return
        while open_tasks:
            construct, was_hinted = open_tasks.pop()
            if construct == name:
                if was_hinted:
                    after = line + self.text.count("\n", start, end)
                    self.ends[end] = (file, after)
                return

    def asks_for_addresses(self):
        """Does the text need loc() and sizeof(), which the standard does not have?"""
        return any(hint.kind in ("data", "list") for directive in self.directives
                   for hint in directive.found.hints)

    def rewritten(self):
        """The text for the compiler."""
        edits = {directive.start: directive for directive in self.directives}
        parts, at = [self._marker(self.name, 1)], 0
        for place in sorted({*edits, *self.ends}):
            parts.append(self.text[at:place])
            at = place
            if place in self.ends:
                file, line = self.ends[place]
                parts += [TAKE_BACK, self._marker(file, line)]
            if place in edits:
                parts.append(self._rewritten_directive(edits[place]))
                at = edits[place].end
        return "".join([*parts, self.text[at:]])

    @staticmethod
    def _marker(file, line):
        return f'# {line} "{file}"\n'

    def _rewritten_directive(self, directive):
        text = list(self.text[directive.start:directive.end])
        for hint in directive.found.hints:
            if hint.kind != "list":
                for at in (*range(hint.span.start, hint.span.end),
                           *hint.span.comma(directive.clean)):
                    text[at] = " " if directive.clean[at].strip() else text[at]
        for span in directive.found.adaptive:
            text[span.start:span.end] = "guided".ljust(span.end - span.start)
        text = without_empty_lines("".join(text))
        hints = directive.found.hints
        hint = next((hint for hint in hints if hint.kind != "list"), hints[0] if hints else None)
        if not hint:
            return text
        return self._call(directive, hint) + self._marker(directive.file, directive.line) + text

    def _at(self, directive, span):
        """The span's text at its place, in a line of its own between continued ones."""
        begin = directive.clean.rfind("\n", 0, span.start) + 1
        line = directive.line + directive.clean.count("\n", 0, span.start)
        text = " ".join(span.of(directive.clean).split())
        return (f"&\n{self._marker(directive.file, line)}{' ' * (span.start - begin)}{text} &\n"
                f"{self._marker(directive.file, directive.line)}")

    def _call(self, directive, hint):
        if hint.kind in GROUP_NUMBERS:
            name = "group"
            tasks = self._at(directive, hint.expressions[0]) if hint.expressions else "0"
            arguments = f"{GROUP_NUMBERS[hint.kind]}_c_int, int({tasks}, c_int)"
        elif hint.kind == "thread":
            name = "thread"
            arguments = f"int({self._at(directive, hint.expressions[0])}, c_int)"
        else:
            name = "data"
            if hint.iterators:
                return ""  # what an iterator begins with has no name outside the clause
            data = hint.expressions[0]
            arguments = (f"loc({self._at(directive, data)}), "
                         f"int(sizeof({self._at(directive, data)}), c_size_t)")
        function, names, declared = FUNCTIONS[name]
        kinds = "c_int, c_intptr_t, c_size_t" if name == "data" else "c_int"
        # `continue`: a BLOCK right behind a directive would be all that it has.
        return (f"{self._marker(directive.file, directive.line)}continue\nblock\n"
                f"use, intrinsic :: iso_c_binding, only: {kinds}\ninterface\n"
                f"function {function}({names}) bind(c) result(given)\n"
                f"import :: {kinds}\n{declared}\ninteger(c_int) :: given\nend function\n"
                f"end interface\nif ({function}({arguments}) < 0) continue\nend block\n")


def without_empty_lines(text):
    """The directive with lines that say nothing as comments: what goes on ends before them."""
    lines, last = text.split("\n"), 0
    for index, line in enumerate(lines[1:], 1):
        continued = CONTINUED.match(line)
        code = COMMENT.match(line, continued.end() if continued else 0)
        if code[1].strip(" \t\r\n&"):
            last = index
        else:
            lines[index] = " " * code.end(1) + line[code.end(1):]
    code = COMMENT.match(lines[last], CONTINUED.match(lines[last]).end())
    lines[last] = (lines[last][:code.start()] + code[1].replace("&", " ")
                   + lines[last][code.end(1):])
    return "\n".join(lines)
