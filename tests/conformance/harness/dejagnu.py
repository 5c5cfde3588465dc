# SPDX-License-Identifier: Apache-2.0
"""Read the DejaGnu directives of a test: '{ dg-do run { target lp64 } }' and the like."""

import fnmatch
import platform
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

DIRECTIVE = re.compile(r"\{\s+(dg-[-a-z]+)(?:\s+(.*))?\s+\}")
TOKEN = re.compile(r"[{}!]|&&|\|\||[^\s{}!&|]+")
TCL_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
CPU_FEATURES = {"sse2_runtime": "sse2", "avx_runtime": "avx", "avx2_runtime": "avx2",
                "avx512f_runtime": "avx512f", "vect_simd_clones": "sse2"}
TRUE_TARGETS = {"tls", "tls_runtime", "sync_int_long", "sync_char_short", "lto", "shared", "fpic",
                "alias", "fd_truncate", "large_long_double", "pthread", "fopenmp",
                "offload_device_shared_as"}  # without a device, the host shares its memory
FALSE_TARGETS = {"run_expensive_tests", "aarch64_tiny", "ia32", "offload_device",
                 "offload_device_nonshared_as", "offload_device_nvptx",
                 "offload_device_any_intel_mic", "offload_device_intel_mic",
                 "offload_target_nvptx", "offload_target_amdgcn"}


class UnknownTarget(Exception):
    """A selector names an effective target that this harness does not know."""


@dataclass
class Spec:
    """What a test's directives ask for."""
    action: str = "run"
    skip: str = ""
    options: object = None
    extra_options: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    output: str = ""
    should_fail: bool = False
    timeout: float = 0.0
    timeout_factor: float = 1.0


def cpu_flags():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(line.split(":", 1)[1].split())
    return set()


class Target:
    """What is true of this machine, or of another with 64 bits, for target selectors."""

    def __init__(self, language, machine=""):
        machine = machine or platform.machine()
        self.triplet = f"{machine}-pc-linux-gnu"
        wide, x86 = platform.architecture()[0] == "64bit", machine == "x86_64"
        flags = cpu_flags() if x86 else set()
        self.facts = {name: True for name in TRUE_TARGETS}
        self.facts |= {name: False for name in FALSE_TARGETS}
        self.facts |= {"lp64": wide, "size32plus": wide, "__float128": x86,
                       "c": language == "c", "c++": language == "c++"}
        self.facts |= {name: flag in flags for name, flag in CPU_FEATURES.items()}

    def word_holds(self, word):
        if word.count("-") >= 2:
            return fnmatch.fnmatchcase(self.triplet, word)
        if word not in self.facts:
            raise UnknownTarget(word)
        return self.facts[word]

    def selects(self, selector):
        """Whether a selector such as '! ia32' or '{ i?86-*-* x86_64-*-* } && lp64' holds."""
        tokens = TOKEN.findall(selector)
        value = self._any(tokens)
        if tokens:
            raise UnknownTarget(selector)
        return value

    def _any(self, tokens):
        value = self._all(tokens)
        while tokens and tokens[0] != "}":
            if tokens[0] == "||":
                tokens.pop(0)
            value = self._all(tokens) or value
        return value

    def _all(self, tokens):
        value = self._one(tokens)
        while tokens and tokens[0] == "&&":
            tokens.pop(0)
            value = self._one(tokens) and value
        return value

    def _one(self, tokens):
        token = tokens.pop(0)
        if token == "!":
            return not self._one(tokens)
        if token != "{":
            return self.word_holds(token)
        value = self._any(tokens)
        tokens.pop(0)
        return value


def unescape(text):
    return re.sub(r"\\(.)", lambda match: TCL_ESCAPES.get(match[1], match[1]), text, flags=re.DOTALL)


def closing_brace(text, start):
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def tcl_words(text):
    """Split as Tcl would: {braces} verbatim, "quotes" with backslash escapes, bare words."""
    words, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "{":
            end = closing_brace(text, at)
            words.append(text[at + 1:end].strip())
            at = end + 1
        elif text[at] == '"':
            match = re.compile(r'"((?:[^"\\]|\\.)*)"?', re.DOTALL).match(text, at)
            words.append(unescape(match[1]))
            at = match.end()
        else:
            match = re.compile(r"\S+").match(text, at)
            words.append(match[0])
            at = match.end()
    return words


def directives(text):
    """(name, words) of each directive, in order."""
    for line in text.splitlines():
        match = DIRECTIVE.search(line)
        if match:
            yield match[1], tcl_words(match[2] or "")


def target_selected(words, target):
    """Whether the optional '{ target SELECTOR }' among the words lets a directive apply."""
    for word in words:
        kind, _, selector = word.partition(" ")
        if kind == "target":
            return target.selects(selector.split(" xfail ")[0])
    return True


def flags_match(patterns, flags):
    return any(fnmatch.fnmatchcase(flag, pattern) or pattern in ("*", "")
               for pattern in shlex.split(patterns) for flag in flags)


def skipped_by(words, target, flags):
    """dg-skip-if: comment, selector, [flags that must match, [flags that must not]]."""
    if not target.selects(words[1]):
        return False
    if len(words) > 2 and not flags_match(words[2], flags or [""]):
        return False
    return not (len(words) > 3 and flags_match(words[3], flags))


class Reader:
    """Fills in a Spec, one directive at a time; the method for dg-do is do_dg_do, and so on."""

    def __init__(self, target, default_flags):
        self.target = target
        self.default_flags = default_flags
        self.spec = Spec()

    def apply(self, name, words):
        method = getattr(self, "do_" + name.replace("-", "_"), None)
        if method:
            method(words)

    def do_dg_do(self, words):
        self.spec.action = words[0]
        if not target_selected(words[1:], self.target):
            self.spec.skip = f"needs target {words[1].partition(' ')[2]}"

    def do_dg_options(self, words):
        if target_selected(words[1:], self.target):
            self.spec.options = shlex.split(words[0])

    def do_dg_additional_options(self, words):
        if target_selected(words[1:], self.target):
            self.spec.extra_options += shlex.split(words[0])

    def do_dg_additional_sources(self, words):
        if target_selected(words[1:], self.target):
            self.spec.sources += words[0].split()

    def do_dg_require_effective_target(self, words):
        if target_selected(words[1:], self.target) and not self.target.word_holds(words[0]):
            self.spec.skip = f"needs {words[0]}"

    def do_dg_skip_if(self, words):
        flags = self.spec.options if self.spec.options is not None else self.default_flags
        if skipped_by(words, self.target, flags):
            self.spec.skip = "dg-skip-if " + (words[0] or words[1])

    def do_dg_set_target_env_var(self, words):
        self.spec.env[words[0]] = words[1] if len(words) > 1 else ""

    def do_dg_shouldfail(self, words):
        self.spec.should_fail = len(words) < 2 or self.target.selects(words[1])

    def do_dg_output(self, words):
        if target_selected(words[1:], self.target):
            self.spec.output += words[0]

    def do_dg_timeout(self, words):
        self.spec.timeout = float(words[0])

    def do_dg_timeout_factor(self, words):
        self.spec.timeout_factor = float(words[0])


def read_spec(path, target, default_flags):
    """The Spec of the test at path."""
    reader = Reader(target, default_flags)
    try:
        for name, words in directives(path.read_text(errors="replace")):
            reader.apply(name, words)
    except UnknownTarget as unknown:
        reader.spec.skip = f"unknown effective target {unknown}"
    return reader.spec
