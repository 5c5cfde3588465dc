// SPDX-License-Identifier: Apache-2.0
// Entry points that gcc 17 calls where older compilers call an omp_* routine or nothing: static
// loops, masked, single, barriers and reductions, which name their ends for the sake of tools.
// Called by code that gcc generates, on each thread of the team. They do what the older entry
// points do, and tell a tool more than those can.
#include "abi/export.hpp"
#include "construct/critical.hpp"
#include "construct/single.hpp"
#include "schedule/wait.hpp"
#include "team/tool_events.hpp"

#include <cstdint>

using namespace heddle;

extern "C" {
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

namespace {

/// A tool hears of work that generated code shares out.
void tell_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, uint64_t count, const void* code) {
    if (const team::Member& member = team::self(); HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_work(member, kind, endpoint, count, code);
}

void tell_chunk(ompt_dispatch_t kind, uint64_t start, uint64_t iterations) {
    if (const team::Member& member = team::self(); HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_chunk(member, kind, start, iterations);
}

/// 0 a parallel region's, 1 a worksharing region's, 2 the user's. The end of a region is another
/// entry point's: inside it 0 is one that generated code needs.
ompt_sync_region_t kind_of_barrier(int kind) {
    return kind == 0   ? ompt_sync_region_barrier_implementation
           : kind == 1 ? ompt_sync_region_barrier_implicit_workshare
                       : ompt_sync_region_barrier_explicit;
}

} // namespace

// Without -fopenmp-ompt gcc calls the first of each four alone; the others are for tools.

HEDDLE_EXPORT CountAndNumber GOMP_loop_static_worksharing(unsigned long long /*iterations*/) {
    return {omp_get_num_threads(), omp_get_thread_num()};
}
HEDDLE_EXPORT CountAndNumber GOMP_loop_static_worksharing_start(unsigned long long iterations) {
    tell_work(ompt_work_loop_static, ompt_scope_begin, iterations, __builtin_return_address(0));
    return {omp_get_num_threads(), omp_get_thread_num()};
}
HEDDLE_EXPORT void GOMP_loop_static_worksharing_dispatch(unsigned long long start,
                                                         unsigned long long iterations) {
    tell_chunk(ompt_dispatch_ws_loop_chunk, start, iterations);
}
HEDDLE_EXPORT void GOMP_loop_static_worksharing_end() {
    tell_work(ompt_work_loop_static, ompt_scope_end, 0, __builtin_return_address(0));
}

HEDDLE_EXPORT CountAndNumber GOMP_distribute_static_worksharing(unsigned long long /*iterations*/) {
    return {omp_get_num_teams(), omp_get_team_num()};
}
HEDDLE_EXPORT CountAndNumber
GOMP_distribute_static_worksharing_start(unsigned long long iterations) {
    tell_work(ompt_work_distribute, ompt_scope_begin, iterations, __builtin_return_address(0));
    return {omp_get_num_teams(), omp_get_team_num()};
}
HEDDLE_EXPORT void GOMP_distribute_static_worksharing_dispatch(unsigned long long start,
                                                               unsigned long long iterations) {
    tell_chunk(ompt_dispatch_distribute_chunk, start, iterations);
}
HEDDLE_EXPORT void GOMP_distribute_static_worksharing_end() {
    tell_work(ompt_work_distribute, ompt_scope_end, 0, __builtin_return_address(0));
}

/// Whether the calling thread executes a masked region with this filter. The end comes with
/// -fopenmp-ompt only, so a tool is told of neither.
HEDDLE_EXPORT bool GOMP_has_masked_thread_num(int filter) { return omp_get_thread_num() == filter; }
HEDDLE_EXPORT void GOMP_masked_end() {}

HEDDLE_EXPORT bool GOMP_single_start_with_end() {
    team::Member& member = team::self();
    const bool mine = construct::begin_single(member);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        construct::tell_single(member, mine, false, __builtin_return_address(0));
    return mine;
}
/// On the executing thread only.
HEDDLE_EXPORT void GOMP_single_end() {
    tell_work(ompt_work_single_executor, ompt_scope_end, 1, __builtin_return_address(0));
}

HEDDLE_EXPORT void GOMP_barrier_ext(int kind) {
    schedule::wait_at_barrier(team::self(), kind_of_barrier(kind));
}
HEDDLE_EXPORT bool GOMP_barrier_cancel_ext(int /*kind*/) { return GOMP_barrier_cancel(); }

// Where a reduction combines its parts; the same lock as GOMP_atomic_start, for code of an older
// compiler may take part in the same reduction.
HEDDLE_EXPORT void GOMP_reduction_start() {
    construct::acquire_atomic_region();
    if (const team::Member& member = team::self(); HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_reduction(member, ompt_scope_begin, __builtin_return_address(0));
}
HEDDLE_EXPORT void GOMP_reduction_end() {
    construct::atomic_region.lock.unlock();
    if (const team::Member& member = team::self(); HEDDLE_UNLIKELY(team::tells(member)))
        team::tell_reduction(member, ompt_scope_end, __builtin_return_address(0));
}
