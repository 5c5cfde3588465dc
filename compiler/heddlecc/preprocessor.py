# SPDX-License-Identifier: Apache-2.0
"""The preprocessor's part in a command: what -E makes of a source, and the files of -MD, which name
the user's source and not its copy. Called by rewriting.
"""
import sys

from . import command_line

DEPENDENCY_OPTIONS = ("-MD", "-MMD", "-MP", "-MG")
DEPENDENCY_VALUES = ("-MF", "-MT", "-MQ")
DEPENDENCY_JOINED = (*DEPENDENCY_VALUES, "-Wp,-MD", "-Wp,-MMD")
STAGES = ("-c", "-S", "-fsyntax-only", "--analyze", "-emit-ast")
# What only the linker reads; both compilers may complain where nothing is linked.
LINKER_JOINED = ("-l", "-L", "-Wl,", "-shared", "-static", "-pie", "-rdynamic", "-nostdlib")
LINKER_VALUES = ("-l", "-L", "-Xlinker", "-z", "-T", "-u", "-rpath")


class Preprocessor:
    """Calls the back end with -E or -M."""

    def __init__(self, back_end, command, added):
        self.back_end, self.command, self.added = back_end, command, added

    def run(self, file, text):
        """(status, output, messages)"""
        return self._call(file, text, ["-E"], True)

    def write_dependencies(self, file, text):
        """What the user's -MD asks for; the status."""
        for words in self.back_end.plan(self.command.arguments):
            options = dependency_options(words) if file.path in words else []
            if not options:
                continue
            if file.language not in command_line.FORTRAN_LANGUAGES:
                return self._call(file, text, options, False)[0]
            # Without -E gfortran would read the clauses.
            status, _, messages = self._call(file, text, [*options, "-E"], True)
            sys.stderr.buffer.write(messages)
            return status
        return 0

    def _call(self, file, text, options, capture):
        arguments = command_line.without(
            self.command.arguments, (*STAGES, *DEPENDENCY_OPTIONS),
            ("-o", "-x", *DEPENDENCY_VALUES, *LINKER_VALUES),
            ("-o", "-x", *DEPENDENCY_JOINED, *LINKER_JOINED),
            {other.index for other in self.command.inputs})
        headers = [option for option in self.added if option.startswith("-idirafter")]
        return self.back_end.run([*headers, *arguments, *options, "-x", file.language, file.path],
                                 text if file.path == "-" else None, capture)


def dependency_options(words):
    """The driver's options that write what the compiler `words` would write beside its output."""
    given = dict(zip(words, words[1:]))
    name = next((given[option] for option in ("-MF", "-MD", "-MMD", "-dependency-file")
                 if option in given), None)
    if name is None:
        return []
    system = "-MD" in given or "-sys-header-deps" in given
    options = ["-M" if system else "-MM", "-MF", name]
    for option, value in zip(words, words[1:]):
        if option in ("-MT", "-MQ"):
            options += [option, value]
    return options + [option for option in ("-MP", "-MG") if option in given]


def without_dependencies(arguments):
    """The preprocessor has written them."""
    return command_line.without(arguments, DEPENDENCY_OPTIONS, DEPENDENCY_VALUES, DEPENDENCY_JOINED)


def without_inclusions(arguments):
    """What clang's own compiler is told to include, which is in the preprocessor's output."""
    kept, index = [], 0
    while index < len(arguments):
        if arguments[index] == "-Xclang" and \
                arguments[index + 1:index + 2] in (["-include"], ["-include-pch"], ["-imacros"]):
            index += 4
        else:
            kept.append(arguments[index])
            index += 1
    return kept
