// SPDX-License-Identifier: Apache-2.0
// __kmpc_dispatch_*: loops whose chunks the runtime hands out, and their ordered regions. Called by
// code that clang, flang and icx generate, on each thread of the team. Bounds are inclusive; no end
// call comes after a next() of 0. A turn of an ordered loop belongs to a chunk, so the call after
// each of its iterations (fini) has nothing to do. OpenMP 5.2 sections 11.5 and 15.10.
#include "abi/kmp/static_loop.hpp"
#include "construct/iteration_flags.hpp"
#include "construct/told_ordered.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using abi::kmp::Range;
using abi::kmp::Signed;
using config::ScheduleKind;
using team::Member;

namespace {

/// Values of the schedule argument. 32 more: ordered. Those and 128 more: a thread that is alone
/// gets chunks too.
enum : int32_t {
    static_chunked = 33,
    dynamic = 35,
    guided = 36,
    runtime = 37,
    auto_ = 38,
    trapezoidal = 39, ///< decreasing chunks: as guided
    guided_iterative = 42,
    guided_analytical = 43,
    static_steal = 44,
    static_balanced_chunked = 45, ///< simd: the clause's chunk is the length of a vector
    guided_simd = 46,
    runtime_simd = 47,
    ordered_from = 64,
    not_merged_from = 160,
};
constexpr int32_t monotonic_bit = 1 << 29;
constexpr int32_t nonmonotonic_bit = 1 << 30;

ScheduleKind kind_of(int32_t number) {
    switch (number) {
    case dynamic:
    case static_steal:
        return ScheduleKind::dynamic;
    case guided:
    case trapezoidal:
    case guided_iterative:
    case guided_analytical:
    case guided_simd:
        return ScheduleKind::guided;
    case runtime:
    case runtime_simd:
        return ScheduleKind::runtime;
    case auto_:
        return ScheduleKind::auto_;
    default:
        return ScheduleKind::static_;
    }
}

/// The iterations as the construct counts them, in groups of `group`; `step` is the user's.
template <class T>
construct::LoopBounds bounds_of(const Range<T>& range, uint64_t group) {
    const auto start = static_cast<uint64_t>(range.lower);
    const auto step = static_cast<uint64_t>(range.increment);
    if (range.empty() || range.is_whole())
        return {start, start, step, 0};
    const uint64_t last = range.last_index();
    return {start, start + (last + 1) * step, step * group, last / group + 1};
}

/// What the schedule argument says. `group`: iterations that stay together.
struct Dispatch {
    config::Schedule schedule{};
    uint64_t chunk = 0; ///< groups; 0: none was given
    uint64_t group = 1;
    bool ordered = false;
    bool merges_alone = true;
};

/// schedule(simd: kind, chunk): all chunks but the last are multiples of the vector's length, and
/// with a chunk in run-sched-var of so many vectors.
void group_for_simd(const Member& member, uint64_t length, Dispatch& dispatch) {
    dispatch.group = length;
    dispatch.chunk = 1;
    if (dispatch.schedule.kind == ScheduleKind::runtime) {
        const bool monotonic = dispatch.schedule.monotonic;
        dispatch.schedule = member.current->context()->icvs->run_sched;
        if (dispatch.schedule.implied)
            dispatch.schedule = {ScheduleKind::static_, true, 0};
        dispatch.schedule.monotonic |= monotonic;
        const int vectors = dispatch.schedule.chunk;
        dispatch.chunk = vectors > 0;
        if (vectors > 0 && __builtin_mul_overflow(length, vectors, &dispatch.group))
            dispatch.group = length; // so long that one vector is more than any loop has
    } else if (dispatch.schedule.kind == ScheduleKind::static_) {
        dispatch.chunk = 0;
    }
}

Dispatch decode(const Member& member, int32_t number, uint64_t chunk) {
    Dispatch dispatch;
    const bool can_steal = (number & nonmonotonic_bit) != 0;
    number &= ~(monotonic_bit | nonmonotonic_bit);
    dispatch.merges_alone = number < not_merged_from;
    number -= dispatch.merges_alone ? 0 : not_merged_from - 32;
    dispatch.ordered = number >= ordered_from;
    number -= dispatch.ordered ? 32 : 0;
    dispatch.schedule = {kind_of(number), !can_steal && number != static_steal, 0};
    dispatch.schedule.implied = true; // a run-sched-var that nobody has chosen means static
    if (number >= static_balanced_chunked && number <= runtime_simd)
        group_for_simd(member, chunk, dispatch);
    else if (number == static_chunked || dispatch.schedule.kind == ScheduleKind::dynamic ||
             dispatch.schedule.kind == ScheduleKind::guided)
        dispatch.chunk = chunk;
    return dispatch;
}

template <class T>
void begin(int32_t number, const Range<T>& range, Signed<T> chunk, team::Caller caller) {
    Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    Dispatch dispatch = decode(member, number, chunk < 1 ? 1 : static_cast<uint64_t>(chunk));
    const construct::LoopBounds bounds = bounds_of(range, dispatch.group);
    if (HEDDLE_UNLIKELY(member.workshare.flagged != nullptr)) {
        construct::compare_with_loop(member, bounds.count);
        dispatch.schedule.monotonic = true; // iterations wait for those that were handed out before
    }
    construct::begin_loop(member, {bounds, dispatch.schedule, dispatch.chunk, dispatch.ordered, 0,
                                   dispatch.merges_alone});
    member.workshare.step = static_cast<uint64_t>(range.increment);
}

/// distribute parallel for: the chunks of the team's block.
template <class T>
void begin_distributed(int32_t number, int32_t* last, Range<T> range, Signed<T> chunk,
                       team::Caller caller) {
    *last = !range.empty() && !range.is_whole() &&
            abi::kmp::take_block(range, abi::kmp::team_of(team::self()));
    begin(number, range, chunk, caller);
}

/// The next chunk of a member that has none in its hands. False: there is none left for it.
bool find(Member& member, uint64_t& first, uint64_t& end, bool& is_last) {
    const team::Workshare& node = *member.workshare.node;
    const bool found = node.ordered ? construct::next_ordered_chunk(member, &first, &end)
                                    : construct::find_chunk(member, &first, &end);
    is_last = found && member.workshare.chunk_end == node.loop.count;
    return found;
}

template <class T>
int32_t next(int32_t* last, T* lower, T* upper, Signed<T>* stride) {
    Member& member = *team::self_or_null(); // attached when it began the loop
    uint64_t first, end;
    bool is_last = false;
    if (HEDDLE_UNLIKELY(!construct::next_in_hand(member, &first, &end)) &&
        !find(member, first, end, is_last))
        return 0;
    const uint64_t step = member.workshare.step;
    *lower = static_cast<T>(first);
    *upper = static_cast<T>(end - step);
    if (last)
        *last = is_last;
    if (stride)
        *stride = static_cast<Signed<T>>(step);
    return 1;
}

} // namespace

