# SPDX-License-Identifier: Apache-2.0
"""Compiles sources with extension clauses: a copy of each, in which they are rewritten, takes its
place in the command. Where a macro or a header has the clause, the copy is the preprocessor's
output. Called by __main__. Text has a character for each byte: columns are the compilers', and any
encoding passes.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from . import c_source, command_line

ENCODING = "latin-1"
PREPROCESSED = {"c": "cpp-output", "c++": "c++-cpp-output"}
OLD_C = re.compile(r"(c|gnu)(89|90)$|iso9899:(1990|199409)$")
DEPENDENCY_OPTIONS = ("-MD", "-MMD", "-MP", "-MG")
DEPENDENCY_VALUES = ("-MF", "-MT", "-MQ")
# What only the linker reads; both compilers may complain where nothing is linked.
LINKER_OPTIONS = ("-l", "-L", "-Wl,", "-shared", "-static", "-pie", "-rdynamic", "-nostdlib")
LINKER_VALUES = ("-l", "-L", "-Xlinker", "-z", "-T", "-u", "-rpath")


class Copy:
    """The rewritten copy of an input: its path ("-": to be given to standard input), the options
    that it needs, and whether it is the preprocessor's output."""

    def __init__(self, file, path, text, options, preprocessed):
        self.file, self.path, self.text = file, path, text
        self.options, self.preprocessed = options, preprocessed


class Preprocessor:
    """Calls the back end with -E."""

    def __init__(self, back_end, command, added):
        self.back_end, self.command, self.added = back_end, command, added

    def run(self, file, text, dependencies):
        """(status, output, messages). `dependencies`: the user's -MD comes true here."""
        inputs = {other.index for other in self.command.inputs}
        dropped = ["-c", "-S", "-fsyntax-only"]
        values = ["-o", "-x"]
        if not dependencies:
            dropped += DEPENDENCY_OPTIONS
            values += DEPENDENCY_VALUES
        arguments = self.command.without(inputs, dropped, [*values, *LINKER_VALUES])
        arguments = [argument for argument in arguments if not argument.startswith(LINKER_OPTIONS)]
        if dependencies and not self.command.dependency_file:
            target = target_of(self.command, file)
            arguments += ["-MF", os.path.splitext(target)[0] + ".d"]
            if not any(argument.startswith(("-MT", "-MQ")) for argument in arguments):
                arguments += ["-MQ", target]
        headers = [option for option in self.added if option.startswith("-idirafter")]
        done = subprocess.run(
            [self.back_end.path, *headers, *arguments, "-E", "-x", file.language, file.path],
            input=text if file.path == "-" else None, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr


def target_of(command, file):
    """The object that a command makes of the file."""
    if command.output and command.stage != "link":
        return command.output
    base = "-" if file.path == "-" else os.path.splitext(os.path.basename(file.path))[0]
    return base + ".o"


def compile_rewritten(back_end, command, added, wanted, texts):
    """The exit status of the compilation, or None where nothing is to be rewritten. `wanted`: (input,
    whether a header or a macro may have one) for those that may have extension clauses; `texts`: what
    is in each of them."""
    folder = tempfile.mkdtemp(prefix="heddlecc-")
    try:
        copies = []
        for number, (file, others) in enumerate(wanted):
            place = os.path.join(folder, str(number))
            os.mkdir(place)
            copy, status = copy_of(back_end, command, added, file, others, texts[file.path], place)
            if status:
                return status
            if copy:
                copies.append(copy)
        if not copies:
            return None
        return Compilation(back_end, command, added, texts, folder).compile(copies)
    except c_source.SourceError as error:
        report(error)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def report(error):
    file = error.file.replace("\\\\", "\\").replace('\\"', '"')
    text = error.shown.replace("\t", " ").rstrip("\r")
    sys.stderr.buffer.write(
        f"{file}:{error.line}:{error.column}: error: {error.message}\n{error.line:5} | {text}\n"
        f"      | {' ' * (error.column - 1)}^\n".encode(ENCODING))


def run(back_end, arguments, text=None):
    sys.stderr.flush()
    done = subprocess.run([back_end.path, *arguments], input=text, check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


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
        preprocessor = Preprocessor(back_end, command, added)
        status, output, messages = preprocessor.run(file, raw, False)
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
            if command.dependencies:
                preprocessor.run(file, raw, True)
            sys.stderr.buffer.write(messages)
            source = whole
    elif source.errors:
        raise source.errors[0]
    if not source.pragmas:
        return None, 0
    if source.needs_hints() and OLD_C.match(command.standard) and not cplusplus:
        first = next(pragma for pragma in source.pragmas if pragma.found.hints)
        raise c_source.SourceError(
            first.file, first.line, first.line, 1, "affinity clauses are accepted in C99 and later, not with "
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
    options = [folder_option, os.path.dirname(file.path) or ".",
               f"-ffile-prefix-map={path}={file.path}"]
    return Copy(file, path, text, options, preprocessed)


class Compilation:
    """The back end's commands for an input or several, some of which are copies."""

    def __init__(self, back_end, command, added, texts, folder):
        self.back_end, self.command, self.added = back_end, command, added
        self.texts, self.folder = texts, folder

    def compile(self, copies):
        if len(self.command.sources) == 1:
            copy = copies[0]
            status = self._call(self.command.arguments, {copy.file.index: self._argument(copy)},
                                copy)
            return status
        # Each by itself: headers beside one source are not beside another.
        objects = {}
        for number, copy in enumerate(copies):
            inputs = {file.index for file in self.command.inputs}
            link = self.command.stage == "link"
            arguments = self.command.without(inputs, (), ("-o", "-x", *(LINKER_VALUES * link)))
            arguments = [argument for argument in arguments
                         if not (link and argument.startswith(LINKER_OPTIONS))]
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
            if copy.preprocessed:
                added = [option for option in added if not option.startswith("-idirafter")]
                arguments = without_dependencies(arguments)
                if self.back_end.family == "clang":
                    # The preprocessor's options have been used.
                    added += ["-Wno-gnu-line-marker", "-Qunused-arguments"]
            if "-c" in arguments or "-S" in arguments or "-fsyntax-only" in arguments:
                added = [option for option in added if not option.startswith(("-L", "-Wl,"))]
        text = copy.text if copy and copy.path == "-" else self.texts.get("-")
        status = run(self.back_end, added + arguments, text)
        if copy and self.command.dependencies and not copy.preprocessed and copy.path != "-":
            self._name_original(copy)
        return status

    def _name_original(self, copy):
        """In the file of -MD, which has the copy's name."""
        target = target_of(self.command, copy.file)
        candidates = [self.command.dependency_file, os.path.splitext(target)[0] + ".d"]
        if self.command.output:
            candidates += [f"{self.command.output}-{os.path.splitext(target)[0]}.d",
                           os.path.splitext(self.command.output)[0] + ".d"]
        for path in filter(None, candidates):
            try:
                with open(path, "rb") as file:
                    text = file.read()
                old, new = os.fsencode(copy.path), os.fsencode(copy.file.path)
                if old in text:
                    with open(path, "wb") as file:
                        file.write(text.replace(old, new.replace(b" ", b"\\ ")))
            except OSError:
                continue


def without_dependencies(arguments):
    """The preprocessor has written them."""
    kept, skip = [], False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in DEPENDENCY_VALUES:
            skip = True
        elif argument not in DEPENDENCY_OPTIONS and not argument.startswith(DEPENDENCY_VALUES):
            kept.append(argument)
    return kept
