// SPDX-License-Identifier: Apache-2.0
// Entry points that gcc 17 calls where older compilers call an omp_* routine or nothing: static
// loops, masked, single, barriers and reductions, which name their ends for the sake of tools.
// Called by code that gcc generates, on each thread of the team. They do what the older entry points
// do, and tell a tool what those tell; the ends and numbers they add are not passed on to it yet.
#include "abi/export.hpp"
#include "construct/critical.hpp"
#include "construct/single.hpp"

#include <cstdint>

using namespace heddle;

extern "C" {
void GOMP_barrier();
bool GOMP_barrier_cancel();
int omp_get_num_teams();
int omp_get_team_num();
int omp_get_num_threads();
int omp_get_thread_num();

/// How gcc returns `_Complex int`: the real part in the low half of one 64-bit register.
struct CountAndNumber {
    int count;
    int number;
};
}

// The number of iterations and the chunk's bounds are for tools.

HEDDLE_EXPORT CountAndNumber GOMP_loop_static_worksharing(unsigned long long /*iterations*/) {
    return {omp_get_num_threads(), omp_get_thread_num()};
}
HEDDLE_EXPORT CountAndNumber GOMP_loop_static_worksharing_start(unsigned long long /*iterations*/) {
    return {omp_get_num_threads(), omp_get_thread_num()};
}
HEDDLE_EXPORT void GOMP_loop_static_worksharing_dispatch(unsigned long long /*start*/,
                                                         unsigned long long /*iterations*/) {}
HEDDLE_EXPORT void GOMP_loop_static_worksharing_end() {}

HEDDLE_EXPORT CountAndNumber GOMP_distribute_static_worksharing(unsigned long long /*iterations*/) {
    return {omp_get_num_teams(), omp_get_team_num()};
}
HEDDLE_EXPORT CountAndNumber
GOMP_distribute_static_worksharing_start(unsigned long long /*iterations*/) {
    return {omp_get_num_teams(), omp_get_team_num()};
}
HEDDLE_EXPORT void GOMP_distribute_static_worksharing_dispatch(unsigned long long /*start*/,
                                                               unsigned long long /*iterations*/) {}
HEDDLE_EXPORT void GOMP_distribute_static_worksharing_end() {}

/// Whether the calling thread executes a masked region with this filter.
HEDDLE_EXPORT bool GOMP_has_masked_thread_num(int filter) { return omp_get_thread_num() == filter; }
HEDDLE_EXPORT void GOMP_masked_end() {}

HEDDLE_EXPORT bool GOMP_single_start_with_end() { return construct::begin_single(team::self()); }
/// On the executing thread only.
HEDDLE_EXPORT void GOMP_single_end() {}

// `kind` tells a tool whose barrier it is: 0 a parallel region's, 1 a worksharing region's, 2 the
// user's.
HEDDLE_EXPORT void GOMP_barrier_ext(int /*kind*/) { GOMP_barrier(); }
HEDDLE_EXPORT bool GOMP_barrier_cancel_ext(int /*kind*/) { return GOMP_barrier_cancel(); }

// Where a reduction combines its parts; the same lock as GOMP_atomic_start, for code of an older
// compiler may take part in the same reduction.
HEDDLE_EXPORT void GOMP_reduction_start() { construct::acquire_atomic_region(); }
HEDDLE_EXPORT void GOMP_reduction_end() { construct::atomic_region.unlock(); }
