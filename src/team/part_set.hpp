// SPDX-License-Identifier: Apache-2.0
// Sets of the parts of a region on offer, and the block of them that a thread takes first.
// Used by team/stand_in, schedule/carried_parts; each belongs to one thread, nothing here is shared
// but the number of parts that a block still has (Mailbox::block).
// Protocol: docs/protocols/stand-in.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::team {

/// Teams whose regions are on offer have no more threads.
inline constexpr int most_parts = 512;

/// A set of parts by thread number, a bit for each. As many words are in use as the team needs: one
/// for up to 64 threads, for which there is no loop.
class PartSet {
public:
    static constexpr uint32_t word_bits = 64;

    /// Empty, for the parts of a team of `size`.
    void begin(int32_t size) {
        words_ = 1;
        word_[0] = 0;
        if (HEDDLE_UNLIKELY(size > static_cast<int32_t>(word_bits)))
            begin_large(size);
    }
    void clear() {
        word_[0] = 0;
        if (HEDDLE_UNLIKELY(words_ > 1))
            clear_rest();
    }

    bool any() const { return word_[0] != 0 || (HEDDLE_UNLIKELY(words_ > 1) && any_in_rest()); }
    bool has(int32_t number) const { return (word_[index_of(number)] & bit_of(number)) != 0; }
    void add(int32_t number) { word_[index_of(number)] |= bit_of(number); }
    void remove(int32_t number) { word_[index_of(number)] &= ~bit_of(number); }

    /// All that are in the other set, too.
    void remove(const PartSet& others) {
        for (uint32_t i = 0; i < words_; ++i)
            word_[i] &= ~others.word_[i];
    }

    /// All from `first` on, before `end`.
    void add_range(int32_t first, int32_t end) {
        while (first < end) {
            const int32_t next = (first | last_bit) + 1;
            const uint64_t from = ~uint64_t{0} << (first & last_bit);
            word_[index_of(first)] |=
                end < next ? from & ~(~uint64_t{0} << (end & last_bit)) : from;
            first = next;
        }
    }

    /// -1: the set is empty.
    int32_t highest() const {
        if (HEDDLE_UNLIKELY(words_ > 1))
            if (const int32_t number = highest_in_rest(); number >= 0)
                return number;
        return word_[0] != 0 ? last_bit - __builtin_clzll(word_[0]) : -1;
    }

    /// The next one after `number`, around to that one; -1: the set is empty.
    int32_t next_after(int32_t number) const {
        const uint64_t higher = ~uint64_t{1} << (number & last_bit);
        uint32_t index = index_of(number);
        for (uint32_t looks = 0; looks <= words_; ++looks) {
            const uint64_t here = looks == 0        ? word_[index] & higher
                                  : looks == words_ ? word_[index] & ~higher
                                                    : word_[index];
            if (here != 0)
                return static_cast<int32_t>(index * word_bits) + __builtin_ctzll(here);
            index = index + 1 < words_ ? index + 1 : 0;
        }
        return -1;
    }

    uint32_t words() const { return words_; }
    uint64_t word(uint32_t index) const { return word_[index]; }

private:
    static constexpr uint32_t most_words = most_parts / word_bits;
    static constexpr int32_t last_bit = word_bits - 1;

    static uint32_t index_of(int32_t number) { return static_cast<uint32_t>(number) / word_bits; }
    static uint64_t bit_of(int32_t number) { return uint64_t{1} << (number & last_bit); }

    [[gnu::noinline]] void begin_large(int32_t size) {
        words_ = (static_cast<uint32_t>(size) + word_bits - 1) / word_bits;
        HEDDLE_CHECK(words_ <= most_words);
        clear_rest();
    }
    [[gnu::noinline]] void clear_rest() {
        for (uint32_t i = 1; i < words_; ++i)
            word_[i] = 0;
    }
    [[gnu::noinline]] bool any_in_rest() const {
        uint64_t all = 0;
        for (uint32_t i = 1; i < words_; ++i)
            all |= word_[i];
        return all != 0;
    }
    [[gnu::noinline]] int32_t highest_in_rest() const {
        for (uint32_t i = words_; --i > 0;)
            if (word_[i] != 0)
                return static_cast<int32_t>(i * word_bits) + last_bit - __builtin_clzll(word_[i]);
        return -1;
    }

