// SPDX-License-Identifier: Apache-2.0
// One parser for each kind of value that an environment variable can have.
// Called by the table of control variables. Each takes the whole value, blanks around it included,
// returns false for anything but a complete and valid one, and then leaves its result as it was.
#pragma once

#include "config/control_variables.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::config {

/// How much OMP_DISPLAY_ENV asks to print.
enum class Display : uint8_t { nothing, standard, verbose };

/// `true` or `false`.
bool parse_boolean(std::string_view text, bool& result);

/// A decimal number in [low, high].
bool parse_integer(std::string_view text, int low, int high, int& result);

/// A decimal number of at least 0; one above `high` counts as `high`.
bool parse_saturating(std::string_view text, int high, int& result);

/// Numbers in [1, INT_MAX] separated by commas; the first max_list_length are kept.
bool parse_positive_list(std::string_view text, int (&list)[max_list_length], int& length);

/// `[monotonic:|nonmonotonic:]kind[,chunk]` (OpenMP 5.2 section 21.2.1). A chunk of 0 means none,
/// as with libgomp; none means 0 for static and 1 for the other kinds.
bool parse_schedule(std::string_view text, Schedule& result);

/// A size in bytes of at least `low`: a number with the unit B, K (when none is given), M, G or T,
/// or KB, MB, GB or TB, which mean the same.
bool parse_size(std::string_view text, size_t low, size_t& result);

/// A count of iterations: a number with the decimal unit k, M, G or T or without, or `infinite`,
/// which is INT64_MAX.
bool parse_spin_count(std::string_view text, int64_t& result);

/// `enabled` or `disabled`.
bool parse_tool(std::string_view text, bool& disabled);

/// `active` or `passive`.
bool parse_wait_policy(std::string_view text, WaitPolicy& result);

/// `mandatory`, `disabled` or `default`.
bool parse_target_offload(std::string_view text, TargetOffload& result);

/// `verbose`, or true or false in the words of parse_boolean().
bool parse_display(std::string_view text, Display& result);

/// `true`, `false`, or a list of `primary` (also `master`), `close` and `spread`; the first
/// max_list_length are kept (OpenMP 5.2 section 21.1.6).
bool parse_proc_bind(std::string_view text, ProcBind (&list)[max_list_length], int& length);

/// Any text that fits.
bool parse_format(std::string_view text, char* result, size_t capacity);

} // namespace heddle::config
