# SPDX-License-Identifier: Apache-2.0
"""Which tests of a suite must pass: the lists of expected/. Called by run.py.

A test that is on no list is out only because its own directives skip it here (no offload device,
never runs), or because the native runtime fails it: both are found out anew in every run, so a list
that lost a line, or a suite that gained a test, fails the run. A listed test may fail only by name
and with a reason, in expected/exceptions.txt; one that passes all the same fails the run.
"""

from pathlib import Path

from harness.execution import FAIL, PASS, SKIP, Result
from harness.library import Library


def read_names(path):
    lines = Path(path).read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def read_exceptions(path, suite):
    """{test: reason} of the lines 'SUITE TEST: REASON' that are the suite's."""
    reasons = {}
    for line in sorted(read_names(path)):
        place, _, reason = line.partition(": ")
        of_suite, _, test = place.partition(" ")
        if not test or not reason.strip():
            raise ValueError(f"{path}: not 'SUITE TEST: REASON': {line}")
        if of_suite == suite:
            reasons[test] = reason.strip()
    return reasons


class Expectation:
    """What a list of expected/, and the exceptions from it, say about every test of its suite."""

    def __init__(self, names, suite, exceptions):
        self.names = names
        self.exceptions = exceptions
        self.suite = suite
        self.native = Library()

    def run(self, test, library, options):
        """The test's result: a listed one must pass, any other must be out for a reason."""
        if test.name in self.names:
            return self._judge_listed(test, self.suite.run(test, library, options))
        result = self.suite.run(test, self.native, options)
        if result.outcome == PASS:
            return Result(test.name, FAIL, "on no list, but the native runtime passes it")
        if result.outcome == SKIP:
            return result
        return Result(test.name, SKIP, f"the native runtime itself: {result.label()}")

    def _judge_listed(self, test, result):
        reason = self.exceptions.get(test.name)
        if result.outcome == SKIP:
            return Result(test.name, FAIL, f"expected to pass, but skipped: {result.detail}")
        if not reason:
            return result
        if result.outcome == PASS:
            return Result(test.name, FAIL, f"passes, so it is no exception any more: {reason}")
        return Result(test.name, SKIP, f"exception {test.name}: {reason}")

    def missing(self, tests):
        """A failure for each listed test, or exception, that the suite or the list does not have."""
        unknown = (self.names - {test.name for test in tests}) | (set(self.exceptions) - self.names)
        return [Result(name, FAIL, "expected, but not in this suite") for name in sorted(unknown)]


class Comparison:
    """Every test of a suite with the native runtime first: what it fails is out, for that reason."""

    def __init__(self, suite, exceptions):
        self.suite = suite
        self.exceptions = exceptions
        self.native = Library()

    def run(self, test, library, options):
        native = self.suite.run(test, self.native, options)
        if native.outcome == SKIP:
            return native
        if native.outcome != PASS:
            return Result(test.name, SKIP, f"the native runtime itself: {native.label()}")
        result = self.suite.run(test, library, options)
        if result.outcome != PASS and test.name in self.exceptions:
            return Result(test.name, SKIP, f"exception {test.name}: {self.exceptions[test.name]}")
        return result
