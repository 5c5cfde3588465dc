# SPDX-License-Identifier: Apache-2.0
"""The wrapper: calls the back end with the user's command, and where a source has an extension
clause with a rewritten copy of it. The launcher calls main(). Without such a clause the back end
takes this process's place, with the sources untouched. docs/heddlecc.md.
"""
import os
import sys

from . import back_ends, command_line, scan

class Places:
    """Folders: of libheddle.so, of its links by the names that -fopenmp links, of heddle.h; and the
    file of the LLVM pass for tasks, which need not be there."""

    def __init__(self, libraries, links, headers, task_pass):
        self.libraries, self.links = libraries, links
        self.headers, self.task_pass = headers, task_pass


class Options:
    """What heddlecc itself is told; `rest` is for the back end."""

    def __init__(self, arguments):
        self.backend = os.environ.get("HEDDLECC_BACKEND", "")
        self.task_pass = self.rpath = True
        self.rest = []
        arguments = iter(arguments)
        for argument in arguments:
            if argument == "--backend":
                self.backend = next(arguments, "")
            elif argument.startswith("--backend="):
                self.backend = argument[len("--backend="):]
            elif argument == "--no-task-pass":
                self.task_pass = False
            elif argument == "--no-rpath":
                self.rpath = False
            else:
                self.rest.append(argument)


def say(text):
    sys.stderr.write(f"heddlecc: {text}\n")


def main(argv, places):
    """Compiles; the exit status. Where nothing is to be rewritten it does not return."""
    name = os.path.basename(argv[0])
    options = Options(argv[1:])
    back_end, problem = back_ends.find(name if name in back_ends.NAMES else "heddlecc",
                                       options.backend)
    if not back_end:
        say(problem)
        return 1
    command = command_line.Command(options.rest)
    added = additions(command, options, back_end, places) if command.openmp else []
    texts = {}
    wanted = []
    for file in command.sources:
        text = read(file.path)
        if text is None:
            continue  # the back end says what is wrong
        texts[file.path] = text
        seen = scan.Scan(text, file.path, command)
        if seen.wants_headers and f"-idirafter{places.headers}" not in added:
            added.append(f"-idirafter{places.headers}")
        if command.openmp and command.stage != "-E" and (seen.own or seen.others):
            wanted.append((file, seen))
    if wanted:
        from . import rewriting
        status = rewriting.compile_rewritten(back_end, command, added, wanted, texts)
        if status is not None:
            return status
    return execute(back_end, added + options.rest, texts.get("-"))


def additions(command, options, back_end, places):
    """The arguments that go in front of the user's."""
    added = []
    if command.links and "-static" not in command.arguments:
        added.append(f"-L{places.links}")
        if options.rpath:
            added.append(f"-Wl,-rpath,{places.libraries}")
    is_c = any(file.language in command_line.C_LANGUAGES for file in command.sources)
    if options.task_pass and is_c and command.stage in ("link", "-c", "-S") and command.optimizes \
            and (back_end.family, back_end.version) == ("clang", 19) \
            and os.path.isfile(places.task_pass):
        added.append(f"-fpass-plugin={places.task_pass}")
    return added


def read(path):
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def execute(back_end, arguments, standard_input=None):
    """Becomes the back end; 1 where that fails. `standard_input`: what was read from there."""
    if standard_input is not None:
        file = os.memfd_create("stdin")
        with os.fdopen(os.dup(file), "wb") as pipe:
            pipe.write(standard_input)
        os.lseek(file, 0, os.SEEK_SET)
        os.dup2(file, 0)
    sys.stdout.flush()
    try:
        os.execv(back_end.path, [back_end.path, *arguments])
    except OSError as error:
        say(f"{back_end.path}: {error.strerror}")
    return 1
