# SPDX-License-Identifier: Apache-2.0
"""What a command line of gcc, clang or gfortran asks for: inputs and their languages, the stage at
which it stops, where the output goes. Called by __main__; everything that is not needed here is
passed on as it is. launcher/command_line.cpp reads what decides whether this is called at all.
"""
import os

# Options whose value is the next argument, in either compiler.
SEPARATE = frozenset("""
    -o -x -I -iquote -isystem -idirafter -iprefix -iwithprefix -iwithprefixbefore -isysroot
    -imultilib -include -imacros -D -U -A -F -L -l -T -u -z -e -h -R -B -b -V -J -G
    -MF -MT -MQ -Xlinker -Xpreprocessor -Xassembler -Xclang -Xflang -Xarch_host -mllvm -wrapper
    -specs -aux-info -dumpbase -dumpbase-ext -dumpdir --param --sysroot -target -arch
    -gcc-toolchain -rpath -include-pch -ivfsoverlay -iframework -fplugin-arg -framework
    --output --include --define-macro --undefine-macro --language --include-directory
    """.split())
SYNONYMS = {"--output": "-o", "--language": "-x", "--compile": "-c", "--assemble": "-S",
            "--preprocess": "-E"}
LANGUAGES = {
    ".c": "c", ".i": "cpp-output", ".ii": "c++-cpp-output",
    **dict.fromkeys((".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C"), "c++"),
    **dict.fromkeys((".f90", ".f95", ".f03", ".f08"), "f95"),
    **dict.fromkeys((".F90", ".F95", ".F03", ".F08"), "f95-cpp-input"),
    **dict.fromkeys((".f", ".for", ".ftn"), "f77"),
    **dict.fromkeys((".F", ".FOR", ".fpp", ".FPP", ".FTN"), "f77-cpp-input"),
}
C_LANGUAGES = frozenset(("c", "c++", "cpp-output", "c++-cpp-output"))
FIXED_FORM = frozenset(("f77", "f77-cpp-input"))
FORTRAN_LANGUAGES = frozenset(("f95", "f95-cpp-input")) | FIXED_FORM
LINE_LENGTH = "-ffixed-line-length"


class Input:
    """A file to compile or link: its place among the arguments, its path ("-": standard input) and
    its language, None where the name does not say, as for objects; `told`: that of -x."""

    def __init__(self, index, path, told):
        self.index, self.path, self.told = index, path, told
        self.language = told or language_of(path)

    @property
    def is_source(self):
        return self.language in C_LANGUAGES or self.language in FORTRAN_LANGUAGES


class Command:
    """The arguments without the program's name; those in @files in their place."""

    def __init__(self, arguments):
        self.arguments = list(expand(arguments))
        self.inputs = []
        self.output = None  # of -o
        self.stage = "link"  # or the option that ends it earlier: -c, -S, -E, -fsyntax-only...
        self.dependencies = False  # -MD or -MMD
        self.standard = ""
        self.form = None  # -ffixed-form or -ffree-form, of Fortran
        self.fixed_width = 72  # columns of a line in fixed form; None: all
        self._read()

    def _read(self):
        language = None
        index = 0
        while index < len(self.arguments):
            name = SYNONYMS.get(self.arguments[index], self.arguments[index])
            argument, value = name, None
            self.arguments[index] = name
            if name in SEPARATE:
                index += 1
                value = self.arguments[index] if index < len(self.arguments) else ""
            elif not argument.startswith("-") or argument == "-":
                self.inputs.append(Input(index, argument, language))
            elif argument[:2] in ("-o", "-x", "-I") and len(argument) > 2:
                name, value = argument[:2], argument[2:]
            else:
                self._read_plain(argument)
            if name == "-x":
                language = None if value == "none" else value
            elif name == "-o":
                self.output = value
            index += 1

    def _read_plain(self, argument):
        if argument in ("-E", "-M", "-MM"):
            self.stage = "-E"  # outdoes the others
        elif argument in ("-c", "-S", "-fsyntax-only", "-emit-ast", "--analyze"):
            if self.stage in ("link", "-c", "-S"):
                self.stage = argument if self.stage == "link" or argument != "-c" else self.stage
        elif argument in ("-MD", "-MMD") or argument.startswith(("-Wp,-MD", "-Wp,-MMD")):
            self.dependencies = True
        elif argument.startswith("-std="):
            self.standard = argument[5:]
        elif argument == "-ansi":
            self.standard = "c90"
        elif argument in ("-ffixed-form", "-ffree-form"):
            self.form = argument
        elif argument.startswith(LINE_LENGTH):
            width = argument[len(LINE_LENGTH) + 1:]
            self.fixed_width = int(width) or None if width.isdecimal() else None

    @property
    def sources(self):
        return [file for file in self.inputs if file.is_source]

    def is_fixed(self, file):
        """Is the Fortran source in fixed form?"""
        return self.form == "-ffixed-form" or (not self.form and file.language in FIXED_FORM)


def without(arguments, options=(), values=(), joined=(), indices=()):
    """The arguments but the options named, those with their `values` behind them, those that begin
    with one of `joined`, and those at `indices`."""
    kept, index = [], 0
    while index < len(arguments):
        argument = arguments[index]
        if argument in values:
            index += 1
        elif argument in SEPARATE:
            kept += arguments[index:index + 2]
            index += 1
        elif not (index in indices or argument in options or argument.startswith(tuple(joined))):
            kept.append(argument)
        index += 1
    return kept


def expand(arguments, depth=0):
    """The arguments with @files replaced by what is in them, as gcc reads it."""
    for argument in arguments:
        if argument.startswith("@") and depth < 16 and os.path.isfile(argument[1:]):
            import shlex
            with open(argument[1:], encoding="utf-8", errors="surrogateescape") as file:
                yield from expand(shlex.split(file.read()), depth + 1)
        else:
            yield argument


def language_of(path):
    return LANGUAGES.get(os.path.splitext(path)[1])
