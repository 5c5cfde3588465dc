// SPDX-License-Identifier: Apache-2.0
// Questions about threads and regions, and what programs call before the first and after the last
// region. Called by generated code on any thread; every function that contains a construct begins
// with the question for the thread's global number. Facts: LLVM's OpenMP runtime interface.
#include "abi/kmp/ident.hpp"
#include "team/fork_join.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;

HEDDLE_EXPORT Gtid __kmpc_global_thread_num(Ident*) {
    return abi::kmp::global_number(team::self());
}
/// The threads that the runtime has known.
HEDDLE_EXPORT int32_t __kmpc_global_num_threads(Ident*) { return team::workers_made(); }
HEDDLE_EXPORT int32_t __kmpc_bound_thread_num(Ident*) { return team::self().number; }
HEDDLE_EXPORT int32_t __kmpc_bound_num_threads(Ident*) { return team::self().team_size; }
HEDDLE_EXPORT int32_t __kmpc_in_parallel(Ident*) { return team::self().team->active_level > 0; }

/// A number that no other task has while this one exists; not 0.
HEDDLE_EXPORT uint64_t __kmpc_get_taskid() {
    return reinterpret_cast<uint64_t>(team::self().current);
}
/// Of an implicit task: the number of the task that encountered the region. 0 for the initial task,
/// and for explicit tasks, of which the runtime does not keep who has created them.
HEDDLE_EXPORT uint64_t __kmpc_get_parent_taskid() {
    const team::Member& member = team::self();
    const bool implicit = member.current == &member.implicit_task;
    return implicit && member.team->parent
               ? reinterpret_cast<uint64_t>(member.team->parent->current)
               : 0;
}

/// Whether a parallel region may begin: always.
HEDDLE_EXPORT int32_t __kmpc_ok_to_fork(Ident*) { return 1; }

// The runtime begins with its first use, and goes on until the process ends.
HEDDLE_EXPORT void __kmpc_begin(Ident*, int32_t) {}
HEDDLE_EXPORT void __kmpc_end(Ident*) {}

/// omp_pause_resource_t: soft is 1, hard is 2. 0 when the resources were given up, 1 when not.
HEDDLE_EXPORT int32_t __kmpc_pause_resource(int32_t level) {
    return (level == 1 || level == 2) && team::pause_resources() ? 0 : 1;
}
