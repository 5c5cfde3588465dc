// SPDX-License-Identifier: Apache-2.0
// The specifiers of affinity-format-var taken apart (OpenMP 5.2 section 21.2.5, table 21.1), and
// whether a format tells one thread from another. Called by construct/affinity_format, which
// expands them, and by load.cpp. Reads what it is given.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::config {

inline constexpr char unknown_field = '\0';

/// A field by its long name.
inline char affinity_field(std::string_view name) {
    constexpr struct {
        std::string_view name;
        char letter;
    } names[] = {{"team_num", 't'},       {"num_teams", 'T'},   {"nesting_level", 'L'},
                 {"thread_num", 'n'},     {"num_threads", 'N'}, {"ancestor_tnum", 'a'},
                 {"host", 'H'},           {"process_id", 'P'},  {"native_thread_id", 'i'},
                 {"thread_affinity", 'A'}};
    for (const auto& entry : names)
        if (entry.name == name)
            return entry.letter;
    return unknown_field;
}

/// `%[[[0].]size]type`, taken apart.
struct AffinitySpecifier {
    bool zeros = false; ///< fill numbers with zeros
    bool right = false; ///< fill on the left
    size_t width = 0;
    char field = unknown_field;
    size_t length = 0; ///< characters after the `%`; 0: this is no specifier
};

inline constexpr size_t widest_field = size_t{1} << 30;

inline AffinitySpecifier parse_affinity_specifier(std::string_view text) {
    AffinitySpecifier spec;
    size_t at = 0;
    const auto current = [&] { return at < text.size() ? text[at] : '\0'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (current() == '0') {
        ++at;
        spec.zeros = current() == '.';
        if (!spec.zeros && !is_digit(current()))
            return {}; // `%05n` is `%5n`: zeros are only filled in on the left
    }
    if (current() == '.') {
        spec.right = true;
        ++at;
        if (!is_digit(current()) || current() == '0')
            return {};
    }
    for (; is_digit(current()); ++at) {
        spec.width = spec.width * 10 + static_cast<size_t>(current() - '0');
        spec.width = spec.width < widest_field ? spec.width : widest_field;
    }
    if (current() == '{') {
        const size_t end = text.find('}', at);
        if (end == std::string_view::npos)
            return {};
        spec.field = affinity_field({text.data() + at + 1, end - at - 1});
        at = end;
    } else {
        spec.field = current();
    }
    if (at == text.size())
        return {};
    spec.length = at + 1;
    return spec;
}

/// Whether what `format` shows of a team changes when another thread takes a thread's number.
inline bool names_threads(std::string_view format) {
    for (size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%')
            continue;
        const std::string_view rest(format.data() + i + 1, format.size() - i - 1);
        if (!rest.empty() && rest[0] == '%') {
            ++i;
            continue;
        }
        const AffinitySpecifier spec = parse_affinity_specifier(rest);
        if (spec.field == 'i')
            return true;
        i += spec.length;
    }
    return false;
}

} // namespace heddle::config
