// SPDX-License-Identifier: Apache-2.0
// Reads the words, numbers and separators of an environment variable's value from left to right.
// Called by the parsers of config/; blanks before anything are skipped, letter case does not count
// (OpenMP 5.2 section 21: values are case insensitive and may have leading and trailing space).
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace heddle::config {

/// isspace, isalpha and isdigit of the C locale, which a program's setlocale() cannot change.
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Without the blanks around it.
constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_letter(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_'; }

// string_view's own substr() and starts_with() can throw: a symbol of libstdc++ comes with them.
/// The first `length` characters of `text`, or all if it has fewer.
constexpr std::string_view first(std::string_view text, size_t length) {
    return {text.data(), length < text.size() ? length : text.size()};
}

/// The same, less a character of UTF-8 that would be cut in two at the end.
constexpr std::string_view characters(std::string_view text, size_t length) {
    constexpr size_t longest = 4; // bytes of a character
    const auto continues = [&](size_t at) { return at < text.size() && (text[at] & 0xc0) == 0x80; };
    size_t end = length;
    while (end > 0 && length - end < longest - 1 && continues(end))
        --end;
    return first(text, continues(end) ? length : end);
}

/// What of `text` follows the first `length` characters.
constexpr std::string_view after(std::string_view text, size_t length) {
    text.remove_prefix(length < text.size() ? length : text.size());
    return text;
}

/// Whether `text` begins with `prefix`.
constexpr bool begins(std::string_view text, std::string_view prefix) {
    return first(text, prefix.size()) == prefix;
}

/// Whether `text` is `word`, which is written in lower case.
constexpr bool same_word(std::string_view text, std::string_view word) {
    if (text.size() != word.size())
        return false;
    for (size_t i = 0; i < text.size(); i++)
        if (lower(text[i]) != word[i])
            return false;
    return true;
}

class Scanner {
public:
    explicit constexpr Scanner(std::string_view text) : rest_(text) {}

    /// Whether nothing but blanks is left.
    constexpr bool at_end() {
        skip_blanks();
        return rest_.empty();
    }

    /// Takes the separator `c` if it comes next.
    constexpr bool take(char c) {
        skip_blanks();
        if (rest_.empty() || rest_.front() != c)
            return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// Whether a digit comes next.
    constexpr bool at_digit() {
        skip_blanks();
        return !rest_.empty() && is_digit(rest_.front());
    }

    /// Takes everything before the next `c`, or all; whether that is nothing but blanks.
    constexpr bool skip_to(char c) {
        const std::string_view skipped = first(rest_, rest_.find(c));
        rest_.remove_prefix(skipped.size());
        return trimmed(skipped).empty();
    }

    /// Takes everything before the next `c`, and `c`; false, with nothing taken, when there is
    /// none.
    constexpr bool until(char c, std::string_view& before) {
        const size_t length = rest_.find(c);
        if (length == rest_.npos)
            return false;
        before = first(rest_, length);
        rest_.remove_prefix(length + 1);
        return true;
    }

    /// Takes the longest word (letters, digits, underscores; a letter first); empty when none.
    constexpr std::string_view word() {
        skip_blanks();
        size_t length = 0;
        while (length < rest_.size() &&
               (is_letter(rest_[length]) || (length > 0 && is_digit(rest_[length]))))
            length++;
        std::string_view taken = first(rest_, length);
        rest_.remove_prefix(length);
        return taken;
    }

    /// Takes a decimal number, with `+` before it or not. One that needs more than 64 bits reads
    /// as the largest number, so that range checks refuse it. False when no number comes next.
    bool number(uint64_t& value) {
        skip_blanks();
        std::string_view digits = rest_;
        if (digits.size() > 1 && digits[0] == '+')
            digits.remove_prefix(1);
        if (digits.empty() || !is_digit(digits[0]))
            return false;
        auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc::result_out_of_range)
            value = UINT64_MAX;
        rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
        return true;
    }

private:
    constexpr void skip_blanks() {
        while (!rest_.empty() && is_blank(rest_.front()))
            rest_.remove_prefix(1);
    }

    std::string_view rest_;
};

} // namespace heddle::config
