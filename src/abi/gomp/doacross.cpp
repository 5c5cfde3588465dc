// SPDX-License-Identifier: Apache-2.0
// GOMP_loop_doacross_* and GOMP_doacross_*, on long and on unsigned long long.
// Called by code that gcc generates for ordered(n), on each thread of the team; further chunks come
// from the next entries of loop.cpp. All numbers are iteration numbers, counted from 0, and sinks
// outside of the loops are left out by gcc.
#include "construct/doacross.hpp"

#include "abi/export.hpp"
#include "construct/loop.hpp"
#include "construct/reduction.hpp"

#include <cstdarg>

using namespace heddle;

namespace {

using Ull = unsigned long long;
using config::ScheduleKind;

template <class T>
bool begin(unsigned dimensions, const T* counts, ScheduleKind schedule, T chunk, T* first, T* last,
           uintptr_t* reductions = nullptr, void** memory = nullptr) {
    team::Member& member = team::self();
    const size_t size = memory ? reinterpret_cast<uintptr_t>(*memory) : 0;
    construct::begin_doacross(member, {dimensions, reinterpret_cast<const uint64_t*>(counts),
                                       schedule, static_cast<uint64_t>(chunk), size});
    if (memory)
        *memory = construct::doacross_memory(member);
    if (reductions)
        construct::begin_workshare_reductions(member, reductions);
    return construct::find_chunk(member, reinterpret_cast<uint64_t*>(first),
                                 reinterpret_cast<uint64_t*>(last));
}

/// The `schedule` argument of the general entry is a ScheduleKind, with a bit for monotonic, which
/// doacross loops always are.
constexpr ScheduleKind kind_argument(long schedule) {
    return static_cast<ScheduleKind>(schedule & 7);
}

template <class T>
void post(const T* iteration) {
    const T* inner = iteration + 1;
    construct::post_doacross(team::self(), static_cast<uint64_t>(*iteration),
                             [&] { return static_cast<uint64_t>(*inner++); });
}

} // namespace

#define HEDDLE_DOACROSS(name, kind)                                                                \
    HEDDLE_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned n, long* counts, long chunk,     \
                                                         long* b, long* e) {                       \
        return begin(n, counts, kind, chunk, b, e);                                                \
    }                                                                                              \
    HEDDLE_EXPORT bool GOMP_loop_ull_doacross_##name##_start(unsigned n, Ull* counts, Ull chunk,   \
                                                             Ull* b, Ull* e) {                     \
        return begin(n, counts, kind, chunk, b, e);                                                \
    }

HEDDLE_DOACROSS(static, ScheduleKind::static_)
HEDDLE_DOACROSS(dynamic, ScheduleKind::dynamic)
HEDDLE_DOACROSS(guided, ScheduleKind::guided)

HEDDLE_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned n, long* counts, long* b, long* e) {
    return begin(n, counts, ScheduleKind::runtime, 0l, b, e);
}
HEDDLE_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned n, Ull* counts, Ull* b, Ull* e) {
    return begin(n, counts, ScheduleKind::runtime, 0ull, b, e);
}

HEDDLE_EXPORT bool GOMP_loop_doacross_start(unsigned n, long* counts, long schedule, long chunk,
                                            long* b, long* e, uintptr_t* reductions,
                                            void** memory) {
    return begin(n, counts, kind_argument(schedule), chunk, b, e, reductions, memory);
}
HEDDLE_EXPORT bool GOMP_loop_ull_doacross_start(unsigned n, Ull* counts, long schedule, Ull chunk,
                                                Ull* b, Ull* e, uintptr_t* reductions,
                                                void** memory) {
    return begin(n, counts, kind_argument(schedule), chunk, b, e, reductions, memory);
}

HEDDLE_EXPORT void GOMP_doacross_post(long* iteration) { post(iteration); }
HEDDLE_EXPORT void GOMP_doacross_ull_post(Ull* iteration) { post(iteration); }

// As many further arguments as the loop has inner dimensions.
HEDDLE_EXPORT void GOMP_doacross_wait(long first, ...) {
    va_list others;
    va_start(others, first);
    construct::wait_doacross(team::self(), static_cast<uint64_t>(first),
                             [&] { return static_cast<uint64_t>(va_arg(others, long)); });
    va_end(others);
}
HEDDLE_EXPORT void GOMP_doacross_ull_wait(Ull first, ...) {
    va_list others;
    va_start(others, first);
    construct::wait_doacross(team::self(), first,
                             [&]() -> uint64_t { return va_arg(others, Ull); });
    va_end(others);
}