    uint32_t words_ = 1;
    uint64_t word_[most_words] = {};
};

/// The parts of a team of `size` on offer: those of threads without a CPU are dealt out, in blocks,
/// to the `with_cpu` with one, which take them first, for neighbours share data; there and back,
/// for a static loop gives the first threads one iteration more. A thread that executes the same
/// parts again and again finds their lines in its own cache.
class Blocks {
public:
    Blocks(int32_t with_cpu, int32_t size)
        : with_cpu_(with_cpu), each_(size / with_cpu), rest_(size % with_cpu),
          there_((each_ - 1) / 2) {}

    /// Parts for each thread that finds a CPU, the larger share.
    int32_t share() const { return each_ + (rest_ != 0 ? 1 : 0); }
    /// In the block of thread `number`, which finds one.
    int32_t size(int32_t number) const {
        return each_ - 1 + rest_before(number + 1) - rest_before(number);
    }
    int32_t there() const { return there_; }
    /// Where its parts there begin, and its parts back.
    int32_t first(int32_t number) const { return with_cpu_ + (with_cpu_ - 1 - number) * there_; }
    int32_t back(int32_t number) const {
        return with_cpu_ * (1 + there_) + number * (each_ - 1 - there_) + rest_before(number);
    }

    /// The first `count` of its parts.
    void add(int32_t number, int32_t count, PartSet& set) const {
        set.add_range(first(number), first(number) + (count < there_ ? count : there_));
        set.add_range(back(number), back(number) + count - there_);
    }

private:
    int32_t rest_before(int32_t number) const {
        return rest_ == 0 ? 0 : number * rest_ / with_cpu_;
    }

    int32_t with_cpu_, each_, rest_, there_;
};

/// Which parts a thread has yet to try to take: see take_part().
class Untried {
public:
    /// Thread `number` of a team of `size` takes those of its block first, of which it has yet to
    /// try `count`. As a rule it does so in each region.
    void begin(int32_t number, int32_t with_cpu, int32_t size, int32_t count) {
        if (HEDDLE_UNLIKELY(number != number_ || with_cpu != with_cpu_ || size != team_size_))
            learn_block(number, with_cpu, size);
        count_ = count;
        knows_all_ = false;
        parts_.begin(size);
    }
    /// There are none for this thread.
    void forget() {
        count_ = 0;
        knows_all_ = true;
        parts_.clear();
    }

    bool any() const { return count_ != 0 || !knows_all_ || parts_.any(); }
    bool has_block() const { return count_ != 0; }
    int32_t count() const { return count_; } ///< of its block
    int32_t share() const { return share_; } ///< of the team's parts, for who finds a CPU
    /// Of its block; the last one is taken first.
    int32_t number_of(int32_t index) const {
        return index < there_ ? first_ + index : back_ + index - there_;
    }

    /// The next one of its block.
    int32_t take_of_block() { return number_of(--count_); }
    /// The next one of others. -1: there is none.
    int32_t take_other() {
        const int32_t number = parts_.highest();
        if (number >= 0)
            parts_.remove(number);
        return number;
    }

    bool knows_all() const { return knows_all_; }
    /// To be given those of others.
    PartSet& learn_all() {
        knows_all_ = true;
        return parts_;
    }

private:
    [[gnu::noinline]] void learn_block(int32_t number, int32_t with_cpu, int32_t size) {
        number_ = number;
        with_cpu_ = with_cpu;
        team_size_ = size;
        const Blocks blocks(with_cpu, size);
        first_ = blocks.first(number);
        there_ = blocks.there();
        back_ = blocks.back(number);
        share_ = blocks.share();
    }

    int32_t number_ = 0, with_cpu_ = 0, team_size_ = 0; ///< for which the next four hold
    int32_t first_ = 0, there_ = 0, back_ = 0, share_ = 1;
    int32_t count_ = 0;
    bool knows_all_ = true;
    PartSet parts_;
};

} // namespace heddle::team
