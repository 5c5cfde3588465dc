# SPDX-License-Identifier: Apache-2.0
"""Run one command in its own process group, and name what came of it."""

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

PASS = "PASS"
FAIL = "FAIL"
TIMEOUT = "TIMEOUT"
COMPILE_ERROR = "COMPILE-ERROR"
SKIP = "SKIP"

MAX_OUTPUT_BYTES = 4 << 20
MAX_FILE_BYTES = 1 << 30
FOLDERS = re.compile(r"(?<!\S)(/[^\s/:]+)+/")
TELLING_LINES = [re.compile(pattern) for pattern in (
    r"undefined symbol.*|version .* not found|undefined reference.*",
    r"^(heddle|libgomp): ",
    r"[Aa]ssert|\b[Ff]atal\b|\berror:|Error:|STOP",
    r"[Ee]rror|[Ff]ail")]


@dataclass
class Result:
    """The outcome of one test."""
    test: str
    outcome: str
    detail: str = ""
    seconds: float = 0.0
    borrowed: list = field(default_factory=list)
    output: str = ""

    def label(self):
        return f"{self.outcome}({self.detail})" if self.detail else self.outcome


@dataclass
class Finished:
    """How a command ended: returncode is None when it ran out of time."""
    returncode: object
    output: str
    seconds: float


def forbid_core_dumps_and_huge_files():
    """Limits that every test inherits from this process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = MAX_FILE_BYTES if hard == resource.RLIM_INFINITY else min(MAX_FILE_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))


def kill_group(leader_pid):
    try:
        os.killpg(leader_pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_in_group(argv, cwd, env, timeout):
    """Run argv; whatever it started is killed when it ends or runs late."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            returncode = process.wait(timeout)
        except subprocess.TimeoutExpired:
            returncode = None
        finally:
            kill_group(process.pid)
            process.wait()
        log.seek(0)
        output = log.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
    return Finished(returncode, output, time.monotonic() - started)


def describe_returncode(returncode):
    """'rc=1', or the signal's name for a test that died of one."""
    number = -returncode if returncode < 0 else returncode - 128 if returncode > 128 else 0
    try:
        return signal.Signals(number).name if number else f"rc={returncode}"
    except ValueError:
        return f"rc={returncode}"


def telling_line(output):
    """The line of a failed test's output that says most about why, without folder names."""
    lines = [FOLDERS.sub("", line.strip()) for line in output.splitlines() if line.strip()]
    for line in lines:
        symbol_error = TELLING_LINES[0].search(line)
        if symbol_error:
            return symbol_error[0][:200]
    telling = [line for pattern in TELLING_LINES for line in lines if pattern.search(line)]
    return (telling or lines[-1:] or [""])[0][:200]


def excerpt(output, size=1500):
    """The beginning and the end of a long output."""
    return output if len(output) <= 2 * size else f"{output[:size]}\n...\n{output[-size:]}"


def failure_detail(returncode, output):
    line = telling_line(output)
    return describe_returncode(returncode) + (f": {line}" if line else "")
