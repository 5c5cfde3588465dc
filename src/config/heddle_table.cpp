// SPDX-License-Identifier: Apache-2.0
// Heddle's own variables: their grammars and how they are shown.
// Called while the settings are read, by one thread; constant data.
#include "config/heddle_table.hpp"

#include "config/parsers.hpp"
#include "config/scanner.hpp"
#include "platform.hpp"

#include <algorithm>
#include <csignal>

namespace heddle::config {

namespace {

/// `%p` and `%%` are all that may follow a percent sign.
bool is_pattern(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i)
        if (text[i] == '%' && (++i == text.size() || (text[i] != 'p' && text[i] != '%')))
            return false;
    return true;
}

/// A name of a file has a slash, a dot or a percent sign: `on` or `2` is more likely a mistake.
bool parse_stats(std::string_view value, Reading& reading) {
    HeddleVariables& ours = reading.settings.heddle;
    value = trimmed(value);
    for (std::string_view yes : {"1", "true"})
        if (same_word(value, yes)) {
            ours.stats = StatsTarget::standard_error;
            return true;
        }
    for (std::string_view no : {"0", "false"})
        if (same_word(value, no)) {
            ours.stats = StatsTarget::nowhere;
            return true;
        }
    const bool is_file = value.find_first_of("/.%") != value.npos && is_pattern(value);
    if (!is_file || value.size() >= sizeof ours.stats_file)
        return false;
    Text(ours.stats_file, sizeof ours.stats_file) << value;
    ours.stats = StatsTarget::file;
    return true;
}

void print_stats(Text& out, const Settings& settings, const Icvs&) {
    switch (settings.heddle.stats) {
    case StatsTarget::nowhere:
        out << "FALSE";
        break;
    case StatsTarget::standard_error:
        out << "TRUE";
        break;
    case StatsTarget::file:
        out << settings.heddle.stats_file;
        break;
    }
}

/// A file as for HEDDLE_STATS; `1` has a default name.
bool parse_trace(std::string_view value, Reading& reading) {
    HeddleVariables& ours = reading.settings.heddle;
    value = trimmed(value);
    std::string_view name = value;
    for (std::string_view no : {"0", "false"})
        if (same_word(value, no)) {
            ours.trace = false;
            return true;
        }
    for (std::string_view yes : {"1", "true"})
        if (same_word(value, yes))
            name = "heddle.%p.trace";
    const bool is_file = name.find_first_of("/.%") != name.npos && is_pattern(name);
    if (!is_file || name.size() >= sizeof ours.trace_file)
        return false;
    Text(ours.trace_file, sizeof ours.trace_file) << name;
    ours.trace = true;
    return true;
}

void print_trace(Text& out, const Settings& settings, const Icvs&) {
    if (settings.heddle.trace)
        out << settings.heddle.trace_file;
    else
        out << "FALSE";
}

constexpr size_t smallest_trace = size_t{1} << 20, largest_trace = size_t{1} << 40;

void print_trace_size(Text& out, const Settings& settings, const Icvs&) {
    out << settings.heddle.trace_size / 1024 << "K";
}

struct Signal {
    std::string_view word, shown;
    int number;
};
constexpr Signal signals[] = {{"none", "NONE", 0},
                              {"usr1", "USR1", SIGUSR1},
                              {"usr2", "USR2", SIGUSR2},
                              {"hup", "HUP", SIGHUP},
                              {"quit", "QUIT", SIGQUIT}};

bool parse_hang_signal(std::string_view value, Reading& reading) {
    for (const Signal& signal : signals)
        if (same_word(trimmed(value), signal.word)) {
            reading.settings.heddle.hang_signal = signal.number;
            return true;
        }
    return false;
}

void print_hang_signal(Text& out, const Settings& settings, const Icvs&) {
    for (const Signal& signal : signals)
        if (signal.number == settings.heddle.hang_signal)
            out << signal.shown;
}

/// By value of TaskAffinity.
constexpr std::string_view affinity_words[] = {"off", "hash", "learn", "pages"};

bool parse_task_affinity(std::string_view value, Reading& reading) {
    for (size_t i = 0; i < std::size(affinity_words); ++i)
        if (same_word(trimmed(value), affinity_words[i])) {
            reading.settings.heddle.task_affinity = static_cast<TaskAffinity>(i);
            return true;
        }
    return false;
}

void print_task_affinity(Text& out, const Settings& settings, const Icvs&) {
    static constexpr std::string_view shown[] = {"OFF", "HASH", "LEARN", "PAGES"};
    out << shown[static_cast<size_t>(settings.heddle.task_affinity)];
}

constexpr Variable table[] = {
    {"HEDDLE_STATS",
     "0, 1, true, false, or a file's name with a slash, a dot or a percent sign in it (%p is the "
     "process, %% a percent sign)",
     "false", Shown::when_verbose, parse_stats, print_stats},
    {"HEDDLE_TRACE",
     "0, 1, true, false, or a file's name with a slash, a dot or a percent sign in it (%p is the "
     "process, %% a percent sign)",
     "false", Shown::when_verbose, parse_trace, print_trace},
    {"HEDDLE_TRACE_SIZE",
     "a size from 1M to 1024G for each thread: a number with the unit B, K, M or G", "32M",
     Shown::when_verbose,
     [](std::string_view value, Reading& reading) {
         size_t size;
         if (!parse_size(value, smallest_trace, size) || size > largest_trace)
             return false;
         reading.settings.heddle.trace_size = size;
         return true;
     },
     print_trace_size},
    {"HEDDLE_HANG_SIGNAL", "none, USR1, USR2, HUP or QUIT", "none", Shown::when_verbose,
     parse_hang_signal, print_hang_signal},
    {"HEDDLE_TASK_POLICY", task_policy_format, "heddle", Shown::when_verbose,
     [](std::string_view value, Reading& reading) {
         return parse_task_policy(value, reading.settings.heddle.task_policy);
     },
     [](Text& out, const Settings& settings, const Icvs&) {
         print_task_policy(out, settings.heddle.task_policy);
     }},
    {"HEDDLE_TASK_AFFINITY", "off, hash, learn or pages", "pages", Shown::when_verbose,
     parse_task_affinity, print_task_affinity},
    {"HEDDLE_TASK_STEALING", "0, 1, true or false", "true", Shown::when_verbose,
     [](std::string_view value, Reading& reading) {
         return parse_boolean(value, reading.settings.heddle.task_stealing);
     },
     [](Text& out, const Settings& settings, const Icvs&) {
         out << (settings.heddle.task_stealing ? "TRUE" : "FALSE");
     }},
    {"HEDDLE_STAND_IN", "0, 1, true or false", "true", Shown::when_verbose,
     [](std::string_view value, Reading& reading) {
         return parse_boolean(value, reading.settings.heddle.stand_in);
     },
     [](Text& out, const Settings& settings, const Icvs&) {
         out << (settings.heddle.stand_in ? "TRUE" : "FALSE");
     }},
};

constexpr std::string_view prefix = "HEDDLE_";

/// Of the project's tests and tools, which programs under test inherit.
constexpr std::string_view names_of_tools[] = {
    "HEDDLE_LIBRARY", "HEDDLE_SANITIZE",     "HEDDLE_CACHE",        "HEDDLE_STRESS_GRAPH",
    "HEDDLE_GUEST",   "HEDDLE_GUEST_KERNEL", "HEDDLE_STRESS_SCALE", "HEDDLE_STRESS_SEED",
    "HEDDLE_SIM",     "HEDDLE_PASS",         "HEDDLE_TARGET"};

constexpr size_t longest_name = 40; ///< more characters of a name do not count

/// How many characters have to be inserted, deleted or replaced to make `a` into `b` (Levenshtein).
size_t distance(std::string_view a, std::string_view b) {
    size_t row[longest_name + 1]; // row[j]: from the part of `a` seen so far to first(b, j)
    for (size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

bool is_known(std::string_view name) {
    for (const Variable& variable : table)
        if (name == variable.name)
            return true;
    for (std::string_view tool : names_of_tools)
        if (name == tool)
            return true;
    return false;
}

std::string_view nearest(std::string_view name) {
    std::string_view best;
    size_t least = 2 * longest_name;
    for (const Variable& variable : table) {
        const std::string_view known = first(variable.name, longest_name);
        if (const size_t apart = distance(first(name, longest_name), known); apart < least) {
            least = apart;
            best = variable.name;
        }
    }
    return best;
}

} // namespace

std::span<const Variable> heddle_variables() { return table; }

void warn_about_unknown_names(const char* const* entries) {
    for (; *entries != nullptr; ++entries) {
        const std::string_view entry = *entries;
        if (!begins(entry, prefix))
            continue;
        const std::string_view name = first(entry, entry.find('='));
        if (is_known(name))
            continue;
        char buffer[256];
        Text line(buffer, sizeof buffer);
        line << characters(name, longest_name) << ": unknown variable; the nearest known one is "
             << nearest(name);
        platform::warn(line.c_str());
    }
}

} // namespace heddle::config
