# SPDX-License-Identifier: Apache-2.0
"""The compiler behind heddlecc as a process. Called by rewriting and preprocessor."""
import os
import re
import signal
import subprocess
import sys

WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


class Interrupted(BaseException):
    """A signal that ends heddlecc."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def raise_signals():
    """Signals that end heddlecc raise Interrupted from now on, so that it leaves no files."""
    def interrupt(number, _):
        raise Interrupted(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


def end_by(number):
    """Ends heddlecc by the signal."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


class BackEnd:
    """A compiler: its path and family."""

    def __init__(self, path, family):
        self.path, self.family = path, family

    def run(self, arguments, text=None, capture=False):
        """(status, output, messages). `text`: standard input; the last two are None unless
        captured."""
        sys.stderr.flush()
        pipe = subprocess.PIPE
        with subprocess.Popen([self.path, *arguments], stdin=None if text is None else pipe,
                              stdout=pipe if capture else None,
                              stderr=pipe if capture else None) as process:
            try:
                output, messages = process.communicate(text)
            except Interrupted as interruption:
                process.send_signal(interruption.number)
                raise
        status = process.returncode
        return status if status >= 0 else 128 - status, output, messages

    def plan(self, arguments):
        """The commands that the driver would call, in words."""
        _, _, messages = self.run([*arguments, "-###"], capture=True)
        lines = [line for line in os.fsdecode(messages).splitlines() if line.startswith(" ")]
        return [[plain or re.sub(r"\\(.)", r"\1", quoted)
                 for quoted, plain in WORD.findall(line)] for line in lines]
