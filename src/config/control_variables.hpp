// SPDX-License-Identifier: Apache-2.0
// The internal control variables (ICVs) of OpenMP 5.2 section 2.1 and the settings of the process.
// Called by every layer above; written once by config::load() and constant afterwards, except the
// Icvs copies, which belong to the task that holds them (data-environment scope, section 2.2).
#pragma once

#include "config/allocator_traits.hpp"
#include "config/heddle_variables.hpp"
#include "config/kmp_variables.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::config {

/// The values of omp_sched_t without the monotonic modifier; `runtime` is the schedule clause's.
/// `trapezoidal` is libomp's, and handed out as guided; `adaptive` is ours.
enum class ScheduleKind : uint8_t {
    runtime = 0,
    static_ = 1,
    dynamic = 2,
    guided = 3,
    auto_ = 4,
    trapezoidal = 5,
    adaptive = 6
};

/// run-sched-var. `chunk` 0 means that none was given.
struct Schedule {
    ScheduleKind kind = ScheduleKind::dynamic;
    bool monotonic = false;
    int chunk = 1;
    /// run-sched-var: nobody has chosen it. Programs of gcc then take dynamic,1; in a loop's
    /// request of kind `runtime`: it is a program of clang, which takes static.
    bool implied = false;
    bool implied_monotonic = false; ///< by static, in OMP_SCHEDULE; libomp does not report it
};

/// The values of omp_proc_bind_t.
enum class ProcBind : uint8_t { false_ = 0, true_ = 1, primary = 2, close = 3, spread = 4 };

inline constexpr int max_supported_levels = 255; ///< omp_get_supported_active_levels()

/// ICVs with data-environment scope: each task has its own values, inherited from its parent.
struct Icvs {
    int nthreads;         ///< nthreads-var, first element, 1 or more
    int inner_length = 0; ///< elements of `inner`
    /// nthreads-var from the second element on, where a num_threads(list) clause has set it; lives
    /// as long as the region with the clause. OMP_NUM_THREADS' list is in Settings.
    const int* inner = nullptr;
    int thread_limit;            ///< thread-limit-var, 1 or more
    int max_active_levels;       ///< max-active-levels-var, 0 to max_supported_levels
    int default_device;          ///< default-device-var
    Schedule run_sched;          ///< run-sched-var
    bool dynamic;                ///< dyn-var
    ProcBind bind;               ///< bind-var, first element
    uintptr_t default_allocator; ///< def-allocator-var, an omp_allocator_handle_t
};

/// How waiting threads behave: OMP_WAIT_POLICY, `unset` when the user said nothing.
enum class WaitPolicy : uint8_t { unset, active, passive };

/// The variable that gave Settings::places_text.
enum class PlaceSource : uint8_t {
    none,
    omp_places,
    gomp_cpu_affinity,
    kmp_affinity, ///< the text is the list of an explicit placement, empty with the other types
    kmp_hw_subset ///< nothing else asks for places: all CPUs that the subset leaves are one
};

/// OMP_TARGET_OFFLOAD.
enum class TargetOffload : uint8_t { default_, mandatory, disabled };

inline constexpr int max_list_length = 64; ///< longest OMP_NUM_THREADS / OMP_PROC_BIND list kept

/// Which of the processes on this machine that a launcher has started beside each other
/// (launcher.hpp).
struct LocalRank {
    int rank = 0; ///< 0 to size-1
    int size = 1; ///< 1 or more
};

/// Everything that is fixed for the process once the environment has been read.
struct Settings {
    Icvs initial;                        ///< of the initial task
    int nthreads_list[max_list_length];  ///< OMP_NUM_THREADS, one entry a nesting level
    int nthreads_list_length;            ///< 0 when the variable was not set
    bool places_or_display;              ///< a region has to bind its threads or to display them
    ProcBind bind_list[max_list_length]; ///< OMP_PROC_BIND, one entry a nesting level
    int bind_list_length;                ///< 0 when the variable was not set
    PlaceSource place_source;            ///< none where threads are not bound
    std::string_view places_text;        ///< place-partition-var as given, of any length
    int available_cpus;                  ///< min(affinity mask, ceil(CPU quota)), 1 or more
    WaitPolicy wait_policy;
    int64_t spin_count;     ///< GOMP_SPINCOUNT iterations, -1 when not set, INT64_MAX for ever
    size_t stack_size;      ///< bytes for a worker's stack, 0 = the system's default
    const char* stack_from; ///< the name of the variable that gave stack_size
    bool cancellation;      ///< cancel-var
    int max_task_priority;  ///< max-task-priority-var
    int num_teams;          ///< nteams-var, 0 when not set
    int teams_thread_limit; ///< teams-thread-limit-var, 0 when not set
    TargetOffload target_offload;  ///< target-offload-var
    bool tool_disabled;            ///< tool-var
    AllocatorTraits allocator;     ///< what OMP_ALLOCATOR says of environment_allocator
    bool display_affinity;         ///< display-affinity-var
    char affinity_format[256];     ///< affinity-format-var, NUL-terminated
    bool display_names_threads;    ///< it shows the threads' native numbers
    ReductionMethod kmp_reduction; ///< KMP_FORCE_REDUCTION, KMP_DETERMINISTIC_REDUCTION
    bool kmp_monotonic_loops;      ///< KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE
    bool kmp_task_throttling;      ///< KMP_ENABLE_TASK_THROTTLING; false: all tasks are queued
    KmpAffinity kmp_affinity;
    HwSubset kmp_hw_subset;
    KmpLibrary kmp_library;
    int64_t kmp_blocktime;   ///< microseconds, -1 when not set, INT64_MAX for ever
    size_t kmp_stack_size;   ///< bytes, 0 when not set
    int kmp_thread_limit;    ///< KMP_DEVICE_THREAD_LIMIT, 0 when not set
    int kmp_most_teams;      ///< KMP_TEAMS_THREAD_LIMIT, 0 when not set
    ProcBind kmp_teams_bind; ///< how a league's teams are placed
    bool kmp_settings;       ///< the settings go to stderr when they have been read
    bool kmp_version;        ///< so does the version
    bool kmp_warnings;       ///< warnings go to stderr
    HeddleVariables heddle;  ///< HEDDLE_*
    LocalRank local;         ///< as a launcher tells
};

/// The settings; reads the environment at the first call (thread-safe, async-signal-unsafe).
const Settings& settings();

/// For the handler of fork() in the child: another thread of the parent may have been reading the
/// environment, and is gone. The child then reads it afresh; settings already read stay.
void restart_in_forked_child();

/// Prints `settings` to stderr as OMP_DISPLAY_ENV asks for (OpenMP 5.2 section 21.7), with the
/// values `icvs` of the calling task. `verbose` adds the variables that are not of the standard.
void display_environment(const Settings& settings, const Icvs& icvs, bool verbose);

} // namespace heddle::config
