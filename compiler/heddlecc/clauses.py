# SPDX-License-Identifier: Apache-2.0
"""The extension clauses of a directive, in any language: what they say, and what is wrong with them.
Called by c_source and fortran_source with the directive's text, in which comments and continuations
are blanks, so that positions are those of the source. docs/heddlecc.md has the grammar.
"""
import re

TOKEN = re.compile(r"""[A-Za-z_]\w*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\.?\d[\w.]*|::|\S""")
KINDS = {"spread": "spread", "close": "close", "primary": "primary", "master": "primary"}
GROUPS = {"task": frozenset(("task",)), "taskgroup": frozenset(("taskgroup",)),
          "taskloop": frozenset(("taskloop", "simd", "master", "masked"))}
DIRECTIVES = frozenset("""
    cancel critical declare dispatch distribute do end error flush for loop masked master metadirective
    ordered parallel scan section sections simd single target task taskgroup taskloop taskwait
    taskyield teams threadprivate workshare""".split())
TASK_FORMS = "affinity(thread: e), affinity(data: list) or affinity([iterator(...):] list)"
GROUP_FORMS = "affinity(spread|close|primary[: n])"
LOOP_FORMS = "affinity(spread|close|primary[: n]), affinity(thread: e) or affinity(data: list)"


class ClauseError(Exception):
    """A wrong clause: where in the text, and one line that says what is accepted."""

    def __init__(self, position, message):
        super().__init__(message)
        self.position, self.message = position, message


class Span:
    """A part [start, end) of the directive's text."""

    def __init__(self, start, end):
        self.start, self.end = start, end

    def of(self, text):
        return text[self.start:self.end]

    def comma(self, text):
        """Where the comma is, if there is one, that goes with the clause: behind it, or before it."""
        behind = len(text) - len(text[self.end:].lstrip())
        if text[behind:behind + 1] == ",":
            return (behind,)
        before = text[:self.start].rstrip()
        return (len(before) - 1,) if before.endswith(",") else ()


class Hint:
    """An affinity clause. kind: thread (expressions: one), data (a list of locations), list (the same
    of the standard clause, `iterators` as (type, name, begin, end, step)), or spread, close and
    primary (expressions: the number of tasks, or none). `span` is the clause."""

    def __init__(self, kind, span, expressions, iterators=()):
        self.kind, self.span, self.expressions, self.iterators = kind, span, expressions, iterators


class Found:
    """What a directive says: `hints`, and in `adaptive` the spans of that word in schedule()."""

    def __init__(self):
        self.names = []
        self.hints = []
        self.adaptive = []


