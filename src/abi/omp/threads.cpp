// SPDX-License-Identifier: Apache-2.0
// omp_* routines on threads, teams, levels and dynamic adjustment (OpenMP 5.2 sections 18.2, 18.3,
// 18.5.3), in C and Fortran spellings. Called by user programs on any thread; generated code calls
// omp_get_thread_num and omp_get_num_threads for every static loop.
#include "abi/export.hpp"
#include "construct/icvs.hpp"
#include "tool/ompt.hpp"

using namespace heddle;
using construct::task_icvs;
using construct::task_icvs_for_write;

namespace {

int saturate(int64_t value) {
    return value > 0x7fffffff    ? 0x7fffffff
           : value < -0x7fffffff ? -0x7fffffff
                                 : static_cast<int>(value);
}

/// The membership of the calling thread's ancestor at `level`; nullptr out of range.
const team::Member* ancestor(int level) {
    const team::Member* member = &team::self();
    if (level < 0 || level > member->team->level)
        return nullptr;
    while (member->team->level > level)
        member = member->team->parent; // a team's ancestor is that of its primary thread
    return member;
}

} // namespace

HEDDLE_EXPORT int omp_get_thread_num() {
    const team::Member* member = team::self_or_null();
    return HEDDLE_LIKELY(member != nullptr) ? member->number : 0;
}

HEDDLE_EXPORT int omp_get_num_threads() {
    const team::Member* member = team::self_or_null();
    if (HEDDLE_LIKELY(member != nullptr))
        return member->team_size;
    if (tool::start_tool)
        tool::start_tool(); // this may be the first that the program wants of us
    return 1;
}

HEDDLE_EXPORT void omp_set_num_threads(int count) {
    task_icvs_for_write().nthreads = count > 0 ? count : 1;
}

HEDDLE_EXPORT int omp_get_max_threads() { return task_icvs().nthreads; }

HEDDLE_EXPORT int omp_in_parallel() { return team::self().team->active_level > 0; }

HEDDLE_EXPORT void omp_set_dynamic(int value) { task_icvs_for_write().dynamic = value != 0; }
HEDDLE_EXPORT int omp_get_dynamic() { return task_icvs().dynamic; }

HEDDLE_EXPORT void omp_set_nested(int value) {
    config::Icvs& icvs = task_icvs_for_write();
    if (value)
        icvs.max_active_levels = config::max_supported_levels;
    else if (icvs.max_active_levels > 1)
        icvs.max_active_levels = 1;
}

HEDDLE_EXPORT int omp_get_nested() {
    return task_icvs().max_active_levels > 1 &&
           task_icvs().max_active_levels > team::self().team->active_level;
}

HEDDLE_EXPORT void omp_set_max_active_levels(int levels) {
    if (levels < 0)
        return; // OpenMP 5.2 section 18.2.18: the value stays
    task_icvs_for_write().max_active_levels =
        levels < config::max_supported_levels ? levels : config::max_supported_levels;
}
HEDDLE_EXPORT int omp_get_max_active_levels() { return task_icvs().max_active_levels; }

HEDDLE_EXPORT int omp_get_thread_limit() { return task_icvs().thread_limit; }

HEDDLE_EXPORT int omp_get_level() { return team::self().team->level; }
HEDDLE_EXPORT int omp_get_active_level() { return team::self().team->active_level; }

HEDDLE_EXPORT int omp_get_ancestor_thread_num(int level) {
    const team::Member* member = ancestor(level);
    return member ? member->number : -1;
}

HEDDLE_EXPORT int omp_get_team_size(int level) {
    const team::Member* member = ancestor(level);
    return member ? member->team->size : -1;
}

HEDDLE_EXPORT int omp_in_final() { return team::self().current->context()->final; }

// Fortran: arguments by reference; `_8_` takes 64-bit integers.
HEDDLE_EXPORT int omp_get_thread_num_() { return omp_get_thread_num(); }
HEDDLE_EXPORT int omp_get_num_threads_() { return omp_get_num_threads(); }
HEDDLE_EXPORT void omp_set_num_threads_(const int* count) { omp_set_num_threads(*count); }
HEDDLE_EXPORT void omp_set_num_threads_8_(const int64_t* count) {
    omp_set_num_threads(saturate(*count));
}
HEDDLE_EXPORT int omp_get_max_threads_() { return omp_get_max_threads(); }
HEDDLE_EXPORT int omp_in_parallel_() { return omp_in_parallel(); }
HEDDLE_EXPORT void omp_set_dynamic_(const int* value) { omp_set_dynamic(*value); }
HEDDLE_EXPORT void omp_set_dynamic_8_(const int64_t* value) { omp_set_dynamic(*value != 0); }
HEDDLE_EXPORT int omp_get_dynamic_() { return omp_get_dynamic(); }
HEDDLE_EXPORT void omp_set_nested_(const int* value) { omp_set_nested(*value); }
HEDDLE_EXPORT void omp_set_nested_8_(const int64_t* value) { omp_set_nested(*value != 0); }
HEDDLE_EXPORT int omp_get_nested_() { return omp_get_nested(); }
HEDDLE_EXPORT void omp_set_max_active_levels_(const int* levels) {
    omp_set_max_active_levels(*levels);
}
HEDDLE_EXPORT void omp_set_max_active_levels_8_(const int64_t* levels) {
    omp_set_max_active_levels(saturate(*levels));
}
HEDDLE_EXPORT int omp_get_max_active_levels_() { return omp_get_max_active_levels(); }
HEDDLE_EXPORT int omp_get_thread_limit_() { return omp_get_thread_limit(); }
HEDDLE_EXPORT int omp_get_level_() { return omp_get_level(); }
HEDDLE_EXPORT int omp_get_active_level_() { return omp_get_active_level(); }
HEDDLE_EXPORT int omp_get_ancestor_thread_num_(const int* level) {
    return omp_get_ancestor_thread_num(*level);
}
HEDDLE_EXPORT int omp_get_ancestor_thread_num_8_(const int64_t* level) {
    return omp_get_ancestor_thread_num(saturate(*level));
}
HEDDLE_EXPORT int omp_get_team_size_(const int* level) { return omp_get_team_size(*level); }
HEDDLE_EXPORT int omp_get_team_size_8_(const int64_t* level) {
    return omp_get_team_size(saturate(*level));
}
HEDDLE_EXPORT int omp_in_final_() { return omp_in_final(); }
