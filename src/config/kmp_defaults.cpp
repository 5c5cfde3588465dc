// SPDX-License-Identifier: Apache-2.0
// Hands settings to load.cpp while it has not begun, or parses them with the tables of variables
// and applies them one by one.
// Called by any thread; the words of kmp_runtime are all that is written.
#include "config/kmp_defaults.hpp"

#include "config/kmp_runtime.hpp"
#include "config/kmp_table.hpp"
#include "config/load.hpp"
#include "config/scanner.hpp"
#include "platform.hpp"

namespace heddle::config {

namespace {

const Variable* find(std::span<const Variable> table, std::string_view name) {
    for (const Variable& variable : table)
        if (variable.name == name)
            return &variable;
    return nullptr;
}

void warn_about(std::string_view name, std::string_view what) {
    char buffer[200];
    Text line(buffer, sizeof buffer);
    line << "kmp_set_defaults: " << characters(name, 100) << what;
    platform::warn(line.c_str());
}

/// What can still be changed after the environment has been read.
bool apply(std::string_view name, const Settings& parsed) {
    if (name == "OMP_TARGET_OFFLOAD")
        set_target_offload(parsed.target_offload);
    else if (name == "KMP_BLOCKTIME")
        set_blocktime(milliseconds_of(parsed.kmp_blocktime));
    else if (name == "KMP_STACKSIZE")
        set_stack_size(parsed.kmp_stack_size);
    else if (name != "KMP_WARNINGS") // its parser has done it
        return false;
    return true;
}

void set_late(std::string_view name, std::string_view value) {
    const Variable* variable = find(variables(), name);
    if (variable == nullptr)
        variable = find(kmp_variables(), name);
    if (variable == nullptr || variable->parse == nullptr)
        return; // accepted like libomp's other variables
    Reading reading{};
    reading.settings = settings();
    if (!variable->parse(value, reading)) {
        char buffer[512];
        Text line(buffer, sizeof buffer);
        describe_bad_value(line, *variable, name, value, reading.instead);
        platform::warn(line.c_str());
    } else if (!apply(name, reading.settings)) {
        warn_about(name, " is ignored, for it counts only before the first OpenMP call");
    }
}

void set_one(std::string_view entry) {
    const size_t sign = entry.find('=');
    if (sign == entry.npos)
        return warn_about(entry, " is ignored: expected NAME=VALUE");
    if (!add_default(entry))
        set_late(first(entry, sign), after(entry, sign + 1));
}

} // namespace

void set_defaults(std::string_view text) {
    while (!text.empty()) {
        const std::string_view entry = first(text, text.find('|'));
        if (!entry.empty())
            set_one(entry);
        text = after(text, entry.size() + 1);
    }
}

} // namespace heddle::config
