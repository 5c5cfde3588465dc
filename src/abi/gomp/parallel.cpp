// SPDX-License-Identifier: Apache-2.0
// GOMP_parallel and the older start/end pair; `parallel sections` combined.
// Called by code that gcc generates, on the encountering thread.
#include "construct/parallel.hpp"

#include "abi/export.hpp"
#include "abi/gomp/flags.hpp"
#include "construct/sections.hpp"

using namespace heddle;

HEDDLE_EXPORT void GOMP_parallel(void (*function)(void*), void* data, unsigned num_threads,
                                 unsigned flags) {
    construct::parallel(function, data, num_threads, abi::bind_clause(flags));
}

HEDDLE_EXPORT void GOMP_parallel_start(void (*function)(void*), void* data, unsigned num_threads) {
    construct::start_parallel(construct::begin_parallel(num_threads), function, data);
}

HEDDLE_EXPORT void GOMP_parallel_end() { construct::end_parallel(); }

static void begin_sections(void (*function)(void*), void* data, unsigned num_threads,
                           unsigned count, unsigned flags) {
    team::Member& primary = construct::begin_parallel(num_threads, abi::bind_clause(flags));
    construct::prepare_combined_sections(primary, count);
    construct::start_parallel(primary, function, data);
}

HEDDLE_EXPORT void GOMP_parallel_sections_start(void (*function)(void*), void* data,
                                                unsigned num_threads, unsigned count) {
    begin_sections(function, data, num_threads, count, 0);
}

HEDDLE_EXPORT void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned num_threads,
                                          unsigned count, unsigned flags) {
    begin_sections(function, data, num_threads, count, flags);
    function(data);
    construct::end_parallel();
}
