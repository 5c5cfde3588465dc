# SPDX-License-Identifier: Apache-2.0
"""A content-addressed store of compiled tests. Called by the suites.

A compilation is keyed by the compiler's version, its arguments and the text of its sources, with
what they include from their own folders: another library under test compiles nothing again.
"""

import hashlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

COMPILER = re.compile(r"(\S+-)?(gcc|clang)(-\d+)?")
INCLUDE = re.compile(r"""^\s*#?\s*include\s*["']([^"']+)["']""", re.MULTILINE | re.IGNORECASE)
COMPILE_TIMEOUT = 600


def split_compiler(name):
    """The parts of a compiler's name: machine and hyphen, or ""; gcc or clang; hyphen and version."""
    return [part or "" for part in COMPILER.fullmatch(name).groups()] if name else ["", "", ""]


def compiler_command(machine, name, version):
    """What calls the compiler of that name beside the one of those parts, such as gfortran."""
    if name.startswith(("clang", "flang")):
        return [name + version, *([f"--target={machine[:-1]}"] if machine else [])]
    return [machine + name + version]


def with_local_includes(sources):
    """The sources and every file they include by a path relative to them."""
    seen, queue = [], [Path(source) for source in sources]
    while queue:
        path = queue.pop(0)
        if path in seen or not path.is_file():
            continue
        seen.append(path)
        text = path.read_text(errors="replace")
        queue += [(path.parent / name).resolve() for name in INCLUDE.findall(text)]
    return seen


def compilation_key(toolchain, argv, sources, source_root):
    """A name for what compiling this would give, the same wherever the suite lies."""
    digest = hashlib.sha256(toolchain.encode())
    for argument in argv:
        digest.update(b"\0" + argument.replace(str(source_root), "$SRC").encode())
    for path in with_local_includes(sources):
        digest.update(b"\0" + path.read_bytes())
    return digest.hexdigest()


def toolchain_id(command):
    """The first line of the compiler's --version, and the options that belong to its name."""
    text = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    return " ".join([text.stdout.splitlines()[0], *command[1:]])


class CompileCache:
    def __init__(self, root):
        self.objects = Path(root) / "objects"
        self.objects.mkdir(parents=True, exist_ok=True)

    def build(self, key, argv, cwd):
        """(path of the output, None), or (None, the compiler's messages)."""
        output, errors = self.objects / key, self.objects / (key + ".errors")
        if output.exists():
            return output, None
        if errors.exists():
            return None, errors.read_text(errors="replace")
        return self._compile(argv, cwd, output, errors)

    def _compile(self, argv, cwd, output, errors):
        with tempfile.TemporaryDirectory(dir=self.objects) as scratch:
            made = Path(scratch) / "out"
            try:
                done = subprocess.run([*argv, "-o", str(made)], cwd=cwd, capture_output=True,
                                      stdin=subprocess.DEVNULL, timeout=COMPILE_TIMEOUT)
            except subprocess.TimeoutExpired:
                return None, "the compiler ran out of time"
            if done.returncode == 0 and made.exists():
                os.replace(made, output)
                return output, None
            messages = Path(scratch) / "messages"
            messages.write_bytes(done.stderr or b"no output")
            os.replace(messages, errors)
        return None, errors.read_text(errors="replace")
