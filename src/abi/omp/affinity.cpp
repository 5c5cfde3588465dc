// SPDX-License-Identifier: Apache-2.0
// omp_* routines on binding, places and the display of affinity (OpenMP 5.2 sections 18.3, 18.8),
// in C and Fortran spellings. Called by user programs on any thread. The places are constant; where
// threads are in them is for each thread to say. Where bind-var is false there are no places.
#include "abi/export.hpp"
#include "construct/affinity_format.hpp"
#include "construct/icvs.hpp"
#include "place/places.hpp"
#include "team/placement.hpp"

#include <cstring>

using namespace heddle;

namespace {

std::string_view text_or_empty(const char* text) {
    return text ? std::string_view(text) : std::string_view();
}

/// Ends a C string of `length` characters in a buffer of `size` bytes, cutting it if need be.
void terminate(char* buffer, size_t size, size_t length) {
    if (size)
        buffer[length < size ? length : size - 1] = '\0';
}

/// Fills a Fortran character variable of `size` characters after the first `length`. The result is
/// for gfortran's 4-byte integers and for flang's of 8 bytes.
size_t pad(char* buffer, size_t size, size_t length) {
    if (length < size)
        memset(buffer + length, ' ', size - length);
    return length < INT32_MAX ? length : INT32_MAX;
}

/// The CPUs of place number `place`; nullptr when there is no such place.
const config::CpuSet* place_at(int64_t place) {
    const config::PlaceList& places = place::places();
    return place >= 0 && place < places.count() ? &places[static_cast<int>(place)] : nullptr;
}

int count_procs(int64_t place) {
    const config::CpuSet* cpus = place_at(place);
    return cpus ? cpus->count() : 0;
}

template <class Integer>
void list_procs(int64_t place, Integer* ids) {
    const config::CpuSet* cpus = place_at(place);
    for (int cpu = cpus ? cpus->next(0) : -1; cpu >= 0; cpu = cpus->next(cpu + 1))
        *ids++ = cpu;
}

template <class Integer>
void list_partition(Integer* places) {
    const place::Partition partition = team::partition_of(team::self());
    for (int32_t i = 0; i < partition.count; ++i)
        places[i] = partition.first + i;
}

} // namespace

HEDDLE_EXPORT int omp_get_proc_bind() { return static_cast<int>(construct::task_icvs().bind); }

HEDDLE_EXPORT int omp_get_num_places() { return place::places().count(); }
HEDDLE_EXPORT int omp_get_place_num() { return team::place_number(team::self()); }
HEDDLE_EXPORT int omp_get_place_num_procs(int place) { return count_procs(place); }
HEDDLE_EXPORT void omp_get_place_proc_ids(int place, int* ids) { list_procs(place, ids); }
HEDDLE_EXPORT int omp_get_partition_num_places() { return team::partition_of(team::self()).count; }
HEDDLE_EXPORT void omp_get_partition_place_nums(int* places) { list_partition(places); }

HEDDLE_EXPORT void omp_set_affinity_format(const char* format) {
    construct::set_affinity_format(text_or_empty(format));
}

HEDDLE_EXPORT size_t omp_get_affinity_format(char* buffer, size_t size) {
    const size_t length = construct::get_affinity_format(buffer, size);
    terminate(buffer, size, length);
    return length;
}

HEDDLE_EXPORT void omp_display_affinity(const char* format) {
    construct::display_affinity(text_or_empty(format));
}

HEDDLE_EXPORT size_t omp_capture_affinity(char* buffer, size_t size, const char* format) {
    const size_t length = construct::capture_affinity(text_or_empty(format), buffer, size);
    terminate(buffer, size, length);
    return length;
}

// The only routine of detached tasks; construct/ has none of them yet.
// Fortran: arguments by reference, character lengths at the end, blanks where C has a NUL.
HEDDLE_EXPORT int32_t omp_get_proc_bind_() { return omp_get_proc_bind(); }
HEDDLE_EXPORT int32_t omp_get_num_places_() { return omp_get_num_places(); }
HEDDLE_EXPORT int32_t omp_get_place_num_() { return omp_get_place_num(); }
HEDDLE_EXPORT int32_t omp_get_place_num_procs_(const int32_t* place) { return count_procs(*place); }
HEDDLE_EXPORT int32_t omp_get_place_num_procs_8_(const int64_t* place) {
    return count_procs(*place);
}
HEDDLE_EXPORT void omp_get_place_proc_ids_(const int32_t* place, int32_t* ids) {
    list_procs(*place, ids);
}
HEDDLE_EXPORT void omp_get_place_proc_ids_8_(const int64_t* place, int64_t* ids) {
    list_procs(*place, ids);
}
HEDDLE_EXPORT int32_t omp_get_partition_num_places_() { return omp_get_partition_num_places(); }
HEDDLE_EXPORT void omp_get_partition_place_nums_(int32_t* places) { list_partition(places); }
HEDDLE_EXPORT void omp_get_partition_place_nums_8_(int64_t* places) { list_partition(places); }

HEDDLE_EXPORT void omp_set_affinity_format_(const char* format, size_t length) {
    construct::set_affinity_format({format, length});
}

HEDDLE_EXPORT size_t omp_get_affinity_format_(char* buffer, size_t size) {
    return pad(buffer, size, construct::get_affinity_format(buffer, size));
}

HEDDLE_EXPORT void omp_display_affinity_(const char* format, size_t length) {
    construct::display_affinity({format, length});
}

HEDDLE_EXPORT size_t omp_capture_affinity_(char* buffer, const char* format, size_t size,
                                           size_t length) {
    return pad(buffer, size, construct::capture_affinity({format, length}, buffer, size));
}
