// SPDX-License-Identifier: Apache-2.0
// Task reductions: GOMP_taskgroup_reduction_*, GOMP_task_reduction_remap, GOMP_scope_start and the
// parallel and worksharing forms. Called by code that gcc generates, on the encountering thread.
// A `uintptr_t*` is a reduction block in the layout that construct/reduction.hpp describes.
#include "construct/reduction.hpp"

#include "abi/export.hpp"
#include "abi/gomp/flags.hpp"
#include "construct/worksharing.hpp"

using namespace heddle;

HEDDLE_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t* block) {
    construct::register_reductions(team::self(), block);
}

HEDDLE_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t* block) {
    construct::unregister_reductions(block);
}

HEDDLE_EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals, void** pointers) {
    construct::find_reduction_copies(team::self(), count, originals, pointers);
}

/// The block's address is the first word of `data`. Answers with the number of threads.
HEDDLE_EXPORT unsigned GOMP_parallel_reductions(void (*function)(void*), void* data,
                                                unsigned num_threads, unsigned flags) {
    return construct::parallel_with_reductions(
        function, data, num_threads, *static_cast<uintptr_t**>(data), abi::bind_clause(flags));
}

/// The scope construct, where it has reduction(task, ...): the compiler does the rest of it.
HEDDLE_EXPORT void GOMP_scope_start(uintptr_t* reductions) {
    team::Member& member = team::self();
    construct::enter_workshare(member, [](team::Workshare&) {});
    construct::begin_workshare_reductions(member, reductions);
}

HEDDLE_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    construct::end_workshare_reductions(team::self(), cancelled);
}
