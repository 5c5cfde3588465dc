// SPDX-License-Identifier: Apache-2.0
// What a thread of a team, or a team of a league, gets of a loop with a static schedule (OpenMP 5.2
// sections 11.5.3 and 11.6). Pure arithmetic; called by static_loop and dispatch. Bounds are
// inclusive. Iterations are counted in the unsigned type as the index of the last one, for their
// number may be one more than the type holds.
#pragma once

#include "abi/kmp/ident.hpp"

#include <limits>
#include <type_traits>

namespace heddle::abi::kmp {

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Signed = std::make_signed_t<T>;

/// One of those who share a loop: a thread in its team, or a team in its league.
struct Sharer {
    uint32_t number, size;
};

inline Sharer thread_of(const team::Member& member) {
    return {static_cast<uint32_t>(member.number), static_cast<uint32_t>(member.team_size)};
}

inline Sharer team_of(const team::Member& member) {
    const team::Team& initial = team::initial_team(member);
    return {static_cast<uint32_t>(initial.league.number),
            static_cast<uint32_t>(initial.league.size)};
}

/// A loop, or the part of it that somebody gets: lower, lower + increment, ... up or down to upper.
template <class T>
struct Range {
    T lower, upper;
    Signed<T> increment;

    bool empty() const { return increment > 0 ? upper < lower : lower < upper; }

    /// As many iterations as the type has values, which no loop has: clang counts those of an empty
    /// nest that is not rectangular in the same type, and takes one from 0 for the last one.
    bool is_whole() const {
        using Limits = std::numeric_limits<T>;
        if (increment == 1)
            return HEDDLE_UNLIKELY(upper == Limits::max()) && lower == Limits::min();
        return HEDDLE_UNLIKELY(increment == -1) && upper == Limits::min() && lower == Limits::max();
    }

    /// Index of the last iteration, counted from 0. The range is not empty.
    Unsigned<T> last_index() const {
        using U = Unsigned<T>;
        const auto from = static_cast<U>(lower), to = static_cast<U>(upper);
        if (increment == 1)
            return to - from;
        if (increment > 0)
            return (to - from) / static_cast<U>(increment);
        return (from - to) / (U{0} - static_cast<U>(increment));
    }

    /// The iterations with the indices `from` to `to`.
    void narrow(Unsigned<T> from, Unsigned<T> to) {
        using U = Unsigned<T>;
        const auto base = static_cast<U>(lower), step = static_cast<U>(increment);
        lower = static_cast<T>(base + from * step);
        upper = static_cast<T>(base + to * step);
    }

    /// No iteration: begins one behind the end, or, where no value is behind it, at 1 and ends at
    /// 0.
    void clear() {
        using Limits = std::numeric_limits<T>;
        if (increment > 0) {
            upper = upper == Limits::max() ? T{0} : upper;
            lower = static_cast<T>(upper + 1);
        } else {
            upper = upper == Limits::min() ? T{1} : upper;
            lower = static_cast<T>(upper - 1);
        }
    }
};

/// schedule(static): one block for each, the first ones get one more. True: with the last
/// iteration.
template <class T>
[[gnu::always_inline]] inline bool take_block(Range<T>& range, Sharer sharer) {
    using U = Unsigned<T>;
    const U last = range.last_index(), size = sharer.size, number = sharer.number;
    const U share = last / size, more = last % size + 1; // `more` of them, 1 to all, get one more
    if (number < more) {
        const U begin = number * (share + 1);
        range.narrow(begin, begin + share);
    } else if (share != 0) {
        const U begin = number * share + more;
        range.narrow(begin, begin + share - 1);
    } else {
        range.clear();
    }
    return number + 1 == (share == 0 ? more : size);
}

/// The stride from range.lower to just behind `upper`, for who gets nothing more.
template <class T>
Signed<T> stride_behind(const Range<T>& range, T upper) {
    using U = Unsigned<T>;
    const U one = range.increment > 0 ? U{1} : ~U{0};
    return static_cast<Signed<T>>(static_cast<U>(upper) - static_cast<U>(range.lower) + one);
}

/// schedule(static, chunk): the first chunk, and how far the next one lies. True: the last
/// iteration is in one of them.
template <class T>
bool take_chunks(Range<T>& range, Sharer sharer, Unsigned<T> chunk, Signed<T>* stride) {
    using U = Unsigned<T>;
    const U last = range.last_index(), size = sharer.size, number = sharer.number;
    const U last_chunk = last / chunk;
    if (number > last_chunk) {
        *stride = range.increment;
        range.clear();
        return false;
    }
    const U begin = number * chunk;
    const T upper = range.upper;
    range.narrow(begin, last - begin < chunk ? last : begin + (chunk - 1));
    // One chunk for each at most: a stride of that many chunks might leave the type.
    *stride = last_chunk < size
                  ? stride_behind(range, upper)
                  : static_cast<Signed<T>>(chunk * size * static_cast<U>(range.increment));
    return number == last_chunk % size;
}

/// Blocks as schedule(static), their length rounded up to a multiple of `chunk` (simd).
template <class T>
bool take_rounded_block(Range<T>& range, Sharer sharer, Unsigned<T> chunk, Signed<T>* stride) {
    using U = Unsigned<T>;
    const U last = range.last_index();
    U block;
    if (__builtin_mul_overflow(last / sharer.size / chunk + 1, chunk, &block))
        block = std::numeric_limits<U>::max();
    return take_chunks(range, sharer, block, stride);
}

} // namespace heddle::abi::kmp