#define HEDDLE_DISPATCH(suffix, T, S)                                                              \
    HEDDLE_EXPORT void __kmpc_dispatch_init_##suffix(Ident*, Gtid, int32_t schedule, T lower,      \
                                                     T upper, S increment, S chunk) {              \
        begin<T>(schedule, {lower, upper, increment}, chunk, HEDDLE_CALLER);                       \
    }                                                                                              \
    HEDDLE_EXPORT void __kmpc_dist_dispatch_init_##suffix(                                         \
        Ident*, Gtid, int32_t schedule, int32_t* last, T lower, T upper, S increment, S chunk) {   \
        begin_distributed<T>(schedule, last, {lower, upper, increment}, chunk, HEDDLE_CALLER);     \
    }                                                                                              \
    HEDDLE_EXPORT int32_t __kmpc_dispatch_next_##suffix(Ident*, Gtid, int32_t* last, T* lower,     \
                                                        T* upper, S* stride) {                     \
        return next<T>(last, lower, upper, stride);                                                \
    }                                                                                              \
    HEDDLE_EXPORT void __kmpc_dispatch_fini_##suffix(Ident*, Gtid) {}

HEDDLE_DISPATCH(4, int32_t, int32_t)
HEDDLE_DISPATCH(4u, uint32_t, int32_t)
HEDDLE_DISPATCH(8, int64_t, int64_t)
HEDDLE_DISPATCH(8u, uint64_t, int64_t)

HEDDLE_EXPORT void __kmpc_dispatch_deinit(Ident*, Gtid) {}

HEDDLE_EXPORT void __kmpc_ordered(Ident*, Gtid) {
    construct::tell_and_begin_ordered(team::self(), __builtin_return_address(0));
}
HEDDLE_EXPORT void __kmpc_end_ordered(Ident*, Gtid) {
    construct::tell_and_end_ordered(team::self(), __builtin_return_address(0));
}
