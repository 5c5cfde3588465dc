// SPDX-License-Identifier: Apache-2.0
// A `dynamic` loop begins in ascending order: a chunk in front for each member, then those of a
// counter, Workshare::next_chunk; once chunks are too short for that, the rest is dealt out in
// ranges. Monotonic loops have all from the counter. Called by construct/loop.cpp and
// loop_ranges.cpp on each member, which writes its own position, that word, and the bit of the
// chunk in front. Relaxed: chunks carry no data, barriers order the rest.
#pragma once

#include "construct/loop_ranges.hpp"

#include <algorithm>

namespace heddle::construct {

/// The word of a loop of mode ranges or adaptive: which chunk comes next in order; once that has
/// ended, with which one the ranges begin; and whether the loop's last one is taken. The first
/// number goes on beyond the end, by a batch a call at most, so it stays below 2^32.
struct ChunkCounter {
    uint64_t word = 0;

    static constexpr int end_bit = 32;
    static constexpr uint64_t last_bit = uint64_t{1} << 63;

    /// In order from that chunk on.
    static ChunkCounter at(uint64_t chunk) { return {chunk}; }
    ChunkCounter ended() const { return {word | uint64_t{next() + 1} << end_bit}; }

    uint32_t next() const { return static_cast<uint32_t>(word); }
    bool has_ended() const { return (word & ~last_bit) >> end_bit != 0; }
    uint32_t begin_of_ranges() const {
        HEDDLE_CHECK(has_ended());
        return static_cast<uint32_t>((word & ~last_bit) >> end_bit) - 1;
    }
};

/// When a loop is in order. Passing the counter on takes a tenth of a microsecond, and each thread
/// that can run may have to wait for all others. On several nodes, where ranges keep to what is
/// near, order has to be worth more.
struct OrderRule {
    static constexpr uint64_t chunk_ns = 250;           ///< that a chunk lasts at least,
    static constexpr uint64_t chunk_ns_on_nodes = 2000; ///< for each thread
    static constexpr uint64_t batch_ns_a_thread = 4000; ///< that a batch is to last,
    static constexpr uint64_t most = 16;                ///< if it need not have more chunks
    static constexpr uint32_t growth = 4;               ///< or than so many times the last one
    static constexpr uint64_t most_batches = 250;       ///< that longer chunks pay for
    static constexpr uint64_t dynamic_part = 8;         ///< see `part`
    /// Of loops that are in order in any case: `most` and `part`.
    static constexpr uint64_t monotonic_most = 64, monotonic_part = 4;
    /// Who has not come when another's chunk has lasted so long is late.
    static constexpr uint64_t absent_ns = 50'000;

    uint64_t least_ns; ///< that a chunk has to last
    uint64_t batch_ns; ///< that a batch is to last
    uint64_t members;  ///< of the team
    uint64_t part;     ///< a batch is at most that part of a member's share of what is left
};

/// For a team of `team_size`, of which `cpus` threads can run at once, on several nodes or one.
inline OrderRule order_rule(int32_t team_size, int32_t cpus, bool on_nodes,
                            uint64_t part = OrderRule::dynamic_part) {
    constexpr int32_t most_threads = 1024;
    const auto threads = static_cast<uint64_t>(std::min({team_size, cpus, most_threads}));
    return {threads * (on_nodes ? OrderRule::chunk_ns_on_nodes : OrderRule::chunk_ns),
            threads * OrderRule::batch_ns_a_thread, static_cast<uint64_t>(team_size), part};
}

/// After a batch of `batch` > 0 chunks that took `took_ns`, where `left` chunks are not handed out
/// yet: how many the next one has, but at most `most`.
inline uint64_t batch_in_order(const OrderRule& rule, uint64_t batch, uint64_t took_ns,
                               uint64_t left, uint64_t most) {
    const uint64_t took = std::max<uint64_t>(took_ns, 1);
    const uint64_t enough = (batch * rule.batch_ns + took - 1) / took;
    const uint64_t part = std::max<uint64_t>(left / (rule.part * rule.members), 1);
    return std::min({enough, part, most, batch * OrderRule::growth});
}

/// The same with at most OrderRule::most; 0: the loop is not worth its order. What chunks last
/// beyond the least is added to `spare_ns`, which brief ones use up, also in later loops: so being
/// in order takes a small part of the time of all loops, whatever they are like.
inline uint32_t next_in_order(const OrderRule& rule, uint32_t batch, uint64_t took_ns,
                              uint64_t left, uint32_t& spare_ns) {
    const uint64_t spare = spare_ns + took_ns;
    const uint64_t due = batch * rule.least_ns;
    if (spare < due)
        return 0;
    spare_ns =
        static_cast<uint32_t>(std::min(spare - due, OrderRule::most_batches * rule.batch_ns));
    return static_cast<uint32_t>(batch_in_order(rule, batch, took_ns, left, OrderRule::most));
}

/// Instead of who is absent: the member itself was, for another one has had the chunk in front of
/// it, and it has had none yet.
inline constexpr uint32_t came_late = 0xffffffff;

/// The member's first call in the loop, in which it has the chunk in front of it before all else.
/// So nobody ever gets a chunk that precedes its first one: programs that put the longest
/// iterations in front rely on that. False where there is none, or it came late.
bool begin_with_front(team::Member& member, team::Workshare& node, Iterations& chunk);

/// The chunk in front of a member that has not come is done for it: by those alone that have begun
/// with an earlier one, and have had none from the counter; or all ranges are empty.
bool take_front_of_absent(team::Member& member, team::Workshare& node, Iterations& chunk);

/// What there is for a member that asks the counter.
enum class Order { chunk, nothing_but_the_last, ended };

/// The next chunk from the counter, which the member has seen going on; perhaps with more in its
/// hands. `counter`: what it is then.
Order take_in_order(team::Member& member, team::Workshare& node, ChunkCounter& counter,
                    Iterations& chunk);

/// The next chunk of a monotonic loop of fewer than 2^62 chunks, all of which are in order; perhaps
/// with more in the member's hands. False when there is none left for it.
bool next_monotonic(team::Member& member, team::Workshare& node, Iterations& chunk);

/// The last chunk of the loop is not counted, and in no range: it goes to a thread that has found
/// nothing else, and is that thread's last. Generated code copies lastprivate and linear variables
/// out on the thread whose loop variable ends at the end of the loop, after all its chunks.
bool take_last_chunk(team::Workshare& node, Iterations& chunk);

} // namespace heddle::construct
