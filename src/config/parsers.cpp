// SPDX-License-Identifier: Apache-2.0
// The grammars of the environment variables of OpenMP 5.2 chapter 21 and of libgomp.
// Called while the settings are read, by one thread; pure functions of their arguments.
#include "config/parsers.hpp"

#include "config/scanner.hpp"
#include "config/text.hpp"

#include <climits>

namespace heddle::config {

namespace {

template <class Value>
struct Word {
    std::string_view text; ///< in lower case
    Value value;
};

/// Sets `result` to the value of `word`; false when it is none of `words`.
template <class Value, size_t count>
bool look_up(std::string_view word, const Word<Value> (&words)[count], Value& result) {
    for (const Word<Value>& candidate : words)
        if (same_word(word, candidate.text)) {
            result = candidate.value;
            return true;
        }
    return false;
}

/// For a value that is a single word.
template <class Value, size_t count>
bool parse_word(std::string_view text, const Word<Value> (&words)[count], Value& result) {
    Scanner scanner(text);
    std::string_view word = scanner.word();
    return scanner.at_end() && look_up(word, words, result);
}

/// For a number with an optional unit. `multiplier` is that of a number without one.
template <size_t count>
bool parse_scaled(std::string_view text, const Word<uint64_t> (&units)[count], uint64_t multiplier,
                  uint64_t high, uint64_t& result) {
    Scanner scanner(text);
    uint64_t value;
    if (!scanner.number(value))
        return false;
    std::string_view unit = scanner.word();
    if (!unit.empty() && !look_up(unit, units, multiplier))
        return false;
    if (!scanner.at_end() || value > high / multiplier)
        return false;
    result = value * multiplier;
    return true;
}

} // namespace

bool parse_boolean(std::string_view text, bool& result) {
    text = trimmed(text);
    for (std::string_view yes : {"true", "1", "yes", "on", "enabled", ".true.", ".t."})
        if (same_word(text, yes)) {
            result = true;
            return true;
        }
    for (std::string_view no : {"false", "0", "no", "off", "disabled", ".false.", ".f."})
        if (same_word(text, no)) {
            result = false;
            return true;
        }
    return false;
}

bool parse_integer(std::string_view text, int low, int high, int& result) {
    Scanner scanner(text);
    uint64_t value;
    if (!scanner.number(value) || !scanner.at_end())
        return false;
    if (value > static_cast<uint64_t>(high) || static_cast<int>(value) < low)
        return false;
    result = static_cast<int>(value);
    return true;
}

bool parse_saturating(std::string_view text, int high, int& result) {
    Scanner scanner(text);
    uint64_t value;
    if (!scanner.number(value) || !scanner.at_end())
        return false;
    result = value > static_cast<uint64_t>(high) ? high : static_cast<int>(value);
    return true;
}

bool parse_positive_list(std::string_view text, int (&list)[max_list_length], int& length) {
    int kept[max_list_length];
    int count = 0;
    Scanner scanner(text);
    do {
        uint64_t value;
        if (!scanner.number(value) || value < 1 || value > INT_MAX)
            return false;
        if (count < max_list_length)
            kept[count++] = static_cast<int>(value);
    } while (scanner.take(','));
    if (!scanner.at_end())
        return false;
    for (int i = 0; i < count; i++)
        list[i] = kept[i];
    length = count;
    return true;
}

bool parse_schedule(std::string_view text, Schedule& result) {
    static constexpr Word<bool> modifiers[] = {{"monotonic", true}, {"nonmonotonic", false}};
    static constexpr Word<ScheduleKind> kinds[] = {
        {"static", ScheduleKind::static_},          {"dynamic", ScheduleKind::dynamic},
        {"guided", ScheduleKind::guided},           {"auto", ScheduleKind::auto_},
        {"trapezoidal", ScheduleKind::trapezoidal}, {"static_steal", ScheduleKind::dynamic},
        {"adaptive", ScheduleKind::adaptive}};
    Scanner scanner(text);
    std::string_view word = scanner.word();
    bool monotonic = false;
    bool modified = scanner.take(':');
    if (modified) {
        if (!look_up(word, modifiers, monotonic))
            return false;
        word = scanner.word();
    }
    Schedule parsed;
    if (!look_up(word, kinds, parsed.kind))
        return false;
    bool is_static = parsed.kind == ScheduleKind::static_;
    parsed.monotonic = modified ? monotonic : is_static;
    parsed.implied_monotonic = !modified && is_static;
    uint64_t chunk = 0;
    if (scanner.take(',') && !scanner.number(chunk))
        return false;
    if (!scanner.at_end() || chunk > INT_MAX)
        return false;
    parsed.chunk = chunk == 0 && !is_static ? 1 : static_cast<int>(chunk);
    result = parsed;
    return true;
}

bool parse_size(std::string_view text, size_t low, size_t& result) {
    constexpr uint64_t k = 1024;
    static constexpr Word<uint64_t> units[] = {{"b", 1},
                                               {"k", k},
                                               {"kb", k},
                                               {"m", k * k},
                                               {"mb", k * k},
                                               {"g", k * k * k},
                                               {"gb", k * k * k},
                                               {"t", k * k * k * k},
                                               {"tb", k * k * k * k}};
    uint64_t value;
    if (!parse_scaled(text, units, 1024, PTRDIFF_MAX, value) || value < low)
        return false;
    result = static_cast<size_t>(value);
    return true;
}

bool parse_spin_count(std::string_view text, int64_t& result) {
    static constexpr Word<uint64_t> units[] = {
        {"k", 1'000}, {"m", 1'000'000}, {"g", 1'000'000'000}, {"t", 1'000'000'000'000}};
    static constexpr Word<int64_t> words[] = {{"infinite", INT64_MAX}, {"infinity", INT64_MAX}};
    if (parse_word(text, words, result))
        return true;
    uint64_t value;
    if (!parse_scaled(text, units, 1, INT64_MAX, value))
        return false;
    result = static_cast<int64_t>(value);
    return true;
}

bool parse_tool(std::string_view text, bool& disabled) {
    static constexpr Word<bool> words[] = {{"enabled", false}, {"disabled", true}};
    return parse_word(text, words, disabled);
}

bool parse_wait_policy(std::string_view text, WaitPolicy& result) {
    static constexpr Word<WaitPolicy> words[] = {{"active", WaitPolicy::active},
                                                 {"passive", WaitPolicy::passive}};
    return parse_word(text, words, result);
}

bool parse_target_offload(std::string_view text, TargetOffload& result) {
    static constexpr Word<TargetOffload> words[] = {{"mandatory", TargetOffload::mandatory},
                                                    {"disabled", TargetOffload::disabled},
                                                    {"default", TargetOffload::default_}};
    return parse_word(text, words, result);
}

bool parse_display(std::string_view text, Display& result) {
    static constexpr Word<Display> words[] = {{"verbose", Display::verbose}};
    bool wanted;
    if (!parse_boolean(text, wanted))
        return parse_word(text, words, result);
    result = wanted ? Display::standard : Display::nothing;
    return true;
}

bool parse_proc_bind(std::string_view text, ProcBind (&list)[max_list_length], int& length) {
    static constexpr Word<ProcBind> switches[] = {{"true", ProcBind::true_},
                                                  {"false", ProcBind::false_}};
    static constexpr Word<ProcBind> policies[] = {{"primary", ProcBind::primary},
                                                  {"master", ProcBind::primary},
                                                  {"close", ProcBind::close},
                                                  {"spread", ProcBind::spread}};
    if (parse_word(text, switches, list[0])) {
        length = 1;
        return true;
    }
    ProcBind kept[max_list_length];
    int count = 0;
    Scanner scanner(text);
    do {
        ProcBind policy;
        if (!look_up(scanner.word(), policies, policy))
            return false;
        if (count < max_list_length)
            kept[count++] = policy;
    } while (scanner.take(','));
    if (!scanner.at_end())
        return false;
    for (int i = 0; i < count; i++)
        list[i] = kept[i];
    length = count;
    return true;
}

bool parse_format(std::string_view text, char* result, size_t capacity) {
    if (text.size() >= capacity)
        return false;
    Text(result, capacity) << text;
    return true;
}

} // namespace heddle::config
