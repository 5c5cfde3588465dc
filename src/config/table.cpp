// SPDX-License-Identifier: Apache-2.0
// The table of control variables of OpenMP 5.2 chapter 21 and of libgomp.
// Called at the first use of the settings, by one thread, and for OMP_DISPLAY_ENV; constant data.
// The names, order and spelling of the values shown are those of gcc 12's libgomp.
#include "config/table.hpp"

#include "config/device_variables.hpp"
#include "config/load.hpp"
#include "config/places.hpp"
#include "config/scanner.hpp"

#include <climits>

namespace heddle::config {

namespace {

/// Threads get at least this much: the least that pthread_attr_setstacksize accepts on Linux.
constexpr size_t least_stack = 16 * 1024;

std::string_view true_or_false(bool value) { return value ? "TRUE" : "FALSE"; }

std::string_view bind_name(ProcBind bind) {
    static constexpr std::string_view names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
    return names[static_cast<size_t>(bind)];
}

void print_schedule(Text& out, const Schedule& schedule) {
    static constexpr std::string_view names[] = {"RUNTIME", "STATIC",      "DYNAMIC", "GUIDED",
                                                 "AUTO",    "TRAPEZOIDAL", "ADAPTIVE"};
    bool is_static = schedule.kind == ScheduleKind::static_;
    if (schedule.monotonic != is_static)
        out << (schedule.monotonic ? "MONOTONIC:" : "NONMONOTONIC:");
    out << names[static_cast<size_t>(schedule.kind)];
    if (schedule.chunk != (is_static ? 0 : 1))
        out << "," << schedule.chunk;
}

void print_wait_policy(Text& out, WaitPolicy policy) {
    out << (policy == WaitPolicy::active ? "ACTIVE" : "PASSIVE");
}

void print_target_offload(Text& out, TargetOffload offload) {
    static constexpr std::string_view names[] = {"DEFAULT", "MANDATORY", "DISABLED"};
    out << names[static_cast<size_t>(offload)];
}

void print_spin_count(Text& out, int64_t count) {
    if (count == INT64_MAX)
        out << "INFINITE";
    else if (count >= 0)
        out << count; // nothing when not set: the waiting policy then adapts
}

/// The first element is the calling task's, the others are those of the nested levels.
void print_num_threads(Text& out, const Settings& settings, const Icvs& icvs) {
    out << icvs.nthreads;
    for (int level = 1; level < settings.nthreads_list_length; level++)
        out << "," << settings.nthreads_list[level];
}

void print_proc_bind(Text& out, const Settings& settings, const Icvs& icvs) {
    out << bind_name(icvs.bind);
    for (int level = 1; level < settings.bind_list_length; level++)
        out << "," << bind_name(settings.bind_list[level]);
}

bool parse_nested(std::string_view value, Reading& reading) {
    bool nested;
    if (!parse_boolean(value, nested))
        return false;
    reading.nested = nested;
    return true;
}

/// GOMP_STACKSIZE counts where OMP_STACKSIZE, read before it, gave nothing.
bool parse_gomp_stack_size(std::string_view value, Reading& reading) {
    size_t size;
    if (!parse_size(value, least_stack, size))
        return false;
    if (reading.settings.stack_size == 0) {
        reading.settings.stack_size = size;
        reading.settings.stack_from = "GOMP_STACKSIZE";
    }
    return true;
}

/// Where KMP_AFFINITY says where threads go nobody looks at the other variables' values: that they
/// are ignored is told, by conclude_kmp().
bool is_overruled(const Settings& settings) {
    return settings.kmp_affinity.type != AffinityType::unset;
}

bool keep_places(std::string_view value, PlaceSource source, Settings& settings) {
    if (!is_overruled(settings)) // else the list of processors stays
        settings.places_text = value;
    settings.place_source = source;
    return true;
}

/// A unit without a valid count counts as all of them. Any other value that is refused still asks
/// for binding.
bool parse_omp_places(std::string_view value, Reading& reading) {
    Settings& settings = reading.settings;
    PlaceRequest request;
    PlaceList list;
    if (is_overruled(settings) || parse_places(value, request, list))
        return keep_places(value, PlaceSource::omp_places, settings);
    if (const std::string_view word = Scanner(value).word(); parse_places(word, request, list)) {
        keep_places(word, PlaceSource::omp_places, settings);
        reading.instead = word;
    } else if (settings.bind_list_length == 0) {
        settings.bind_list[0] = ProcBind::true_;
        settings.bind_list_length = 1;
    }
    return false;
}

/// GOMP_CPU_AFFINITY counts where OMP_PLACES, read before it, gave nothing.
bool parse_gomp_cpu_affinity(std::string_view value, Reading& reading) {
    PlaceList list;
    if (!is_overruled(reading.settings) && !parse_cpu_affinity(value, list))
        return false;
    return reading.settings.place_source == PlaceSource::omp_places ||
           keep_places(value, PlaceSource::gomp_cpu_affinity, reading.settings);
}

void print_omp_places(Text& out, const Settings& settings, const Icvs& icvs) {
    if (settings.place_source == PlaceSource::omp_places)
        out << settings.places_text;
    else if (settings.place_source == PlaceSource::none && icvs.bind != ProcBind::false_)
        out << "cores";
}

void print_gomp_cpu_affinity(Text& out, const Settings& settings, const Icvs&) {
    if (settings.place_source == PlaceSource::gomp_cpu_affinity)
        out << settings.places_text;
}

/// A variable of any text, as it is in the environment.
void print_text(Text& out, const char* name) {
    if (const char* const text = process_environment(name))
        out << text;
}

void print_nothing(Text&, const Settings&, const Icvs&) {}

constexpr const char* true_or_false_format = "true or false";
constexpr const char* size_format = "a size of 16K or more: a number and B, K, M, G or T";
constexpr const char* positive_format = "an integer from 1 to 2147483647";
constexpr const char* natural_format = "an integer from 0 to 2147483647";
constexpr bool also_as_all = true;

// A parser and a printer from one expression each: `s` are the settings, `value` is the text and
// `icvs` are those of the calling task.
#define PARSE(expression)                                                                          \
    [](std::string_view value, Reading& reading) -> bool {                                         \
        [[maybe_unused]] Settings& s = reading.settings;                                           \
        return expression;                                                                         \
    }
#define PRINT(expression)                                                                          \
    [](Text& out, [[maybe_unused]] const Settings& s, [[maybe_unused]] const Icvs& icvs) {         \
        expression;                                                                                \
    }

constexpr Variable table[] = {
    {"OMP_DYNAMIC", true_or_false_format, "false", Shown::always,
     PARSE(parse_boolean(value, s.initial.dynamic)), PRINT(out << true_or_false(icvs.dynamic)),
     also_as_all},
    {"OMP_NESTED", true_or_false_format, "the default of OMP_MAX_ACTIVE_LEVELS", Shown::always,
     parse_nested, PRINT(out << true_or_false(icvs.max_active_levels > 1))},
    {"OMP_NUM_THREADS", "positive integers separated by commas",
     "one thread for each available CPU", Shown::always,
     PARSE(parse_positive_list(value, s.nthreads_list, s.nthreads_list_length)), print_num_threads,
     also_as_all},
    {"OMP_SCHEDULE",
     "[monotonic:|nonmonotonic:]kind[,chunk] with the kind static, dynamic, guided, auto or "
     "adaptive",
     "dynamic,1", Shown::always, PARSE(parse_schedule(value, s.initial.run_sched)),
     PRINT(print_schedule(out, icvs.run_sched)), also_as_all},
    {"OMP_PROC_BIND", "true, false or a list of primary, close and spread",
     "false, or true where places are asked for", Shown::always,
     PARSE(parse_proc_bind(value, s.bind_list, s.bind_list_length)), print_proc_bind, also_as_all},
    {"OMP_PLACES",
     "threads, cores, ll_caches, numa_domains or sockets, each with (count) or without, or a list "
     "of [!]place[:length[:stride]], each place a CPU or {[!]cpu[:length[:stride]],...}",
     "GOMP_CPU_AFFINITY, or cores where threads are bound", Shown::always, parse_omp_places,
     print_omp_places, also_as_all},
    {"OMP_STACKSIZE", size_format, "GOMP_STACKSIZE or the system's default", Shown::always,
     PARSE(parse_size(value, least_stack, s.stack_size)), PRINT(out << s.stack_size), also_as_all},
    {"OMP_WAIT_POLICY", "active or passive", "a policy that adapts", Shown::always,
     PARSE(parse_wait_policy(value, s.wait_policy)), PRINT(print_wait_policy(out, s.wait_policy)),
     also_as_all},
    {"OMP_THREAD_LIMIT", positive_format, "2147483647", Shown::always,
     PARSE(parse_integer(value, 1, INT_MAX, s.initial.thread_limit)),
     PRINT(out << icvs.thread_limit), also_as_all},
    {"OMP_MAX_ACTIVE_LEVELS", "an integer of 0 or more",
     "1, or 255 where OMP_NESTED or a list asks for nesting", Shown::always,
     PARSE(parse_saturating(value, max_supported_levels, reading.max_active_levels)),
     PRINT(out << icvs.max_active_levels), also_as_all},
    {"OMP_NUM_TEAMS", positive_format, "as many teams as the construct asks for", Shown::always,
     PARSE(parse_integer(value, 1, INT_MAX, s.num_teams)), PRINT(out << num_teams(s)), also_as_all},
    {"OMP_TEAMS_THREAD_LIMIT", positive_format, "no limit", Shown::always,
     PARSE(parse_integer(value, 1, INT_MAX, s.teams_thread_limit)),
     PRINT(out << teams_thread_limit(s)), also_as_all},
    {"OMP_CANCELLATION", true_or_false_format, "false", Shown::always,
     PARSE(parse_boolean(value, s.cancellation)), PRINT(out << true_or_false(s.cancellation))},
    {"OMP_DEFAULT_DEVICE", natural_format, "0", Shown::always,
     PARSE(parse_integer(value, 0, INT_MAX, s.initial.default_device)),
     PRINT(out << icvs.default_device), also_as_all},
    {"OMP_MAX_TASK_PRIORITY", natural_format, "0", Shown::always,
     PARSE(parse_integer(value, 0, INT_MAX, s.max_task_priority)),
     PRINT(out << s.max_task_priority)},
    {"OMP_DISPLAY_AFFINITY", true_or_false_format, "false", Shown::always,
     PARSE(parse_boolean(value, s.display_affinity)),
     PRINT(out << true_or_false(s.display_affinity))},
    {"OMP_AFFINITY_FORMAT", "at most 255 characters", "the default format", Shown::always,
     PARSE(parse_format(value, s.affinity_format, sizeof s.affinity_format)),
     PRINT(out << s.affinity_format), also_as_all},
    {"OMP_ALLOCATOR", "an allocator, or a memory space, alone or with :trait=value,...",
     "omp_default_mem_alloc", Shown::always,
     PARSE(parse_allocator(value, s.allocator, s.initial.default_allocator)),
     PRINT(print_allocator(out, s.allocator, icvs.default_allocator)), also_as_all},
    {"OMP_TARGET_OFFLOAD", "mandatory, disabled or default", "default", Shown::always,
     PARSE(parse_target_offload(value, s.target_offload)),
     PRINT(print_target_offload(out, s.target_offload))},
    {"OMP_TOOL", "enabled or disabled", "enabled", Shown::always,
     PARSE(parse_tool(value, s.tool_disabled)),
     PRINT(out << (s.tool_disabled ? "DISABLED" : "ENABLED"))},
    // The next two are read where a tool is looked for.
    {"OMP_TOOL_LIBRARIES", "", "", Shown::always, nullptr,
     PRINT(print_text(out, "OMP_TOOL_LIBRARIES"))},
    {"OMP_TOOL_VERBOSE_INIT", "", "", Shown::always, nullptr,
     PRINT(print_text(out, "OMP_TOOL_VERBOSE_INIT"))},
    {"OMP_DISPLAY_ENV", "true, false or verbose", "false", Shown::never,
     PARSE(parse_display(value, reading.display)), print_nothing},
    {"GOMP_CPU_AFFINITY", "CPUs: first[-last[:stride]] separated by blanks or commas",
     "OMP_PLACES, or cores where OMP_PROC_BIND asks for places", Shown::when_verbose,
     parse_gomp_cpu_affinity, print_gomp_cpu_affinity},
    {"GOMP_STACKSIZE", size_format, "OMP_STACKSIZE or the system's default", Shown::when_verbose,
     parse_gomp_stack_size, PRINT(out << s.stack_size)},
    {"GOMP_SPINCOUNT", "a number with k, M, G, T or no suffix, or infinite", "a count that adapts",
     Shown::when_verbose, PARSE(parse_spin_count(value, s.spin_count)),
     PRINT(print_spin_count(out, s.spin_count))},
};

} // namespace

std::span<const Variable> variables() { return table; }

void describe_bad_value(Text& out, const Variable& variable, std::string_view name,
                        std::string_view value, std::string_view instead) {
    constexpr size_t longest = 100; // keeps the line on a screen, and warn() in one write
    out << name << ": bad value '";
    for (char c : characters(value, longest)) {
        bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
        out << (control ? std::string_view("?") : std::string_view(&c, 1));
    }
    out << (value.size() > longest ? "...'" : "'") << ": expected " << variable.format << "; using "
        << (instead.empty() ? variable.fallback : instead);
}

} // namespace heddle::config
