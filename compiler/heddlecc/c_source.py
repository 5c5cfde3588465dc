# SPDX-License-Identifier: Apache-2.0
"""Rewrites the extension clauses of a C or C++ source, or of the preprocessor's output. What stays
keeps its line and column: a hint becomes a loop of one turn in front of the pragma, each expression
in a line of its own that says where it comes from, and the clause becomes blanks. Called by rewriting.
"""
import re

from . import clauses

TOKEN = re.compile(r"""
    (?P<directive>^(?:[ \t\f\v]|/\*(?:[^*]|\*(?!/))*\*/)*(?:\#|%:))
  | (?P<comment>//(?:[^\\\n]|\\\r?\n|\\.)*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\s\\]{0,16})\(.*?\)(?P=delimiter)")
  | (?P<text>(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
  | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<word>[A-Za-z_$][\w$]*)
    """, re.VERBOSE | re.DOTALL | re.MULTILINE)
LOGICAL_LINE = re.compile(
    r"""(?:\\\r?\n|//(?:[^\\\n]|\\.)*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|[^\n])*""", re.DOTALL)
BLANKS = re.compile(r"\\\r?\n|//(?:[^\\\n]|\\.)*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
PRAGMA = re.compile(r"\s*(?:#|%:)\s*pragma\s+omp\b")
MARKER = re.compile(r'\s*#\s*(?:line\s+)?(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?')
WORDS = frozenset(("affinity", "adaptive"))
WORD = re.compile(r"\b(?:affinity|adaptive)\b")

# Names of our own for heddle.h's functions, so that they may be declared twice.
PRELUDE = """\
int __heddle_hint_thread(int) __asm__("heddle_affinity_thread");
int __heddle_hint_data(const volatile void*, __typeof__(sizeof 0)) __asm__("heddle_affinity_data");
int __heddle_hint_group(int, int) __asm__("heddle_taskgroup_affinity");
void __heddle_hint_none(void) __asm__("heddle_affinity_none");
"""
GROUP_NUMBERS = {"close": 1, "spread": 2, "primary": 3}  # enum heddle_affinity_kinds


class SourceError(Exception):
    """A wrong clause in a file: its place, the line where its directive begins, the message, and
    the line as it is shown."""

    def __init__(self, file, line, begin, column, message, shown):
        super().__init__(message)
        self.file, self.line, self.begin, self.column = file, line, begin, column
        self.message, self.shown = message, shown


class Pragma:
    """A directive with extension clauses: text[start:end], and where a message says it is."""

    def __init__(self, start, end, clean, found, file, line):
        self.start, self.end, self.clean, self.found = start, end, clean, found
        self.file, self.line = file, line


def escaped(path):
    """The path as a marker has it."""
    return path.replace("\\", "\\\\").replace('"', '\\"')


def blank(match):
    text = match[0]
    return text if text[0] == '"' else re.sub(r"[^\n]", " ", text)


class Source:
    """`text` of the file `name`. `hints_standard`: the standard affinity clause becomes a hint, for
    a compiler that drops it. `preprocessed`: text of the preprocessor, whose markers name files."""

    def __init__(self, text, name, hints_standard, preprocessed=False, cplusplus=False):
        self.text, self.name = text, name if preprocessed else escaped(name)
        self.hints_standard, self.preprocessed = hints_standard, preprocessed
        self.cplusplus = cplusplus
        self.pragmas = []
        self.errors = []  # SourceErrors
        self.others = False  # the words are elsewhere too: a macro may make a clause of them
        self._turns = 0
        self._read()

    def _read(self):
        file, line, at = self.name, 1, 0  # of the offset `at`
        position = 0
        while True:
            match = TOKEN.search(self.text, position)
            if not match:
                break
            position = match.end()
            if match.lastgroup == "directive":
                end = LOGICAL_LINE.match(self.text, match.start()).end()
                line += self.text.count("\n", at, match.start())
                at, position = match.start(), end
                marker = MARKER.match(self.text, match.start())
                if marker:
                    line = int(marker[1]) - 1
                    file = marker[2] if marker[2] is not None else file
                elif WORD.search(self.text, match.start(), end):
                    self._directive(match.start(), end, file, line)
            elif match.lastgroup == "word":
                self.others = self.others or match[0] in WORDS
            elif match.lastgroup in ("text", "raw"):
                self.others = self.others or WORD.search(match[0]) is not None

    def _directive(self, start, end, file, line):
        clean = BLANKS.sub(blank, self.text[start:end])
        pragma = PRAGMA.match(clean)
        if not pragma:
            self.others = self.others or WORD.search(clean) is not None
            return
        try:
            found = clauses.read(clean, pragma.end())
        except clauses.ClauseError as error:
            self.errors.append(self._error(start, error, file, line))
            self.others = True  # it may be in a part that the preprocessor leaves out
            return
        if not found.hints and not found.adaptive:
            self.others = True  # a macro's argument, or only a name
        if not self.hints_standard:
            found.hints = [hint for hint in found.hints if hint.kind != "list"]
        if found.hints or found.adaptive:
            self.pragmas.append(Pragma(start, end, clean, found, file, line))

    def _error(self, start, error, file, line):
        offset = start + error.position
        at = line + self.text.count("\n", start, offset)
        begin = self.text.rfind("\n", 0, offset) + 1
        shown = self.text[begin:].partition("\n")[0]
        return SourceError(file, at, line, offset - begin + 1, error.message, shown)

    def needs_hints(self):
        return any(pragma.found.hints for pragma in self.pragmas)

    def rewritten(self):
        """The text for the compiler: the prelude, and each pragma with its hint in front of it."""
        parts, at = [], 0
        for pragma in self.pragmas:
            parts += [self.text[at:pragma.start], self._rewritten_pragma(pragma)]
            at = pragma.end
        text = "".join([*parts, self.text[at:]])
        prelude = PRELUDE if self.needs_hints() else ""
        if prelude and self.cplusplus:
            prelude = f'extern "C" {{\n{prelude}}}\n'
        if not self.preprocessed:
            return f"{prelude}{self._marker(self.name, 1)}{text}"
        if not prelude:
            return text
        # The preprocessor's first lines say which file is compiled.
        head = re.match(r'(?:#[ \t]*\d[^\n]*\n)*', text).end()
        last = MARKER.match(text[:head].rstrip("\n").rpartition("\n")[2])
        marker = self._marker(last[2] or self.name, int(last[1])) if last else ""
        return text[:head] + prelude + marker + text[head:]

    def _marker(self, file, line):
        return f'# {line} "{file}"\n' if self.preprocessed else f'#line {line} "{file}"\n'

    def _rewritten_pragma(self, pragma):
        text = list(self.text[pragma.start:pragma.end])
        for hint in pragma.found.hints:
            if hint.kind != "list":  # the compiler checks and drops the standard one
                for at in (*range(hint.span.start, hint.span.end), *hint.span.comma(pragma.clean)):
                    text[at] = text[at] if text[at] in "\\\n\r" else " "
        for span in pragma.found.adaptive:
            text[span.start:span.end] = "guided".ljust(span.end - span.start)
        hint = self._effective_hint(pragma)
        if not hint:
            return "".join(text)
        return self._hint_loop(pragma, hint) + self._marker(pragma.file, pragma.line) \
            + self._indentation(pragma) + "".join(text).lstrip(" \t")

    @staticmethod
    def _effective_hint(pragma):
        hints = pragma.found.hints
        return next((hint for hint in hints if hint.kind != "list"), hints[0] if hints else None)

    def _indentation(self, pragma):
        return pragma.clean[:len(pragma.clean) - len(pragma.clean.lstrip(" \t"))]

    def _hint_loop(self, pragma, hint):
        self._turns += 1
        turn = f"__heddle_turn_{self._turns}"
        # Far to the right: what is indented less is not taken for a part of it that looks outside.
        return (f"{' ' * 120}for (int {turn} = ({self._call(pragma, hint)}, 1); {turn}; "
                f"{turn} = (__heddle_hint_none(), 0))\n")

    def _at(self, pragma, span, text=None):
        """The span's text, or another, in lines of its own at the place of the span, and the marker
        of what follows."""
        line = pragma.line + pragma.clean.count("\n", 0, span.start)
        begin = pragma.clean.rfind("\n", 0, span.start) + 1
        indent = re.sub(r"[^\t]", " ", pragma.clean[begin:span.start])
        return (f"\n{self._marker(pragma.file, line)}{indent}{text or span.of(pragma.clean)}\n"
                f"{self._marker(pragma.file, pragma.line)}")

    def _call(self, pragma, hint):
        if hint.kind in GROUP_NUMBERS:
            tasks = self._at(pragma, hint.expressions[0]) if hint.expressions else "0"
            return f"(void)__heddle_hint_group({GROUP_NUMBERS[hint.kind]}, {tasks})"
        if hint.kind == "thread":
            return f"(void)__heddle_hint_thread({self._at(pragma, hint.expressions[0])})"
        call = self._data_call(pragma, hint.expressions[0])
        if hint.kind == "data":
            others = "".join(f", (void)sizeof({self._at(pragma, span)})"
                             for span in hint.expressions[1:] if not is_section(pragma, span))
            return call + others
        for kind, name, begin, end, step in reversed(hint.iterators):
            kind = kind.of(pragma.clean) if kind else "int"
            name, begin, end = (span.of(pragma.clean) for span in (name, begin, end))
            ahead = f"{name} < ({end})"
            if step:
                ahead = f"(({step.of(pragma.clean)}) > 0 ? {ahead} : {name} > ({end}))"
            call = (f"__extension__ ({{ {kind} {name} = ({begin}); (void){name}; "
                    f"if ({ahead}) {call}; (void)0; }})")
        return call

    def _data_call(self, pragma, span):
        address = "__builtin_addressof" if self.cplusplus else "&"
        if not is_section(pragma, span):
            return (f"(void)__heddle_hint_data({address}({self._at(pragma, span)}), "
                    f"sizeof({span.of(pragma.clean)}))")
        first, last = section_ends(span.of(pragma.clean))
        placed = self._at(pragma, span, first)
        return (f"(void)__heddle_hint_data({address}({placed}), (__typeof__(sizeof 0))"
                f"((const volatile char*)({address}({last}) + 1) - "
                f"(const volatile char*){address}({first})))")


def pieces_of(text):
    """The parts of a location's text: brackets outside parentheses, and what is between them."""
    pieces, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        if character in "([{":
            if depth == 0 and character == "[":
                pieces.append(text[begin:at])
                begin = at
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0 and character == "]":
                pieces.append(text[begin:at + 1])
                begin = at + 1
    return [piece for piece in (*pieces, text[begin:]) if piece.strip()]


def colons_of(bracket):
    """The parts of what is in brackets between colons outside parentheses and conditionals."""
    parts, depth, conditions, begin = [], 0, 0, 1
    for at, character in enumerate(bracket[:-1]):
        depth += (character in "([{") - (character in ")]}")
        conditions += character == "?"
        if character == ":" and depth == 1 and "::" not in bracket[max(at - 1, 0):at + 2]:
            if conditions:
                conditions -= 1
            else:
                parts.append(bracket[begin:at])
                begin = at + 1
    return [*parts, bracket[begin:-1]]


def is_section(pragma, span):
    """Whether the location is an array section."""
    return any(piece[0] == "[" and len(colons_of(piece)) > 1
               for piece in pieces_of(span.of(pragma.clean))[1:])


def section_ends(text):
    """The first and the last element of an array section, as expressions."""
    first = last = ""
    for piece in pieces_of(text):
        parts = colons_of(piece) if piece[0] == "[" and first else ()
        if len(parts) < 2:
            first, last = first + piece, last + piece
            continue
        low = parts[0].strip() or "0"
        length = parts[1].strip()
        end = f"({low}) + ({length}) - 1" if length else f"sizeof({first}) / sizeof(({first})[0]) - 1"
        first, last = f"{first}[{low}]", f"{last}[{end}]"
    return first, last
