// SPDX-License-Identifier: Apache-2.0
// GOMP_loop_doacross_* and GOMP_doacross_*, on long and on unsigned long long.
// Called by code that gcc generates for ordered(n), on each thread of the team; further chunks come
// from the next entries of loop.cpp. All numbers are iteration numbers, counted from 0, and sinks
// outside of the loops are left out by gcc.
#include "construct/doacross.hpp"

#include "abi/export.hpp"
#include "construct/loop.hpp"
#include "construct/reduction.hpp"
#include "team/tool_events.hpp"

#include <cstdarg>

using namespace heddle;

namespace {

using Ull = unsigned long long;
using config::ScheduleKind;

template <class T>
[[gnu::always_inline]] inline bool begin(unsigned dimensions, const T* counts,
                                         ScheduleKind schedule, T chunk, T* first, T* last,
                                         uintptr_t* reductions = nullptr, void** memory = nullptr) {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, HEDDLE_CALLER);
    const size_t size = memory ? reinterpret_cast<uintptr_t>(*memory) : 0;
    construct::begin_doacross(member, {dimensions, reinterpret_cast<const uint64_t*>(counts),
                                       schedule, static_cast<uint64_t>(chunk), size});
    if (memory)
        *memory = construct::doacross_memory(member);
    if (reductions)
        construct::begin_workshare_reductions(member, reductions);
    if (HEDDLE_UNLIKELY(team::counts(member)))
        construct::note_loop_begin(
            member,
            {{0, 0, 1, static_cast<uint64_t>(counts[0])}, {schedule, true, 0}, 0, false, 0, false});
    return construct::find_chunk(member, reinterpret_cast<uint64_t*>(first),
                                 reinterpret_cast<uint64_t*>(last));
}

/// The `schedule` argument of the general entry is a ScheduleKind, with a bit for monotonic, which
/// doacross loops always are.
constexpr ScheduleKind kind_argument(long schedule) {
    return static_cast<ScheduleKind>(schedule & 7);
}

/// The source or sink of iteration (outer, next(), ...).
template <class Next>
[[gnu::noinline]] void tell(const team::Member& member, ompt_dependence_type_t type, uint64_t outer,
                            Next&& next) {
    const construct::Doacross* loop = construct::doacross_of(member);
    if (!loop)
        return;
    auto* numbers = static_cast<int64_t*>(__builtin_alloca(loop->dimensions * sizeof(int64_t)));
    numbers[0] = static_cast<int64_t>(outer);
    for (uint32_t i = 1; i < loop->dimensions; ++i)
        numbers[i] = static_cast<int64_t>(next());
    team::tell_iteration(member, type, numbers, loop->dimensions);
}

template <class T>
void post(const T* iteration) {
    team::Member& member = team::self();
    const uint64_t outer = static_cast<uint64_t>(*iteration);
    if (HEDDLE_UNLIKELY(team::tells(member)))
        tell(member, ompt_dependence_type_source, outer,
             [next = iteration + 1]() mutable { return *next++; });
    construct::post_doacross(
        member, outer, [next = iteration + 1]() mutable { return static_cast<uint64_t>(*next++); });
}

/// `others` are as many further arguments as the loop has inner dimensions.
template <class T>
void wait(T first, va_list others) {
    team::Member& member = team::self();
    const auto outer = static_cast<uint64_t>(first);
    if (HEDDLE_UNLIKELY(team::tells(member))) {
        va_list told;
        va_copy(told, others);
        tell(member, ompt_dependence_type_sink, outer, [&] { return va_arg(told, T); });
        va_end(told);
    }
    construct::wait_doacross(member, outer,
                             [&] { return static_cast<uint64_t>(va_arg(others, T)); });
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

HEDDLE_EXPORT void GOMP_doacross_wait(long first, ...) {
    va_list others;
    va_start(others, first);
    wait(first, others);
    va_end(others);
}
HEDDLE_EXPORT void GOMP_doacross_ull_wait(Ull first, ...) {
    va_list others;
    va_start(others, first);
    wait(first, others);
    va_end(others);
}
