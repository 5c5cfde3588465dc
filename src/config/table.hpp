// SPDX-License-Identifier: Apache-2.0
// The table of control variables: what the environment can say, how it is read and how it is shown.
// Called by load.cpp, which walks it to read the environment, and by display.cpp, which prints it.
// A new variable is one more line in table.cpp; tools/environment_page.py tells
// docs/environment.md.
#pragma once

#include "config/control_variables.hpp"
#include "config/parsers.hpp"
#include "config/text.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::config {

/// The settings while they are being read, with what only some of them imply.
struct Reading {
    Settings settings;
    int max_active_levels; ///< OMP_MAX_ACTIVE_LEVELS, -1 when not set
    int nested;            ///< OMP_NESTED as 0 or 1, -1 when not set
    Display display;       ///< OMP_DISPLAY_ENV
    /// What counts in place of the value that a parser has just refused; empty: its default.
    std::string_view instead;
};

/// When a variable is part of what display_environment() prints.
enum class Shown : uint8_t { never, always, when_verbose };

struct Variable {
    const char* name;
    const char* format;   ///< what a value looks like; follows the word "expected"
    const char* fallback; ///< the default, as text; follows the word "using"
    Shown shown;
    /// Takes a value; false, with `reading` at its default or with Reading::instead set, when it is
    /// not valid. Null: not read.
    bool (*parse)(std::string_view value, Reading& reading);
    /// Appends the value in effect, without quotes.
    void (*print)(Text& out, const Settings& settings, const Icvs& icvs);
    /// NAME_ALL, which speaks to the host and to devices, counts where NAME is not set (OpenMP 5.2
    /// chapter 21). NAME_DEV and NAME_DEV_n are for devices alone, of which there is none.
    bool has_all = false;
};

/// All variables, in the order in which they are shown. Of two that set the same thing the one
/// that wins comes first.
std::span<const Variable> variables();

/// Appends the line, without its end, that says that `value` is not valid for `variable`, which
/// the environment calls `name`, and what is used: `instead`, or the default where that is empty.
/// Control characters and what is beyond the first 100 bytes of the value are not repeated.
void describe_bad_value(Text& out, const Variable& variable, std::string_view name,
                        std::string_view value, std::string_view instead);

} // namespace heddle::config
