# SPDX-License-Identifier: Apache-2.0
"""Compiles sources with extension clauses: a copy of each, in which they are rewritten, takes its
place in the command. Where a macro or a header has the clause, the copy is the preprocessor's
output. Called by __main__. Text has a character for each byte: columns are the compilers', and any
encoding passes.
"""
import os
import re
import shutil
import sys
import tempfile

from . import c_source, command_line, preprocessor
from .back_end import Signals

ENCODING = "latin-1"
PREPROCESSED = {"c": "cpp-output", "c++": "c++-cpp-output"}
OLD_C = re.compile(r"(c|gnu)(89|90)$|iso9899:(1990|199409)$")


class Copy:
    """The rewritten copy of an input: its path ("-": to be given to standard input), the options
    that it needs, and whether it is the preprocessor's output."""

    def __init__(self, file, path, text, options, preprocessed):
        self.file, self.path, self.text = file, path, text
        self.options, self.preprocessed = options, preprocessed


def compile_rewritten(back_end, command, added, wanted, texts):
    """The exit status of the compilation, or None where nothing is to be rewritten. `wanted`:
    (input, whether a header or a macro may have one) for those that may have extension clauses;
    `texts`: what is in each of them."""
    if command.output and command.stage in ("-c", "-S", "-emit-ast") and len(command.sources) > 1:
        return None  # the back end says itself that this is too much for one output
    Signals.hold()
    folder = tempfile.mkdtemp(prefix="heddlecc-")
    try:
        Signals.release()
        copies = []
        for number, (file, others) in enumerate(wanted):
            place = os.path.join(folder, str(number))
            os.mkdir(place)
            copy, status = copy_of(back_end, command, added, file, others, texts[file.path], place)
            if status:
                return status
            if copy:
                copies.append(copy)
                if command.dependencies:
                    status = preprocessor.Preprocessor(back_end, command, added) \
                        .write_dependencies(file, texts[file.path])
                    if status:
                        return status
        if not copies:
            return None
        return Compilation(back_end, command, added, texts, folder).compile(copies)
    except c_source.SourceError as error:
        report(error)
        return 1
    finally:
        Signals.hold()
        shutil.rmtree(folder, ignore_errors=True)
        Signals.release()


def report(error):
    file = error.file.replace("\\\\", "\\").replace('\\"', '"')
    text = error.shown.replace("\t", " ").rstrip("\r")
    sys.stderr.buffer.write(
        f"{file}:{error.line}:{error.column}: error: {error.message}\n{error.line:5} | {text}\n"
        f"      | {' ' * (error.column - 1)}^\n".encode(ENCODING))


def copy_of(back_end, command, added, file, others, raw, place):
    """(the Copy or None where nothing is to be rewritten, the status of a failure or 0)."""
    if file.language in command_line.FORTRAN_LANGUAGES:
        if command.is_fixed(file):
            from . import fixed_form
            source = fixed_form.Source(raw.decode(ENCODING), file.path, command.fixed_width)
        else:
            from . import fortran_source
            source = fortran_source.Source(raw.decode(ENCODING), file.path)
        if not source.directives:
            return None, 0
        copy = keep(source, file, place, "-I")
        if command.standard.startswith("f") and source.asks_for_addresses():
            copy.options.append("-fall-intrinsics")
        return copy, 0
    name = "<stdin>" if file.path == "-" else os.fsencode(file.path).decode(ENCODING)
    ready = file.language in PREPROCESSED.values()
    hints_standard = back_end.family == "gcc"
    cplusplus = file.language.startswith("c++")
    source = c_source.Source(raw.decode(ENCODING), name, hints_standard, ready, cplusplus)
    if not ready and (others or source.others):
        status, output, messages = preprocessor.Preprocessor(back_end, command, added) \
            .run(file, raw)
        if status:
            sys.stderr.buffer.write(messages)
            return None, status
        whole = c_source.Source(output.decode(ENCODING), name, hints_standard, True, cplusplus)
        if whole.errors:
            known = {(error.file, error.begin): error for error in source.errors}
            raise known.get((whole.errors[0].file, whole.errors[0].begin), whole.errors[0])
        places = {(pragma.file, pragma.line) for pragma in source.pragmas}
        if not whole.pragmas:
            return None, 0
        if len(whole.pragmas) > len(source.pragmas) or any(
                (pragma.file, pragma.line) not in places for pragma in whole.pragmas):
            sys.stderr.buffer.write(messages)
            source = whole
    elif source.errors:
        raise source.errors[0]
    if not source.pragmas:
        return None, 0
    if source.needs_hints() and OLD_C.match(command.standard) and not cplusplus:
        first = next(pragma for pragma in source.pragmas if pragma.found.hints)
        raise c_source.SourceError(
            first.file, first.line, first.line, 1,
            "affinity clauses are accepted in C99 and later, not with "
            f"-std={command.standard}", first.clean.split("\n")[0])
    return keep(source, file, place, "-iquote"), 0


