// SPDX-License-Identifier: Apache-2.0
// A cheap look whether a program can have an extension clause at all: the words that these contain,
// in the source and in the headers of the project that it may include. Headers of the system are
// not read. It errs on the side of yes; the preprocessor decides then. Called by main().
#pragma once

#include "command_line.hpp"

#include <set>
#include <string>
#include <vector>

namespace heddlecc {

class Scan {
public:
    Scan(const std::string& text, const std::string& path, const CommandLine& command);

    bool own;                   ///< the source has the words
    bool others = false;        ///< a header, or a macro of the command line, may have
    bool wants_headers = false; ///< it includes heddle.h, which is not in the folders given

private:
    void follow(const std::string& text, const std::string& folder);
    void include(const std::string& name, const std::string& folder, bool quoted);

    std::vector<std::string> folders_, quoted_;
    std::set<std::string> seen_;
};

} // namespace heddlecc
