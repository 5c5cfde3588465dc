// SPDX-License-Identifier: Apache-2.0
// __kmpc_for_static_init_* and its relatives for distribute: loops of which every thread computes
// its own part. Called by code that clang, flang and icx generate, on each thread of the team; it
// writes the caller's variables only. OpenMP 5.2 sections 11.5.3 and 11.6.
#include "abi/kmp/static_loop.hpp"

#include "construct/iteration_flags.hpp"
#include "team/tool_events.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using abi::kmp::Range;
using abi::kmp::Sharer;
using abi::kmp::Signed;
using abi::kmp::Unsigned;
using team::Member;

namespace {

/// Values of the schedule argument, without the bits for monotonic and nonmonotonic.
enum : int32_t {
    static_chunked = 33,
    static_balanced_chunked = 45, ///< simd
    distribute_static_chunked = 91,
    distribute_static = 92,
};
constexpr int32_t modifiers = 3 << 29;

template <class T>
Unsigned<T> chunk_argument(Signed<T> chunk) {
    return chunk < 1 ? 1 : static_cast<Unsigned<T>>(chunk);
}

/// What generated code asks for by the bounds of a whole type: no iteration.
template <class T>
[[gnu::noinline, gnu::cold]] Range<T> no_loop(T* lower, T* upper, Signed<T> increment) {
    Range<T> range{*lower, *upper, increment};
    range.clear();
    *lower = range.lower;
    *upper = range.upper;
    return range;
}

/// The loop that generated code asks for.
template <class T>
[[gnu::always_inline]] inline Range<T> range_at(T* lower, T* upper, Signed<T> increment) {
    const Range<T> range{*lower, *upper, increment};
    return HEDDLE_UNLIKELY(range.is_whole()) ? no_loop(lower, upper, increment) : range;
}

/// One who is alone gets the loop as it is; `stride` leads behind it. False: there is no iteration.
template <class T>
bool needs_no_share(const Range<T>& range, uint32_t size, int32_t* last, Signed<T>* stride) {
    const bool empty = range.empty();
    if (!empty && size != 1)
        return false;
    *last = !empty;
    *stride = empty ? range.increment : abi::kmp::stride_behind(range, range.upper);
    return true;
}

/// What generated code says that a static loop is.
ompt_work_t kind_of_work(const Ident* where) {
    const int32_t flags = where ? where->flags : 0;
    return flags & abi::kmp::ident_flag::sections     ? ompt_work_sections
           : flags & abi::kmp::ident_flag::distribute ? ompt_work_distribute
                                                      : ompt_work_loop_static;
}

template <class T>
uint64_t count_of(const Range<T>& range) {
    return range.empty() ? 0 : uint64_t{range.last_index()} + 1;
}

template <class T>
void begin_loop(int32_t schedule, int32_t* last, T* lower, T* upper, Signed<T>* stride,
                Signed<T> increment, Signed<T> chunk) {
    schedule &= ~modifiers;
    Member& member = team::self();
    Range<T> range = range_at(lower, upper, increment);
    if (HEDDLE_UNLIKELY(member.workshare.flagged != nullptr && !range.empty()))
        construct::compare_with_loop(member, uint64_t{range.last_index()} + 1);
    const bool distributes = schedule == distribute_static || schedule == distribute_static_chunked;
    const Sharer sharer = distributes ? abi::kmp::team_of(member) : abi::kmp::thread_of(member);
    // In distribute parallel for clang makes chunks of one iteration a loop in steps of `stride`,
    // which takes for granted that no chunk is longer, even where the thread is alone.
    const bool one_by_one = schedule == static_chunked && chunk == 1 && !range.empty();
    if (!one_by_one && needs_no_share(range, sharer.size, last, stride))
        return;
    if (schedule == static_chunked || schedule == distribute_static_chunked) {
        *last = abi::kmp::take_chunks(range, sharer, chunk_argument<T>(chunk), stride);
    } else if (schedule == static_balanced_chunked) {
        *last = abi::kmp::take_rounded_block(range, sharer, chunk_argument<T>(chunk), stride);
    } else {
        // Who has one block takes no second step.
        *stride = static_cast<Signed<T>>(range.last_index() + 1);
        *last = abi::kmp::take_block(range, sharer);
    }
    *lower = range.lower;
    *upper = range.upper;
}

/// The thread's first chunk, or section.
template <class T>
void tell_first_chunk(const Member& member, const Ident* where, const Range<T>& range,
                      const void* code) {
    const ompt_work_t kind = kind_of_work(where);
    ompt_data_t section;
    section.ptr = const_cast<void*>(code);
    if (range.empty())
        return;
    if (kind == ompt_work_sections)
        team::tell_dispatch(member, ompt_dispatch_section, section);
    else
        team::tell_chunk(member,
                         kind == ompt_work_distribute ? ompt_dispatch_distribute_chunk
                                                      : ompt_dispatch_ws_loop_chunk,
                         static_cast<uint64_t>(range.lower), count_of(range));
}

/// begin_loop() where a tool is told of the loop, and of the thread's first chunk.
template <class T>
[[gnu::noinline]] void begin_told_loop(const Ident* where, int32_t schedule, int32_t* last,
                                       T* lower, T* upper, Signed<T>* stride, Signed<T> increment,
                                       Signed<T> chunk, const void* code) {
    const Member& member = team::self();
    team::tell_work(member, kind_of_work(where), ompt_scope_begin,
                    count_of(range_at(lower, upper, increment)), code);
    begin_loop(schedule, last, lower, upper, stride, increment, chunk);
    tell_first_chunk(member, where, Range<T>{*lower, *upper, increment}, code);
}

/// distribute parallel for: a block for each team, which its threads share by `schedule`.
template <class T>
void begin_distributed_loop(int32_t schedule, int32_t* last, T* lower, T* upper, T* team_upper,
                            Signed<T>* stride, Signed<T> increment, Signed<T> chunk) {
    const Member& member = team::self();
    Range<T> range = range_at(lower, upper, increment);
    *team_upper = range.upper;
    *stride = increment;
    *last = 0;
    if (range.empty())
        return;
    const bool last_team = abi::kmp::take_block(range, abi::kmp::team_of(member));
    *team_upper = range.upper;
    *lower = range.lower;
    *upper = range.upper;
    if (range.empty())
        return;
    begin_loop(schedule, last, lower, upper, stride, increment, chunk);
    *last &= last_team;
}

/// distribute with dist_schedule(static, chunk).
template <class T>
void begin_team_chunks(int32_t* last, T* lower, T* upper, Signed<T>* stride, Signed<T> increment,
                       Signed<T> chunk) {
    begin_loop(distribute_static_chunked, last, lower, upper, stride, increment, chunk);
}

} // namespace

