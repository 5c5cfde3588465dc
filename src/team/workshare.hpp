// SPDX-License-Identifier: Apache-2.0
// One worksharing region (loop, sections) of a team: a node in the team's list. Who gets
// first to a construct appends the node, already initialized; the others find it as `next`.
// Called by construct/. A node is written by its creator before the append (release), then only
// through its atomics; the last member to leave it recycles it. docs/protocols/workshare-list.md.
#pragma once

#include "concurrent/event_count.hpp"
#include "concurrent/scatter.hpp"
#include "concurrent/steal_range.hpp"
#include "config/control_variables.hpp"

namespace heddle::team {

/// Loop bounds in normalized form: iteration i of `count` has the value start + i * increment.
/// All arithmetic is modulo 2^64, so both the signed and the unsigned ABI family fit.
struct LoopBounds {
    uint64_t start;
    uint64_t end;       ///< the user's end, returned with the last chunk
    uint64_t increment; ///< two's complement when negative
    uint64_t count;     ///< number of iterations
};

enum class LoopMode : uint8_t {
    ranges,   ///< chunks in order while they are long; then a range for each thread, and stealing
    adaptive, ///< the same with units of which the runtime makes chunks
    static_blocks,
    static_chunks,
    counter,
    guided,
    doacross
};

/// One of the lines among which the threads of a team that wait for their turns are spread, in a
/// loop of many turns: a turn has one of them by its number. Whoever has the turn announces the
/// next in that one's line, which all others leave alone until then.
struct alignas(concurrent::cache_line) Turn {
    static constexpr int32_t least_team = 8; ///< smaller ones meet in one word
    static constexpr int bits = 4, count = 1 << bits;
    static constexpr uint64_t fewest = 64; ///< turns of a loop: fewer aren't worth so many lines

    static int words(int32_t team_size) { return team_size < least_team ? 0 : count; }

    platform::Atomic<uint64_t> first{0};
};

/// One of the words in which the members of a large team leave a region: those with near numbers
/// share one, and the last of them leaves it for all in Workshare::users.
struct alignas(concurrent::cache_line) Leavers {
    static constexpr int32_t fewest = 32; ///< members of a team; fewer meet in one word
    static constexpr int bits = 4;        ///< 16 members share a word

    static int32_t words(int32_t team_size) {
        const bool one = team_size < fewest || platform::own::is_central();
        return one ? 0 : (team_size + (1 << bits) - 1) >> bits;
    }

    platform::Atomic<int32_t> inside{0}; ///< of them, as in Workshare::users
};

struct alignas(concurrent::cache_line) Workshare {
    // Line 1: the list.
    platform::Atomic<Workshare*> next{nullptr};
    /// Members not past this node, or that need its copies; of a large team: words of leavers that
    /// are not 0, and the latter.
    platform::Atomic<int32_t> users{0};
    int32_t capacity = 0;     ///< ranges allocated
    int32_t leaver_words = 0; ///< in use
    int32_t expected = 0;     ///< members, at first
    Workshare* next_free = nullptr;
    struct WorksharePosition* home = nullptr;    ///< whose free list it goes back to
    platform::Atomic<void*> reductions{nullptr}; ///< the threads' copies, freed with the region
    /// 1: a member deals out the next region, a loop, by where its data lie. Relaxed: a hint.
    platform::Atomic<uint32_t> next_is_dealt{0};
    /// Each of so many ranges, of the first ones, is as the last loop in ranges to run here has
    /// left it, which was odd or not. 0: nothing is known. By who describes a loop.
    int32_t left_ranges = 0;
    bool left_odd = false;

    // Line 2: the loop, constant once the node is in the list.
    alignas(concurrent::cache_line) LoopBounds loop{};
    uint64_t chunk = 0;  ///< iterations a chunk; adaptive: a unit; 0: one block a thread
    uint64_t chunks = 0; ///< number of chunks, or units
    uint16_t fronts = 0; ///< mode ranges: as in concurrent::Deal
    LoopMode mode = LoopMode::counter;
    bool ordered : 1 = false;
    bool spreads_turns : 1 = false; ///< among several words: see turn_word()
    bool odd : 1 = false;           ///< modes in ranges: as in concurrent::Deal
    bool in_order : 1 = false;      ///< mode ranges: some chunks come from next_chunk
    /// Zeroed memory that the region asked for, freed with the region; doacross: a Doacross.
    void* memory = nullptr;

