// SPDX-License-Identifier: Apache-2.0
// Routines about the process: environment, timing, resources, limits and the teams ICVs (OpenMP 5.2
// sections 18.4, 18.6, 18.10 and 18.15). Called by users' programs on any thread.
// Settings are constant; the two teams ICVs are relaxed words in config/device_variables.
#include "abi/export.hpp"
#include "config/control_variables.hpp"
#include "config/device_variables.hpp"
#include "config/load.hpp"
#include "construct/affinity_format.hpp"
#include "construct/target.hpp"
#include "platform.hpp"
#include "team/fork_join.hpp"
#include "tool/ompt.hpp"

#include <algorithm>
#include <climits>

namespace {

using heddle::config::settings;

/// Fortran's 64-bit integers, kept to the range of int.
int to_int(int64_t value) { return static_cast<int>(std::clamp<int64_t>(value, INT_MIN, INT_MAX)); }

/// The settings, with the affinity format that a call has set, as far as it fits, and the number of
/// threads that initial tasks have.
void display(bool verbose) {
    heddle::config::Settings now = settings();
    now.initial = heddle::team::initial_icvs();
    const size_t room = sizeof now.affinity_format;
    const size_t length = heddle::construct::get_affinity_format(now.affinity_format, room);
    now.affinity_format[std::min(length, room - 1)] = '\0';
    heddle::config::display_environment(now, now.initial, verbose);
}

// One for the program to see, whether it calls the runtime or not.
__attribute__((constructor)) void at_load() {
    const heddle::config::Display wanted = heddle::config::display_at_load();
    if (wanted != heddle::config::Display::nothing)
        display(wanted == heddle::config::Display::verbose);
}

enum PauseKind { soft = 1, hard = 2, stop_tool = 3 }; ///< omp_pause_resource_t

/// Whether resources may be given up: not from inside a parallel region, whose team holds them.
/// 0 when done, -1 when not.
int pause_host(int kind) {
    return (kind == soft || kind == hard) && heddle::team::pause_resources() ? 0 : -1;
}

/// A tool is not a device's.
int pause(int kind, int device) {
    return heddle::construct::is_host(device) ? pause_host(kind) : -1;
}

/// The tool, if there is one, ends as by ompt_finalize_tool, and is told nothing more. Before the
/// threads do, for it is to hear of their ends.
int pause_all(int kind) {
    if (kind != stop_tool)
        return pause_host(kind);
    if (!heddle::team::may_pause_resources())
        return -1;
    if (heddle::tool::end_tool)
        heddle::tool::end_tool();
    return pause_host(hard);
}

} // namespace

HEDDLE_EXPORT void omp_display_env(int verbose) { display(verbose != 0); }

/// Seconds since some moment in the past that stays the same while the machine runs.
HEDDLE_EXPORT double omp_get_wtime() {
    return static_cast<double>(heddle::platform::now_ns()) / 1e9;
}

/// Seconds between two ticks of omp_get_wtime().
HEDDLE_EXPORT double omp_get_wtick() { return 1e-9; }

HEDDLE_EXPORT int omp_pause_resource(int kind, int device) { return pause(kind, device); }
HEDDLE_EXPORT int omp_pause_resource_all(int kind) { return pause_all(kind); }

HEDDLE_EXPORT int omp_get_num_procs() { return settings().available_cpus; }
HEDDLE_EXPORT int omp_get_cancellation() { return settings().cancellation; }
HEDDLE_EXPORT int omp_get_max_task_priority() { return settings().max_task_priority; }

HEDDLE_EXPORT int omp_get_supported_active_levels() { return heddle::config::max_supported_levels; }

HEDDLE_EXPORT void omp_set_num_teams(int count) { heddle::config::set_num_teams(count); }
HEDDLE_EXPORT int omp_get_max_teams() { return heddle::config::num_teams(settings()); }

HEDDLE_EXPORT void omp_set_teams_thread_limit(int limit) {
    heddle::config::set_teams_thread_limit(limit);
}
HEDDLE_EXPORT int omp_get_teams_thread_limit() {
    return heddle::config::teams_thread_limit(settings());
}

/// Outside a teams region the league has one team.
HEDDLE_EXPORT int omp_get_num_teams() {
    return heddle::team::initial_team(heddle::team::self()).league.size;
}
HEDDLE_EXPORT int omp_get_team_num() {
    return heddle::team::initial_team(heddle::team::self()).league.number;
}

// Fortran: arguments by reference, `_8_` for programs compiled with 8-byte integers.

HEDDLE_EXPORT void omp_display_env_(const int32_t* verbose) { display(*verbose != 0); }
HEDDLE_EXPORT void omp_display_env_8_(const int64_t* verbose) { display(*verbose != 0); }
HEDDLE_EXPORT double omp_get_wtime_() { return omp_get_wtime(); }
HEDDLE_EXPORT double omp_get_wtick_() { return omp_get_wtick(); }
HEDDLE_EXPORT int32_t omp_pause_resource_(const int32_t* kind, const int32_t* device) {
    return pause(*kind, *device);
}
HEDDLE_EXPORT int32_t omp_pause_resource_all_(const int32_t* kind) { return pause_all(*kind); }
HEDDLE_EXPORT int32_t omp_get_num_procs_() { return omp_get_num_procs(); }
HEDDLE_EXPORT int32_t omp_get_cancellation_() { return omp_get_cancellation(); }
HEDDLE_EXPORT int32_t omp_get_max_task_priority_() { return omp_get_max_task_priority(); }
HEDDLE_EXPORT int32_t omp_get_supported_active_levels_() {
    return omp_get_supported_active_levels();
}
HEDDLE_EXPORT void omp_set_num_teams_(const int32_t* count) { omp_set_num_teams(*count); }
HEDDLE_EXPORT void omp_set_num_teams_8_(const int64_t* count) { omp_set_num_teams(to_int(*count)); }
HEDDLE_EXPORT int32_t omp_get_max_teams_() { return omp_get_max_teams(); }
HEDDLE_EXPORT void omp_set_teams_thread_limit_(const int32_t* limit) {
    omp_set_teams_thread_limit(*limit);
}
HEDDLE_EXPORT void omp_set_teams_thread_limit_8_(const int64_t* limit) {
    omp_set_teams_thread_limit(to_int(*limit));
}
HEDDLE_EXPORT int32_t omp_get_teams_thread_limit_() { return omp_get_teams_thread_limit(); }
HEDDLE_EXPORT int32_t omp_get_num_teams_() { return omp_get_num_teams(); }
HEDDLE_EXPORT int32_t omp_get_team_num_() { return omp_get_team_num(); }
