// SPDX-License-Identifier: Apache-2.0
// libomp's variables: their grammars, how they are shown, and which of two settings wins.
// Called while the settings are read, by one thread; constant data.
// Source: the environment variables in the LLVM and Intel OpenMP runtimes' manuals.
#include "config/kmp_table.hpp"

#include "config/kmp_affinity.hpp"
#include "config/kmp_runtime.hpp"
#include "config/scanner.hpp"
#include "platform.hpp"

#include <algorithm>
#include <climits>

namespace heddle::config {

namespace {

constexpr size_t least_stack = 16 * 1024; ///< as for OMP_STACKSIZE

std::string_view true_or_false(bool value) { return value ? "TRUE" : "FALSE"; }

bool parse_blocktime(std::string_view text, int64_t& result) {
    Scanner scanner(text);
    uint64_t value;
    if (!scanner.number(value)) {
        if (const std::string_view word = scanner.word();
            !scanner.at_end() || (!same_word(word, "infinite") && !same_word(word, "infinity")))
            return false;
        result = INT64_MAX;
        return true;
    }
    const std::string_view unit = scanner.word();
    uint64_t microseconds = 1000;
    if (same_word(unit, "us"))
        microseconds = 1;
    else if (same_word(unit, "s"))
        microseconds = 1'000'000;
    else if (!unit.empty() && !same_word(unit, "ms"))
        return false;
    if (!scanner.at_end() || value > INT_MAX)
        return false;
    // INT_MAX is what libomp calls infinite.
    result = value == INT_MAX ? INT64_MAX : static_cast<int64_t>(value * microseconds);
    return true;
}

void print_blocktime(Text& out, int64_t microseconds) {
    if (microseconds == INT64_MAX)
        out << "INFINITE";
    else if (microseconds % 1000 == 0)
        out << microseconds / 1000 << "ms";
    else if (microseconds >= 0)
        out << microseconds << "us";
}

/// A size in bytes, where OMP_STACKSIZE counts in K.
bool parse_stack_size(std::string_view text, size_t& result) {
    Scanner scanner(text);
    uint64_t bytes;
    if (scanner.number(bytes) && scanner.at_end()) {
        if (bytes < least_stack || bytes > PTRDIFF_MAX)
            return false;
        result = bytes;
        return true;
    }
    return parse_size(text, least_stack, result);
}

bool parse_library(std::string_view text, KmpLibrary& result) {
    text = trimmed(text);
    if (same_word(text, "serial"))
        result = KmpLibrary::serial;
    else if (same_word(text, "turnaround"))
        result = KmpLibrary::turnaround;
    else if (same_word(text, "throughput"))
        result = KmpLibrary::throughput;
    else
        return false;
    return true;
}

void print_library(Text& out, KmpLibrary library) {
    static constexpr std::string_view names[] = {"throughput", "serial", "turnaround",
                                                 "throughput"};
    out << names[static_cast<size_t>(library)];
}

/// KMP_FORCE_REDUCTION wins over KMP_DETERMINISTIC_REDUCTION, which is read before it.
bool parse_reduction(std::string_view text, ReductionMethod& result) {
    text = trimmed(text);
    if (same_word(text, "critical"))
        result = ReductionMethod::critical;
    else if (same_word(text, "atomic"))
        result = ReductionMethod::atomic;
    else if (same_word(text, "tree"))
        result = ReductionMethod::tree;
    else
        return false;
    return true;
}

void print_reduction(Text& out, ReductionMethod method) {
    static constexpr std::string_view names[] = {"", "critical", "atomic", "tree"};
    out << names[static_cast<size_t>(method)];
}

bool parse_deterministic(std::string_view text, ReductionMethod& result) {
    bool wanted;
    if (!parse_boolean(text, wanted))
        return false;
    if (wanted)
        result = ReductionMethod::tree;
    return true;
}

/// One of close, spread and primary.
bool parse_teams_bind(std::string_view text, ProcBind& result) {
    ProcBind list[max_list_length];
    int length;
    if (!parse_proc_bind(text, list, length) || length != 1 || list[0] == ProcBind::true_)
        return false;
    result = list[0];
    return true;
}

void print_teams_bind(Text& out, ProcBind bind) {
    static constexpr std::string_view names[] = {"false", "true", "primary", "close", "spread"};
    out << names[static_cast<size_t>(bind)];
}

bool parse_affinity(std::string_view text, Reading& reading) {
    Settings& settings = reading.settings;
    if (parse_kmp_affinity(text, settings.kmp_affinity, settings.places_text))
        return true;
    if (settings.kmp_affinity.given)
        reading.instead = "what is valid of it";
    return false;
}

void print_affinity(Text& out, const Settings& settings) {
    const KmpAffinity& affinity = settings.kmp_affinity;
    out << (affinity.verbose ? "verbose," : "noverbose,")
        << (affinity.respect ? "respect," : "norespect,")
        << (affinity.reset ? "reset," : "noreset,")
        << "granularity=" << unit_name(affinity.granularity) << ",";
    if (affinity.type == AffinityType::explicit_)
        out << "proclist=[" << settings.places_text << "],";
    out << type_name(affinity.type);
    if (affinity.permute != 0 || affinity.offset != 0)
        out << "," << affinity.permute << "," << affinity.offset;
}

void print_hw_subset(Text& out, const HwSubset& subset) {
    out << (subset.exact ? ":" : "");
    for (int i = 0; i < subset.length; ++i) {
        const HwSubsetItem& item = subset.items[i];
        out << (i > 0 ? "," : "");
        if (item.count > 0)
            out << item.count;
        else
            out << "*";
        out << unit_name(item.unit);
        if (item.offset > 0)
            out << "@" << item.offset;
    }
}

constexpr const char* truth_format = "true or false, 1 or 0";
constexpr const char* limit_format = "an integer from 1 to 2147483647";

// As in table.cpp.
#define PARSE(expression)                                                                          \
    [](std::string_view value, Reading& reading) -> bool {                                         \
        Settings& s = reading.settings;                                                            \
        return expression;                                                                         \
    }
#define PRINT(expression) [](Text& out, const Settings& s, const Icvs&) { expression; }

constexpr Variable table[] = {
    {"KMP_WARNINGS", truth_format, "true", Shown::when_verbose,
     [](std::string_view value, Reading& reading) {
         const bool valid = parse_boolean(value, reading.settings.kmp_warnings);
         platform::set_warnings(reading.settings.kmp_warnings);
         return valid;
     },
     PRINT(out << true_or_false(s.kmp_warnings))},
    {"KMP_SETTINGS", truth_format, "false", Shown::when_verbose,
     PARSE(parse_boolean(value, s.kmp_settings)), PRINT(out << true_or_false(s.kmp_settings))},
    {"KMP_VERSION", truth_format, "false", Shown::when_verbose,
     PARSE(parse_boolean(value, s.kmp_version)), PRINT(out << true_or_false(s.kmp_version))},
    {"KMP_AFFINITY",
     "[modifiers,]type[,permute[,offset]] with the type none, compact, scatter, balanced, explicit "
     "(with proclist=[...]) or disabled",
     "none", Shown::when_verbose, parse_affinity, PRINT(print_affinity(out, s))},
    {"KMP_HW_SUBSET", "[:][count|*]unit[@offset],... with the units S, N, L3, C and T once each",
     "all CPUs", Shown::when_verbose, PARSE(parse_hw_subset(value, s.kmp_hw_subset)),
     PRINT(print_hw_subset(out, s.kmp_hw_subset))},
    {"KMP_BLOCKTIME", "a number with the unit us, ms (when none is given) or s, or infinite",
     "a time that adapts", Shown::when_verbose, PARSE(parse_blocktime(value, s.kmp_blocktime)),
     PRINT(print_blocktime(out, s.kmp_blocktime))},
    {"KMP_LIBRARY", "throughput, turnaround or serial", "throughput", Shown::when_verbose,
     PARSE(parse_library(value, s.kmp_library)), PRINT(print_library(out, s.kmp_library))},
    {"KMP_STACKSIZE",
     "a size of 16K or more: a number with the unit B (when none is given), K, M, G or T",
     "OMP_STACKSIZE or the system's default", Shown::when_verbose,
     PARSE(parse_stack_size(value, s.kmp_stack_size)), PRINT(out << s.kmp_stack_size)},
    {"KMP_ALL_THREADS", limit_format, "KMP_DEVICE_THREAD_LIMIT", Shown::never,
     PARSE(parse_integer(value, 1, INT_MAX, s.kmp_thread_limit)), PRINT(out << s.kmp_thread_limit)},
    {"KMP_DEVICE_THREAD_LIMIT", limit_format, "no limit", Shown::when_verbose,
     PARSE(parse_integer(value, 1, INT_MAX, s.kmp_thread_limit)),
     PRINT(out << (s.kmp_thread_limit == 0 ? INT_MAX : s.kmp_thread_limit))},
    {"KMP_TEAMS_THREAD_LIMIT", limit_format, "no limit", Shown::when_verbose,
     PARSE(parse_integer(value, 1, INT_MAX, s.kmp_most_teams)),
     PRINT(out << (s.kmp_most_teams == 0 ? INT_MAX : s.kmp_most_teams))},
    {"KMP_TEAMS_PROC_BIND", "spread, close, primary or false", "spread", Shown::when_verbose,
     PARSE(parse_teams_bind(value, s.kmp_teams_bind)),
     PRINT(print_teams_bind(out, s.kmp_teams_bind))},
    {"KMP_DETERMINISTIC_REDUCTION", truth_format, "false", Shown::when_verbose,
     PARSE(parse_deterministic(value, s.kmp_reduction)),
     PRINT(out << true_or_false(s.kmp_reduction == ReductionMethod::tree))},
    {"KMP_ENABLE_TASK_THROTTLING", truth_format, "true", Shown::when_verbose,
     PARSE(parse_boolean(value, s.kmp_task_throttling)),
     PRINT(out << true_or_false(s.kmp_task_throttling))},
    {"KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE", truth_format, "false", Shown::when_verbose,
     PARSE(parse_boolean(value, s.kmp_monotonic_loops)),
     PRINT(out << true_or_false(s.kmp_monotonic_loops))},
    {"KMP_FORCE_REDUCTION", "critical, atomic or tree", "a method that adapts", Shown::when_verbose,
     PARSE(parse_reduction(value, s.kmp_reduction)), PRINT(print_reduction(out, s.kmp_reduction))},
};

/// A type in KMP_AFFINITY says alone where threads go, as in libomp; modifiers alone say nothing.
void conclude_affinity(Settings& settings) {
    const AffinityType type = settings.kmp_affinity.type;
    if (type == AffinityType::unset)
        return;
    if (settings.bind_list_length > 0)
        platform::warn("OMP_PROC_BIND: ignored, for KMP_AFFINITY is set");
    if (settings.place_source == PlaceSource::omp_places)
        platform::warn("OMP_PLACES: ignored, for KMP_AFFINITY is set");
    else if (settings.place_source == PlaceSource::gomp_cpu_affinity)
        platform::warn("GOMP_CPU_AFFINITY: ignored, for KMP_AFFINITY is set");
    settings.bind_list_length = 0;
    settings.place_source = type == AffinityType::none || type == AffinityType::disabled
                                ? PlaceSource::none
                                : PlaceSource::kmp_affinity;
}

} // namespace

std::span<const Variable> kmp_variables() { return table; }

void set_kmp_defaults(Settings& settings) {
    settings.kmp_blocktime = -1;
    settings.kmp_teams_bind = ProcBind::spread;
    settings.kmp_task_throttling = true;
    settings.kmp_warnings = true;
}

void conclude_kmp(Settings& settings) {
    if (settings.kmp_stack_size != 0) {
        if (settings.stack_size != 0)
            platform::warn("OMP_STACKSIZE or GOMP_STACKSIZE: ignored, for KMP_STACKSIZE is set");
        settings.stack_size = settings.kmp_stack_size;
        settings.stack_from = "KMP_STACKSIZE";
    }
    int& limit = settings.initial.thread_limit;
    if (settings.kmp_thread_limit != 0)
        limit = std::min(limit, settings.kmp_thread_limit);
    if (settings.kmp_library == KmpLibrary::serial)
        limit = 1;
    if (settings.kmp_library == KmpLibrary::turnaround && settings.wait_policy == WaitPolicy::unset)
        settings.wait_policy = WaitPolicy::active;
    if (settings.kmp_blocktime >= 0 && settings.spin_count < 0)
        settings.spin_count = spins_of(settings.kmp_blocktime);
    conclude_affinity(settings);
    if (settings.kmp_hw_subset.length > 0 && settings.place_source == PlaceSource::none &&
        settings.bind_list_length == 0 && settings.kmp_affinity.type != AffinityType::disabled)
        settings.place_source = PlaceSource::kmp_hw_subset;
}

} // namespace heddle::config