def keep(source, file, place, folder_option):
    """Writes the copy under the source's own name, of which the compiler makes others."""
    preprocessed = getattr(source, "preprocessed", False) and \
        file.language not in PREPROCESSED.values()
    text = source.rewritten().encode(ENCODING)
    if file.path == "-":
        return Copy(file, "-", text, [], preprocessed)
    path = os.path.join(place, os.path.basename(file.path))
    if preprocessed:
        path = os.path.splitext(path)[0] + (".ii" if file.language == "c++" else ".i")
    with open(path, "wb") as out:
        out.write(text)
    if preprocessed:
        return Copy(file, path, text, [], True)
    # What the source includes by quotes is beside the original, whose name debuggers shall see.
    options = [f"-ffile-prefix-map={path}={file.path}"]
    if file.language not in PREPROCESSED.values():
        options += [folder_option, os.path.dirname(file.path) or "."]
    return Copy(file, path, text, options, preprocessed)


class Compilation:
    """The back end's commands for an input or several, some of which are copies."""

    def __init__(self, back_end, command, added, texts, folder):
        self.back_end, self.command, self.added = back_end, command, added
        self.texts, self.folder = texts, folder

    def compile(self, copies):
        if len(self.command.sources) == 1:
            copy = copies[0]
            return self._call(self.command.arguments, {copy.file.index: self._argument(copy)}, copy)
        # Each by itself: headers beside one source are not beside another.
        objects = {}
        for number, copy in enumerate(copies):
            inputs = {file.index for file in self.command.inputs}
            link = self.command.stage == "link"
            arguments = command_line.without(
                self.command.arguments, (), ("-o", "-x", *(preprocessor.LINKER_VALUES * link)),
                ("-o", "-x", *(preprocessor.LINKER_JOINED * link)), inputs)
            arguments += ["-x", PREPROCESSED.get(copy.file.language, copy.file.language)
                          if copy.preprocessed else copy.file.language, copy.path]
            objects[copy.file.index] = []
            if link:
                target = os.path.join(self.folder, f"{number}.o")
                arguments = [*arguments, "-c", "-o", target]
                told = copy.file.told
                objects[copy.file.index] = ["-x", "none", target, "-x", told] if told else [target]
            status = self._call(arguments, {}, copy)
            if status:
                return status
        rest = {file.index for file in self.command.inputs} - objects.keys()
        if self.command.stage != "link" and not rest:
            return 0
        return self._call(self.command.arguments, objects, None)

    def _argument(self, copy):
        if not copy.preprocessed:
            return [copy.path]
        if not copy.file.told and copy.path != "-":
            return [copy.path]
        later = any(file.index > copy.file.index for file in self.command.inputs)
        return ["-x", PREPROCESSED[copy.file.language], copy.path,
                *(("-x", copy.file.told) if later else ())]

    def _call(self, arguments, replaced, copy):
        """Runs the back end; `replaced`: {index of an argument: what stands there instead}."""
        arguments = [part for index, argument in enumerate(arguments)
                     for part in replaced.get(index, [argument])]
        added = list(self.added)
        if copy:
            added += copy.options
            arguments = preprocessor.without_dependencies(arguments)
            if copy.preprocessed:
                added = [option for option in added if not option.startswith("-idirafter")]
                arguments = preprocessor.without_inclusions(arguments)
                if self.back_end.family == "clang":
                    # The preprocessor's options have been used.
                    added += ["-Wno-gnu-line-marker", "-Qunused-arguments"]
            if self.command.stage != "link" or "-c" in arguments:
                added = command_line.without(added, (), ("-Xlinker",), ("-L",))
        text = copy.text if copy and copy.path == "-" else self.texts.get("-")
        return self.back_end.run(added + arguments, text)[0]
