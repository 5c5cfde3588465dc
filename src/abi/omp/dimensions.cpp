// SPDX-License-Identifier: Apache-2.0
// The routines on multidimensional teams and leagues, and on the distances of devices (OpenMP 6.1).
// Called by users' programs on any thread. Teams and leagues have one dimension here, number 0;
// every other one has the size 1. Results are those of gcc 17's libgomp on the host.
#include "abi/export.hpp"
#include "construct/target.hpp"

#include <climits>
#include <cstdint>

extern "C" {
int omp_get_num_teams();
int omp_get_team_num();
int omp_get_num_threads();
int omp_get_thread_num();
int omp_get_thread_limit();
}

namespace {

using heddle::construct::is_host;

constexpr int dimensions = 1;

/// What the host supports in one dimension, of teams or threads.
int supported(int device, int dimension) {
    if (!is_host(device))
        return 0;
    return dimension == 0 ? INT_MAX : 1;
}

} // namespace

HEDDLE_EXPORT int omp_get_num_teams_dim(int dim) { return dim == 0 ? omp_get_num_teams() : 1; }
HEDDLE_EXPORT int omp_get_team_num_dim(int dim) { return dim == 0 ? omp_get_team_num() : 0; }
HEDDLE_EXPORT int omp_get_num_threads_dim(int dim) { return dim == 0 ? omp_get_num_threads() : 1; }
HEDDLE_EXPORT int omp_get_thread_num_dim(int dim) { return dim == 0 ? omp_get_thread_num() : 0; }
HEDDLE_EXPORT int omp_get_thread_limit_dim(int dim) {
    return dim == 0 ? omp_get_thread_limit() : 1;
}

/// How many dimensions a team may have on `device`, 0 for a device that does not exist.
HEDDLE_EXPORT int omp_get_supported_active_team_dims(int device, int /*native_support*/) {
    return is_host(device) ? dimensions : 0;
}
/// The same for a league.
HEDDLE_EXPORT int omp_get_supported_active_league_dims(int device, int /*native_support*/) {
    return is_host(device) ? dimensions : 0;
}
/// How many teams a dimension may have on `device`, 0 for a device that does not exist.
HEDDLE_EXPORT int omp_get_supported_teams_dim(int device, int dim) {
    return supported(device, dim);
}
/// The same for threads.
HEDDLE_EXPORT int omp_get_supported_threads_dim(int device, int dim) {
    return supported(device, dim);
}

/// For each of `count` devices the distance to the host: 0 for the host itself, -1 for a number
/// that is no device.
HEDDLE_EXPORT void omp_get_device_distances(int count, const int* devices, int* distances) {
    for (int i = 0; i < count; i++)
        distances[i] = is_host(devices[i]) ? 0 : -1;
}

// Fortran: logicals by reference; the others are bind(c) with value arguments.
HEDDLE_EXPORT int32_t omp_get_supported_active_team_dims_(const int32_t* device,
                                                          const int32_t* native_support) {
    return omp_get_supported_active_team_dims(*device, *native_support);
}
HEDDLE_EXPORT int32_t omp_get_supported_active_league_dims_(const int32_t* device,
                                                            const int32_t* native_support) {
    return omp_get_supported_active_league_dims(*device, *native_support);
}
