// SPDX-License-Identifier: Apache-2.0
// What of a command line of gcc, clang or gfortran decides whether heddlecc has anything to do:
// the sources, the stage at which it stops, where headers are looked for. Called by main(). What is
// not needed here is passed on as it is; heddlecc/command_line.py reads more of it where a source
// is rewritten, and must see the same sources.
#pragma once

#include <string>
#include <vector>

namespace heddlecc {

struct Input {
    std::string path; ///< "-": standard input
    std::string language;

    bool is_c() const;      ///< or C++, or what the preprocessor makes of them
    bool is_source() const; ///< or Fortran; not an object, say
    bool is_header() const; ///< to be precompiled
};

struct Folder {
    std::string option, path; ///< -I and the like
};

struct CommandLine {
    /// Those in @files count in their place.
    explicit CommandLine(const std::vector<std::string>& given);

    std::vector<std::string> arguments;
    std::vector<Input> inputs;
    std::string stage = "link"; ///< or the option that ends it earlier: -c, -S, -E, -fsyntax-only
    bool openmp = false, optimizes = false;
    std::vector<Folder> folders;          ///< of headers
    std::vector<std::string> included;    ///< files of -include and -imacros
    std::vector<std::string> precompiled; ///< of -include-pch

private:
    void read_plain(const std::string& argument);
    void read_value(const std::string& name, const std::string& value);
};

} // namespace heddlecc
