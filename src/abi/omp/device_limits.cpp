// SPDX-License-Identifier: Apache-2.0
// The teams ICVs of a device by its number (OpenMP 6.0 sections 24.7, 24.11 to 24.14).
// Called by users' programs on any thread. The host is the only device, and its ICVs are those of
// omp_set_num_teams and its kin; a number that is no device ends the program, as specified.
#include "abi/export.hpp"
#include "construct/target.hpp"

extern "C" {
int omp_get_max_teams();
void omp_set_num_teams(int count);
int omp_get_teams_thread_limit();
void omp_set_teams_thread_limit(int limit);
}

using heddle::construct::is_host;

/// nteams-var of `device`, 0 when not set or when there is no such device.
HEDDLE_EXPORT int omp_get_device_num_teams(int device) {
    return is_host(device) ? omp_get_max_teams() : 0;
}

HEDDLE_EXPORT void omp_set_device_num_teams(int count, int device) {
    if (!is_host(device))
        heddle::platform::die("omp_set_device_num_teams: there is no such device");
    omp_set_num_teams(count);
}

/// teams-thread-limit-var of `device`, 0 when not set or when there is no such device.
HEDDLE_EXPORT int omp_get_device_teams_thread_limit(int device) {
    return is_host(device) ? omp_get_teams_thread_limit() : 0;
}

HEDDLE_EXPORT void omp_set_device_teams_thread_limit(int limit, int device) {
    if (!is_host(device))
        heddle::platform::die("omp_set_device_teams_thread_limit: there is no such device");
    omp_set_teams_thread_limit(limit);
}

/// How many hardware threads of `device` make progress only together: 1 on the host, 0 when there
/// is no such device.
HEDDLE_EXPORT int omp_get_max_progress_width(int device) { return is_host(device) ? 1 : 0; }
