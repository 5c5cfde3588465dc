// SPDX-License-Identifier: Apache-2.0
// The grammar of HEDDLE_TASK_POLICY. Constant data and functions without state.
#include "config/task_policy.hpp"

#include "config/scanner.hpp"

#include <climits>

namespace heddle::config {

namespace {

struct Name {
    std::string_view word, shown;
    TaskPolicyKind kind;
};

/// The first name of a kind is the one that is shown.
constexpr Name names[] = {
    {"heddle", "HEDDLE", TaskPolicyKind::heddle}, {"default", "", TaskPolicyKind::heddle},
    {"ompi", "OMPI", TaskPolicyKind::ompi},       {"bff", "BFF", TaskPolicyKind::bff},
    {"bfl", "BFL", TaskPolicyKind::bfl},          {"wfff", "WFFF", TaskPolicyKind::wfff},
    {"wffl", "WFFL", TaskPolicyKind::wffl},       {"wlff", "WLFF", TaskPolicyKind::wlff},
    {"wlll", "WLLL", TaskPolicyKind::wlll},       {"cilk", "CILK", TaskPolicyKind::cilk},
};

bool parse_name(Scanner& scanner, TaskPolicyKind& kind) {
    const std::string_view word = scanner.word();
    for (const Name& name : names)
        if (same_word(word, name.word)) {
            kind = name.kind;
            return true;
        }
    return false;
}

/// `=N` with N from `low` to `high`, or nothing where there is a `fallback` other than 0.
bool parse_number(Scanner& scanner, int low, int high, int fallback, int& result) {
    uint64_t value = static_cast<uint64_t>(fallback);
    if (scanner.take('=')) {
        if (!scanner.number(value))
            return false;
    } else if (fallback == 0) {
        return false;
    }
    if (value < static_cast<uint64_t>(low) || value > static_cast<uint64_t>(high))
        return false;
    result = static_cast<int>(value);
    return true;
}

bool parse_option(Scanner& scanner, TaskPolicy& policy) {
    const std::string_view word = scanner.word();
    if (same_word(word, "maxtasks"))
        return parse_number(scanner, 1, INT_MAX, default_max_tasks, policy.max_tasks);
    if (same_word(word, "maxlevel"))
        return parse_number(scanner, 1, INT_MAX, default_max_level, policy.max_level);
    if (same_word(word, "adaptive"))
        return policy.adaptive = true;
    if (policy.kind != TaskPolicyKind::ompi)
        return false;
    if (same_word(word, "slots"))
        return parse_number(scanner, 2, most_ompi_slots, 0, policy.slots);
    return same_word(word, "oldest") && (policy.oldest = true);
}

} // namespace

bool parse_task_policy(std::string_view text, TaskPolicy& result) {
    Scanner scanner(text);
    TaskPolicy policy;
    if (!parse_name(scanner, policy.kind))
        return false;
    while (scanner.take(':'))
        if (policy.kind == TaskPolicyKind::heddle || !parse_option(scanner, policy))
            return false;
    if (!scanner.at_end())
        return false;
    result = policy;
    return true;
}

void print_task_policy(Text& out, const TaskPolicy& policy) {
    for (const Name& name : names)
        if (name.kind == policy.kind) {
            out << name.shown;
            break;
        }
    if (policy.kind == TaskPolicyKind::ompi)
        out << ":SLOTS=" << policy.slots << (policy.oldest ? ":OLDEST" : "");
    if (policy.max_tasks != 0)
        out << ":MAXTASKS=" << policy.max_tasks;
    if (policy.max_level != 0)
        out << ":MAXLEVEL=" << policy.max_level;
    if (policy.adaptive)
        out << ":ADAPTIVE";
}

} // namespace heddle::config