class Reader:
    """Reads the clauses of `text` from `start` on, which is behind the sentinel (`omp`)."""

    def __init__(self, text, start, lower=False):
        self.text = text
        words = text.lower() if lower else text
        self.tokens = [(match.start(), match.end(), words[match.start():match.end()])
                       for match in TOKEN.finditer(text, start)]

    def read(self):
        found = Found()
        named = False  # the directive's name is complete
        index = 0
        while index < len(self.tokens):
            _, _, word = self.tokens[index]
            opens = index + 1 < len(self.tokens) and self.tokens[index + 1][2] == "("
            if not opens:
                named = named or word not in DIRECTIVES
                if not named:
                    found.names.append(word)
                index += 1
                continue
            named = True
            close = self._matching(index + 1)
            if word == "affinity":
                self._affinity(found, index, close)
            elif word == "schedule":
                self._schedule(found, index, close)
            index = close + 1
        return found

    def _matching(self, index):
        """The token that closes what the one at `index` opens."""
        depth = 0
        for at in range(index, len(self.tokens)):
            if self.tokens[at][2] in "([{":
                depth += 1
            elif self.tokens[at][2] in ")]}":
                depth -= 1
                if depth == 0:
                    return at
        raise ClauseError(self.tokens[index - 1][0],
                          f"{self.tokens[index - 1][2]}: the parenthesis is not closed")

    def _split(self, first, end, separator):
        """The ranges of tokens [first, end) between separators outside parentheses."""
        parts, depth, begin = [], 0, first
        for at in range(first, end):
            word = self.tokens[at][2]
            depth += (word in "([{") - (word in ")]}")
            if word == separator and depth == 0:
                parts.append((begin, at))
                begin = at + 1
        return [*parts, (begin, end)]

    def _span(self, first, end):
        return Span(self.tokens[first][0], self.tokens[end - 1][1])

    def _clause(self, index, close):
        """The clause as a message shows it."""
        return " ".join(self._span(index, close + 1).of(self.text).split())

    def _wrong(self, index, close, accepted, at=None):
        raise ClauseError(self.tokens[index if at is None else at][0],
                          f"{self._clause(index, close)}: {accepted}")

    def _schedule(self, found, index, close):
        parts = self._split(index + 2, close, ",")
        # Modifiers, their colon and the kind are what the first comma of a list of two modifiers
        # may divide: the kind is behind the last colon outside parentheses.
        colons = self._split(index + 2, close, ":")
        kind = colons[-1][0]
        if kind >= close or self.tokens[kind][2] != "adaptive":
            if any(self.tokens[first][2] == "adaptive" for first, end in colons[:-1] if first < end):
                self._wrong(index, close, "accepted is schedule([modifier:] adaptive[, n])")
            return
        items = [part for part in parts if part[1] > kind]
        if items[0][1] != kind + 1 or len(items) > 2 or items[-1][0] >= items[-1][1]:
            self._wrong(index, close, "accepted is schedule([modifier:] adaptive[, n])")
        found.adaptive.append(self._span(kind, kind + 1))

    def _affinity(self, found, index, close):
        names = frozenset(found.names)
        construct = next((name for name in GROUPS if name in names), None)
        span = self._span(index, close + 1)
        if not construct or not names <= GROUPS[construct]:
            self._wrong(index, close, "affinity is accepted on task, taskgroup, taskloop, and "
                        "taskloop combined with simd, master or masked, not on "
                        + (" ".join(found.names) or "this directive"))
        hint = (self._task_hint if construct == "task" else self._group_hint)(
            index, close, span, construct)
        if hint.kind != "list" and any(other.kind != "list" for other in found.hints):
            self._wrong(index, close, "a directive has one affinity clause of thread, data, "
                        "spread, close or primary")
        found.hints.append(hint)

    def _list(self, first, index, close, accepted):
        parts = self._split(first, close, ",")
        if any(begin >= end for begin, end in parts):
            self._wrong(index, close, accepted)
        return [self._span(begin, end) for begin, end in parts]

    def _modifier(self, index, close):
        """(word, tokens behind its colon) of `affinity(word: ...)`; (None, first) without."""
        first = index + 2
        if close - first >= 2 and self.tokens[first + 1][2] == ":" \
                and self.tokens[first][2].isidentifier():
            return self.tokens[first][2], first + 2
        return None, first

    def _location_hint(self, word, first, index, close, span, accepted):
        items = self._list(first, index, close, accepted)
        if word == "thread" and len(items) != 1:
            self._wrong(index, close, accepted)
        return Hint(word, span, items)

    def _task_hint(self, index, close, span, _):
        accepted = f"on task accepted are {TASK_FORMS}"
        word, first = self._modifier(index, close)
        if word in ("thread", "data"):
            return self._location_hint(word, first, index, close, span, accepted)
        if word is not None:
            self._wrong(index, close, accepted, index + 2)
        iterators = ()
        if self.tokens[first][2] == "iterator" and self.tokens[first + 1][2] == "(":
            end = self._matching(first + 1)
            if self.tokens[end + 1][2] == ":":
                iterators = [self._iterator(begin, stop, index, close)
                             for begin, stop in self._split(first + 2, end, ",")]
                first = end + 2
        return Hint("list", span, self._list(first, index, close, accepted), iterators)

    def _iterator(self, begin, end, index, close):
        """[type] name = begin:end[:step]"""
        sides = self._split(begin, end, "=")
        ranges = self._split(sides[1][0], end, ":") if len(sides) == 2 else ()
        if len(ranges) not in (2, 3) or sides[0][0] >= sides[0][1] \
                or any(first >= last for first, last in ranges):
            self._wrong(index, close, "an iterator is [type] name = begin:end[:step]")
        name = sides[0][1] - 1
        kind = self._span(begin, name) if name > begin else None
        bounds = [self._span(*part) for part in ranges]
        return kind, self._span(name, name + 1), bounds[0], bounds[1], (*bounds, None)[2]

    def _group_hint(self, index, close, span, construct):
        accepted = f"on {construct} accepted are " if construct == "taskloop" else \
            f"on {construct} accepted is "
        accepted += LOOP_FORMS if construct == "taskloop" else GROUP_FORMS
        word, first = self._modifier(index, close)
        if construct == "taskloop" and word in ("thread", "data"):
            return self._location_hint(word, first, index, close, span, accepted)
        kind = KINDS.get(word or self.tokens[first][2])
        if not kind:
            self._wrong(index, close, accepted, index + 2 if close > index + 2 else None)
        if word is None:
            if first + 1 != close:
                self._wrong(index, close, accepted)
            return Hint(kind, span, [])
        items = self._list(first, index, close, accepted)
        if len(items) != 1:
            self._wrong(index, close, accepted)
        return Hint(kind, span, items)


def read(text, start, lower=False):
    """The Found of a directive; raises ClauseError. `lower`: the language ignores case."""
    return Reader(text, start, lower).read()
