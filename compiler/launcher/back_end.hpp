// SPDX-License-Identifier: Apache-2.0
// Finds the compiler behind heddlecc: gcc from version 12 on, or clang and flang from 19 on, in
// PATH. Called by main().
#pragma once

#include <string>

namespace heddlecc {

/// A compiler: its path, family ("gcc" or "clang") and version, 0 where the name does not tell.
struct BackEnd {
    std::string path, family;
    int version = 0;
};

/// What --backend takes, for messages.
inline constexpr const char* accepted_back_ends =
    "gcc, clang, or one with a version, as gcc-13, is accepted";

/// The back end of `wrapper` (heddlecc, heddlec++ or heddlefc) that `wanted` names: gcc, clang, one
/// with a version as gcc-13, or "": the first there is. Without a path where there is none; then
/// `problem` says what was looked for.
BackEnd find_back_end(const std::string& wrapper, const std::string& wanted, std::string& problem);

/// The executable file `name` of PATH; "" if there is none.
std::string find_in_path(const std::string& name);

} // namespace heddlecc
