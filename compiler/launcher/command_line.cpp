// SPDX-License-Identifier: Apache-2.0
// The options are those of both compilers that take the next argument, or that matter here.
#include "command_line.hpp"

#include "file.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace heddlecc {

namespace {

constexpr int most_nested_files = 16;

constexpr std::string_view options_with_value[] = {"-o",
                                                   "-x",
                                                   "-I",
                                                   "-iquote",
                                                   "-isystem",
                                                   "-idirafter",
                                                   "-iprefix",
                                                   "-iwithprefix",
                                                   "-iwithprefixbefore",
                                                   "-isysroot",
                                                   "-imultilib",
                                                   "-include",
                                                   "-imacros",
                                                   "-D",
                                                   "-U",
                                                   "-A",
                                                   "-F",
                                                   "-L",
                                                   "-l",
                                                   "-T",
                                                   "-u",
                                                   "-z",
                                                   "-e",
                                                   "-h",
                                                   "-R",
                                                   "-B",
                                                   "-b",
                                                   "-V",
                                                   "-J",
                                                   "-G",
                                                   "-MF",
                                                   "-MT",
                                                   "-MQ",
                                                   "-Xlinker",
                                                   "-Xpreprocessor",
                                                   "-Xassembler",
                                                   "-Xclang",
                                                   "-Xflang",
                                                   "-Xarch_host",
                                                   "-mllvm",
                                                   "-wrapper",
                                                   "-specs",
                                                   "-aux-info",
                                                   "-dumpbase",
                                                   "-dumpbase-ext",
                                                   "-dumpdir",
                                                   "--param",
                                                   "--sysroot",
                                                   "-target",
                                                   "-arch",
                                                   "-gcc-toolchain",
                                                   "-rpath",
                                                   "-include-pch",
                                                   "-ivfsoverlay",
                                                   "-iframework",
                                                   "-fplugin-arg",
                                                   "-framework",
                                                   "--output",
                                                   "--include",
                                                   "--define-macro",
                                                   "--undefine-macro",
                                                   "--language",
                                                   "--include-directory"};

constexpr std::string_view folder_options[] = {"-iquote", "-isystem", "-idirafter", "-I",
                                               "--include-directory="};
constexpr std::string_view inclusions[] = {"-include", "-imacros", "--include=", "--imacros="};
constexpr std::string_view compiling[] = {"-c",         "-S",        "--compile",
                                          "--assemble", "-emit-ast", "--precompile"};

struct Suffixes {
    std::string_view language, suffixes; ///< each between blanks
};
constexpr Suffixes languages[] = {
    {"c", " .c "},
    {"cpp-output", " .i "},
    {"c++-cpp-output", " .ii "},
    {"c++", " .cc .cp .cxx .cpp .CPP .c++ .C "},
    {"f95", " .f90 .f95 .f03 .f08 "},
    {"f95-cpp-input", " .F90 .F95 .F03 .F08 "},
    {"f77", " .f .for .ftn "},
    {"f77-cpp-input", " .F .FOR .fpp .FPP .FTN "},
    {"c-header", " .h "},
    {"c++-header", " .hh .H .hp .hxx .hpp .HPP .h++ .tcc "},
};

template <class List>
bool contains(const List& list, std::string_view text) {
    return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

std::string language_of(const std::string& path) {
    const size_t slash = path.rfind('/'), dot = path.rfind('.');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash))
        return "";
    const std::string suffix = " " + path.substr(dot) + " ";
    for (const Suffixes& row : languages)
        if (row.suffixes.find(suffix) != std::string_view::npos)
            return std::string(row.language);
    return "";
}

/// The words of an @file: between blanks, in quotes, with backslashes before what stands for
/// itself.
std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
            word += text[++at];
            begun = true;
        } else if (quote) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '"' || c == '\'') {
            quote = c;
            begun = true;
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            if (begun)
                words.push_back(std::move(word));
            word.clear();
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun)
        words.push_back(std::move(word));
    return words;
}

void expand(const std::vector<std::string>& given, int depth, std::vector<std::string>& expanded) {
    for (const std::string& argument : given) {
        std::string text;
        if (argument.starts_with("@") && depth < most_nested_files &&
            read_file(argument.substr(1), text))
            expand(words_of(text), depth + 1, expanded);
        else
            expanded.push_back(argument);
    }
}

} // namespace

bool Input::is_c() const {
    return language == "c" || language == "c++" || language == "cpp-output" ||
           language == "c++-cpp-output";
}

bool Input::is_header() const { return language.ends_with("-header"); }

bool Input::is_source() const {
    return is_c() || language.starts_with("f95") || language.starts_with("f77");
}

CommandLine::CommandLine(const std::vector<std::string>& given) {
    expand(given, 0, arguments);
    std::string told;  // by -x
    std::string clang; // of the last -Xclang
    for (size_t index = 0; index < arguments.size(); ++index) {
        const std::string& argument = arguments[index];
        std::string name = argument, value;
        bool has_value = false;
        if (contains(options_with_value, argument)) {
            value = ++index < arguments.size() ? arguments[index] : "";
            has_value = true;
            if (name == "--language")
                name = "-x";
            else if (name == "--include")
                name = "-include";
            else if (name == "--include-directory")
                name = "-I";
        } else if (argument == "-" || !argument.starts_with("-")) {
            inputs.push_back({argument, told.empty() ? language_of(argument) : told});
        } else if (argument.size() > 2 &&
                   (argument.starts_with("-x") || argument.starts_with("-I"))) {
            name = argument.substr(0, 2);
            value = argument.substr(2);
            has_value = true;
        } else {
            read_plain(argument);
        }
        if (has_value && name == "-x")
            told = value == "none" ? "" : value;
        else if (name == "-Xclang")
            read_value(std::exchange(clang, value), value);
        else if (has_value)
            read_value(name, value);
    }
}

void CommandLine::read_plain(const std::string& argument) {
    if (argument == "-fopenmp" || argument.starts_with("-fopenmp=")) {
        openmp = true;
    } else if (argument == "-fno-openmp") {
        openmp = false;
    } else if (argument == "-E" || argument == "-M" || argument == "-MM" ||
               argument == "--preprocess") {
        stage = "-E"; // outdoes the others
    } else if (argument == "-fsyntax-only" || argument == "--analyze") {
        if (stage != "-E")
            stage = "-fsyntax-only";
    } else if (contains(compiling, argument)) {
        if (stage == "link")
            stage = "-c";
    } else if (argument.starts_with("-O")) {
        optimizes = argument != "-O0";
    } else {
        for (const std::string_view option : inclusions)
            if (argument.starts_with(option))
                included.push_back(argument.substr(option.size()));
        for (const std::string_view option : folder_options)
            if (argument.starts_with(option))
                folders.push_back({std::string(option), argument.substr(option.size())});
    }
}

void CommandLine::read_value(const std::string& name, const std::string& value) {
    if (contains(folder_options, name))
        folders.push_back({name, value});
    else if (name == "-include" || name == "-imacros")
        included.push_back(value);
    else if (name == "-include-pch")
        precompiled.push_back(value);
}

} // namespace heddlecc
