// SPDX-License-Identifier: Apache-2.0
// Reads files. Called by command_line, scan and main().
#pragma once

#include <string>

namespace heddlecc {

/// What is in the file, or can be read from standard input where `path` is "-"; false if it cannot
/// be read.
bool read_file(const std::string& path, std::string& text);

} // namespace heddlecc
