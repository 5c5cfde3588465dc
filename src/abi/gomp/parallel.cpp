// SPDX-License-Identifier: Apache-2.0
// GOMP_parallel and the older start/end pair; `parallel sections` combined.
// Called by code that gcc generates, on the encountering thread.
#include "construct/parallel.hpp"

#include "abi/export.hpp"
#include "construct/sections.hpp"

using namespace heddle;

HEDDLE_EXPORT void GOMP_parallel(void (*function)(void*), void* data, unsigned num_threads,
                                 unsigned /*flags: proc_bind*/) {
    construct::parallel(function, data, num_threads);
}

HEDDLE_EXPORT void GOMP_parallel_start(void (*function)(void*), void* data, unsigned num_threads) {
    construct::start_parallel(construct::begin_parallel(num_threads), function, data);
}

HEDDLE_EXPORT void GOMP_parallel_end() { construct::end_parallel(); }

HEDDLE_EXPORT void GOMP_parallel_sections_start(void (*function)(void*), void* data,
                                                unsigned num_threads, unsigned count) {
    team::Member& primary = construct::begin_parallel(num_threads);
    construct::describe_sections(*primary.team->first_workshare, count);
    construct::start_parallel(primary, function, data);
}

HEDDLE_EXPORT void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned num_threads,
                                          unsigned count, unsigned /*flags*/) {
    GOMP_parallel_sections_start(function, data, num_threads, count);
    function(data);
    construct::end_parallel();
}
