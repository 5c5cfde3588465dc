// SPDX-License-Identifier: Apache-2.0
// One input of the fuzzer is an environment: lines NAME=VALUE. All of Heddle's tables read it, the
// places that it asks for are determined, every variable is shown, and what came out must lie in
// the ranges that the rest of the runtime relies on; else the process aborts. Called by libFuzzer
// (run_fuzzer.py) and by replay.cpp.
#include "config/heddle_table.hpp"
#include "config/kmp_defaults.hpp"
#include "config/kmp_table.hpp"
#include "config/load.hpp"
#include "config/places.hpp"
#include "place/places.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace heddle;
using namespace heddle::config;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #what);                         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

constexpr int cpus = 8;

/// The environment of the input; values end with a NUL.
std::vector<std::string> entries;

const char* value_of(const char* name) {
    const std::string_view wanted = name;
    for (const std::string& entry : entries)
        if (entry.size() > wanted.size() && entry.compare(0, wanted.size(), wanted) == 0 &&
            entry[wanted.size()] == '=')
            return entry.c_str() + wanted.size() + 1;
    return nullptr;
}

void split(const char* text, size_t size) {
    entries.assign(1, {});
    for (size_t i = 0; i < size; ++i) {
        if (text[i] == '\n')
            entries.emplace_back();
        else if (text[i] != '\0') // cannot be in an environment
            entries.back() += text[i];
    }
}

bool is_policy(ProcBind bind) { return bind <= ProcBind::spread; }

void check_lists(const Settings& settings) {
    CHECK(settings.nthreads_list_length >= 0 && settings.nthreads_list_length <= max_list_length);
    for (int i = 0; i < settings.nthreads_list_length; i++)
        CHECK(settings.nthreads_list[i] >= 1);
    CHECK(settings.bind_list_length >= 0 && settings.bind_list_length <= max_list_length);
    for (int i = 0; i < settings.bind_list_length; i++)
        CHECK(is_policy(settings.bind_list[i]));
}

void check_icvs(const Icvs& icvs) {
    CHECK(icvs.nthreads >= 1 && icvs.thread_limit >= 1);
    CHECK(icvs.max_active_levels >= 0 && icvs.max_active_levels <= max_supported_levels);
    CHECK(icvs.default_device >= 0 || icvs.default_device == -4); // omp_invalid_device
    CHECK(icvs.run_sched.kind >= ScheduleKind::static_);
    CHECK(icvs.run_sched.kind <= ScheduleKind::trapezoidal);
    CHECK(icvs.run_sched.chunk >= 0);
    CHECK(is_policy(icvs.bind));
    CHECK(icvs.default_allocator >= 1);
}

void check_kmp(const Settings& settings) {
    const KmpAffinity& affinity = settings.kmp_affinity;
    CHECK(affinity.permute >= 0 && affinity.offset >= 0);
    CHECK(settings.kmp_hw_subset.length >= 0);
    for (int i = 0; i < settings.kmp_hw_subset.length; i++)
        CHECK(settings.kmp_hw_subset.items[i].count >= 0 &&
              settings.kmp_hw_subset.items[i].offset >= 0);
    CHECK(settings.kmp_blocktime >= -1);
    CHECK(is_policy(settings.kmp_teams_bind));
}

void check(const Settings& settings) {
    constexpr size_t least_stack = 16 * 1024;
    check_lists(settings);
    check_icvs(settings.initial);
    check_kmp(settings);
    CHECK(settings.available_cpus == cpus);
    CHECK(settings.spin_count >= -1);
    CHECK(settings.stack_size == 0 || settings.stack_size >= least_stack);
    CHECK(settings.stack_size <= size_t{PTRDIFF_MAX});
    CHECK(settings.max_task_priority >= 0);
    CHECK(settings.local.rank >= 0 && settings.local.rank < settings.local.size);
    CHECK(settings.num_teams >= 0 && settings.teams_thread_limit >= 0);
    CHECK(std::string_view(settings.affinity_format).size() < sizeof settings.affinity_format);
    CHECK(std::string_view(settings.heddle.stats_file).size() < sizeof settings.heddle.stats_file);
}

/// Every place has CPUs that the process may use.
void check_places(const Settings& settings) {
    CpuSet available;
    for (int cpu = 0; cpu < cpus; ++cpu)
        available.add(cpu);
    PlaceList places;
    place::determine_places(settings, available, "/nowhere", places);
    CHECK(places.count() <= PlaceList::longest);
    for (int i = 0; i < places.count(); ++i)
        CHECK(!places[i].empty() && places[i].within(available));
}

/// Each variable is shown in one line.
void check_display(std::span<const Variable> table, const Settings& settings) {
    for (const Variable& variable : table) {
        if (variable.print == nullptr)
            continue;
        char buffer[16384];
        Text out(buffer, sizeof buffer);
        variable.print(out, settings, settings.initial);
        CHECK(!out.truncated());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    split(reinterpret_cast<const char*>(data), size);
    static Reading reading; // large
    settings();             // of this process: kmp_set_defaults() comes after the first call
    read_environment(value_of, cpus, reading);
    check(reading.settings);
    CHECK(reading.display <= Display::verbose);
    check_places(reading.settings);
    for (const auto table : {variables(), kmp_variables(), heddle_variables()})
        check_display(table, reading.settings);
    std::vector<const char*> list;
    for (const std::string& entry : entries)
        list.push_back(entry.c_str());
    list.push_back(nullptr);
    warn_about_unknown_names(list.data());
    for (const std::string& entry : entries)
        set_defaults(entry);
    return 0;
}
