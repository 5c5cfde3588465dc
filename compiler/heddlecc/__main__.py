# SPDX-License-Identifier: Apache-2.0
"""What heddlecc becomes where a source may have an extension clause (launcher/main.cpp):
python3 -I -S -B __main__.py FAMILY SEEN COUNT ADDED... COMPILER ARGUMENT...
FAMILY is gcc or clang; SEEN has a digit for each source: 0 not to be rewritten, 1 where it has a
clause's words, 2 where a header or a macro may have them. docs/heddlecc.md.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from heddlecc import back_end, command_line, rewriting


def read(path):
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def execute(arguments, standard_input=None):
    """Becomes the back end; 1 where that fails. `standard_input`: what was read from there."""
    if standard_input is not None:
        file = os.memfd_create("stdin")
        with os.fdopen(os.dup(file), "wb") as pipe:
            pipe.write(standard_input)
        os.lseek(file, 0, os.SEEK_SET)
        os.dup2(file, 0)
    sys.stdout.flush()
    try:
        os.execv(arguments[0], arguments)
    except OSError as error:
        sys.stderr.write(f"heddlecc: {arguments[0]}: {error.strerror}\n")
    return 1


def main(family, seen, count, *rest):
    """Compiles; the exit status. Where nothing is to be rewritten it does not return."""
    added, compiler = list(rest[:int(count)]), rest[int(count)]
    arguments = list(rest[int(count) + 1:])
    command = command_line.Command(arguments)
    texts, wanted = {}, []
    if len(seen) != len(command.sources):
        raise AssertionError(f"the launcher sees {len(seen)} sources in {arguments}")
    for file, digit in zip(command.sources, seen):
        if digit != "0":
            texts[file.path] = read(file.path)
            wanted.append((file, digit == "2"))
    status = rewriting.compile_rewritten(back_end.BackEnd(compiler, family), command, added, wanted,
                                         texts)
    if status is not None:
        return status
    return execute([compiler, *added, *arguments], texts.get("-"))


if __name__ == "__main__":
    try:
        back_end.raise_signals()
        sys.exit(main(*sys.argv[1:]))
    except back_end.Interrupted as interruption:
        back_end.end_by(interruption.number)
