// SPDX-License-Identifier: Apache-2.0
// One atomic step on a variable of the program: read, write, swap, update (OpenMP 5.2
// section 15.8.4). Called by the kmpc atomic entry points, on any thread. A naturally aligned
// object of 1, 2, 4 or 8 bytes is changed by compare-exchange; every other one inside the atomic
// region, the lock that gcc's code takes for the same types. The address and the size alone decide,
// so all entries agree. Ordering: the entries are not told the construct's memory order, so all
// steps are seq_cst.
#pragma once

#include "concurrent/check.hpp"
#include "platform.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

namespace heddle::abi::kmp {

/// Excludes all other atomic regions of the process, GOMP_atomic_start's too. They do not nest.
void enter_atomic_region();
void leave_atomic_region();

/// What a variable held on the two sides of an update.
template <class T>
struct Step {
    T before, after;
};

template <size_t size>
struct BitsOf;
template <>
struct BitsOf<1> : std::type_identity<uint8_t> {};
template <>
struct BitsOf<2> : std::type_identity<uint16_t> {};
template <>
struct BitsOf<4> : std::type_identity<uint32_t> {};
template <>
struct BitsOf<8> : std::type_identity<uint64_t> {};

/// The atomic words of T's size, for the sizes that have any.
template <class T>
concept FitsWord = requires { typename BitsOf<sizeof(T)>::type; };

/// A variable of type T as an atomic word.
template <FitsWord T>
class Word {
public:
    using Bits = typename BitsOf<sizeof(T)>::type;

    static bool can_be(const void* target) {
        return reinterpret_cast<uintptr_t>(target) % sizeof(T) == 0;
    }

    explicit Word(T* target) : bits_(*reinterpret_cast<platform::Atomic<Bits>*>(target)) {
        static_assert(sizeof(bits_) == sizeof(T));
    }

    T load() const { return std::bit_cast<T>(bits_.load(platform::seq_cst)); }

    T exchange(T value) {
        const Bits before = bits_.exchange(std::bit_cast<Bits>(value), platform::seq_cst);
        return std::bit_cast<T>(before);
    }

    /// change(T& value) says whether its new value has to be written; it may be called repeatedly.
    template <class Change>
    Step<T> update(Change change) {
        Bits seen = bits_.load(platform::seq_cst);
        for (;;) {
            const T before = std::bit_cast<T>(seen);
            T after = before;
            if (!change(after))
                return {before, before};
            if (bits_.compare_exchange_strong(seen, std::bit_cast<Bits>(after), platform::seq_cst,
                                              platform::seq_cst))
                return {before, after};
        }
    }

private:
    platform::Atomic<Bits>& bits_;
};

/// Word::update, on an object that has no atomic word. Copies bytes: it may be misaligned.
template <class T, class Change>
Step<T> update_in_region(T* target, Change change) {
    Step<T> step;
    enter_atomic_region();
    std::memcpy(&step.before, target, sizeof(T));
    step.after = step.before;
    if (change(step.after))
        std::memcpy(target, &step.after, sizeof(T));
    leave_atomic_region();
    return step;
}

/// Changes *target by change(T& value), which says whether its new value has to be written. The
/// function may be called repeatedly, each time with what *target held last.
template <class T, class Change>
Step<T> update(T* target, Change change) {
    if constexpr (FitsWord<T>)
        if (HEDDLE_LIKELY(Word<T>::can_be(target)))
            return Word<T>(target).update(change);
    return update_in_region(target, change);
}

/// Stores value in *target; returns what was there.
template <class T>
T swap(T* target, T value) {
    if constexpr (FitsWord<T>)
        if (HEDDLE_LIKELY(Word<T>::can_be(target)))
            return Word<T>(target).exchange(value);
    return update_in_region(target, [value](T& held) { return held = value, true; }).before;
}

template <class T>
T read(T* target) {
    if constexpr (FitsWord<T>)
        if (HEDDLE_LIKELY(Word<T>::can_be(target)))
            return Word<T>(target).load();
    return update_in_region(target, [](T&) { return false; }).before;
}

} // namespace heddle::abi::kmp
