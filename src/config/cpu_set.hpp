// SPDX-License-Identifier: Apache-2.0
// A set of CPUs by their numbers in the system, and a list of such sets: the places of OpenMP.
// Called by config/ and place/ while the environment and the topology are read; one thread owns
// each set. A place is a set, its number is its index in the list (OpenMP 5.2 section 21.1.6).
#pragma once

#include "platform.hpp"

namespace heddle::config {

class CpuSet {
public:
    static constexpr int capacity = 8192; ///< CPUs 0 to capacity-1, as many as Linux is built for

    bool has(int cpu) const { return (words_[cpu / 64] >> (cpu % 64) & 1) != 0; }
    void add(int cpu) { words_[cpu / 64] |= uint64_t{1} << (cpu % 64); }
    void remove(int cpu) { words_[cpu / 64] &= ~(uint64_t{1} << (cpu % 64)); }

    /// The lowest CPU of at least `from`, which is 0 or more; -1 when there is none.
    int next(int from) const {
        for (int i = from / 64; i < word_count; ++i) {
            uint64_t word = words_[i];
            if (i == from / 64)
                word &= ~uint64_t{0} << (from % 64);
            if (word != 0)
                return i * 64 + __builtin_ctzll(word);
        }
        return -1;
    }

    int count() const {
        int sum = 0;
        for (uint64_t word : words_)
            sum += __builtin_popcountll(word);
        return sum;
    }
    bool empty() const { return next(0) < 0; }

    /// Whether every CPU of this set is in `other`.
    bool within(const CpuSet& other) const {
        for (int i = 0; i < word_count; ++i)
            if ((words_[i] & ~other.words_[i]) != 0)
                return false;
        return true;
    }
    bool operator==(const CpuSet& other) const { return within(other) && other.within(*this); }

    /// Keeps the CPUs that are in `other` too.
    void keep(const CpuSet& other) {
        for (int i = 0; i < word_count; ++i)
            words_[i] &= other.words_[i];
    }
    void add(const CpuSet& other) {
        for (int i = 0; i < word_count; ++i)
            words_[i] |= other.words_[i];
    }
    void remove(const CpuSet& other) {
        for (int i = 0; i < word_count; ++i)
            words_[i] &= ~other.words_[i];
    }

    /// Makes this set the affinity mask of the calling thread, or this set that mask. False, and
    /// nothing has changed, when the system refuses.
    bool apply() const { return platform::set_affinity(words_, word_count); }
    bool read() { return platform::get_affinity(words_, word_count); }

private:
    static constexpr int word_count = capacity / 64;
    uint64_t words_[word_count] = {};
};

/// A list of places that grows.
class PlaceList {
public:
    static constexpr int longest = CpuSet::capacity; ///< places in a list

    PlaceList() = default;
    ~PlaceList() { clear(); }
    PlaceList(const PlaceList&) = delete;
    PlaceList& operator=(const PlaceList&) = delete;

    int count() const { return count_; }
    CpuSet& operator[](int place) { return places_[place]; }
    const CpuSet& operator[](int place) const { return places_[place]; }

    /// Appends `place`; false when the list is as long as it can be, or there is no memory.
    bool add(const CpuSet& place) {
        if (count_ == capacity_ && !grow())
            return false;
        ::new (&places_[count_++]) CpuSet(place);
        return true;
    }

    void remove(int place) {
        --count_;
        for (int i = place; i < count_; ++i)
            places_[i] = places_[i + 1];
    }

    void clear() {
        platform::deallocate(places_);
        places_ = nullptr;
        count_ = capacity_ = 0;
    }

private:
    bool grow() {
        const int wanted = capacity_ == 0 ? 16 : capacity_ * 2;
        if (wanted > longest)
            return false;
        void* memory =
            platform::allocate(sizeof(CpuSet) * static_cast<size_t>(wanted), alignof(CpuSet));
        if (!memory)
            return false;
        auto* bigger = static_cast<CpuSet*>(memory);
        for (int i = 0; i < count_; ++i)
            ::new (&bigger[i]) CpuSet(places_[i]);
        platform::deallocate(places_);
        places_ = bigger;
        capacity_ = wanted;
        return true;
    }

    CpuSet* places_ = nullptr;
    int count_ = 0;
    int capacity_ = 0;
};

} // namespace heddle::config
