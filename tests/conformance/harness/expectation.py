# SPDX-License-Identifier: Apache-2.0
"""Which tests of a suite must pass: the lists of expected/. Called by run.py.

No test is left out by name. One that is on no list is out only because its own directives skip it
here (no offload device, never runs), or because the native runtime fails it: both are found out
anew in every run, so a list that lost a line, or a suite that gained a test, fails the run.
"""

from pathlib import Path

from harness.execution import FAIL, PASS, SKIP, Result
from harness.library import Library


def read_names(path):
    lines = Path(path).read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


class Expectation:
    """What a list of expected/ says about every test of its suite."""

    def __init__(self, names, suite):
        self.names = names
        self.suite = suite
        self.native = Library()

    def run(self, test, library, options):
        """The test's result: a listed one must pass, any other must be out for a reason."""
        if test.name in self.names:
            result = self.suite.run(test, library, options)
            if result.outcome == SKIP:
                return Result(test.name, FAIL, f"expected to pass, but skipped: {result.detail}")
            return result
        result = self.suite.run(test, self.native, options)
        if result.outcome == PASS:
            return Result(test.name, FAIL, "on no list, but the native runtime passes it")
        if result.outcome == SKIP:
            return result
        return Result(test.name, SKIP, f"the native runtime itself: {result.label()}")

    def missing(self, tests):
        """A failure for each listed test that the suite does not have."""
        unknown = self.names - {test.name for test in tests}
        return [Result(name, FAIL, "expected, but not in this suite") for name in sorted(unknown)]
