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


class Signals:
    """They wait while they must not end heddlecc at once: a process is being started, whom they
    could not be passed on to, or files are being removed.
    """

    held = False
    arrived = None

    @classmethod
    def hold(cls):
        """From now on."""
        cls.held = True

    @classmethod
    def release(cls):
        """No longer; raises what has come meanwhile."""
        cls.held = False
        if cls.arrived:
            raise Interrupted(cls.arrived)


def raise_signals():
    """Signals that end heddlecc raise Interrupted from now on, so that it leaves no files."""
    def interrupt(number, _):
        if not Signals.held:
            raise Interrupted(number)
        Signals.arrived = number

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


def descendants(process):
    """The processes below `process`, by number; none where the system does not tell."""
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return children + [below for child in children for below in descendants(child)]


def pass_on(number, process):
    """A driver that is ended removes its files, but what it has called would go on, make them anew,
    and complain of others that are gone.
    """
    called = descendants(process.pid)
    process.send_signal(number)
    for child in called:
        try:
            os.kill(child, number)
        except ProcessLookupError:
            pass


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
        Signals.hold()
        try:
            started = subprocess.Popen([self.path, *arguments],
                                       stdin=None if text is None else pipe,
                                       stdout=pipe if capture else None,
                                       stderr=pipe if capture else None)
        except OSError:
            Signals.release()
            raise
        with started as process:
            try:
                Signals.release()
                output, messages = process.communicate(text)
            except Interrupted as interruption:
                pass_on(interruption.number, process)
                raise
        status = process.returncode
        return status if status >= 0 else 128 - status, output, messages

    def plan(self, arguments):
        """The commands that the driver would call, in words."""
        _, _, messages = self.run([*arguments, "-###"], capture=True)
        lines = [line for line in os.fsdecode(messages).splitlines() if line.startswith(" ")]
        return [[plain or re.sub(r"\\(.)", r"\1", quoted)
                 for quoted, plain in WORD.findall(line)] for line in lines]