    // Lines 3 and 4: changed while the region runs.
    /// Or the next iteration; modes in ranges: a construct::ChunkCounter; monotonic: its last_bit.
    alignas(concurrent::cache_line) platform::Atomic<uint64_t> next_chunk{0};
    /// First iteration of the chunk whose turn it is; its waiters don't look at next_chunk's line.
    /// Where turns are spread, the word of that turn has it.
    alignas(concurrent::cache_line) platform::Atomic<uint64_t> ordered_turn{0};
    concurrent::EventCount changed; ///< notified when ordered_turn changes

    /// Before other members know of the node: so many will leave it.
    void expect(int32_t team_size) {
        expected = team_size;
        leaver_words = Leavers::words(team_size);
        users.store(leaver_words ? leaver_words : team_size, platform::relaxed);
        if (HEDDLE_UNLIKELY(leaver_words != 0))
            expect_many(team_size);
    }
    /// The same of the node at which the team's last region has ended: who stands there has not
    /// left.
    void expect_again(int32_t team_size) {
        if (HEDDLE_UNLIKELY(expected != team_size))
            return expect(team_size);
        HEDDLE_CHECK(nobody_has_left());
        users.store(leaver_words ? leaver_words : team_size, platform::relaxed);
    }
    /// Member `number` has gone past the node. True: as the last one, so the node is the member's.
    /// acq_rel: who leaves a word last takes over what the others did with the node.
    bool leave(int32_t number) {
        if (HEDDLE_UNLIKELY(leaver_words != 0) &&
            leavers()[number >> Leavers::bits].inside.fetch_sub(1, platform::acq_rel) != 1)
            return false;
        return release();
    }
    /// A member that has not left needs the node's copies until release().
    void hold() { users.fetch_add(1, platform::relaxed); }
    bool release() { return users.fetch_sub(1, platform::acq_rel) == 1; }

    void free_memory() {
        void* copies = reductions.load(platform::relaxed);
        if (HEDDLE_UNLIKELY(
                (reinterpret_cast<uintptr_t>(memory) | reinterpret_cast<uintptr_t>(copies)) != 0))
            release_memory();
    }

    /// Where the turn that begins with this iteration is announced.
    platform::Atomic<uint64_t>& turn_word(uint64_t turn) {
        if (HEDDLE_LIKELY(!spreads_turns))
            return ordered_turn;
        return turns()[concurrent::scattered_bits(turn, Turn::bits)].first;
    }

    concurrent::StealRange* ranges() { return reinterpret_cast<concurrent::StealRange*>(this + 1); }
    Turn* turns() { return reinterpret_cast<Turn*>(ranges() + capacity); }
    Leavers* leavers() { return reinterpret_cast<Leavers*>(turns() + Turn::words(capacity)); }

    void release_memory();
    void expect_many(int32_t team_size);
    bool nobody_has_left();

    /// A node for teams of up to `capacity` threads; nullptr when there is no memory.
    static Workshare* create(int32_t capacity);
};

/// A member's place in its current worksharing region.
struct WorksharePosition {
    /// In region `entered`, of which the member has had nothing yet.
    void enter(Workshare* entered) {
        node = entered;
        trip = holds_chunk = value = values_end = 0;
    }

    Workshare* node = nullptr; ///< the region being executed, or the last one
    Workshare* free_list = nullptr;
    // Cleared when a region is entered: four words in a row, two instructions.
    /// static: chunks taken so far; ranges: how they were dealt, once the member has come to them;
    /// counter: where its last batch ended.
    uint64_t trip = 0;
    uint64_t holds_chunk = 0; ///< 1: a chunk was handed out; ordered loops: and not given up
    uint64_t value = 0;       ///< [value, values_end) is in the thread's hands, in chunks of
    uint64_t values_end = 0;  ///< `value_step`, as values of the loop variable; ranges and counter
    uint64_t value_step = 0;
    uint64_t chunk_begin = 0; ///< iterations [chunk_begin, chunk_end) are being executed; not
    uint64_t chunk_end = 0;   ///< kept where chunks come from `value`
    uint64_t step = 0; ///< kmpc: of the loop variable, for iterations can be handed out in groups
    uint64_t batch_began = 0; ///< ranges, counter: when the last batch was taken, ns
    uint32_t batch = 0;       ///< its units; 0: it tells nothing about those to come
    /// Units that would have lasted as long as one may.
    uint32_t pace = 0;
    uint32_t spare_ns = 0;        ///< in order: see construct::next_in_order(); kept over loops
    uint32_t absent = 0;          ///< ranges: whose chunk in front it may take, from here on
    Workshare* flagged = nullptr; ///< doacross around a loop: has the construct::IterationFlags
    /// For `free_list`, nodes that other members were the last to leave: the address of the first,
    /// plus how many they are.
    alignas(concurrent::cache_line) platform::Atomic<uintptr_t> returned{0};
};

} // namespace heddle::team
