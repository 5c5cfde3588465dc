// SPDX-License-Identifier: Apache-2.0
// Reads the environment at the first call of settings(), or at load when it is to be displayed.
// Called by any thread; one of them reads, the others wait for it. Written once, then constant.
// The release store of `ready` publishes the settings to the acquire load in settings().
#include "config/load.hpp"

#include "config/affinity_specifier.hpp"
#include "config/cpu_budget.hpp"
#include "config/heddle_table.hpp"
#include "config/kmp_table.hpp"
#include "config/launcher.hpp"
#include "config/scanner.hpp"
#include "platform.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <new>
#include <string_view>
#include <sys/auxv.h>
#include <unistd.h>

namespace heddle::config {

namespace {

enum State : uint32_t { unread, reading, ready };

constinit platform::Atomic<uint32_t> state{unread};
constinit Reading process{}; // of the thread that moved `state` to `reading`, constant once ready

/// The environment as the loader passed it, for a constructor that runs before libc's own.
char** environment_at_load = nullptr;

/// The CPUs that the process had when the library was loaded, none when unknown. Written when no
/// other thread can be here yet.
CpuSet at_load_cpus;

/// What add_default() has collected: `NAME=value` texts that end with a NUL each, the last with
/// two. Written by the thread that has moved `state` to `reading`.
char program_defaults[2048];
size_t program_defaults_length = 0;

constexpr int device_not_set = INT_MIN, omp_invalid_device = -4;

/// In place: the thread that makes the first call may have a stack of 16 KiB.
void set_to_defaults(Reading& reading, int available_cpus) {
    ::new (&reading) Reading{};
    reading.max_active_levels = -1;
    reading.nested = -1;
    Settings& settings = reading.settings;
    settings.available_cpus = available_cpus;
    settings.spin_count = -1;
    settings.stack_from = "OMP_STACKSIZE";
    settings.initial.thread_limit = INT_MAX;
    settings.initial.default_device = device_not_set;
    settings.initial.default_allocator = 1; // omp_default_mem_alloc
    settings.initial.run_sched.implied = true;
    set_kmp_defaults(settings);
    Text(settings.affinity_format, sizeof settings.affinity_format)
        << "level %L thread %i affinity %A";
}

/// Places ask for binding, unless it is switched off, and then they mean nothing.
void conclude_binding(Settings& settings) {
    ProcBind& bind = settings.initial.bind;
    if (settings.bind_list_length > 0)
        bind = settings.bind_list[0];
    else if (settings.place_source != PlaceSource::none)
        bind = ProcBind::true_;
    if (bind == ProcBind::false_)
        settings.place_source = PlaceSource::none;
    settings.places_or_display =
        bind != ProcBind::false_ || settings.display_affinity || settings.kmp_affinity.verbose;
    settings.display_names_threads = names_threads(settings.affinity_format);
}

/// Sets what follows from several variables together.
void conclude(Reading& reading) {
    Settings& settings = reading.settings;
    Icvs& initial = settings.initial;
    conclude_kmp(settings);
    initial.nthreads = settings.nthreads_list_length > 0
                           ? settings.nthreads_list[0]
                           : std::min(settings.available_cpus, initial.thread_limit);
    conclude_binding(settings);
    // OpenMP 5.2 section 21.2.8: no device is there, unless the host is named.
    if (initial.default_device == device_not_set)
        initial.default_device =
            settings.target_offload == TargetOffload::mandatory ? omp_invalid_device : 0;
    // OpenMP 5.2 section 21.1.4: the explicit number first, then the deprecated switch, and a list
    // with a second level asks for nesting.
    if (reading.max_active_levels >= 0)
        initial.max_active_levels = reading.max_active_levels;
    else if (reading.nested >= 0)
        initial.max_active_levels = reading.nested ? max_supported_levels : 1;
    else if (settings.nthreads_list_length > 1 || settings.bind_list_length > 1)
        initial.max_active_levels = max_supported_levels;
    else
        initial.max_active_levels = 1;
}

/// Whether the environment asks a runtime to bind threads. A stock libgomp that was loaded beside
/// us has then taken CPUs from the initial thread's mask, perhaps before we looked.
bool binding_wanted() {
    for (const char* name : {"OMP_PROC_BIND", "OMP_PROC_BIND_ALL", "OMP_PLACES", "OMP_PLACES_ALL",
                             "GOMP_CPU_AFFINITY"})
        if (process_environment(name) != nullptr)
            return true;
    return false;
}

/// The CPUs to use: those of the mask now, so that a program that narrows it before its first
/// region is obeyed, but those at load where a libgomp may have narrowed it.
int cpus_of_process() {
    int cpus = affinity_cpus();
    if (binding_wanted())
        cpus = std::max(cpus, at_load_cpus.count());
    return available_cpus(cpus, quota_cpus(""));
}

/// The process's environment, a list that ends with a null pointer; null: there is none.
char** environment_entries() { return environ != nullptr ? environ : environment_at_load; }

/// HEDDLE_* that nobody knows, unless the process ignores all of them.
void warn_about_unknown() {
    char** const entries = environment_entries();
    if (entries != nullptr && getauxval(AT_SECURE) == 0)
        warn_about_unknown_names(entries);
}

/// Copies `text`, which is part of the environment: the program may change that, or write over it.
/// The copy is never freed, for the settings are constant.
void keep(std::string_view& text) {
    if (text.empty())
        return;
    auto* copy = static_cast<char*>(platform::allocate(text.size(), 1));
    if (copy == nullptr)
        platform::die("no memory for the list of places");
    std::copy(text.begin(), text.end(), copy);
    text = {copy, text.size()};
}

/// First call, or a call while another thread makes the first. Out of line: settings() is on the
/// way into every region.
[[gnu::noinline]] void load() {
    uint32_t expected = unread;
    if (state.compare_exchange_strong(expected, reading, platform::acquire, platform::acquire)) {
        const platform::NotCancelled whole; // others wait for us
        read_environment(process_environment, cpus_of_process(), process);
        keep(process.settings.places_text);
        warn_about_unknown();
        state.store(ready, platform::release);
        display_kmp(process.settings, environment_entries());
        return;
    }
    while (state.load(platform::acquire) != ready)
        platform::yield();
}

/// The variables of one table, from `environment`.
void read_variables(std::span<const Variable> variables, Environment environment,
                    Reading& reading) {
    for (const Variable& variable : variables) {
        if (variable.parse == nullptr)
            continue;
        char for_all[40];
        const char* name = variable.name;
        const char* value = environment(name);
        if (value == nullptr && variable.has_all) {
            name = (Text(for_all, sizeof for_all) << name << "_ALL").c_str();
            value = environment(name);
        }
        if (value == nullptr || variable.parse(value, reading))
            continue;
        char buffer[512];
        Text line(buffer, sizeof buffer);
        describe_bad_value(line, variable, name, value, reading.instead);
        reading.instead = {};
        platform::warn(line.c_str());
    }
}

/// The last value of `name` among `NAME=value` texts that end with a NUL each, the last with two.
const char* value_in(const char* entries, std::string_view name) {
    const char* value = nullptr;
    for (const char* entry = entries; *entry != '\0';) {
        std::string_view text = entry;
        if (text.size() > name.size() && begins(text, name) && text[name.size()] == '=')
            value = entry + name.size() + 1;
        entry += text.size() + 1;
    }
    return value;
}

// One system call. Before the library's other constructors: one of them asks for variables.
__attribute__((constructor(101))) void at_load([[maybe_unused]] int argc,
                                               [[maybe_unused]] char** argv, char** environment) {
    environment_at_load = environment;
    read_cpus_at_load();
}

} // namespace

void read_environment(Environment environment, int available_cpus, Reading& reading) {
    set_to_defaults(reading, available_cpus);
    platform::set_warnings(true);
    read_variables(kmp_variables(), environment, reading);
    read_variables(variables(), environment, reading);
    read_variables(heddle_variables(), environment, reading);
    reading.settings.local = read_local_rank(environment);
    conclude(reading);
}

const CpuSet& cpus_at_load() { return at_load_cpus; }

void read_cpus_at_load() { at_load_cpus.read(); }

const char* process_environment(const char* name) {
    std::string_view wanted = name;
    if ((begins(wanted, "HEDDLE_") || begins(wanted, "OMP_TOOL_")) && getauxval(AT_SECURE) != 0)
        return nullptr;
    if (environ != nullptr || environment_at_load == nullptr) {
        const char* value = getenv(name);
        return value != nullptr ? value : value_in(program_defaults, wanted);
    }
    for (char** entry = environment_at_load; *entry != nullptr; entry++) {
        std::string_view text = *entry;
        if (text.size() > wanted.size() && begins(text, wanted) && text[wanted.size()] == '=')
            return *entry + wanted.size() + 1;
    }
    return nullptr;
}

const Settings& settings() {
    if (state.load(platform::acquire) != ready)
        load();
    return process.settings;
}

Display display_at_load() {
    if (process_environment("OMP_DISPLAY_ENV") == nullptr)
        return Display::nothing;
    settings();
    return process.display;
}

bool add_default(std::string_view entry) {
    for (;;) {
        uint32_t expected = unread;
        if (state.compare_exchange_strong(expected, reading, platform::acquire, platform::acquire))
            break;
        if (expected == ready)
            return false;
        platform::yield();
    }
    const bool fits = program_defaults_length + entry.size() + 2 <= sizeof program_defaults;
    if (fits) {
        Text(program_defaults + program_defaults_length, entry.size() + 1) << entry;
        program_defaults_length += entry.size() + 1;
    }
    state.store(unread, platform::release); // to the acquire of whoever reads the environment
    if (!fits) {
        char buffer[200];
        Text line(buffer, sizeof buffer);
        line << "kmp_set_defaults: " << characters(entry, 100)
             << " is ignored, for there is no room";
        platform::warn(line.c_str());
    }
    return true;
}

void restart_in_forked_child() {
    // The child has one thread: if it was not the reader, the reader does not exist any more.
    if (state.load(platform::relaxed) == reading)
        state.store(unread, platform::relaxed);
}

} // namespace heddle::config