// T is the type of the loop variable, S the signed type of its width.
#define HEDDLE_STATIC_LOOP(suffix, T, S)                                                           \
    HEDDLE_EXPORT void __kmpc_for_static_init_##suffix(Ident* where, Gtid, int32_t schedule,       \
                                                       int32_t* last, T* lower, T* upper,          \
                                                       S* stride, S increment, S chunk) {          \
        if (team::tells_here())                                                                    \
            return begin_told_loop<T>(where, schedule, last, lower, upper, stride, increment,      \
                                      chunk, __builtin_return_address(0));                         \
        begin_loop<T>(schedule, last, lower, upper, stride, increment, chunk);                     \
    }                                                                                              \
    HEDDLE_EXPORT void __kmpc_dist_for_static_init_##suffix(                                       \
        Ident*, Gtid, int32_t schedule, int32_t* last, T* lower, T* upper, T* team_upper,          \
        S* stride, S increment, S chunk) {                                                         \
        begin_distributed_loop<T>(schedule, last, lower, upper, team_upper, stride, increment,     \
                                  chunk);                                                          \
    }                                                                                              \
    HEDDLE_EXPORT void __kmpc_team_static_init_##suffix(                                           \
        Ident*, Gtid, int32_t* last, T* lower, T* upper, S* stride, S increment, S chunk) {        \
        begin_team_chunks<T>(last, lower, upper, stride, increment, chunk);                        \
    }

HEDDLE_STATIC_LOOP(4, int32_t, int32_t)
HEDDLE_STATIC_LOOP(4u, uint32_t, int32_t)
HEDDLE_STATIC_LOOP(8, int64_t, int64_t)
HEDDLE_STATIC_LOOP(8u, uint64_t, int64_t)

HEDDLE_EXPORT void __kmpc_for_static_fini(Ident* where, Gtid) {
    if (team::tells_here())
        team::tell_work(team::self(), kind_of_work(where), ompt_scope_end, 0,
                        __builtin_return_address(0));
}
HEDDLE_EXPORT void __kmpc_dist_for_static_fini(Ident*, Gtid) {}
