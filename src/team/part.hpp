// SPDX-License-Identifier: Apache-2.0
// A part of a region on offer as a context that its thread can leave in the middle, to go on with
// another one, and that any thread of the team can go on with later. `Part` belongs to a member,
// `Carrier` to the thread that executes parts; schedule/stand_in switches between them.
// Written by the thread that executes the part, or has claimed it; only the atomics are read by
// others. `state` releases the context to who claims it. Protocol: docs/protocols/stand-in.md.
#pragma once

#include "team/part_set.hpp"
#include "team/spare_stacks.hpp"

namespace heddle::team {

struct Member;
struct Team;
struct Worker;
struct Workshare;

enum class PartState : uint32_t {
    active,   ///< some thread executes it; or nobody has begun it; or it is over
    stopped,  ///< left, until its condition holds
    examined, ///< some thread looks whether that holds; it goes on with it, or it is stopped again
    homebound ///< left by another thread, for the one on whose own stack it lies
};

/// Does what a context waits for hold? By whichever thread has claimed the context; acquires what
/// the context is to see.
using Ready = bool (*)(const void* condition);

struct alignas(concurrent::cache_line) Part {
    platform::Atomic<PartState> state{PartState::active};
    platform::Atomic<uint32_t> stops{0}; ///< so far, relaxed: a lookout sees that it is another one
    platform::Left left;                 ///< where, while it is not active
    Ready ready = nullptr;
    const void* condition = nullptr;
    bool at_barrier = false;   ///< left at a barrier, where who goes on with it runs tasks
    Worker* carrier = nullptr; ///< whose thread executes it, or did so last
    Worker* home = nullptr;    ///< whose thread's own stack it lies on; nullptr: a side stack
    platform::SideStack stack; ///< that one
    /// Relaxed, by lookouts: its stops when one saw it stopped, and for how many naps it was since.
    platform::Atomic<uint32_t> seen_stops{0}, seen_naps{0};
};

enum class Look { ready, not_yet, elsewhere };

/// By who has examined the part and leaves it as it was. Not once it was active: the thread that
/// has left it may have seen that, and does not look at it any more.
inline void put_back(Part& part) {
    HEDDLE_CHECK(part.state.load(platform::relaxed) == PartState::examined);
    part.state.store(PartState::stopped, platform::release); // pairs with examine() of the next
}

/// Claims the part if it is stopped and may go on: then it is the caller's (`ready`). `elsewhere`:
/// it is not stopped.
inline Look examine(Part& part) {
    PartState state = PartState::stopped;
    // acquire: pairs with stopped()
    if (!part.state.compare_exchange_strong(state, PartState::examined, platform::acquire,
                                            platform::relaxed))
        return state == PartState::active ? Look::elsewhere : Look::not_yet;
    if (part.ready(part.condition)) {
        part.state.store(PartState::active, platform::relaxed); // the caller's alone
        return Look::ready;
    }
    put_back(part);
    return Look::not_yet;
}

/// Claims the part if it was left at a barrier: who goes on with it runs tasks there.
inline bool claim_at_barrier(Part& part) {
    PartState state = PartState::stopped;
    // acquire: pairs with stopped()
    if (!part.state.compare_exchange_strong(state, PartState::examined, platform::acquire,
                                            platform::relaxed))
        return false;
    if (!part.at_barrier) {
        put_back(part);
        return false;
    }
    part.state.store(PartState::active, platform::relaxed); // the caller's alone
    return true;
}

/// By the thread whose own stack the part lies on: is it back? Then it is the caller's.
inline bool has_come_home(Part& part) {
    if (HEDDLE_LIKELY(part.state.load(platform::relaxed) != PartState::homebound))
        return false;
    PartState state = PartState::homebound;
    // acquire: pairs with stopped(); nobody else wants it
    return part.state.compare_exchange_strong(state, PartState::active, platform::acquire,
                                              platform::relaxed);
}

/// By the thread that has left the part, on the next stack: others may claim it from now on.
inline void stopped(Part& part, PartState state) {
    HEDDLE_CHECK(part.state.load(platform::relaxed) == PartState::active);
    part.stops.store(part.stops.load(platform::relaxed) + 1, platform::relaxed);
    part.state.store(state, platform::release); // pairs with examine() and has_come_home()
}

/// Parts that are over, as a bit for each thread number, in the region whose closing barrier has
/// this epoch, and whose owners sleep: a thread that is to run tasks at the region's end claims
/// one, and waits in its place. Where the region has ended since, TeamBarrier::rejoin() refuses.
class alignas(concurrent::cache_line) PartsOver {
public:
    /// By the thread that has executed it, before it arrives for it.
    void add(int32_t number, uint32_t epoch) {
        platform::Atomic<uint64_t>& place = words_[number / parts_a_word];
        uint64_t word = place.load(platform::relaxed), next;
        do
            next = uint64_t{epoch} << 32 | bit(number) |
                   (epoch_of(word) == epoch ? parts_of(word) : 0);
        while (!place.compare_exchange_strong(word, next, platform::release, // to claim()
                                              platform::relaxed));
    }

    /// Claims one of a team of `size`: its number, and the epoch; -1: there is none.
    int32_t claim(int32_t size, uint32_t& epoch) {
        for (int32_t first = 0; first < size; first += parts_a_word) {
            platform::Atomic<uint64_t>& place = words_[first / parts_a_word];
            uint64_t word = place.load(platform::relaxed);
            while (parts_of(word) != 0) {
                const int32_t number = first + __builtin_ctz(parts_of(word));
                // acquire: pairs with add()
                if (place.compare_exchange_strong(word, word & ~bit(number), platform::acquire,
                                                  platform::relaxed)) {
                    epoch = epoch_of(word);
                    return number;
                }
            }
        }
        return -1;
    }

private:
    static constexpr int32_t parts_a_word = 32;

    static uint64_t bit(int32_t number) { return uint64_t{1} << number % parts_a_word; }
    static uint32_t epoch_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
    static uint32_t parts_of(uint64_t word) { return static_cast<uint32_t>(word); }

    platform::Atomic<uint64_t> words_[most_parts / parts_a_word] = {};
};

/// What a part that has left a loop in ranges knew of its pace: see WorksharePosition.
struct LoopPace {
    const Workshare* node = nullptr;
    uint32_t batch = 0, pace = 0;
    uint64_t batch_began = 0;
};

/// What a thread keeps that executes several parts of a region.
struct Carrier {
    static constexpr int32_t patience = 8; ///< looks; a barrier's wait looks every eighth poll

    PartSet stopped; ///< the parts that were left here
    /// Those of them that were left at the team's barrier in that epoch: as long as it lasts, none
    /// of them can go on.
    PartSet at_barrier;
    uint32_t barrier_epoch = 0;
    int32_t last = 0; ///< the number of the last one of them that went on
    Untried untried;  ///< parts that nobody may have begun
    /// Parts that are over, or were left at the team's barrier, and have yet to arrive there: with
    /// the next one that is, when there is no other to go on with.
    uint32_t arrivals = 0;
    int32_t number = 0;       ///< of the first part it executed: where it notes those over
    uint32_t team_size = 1;   ///< of the region
    int32_t begun = 1;        ///< parts that the thread has begun in the region
    int32_t in_vain = 0;      ///< looks for more than its share, since the last one
    LoopPace pace;            ///< for the next part in that loop
    bool may_leave = false;   ///< there are side stacks
    bool finds_cpu = false;   ///< the thread was called for a CPU, or is to help
    Member* native = nullptr; ///< whose part the thread's own stack is in the middle of
    bool loop_waits = false;  ///< that stack was left outside of parts, at `loop`
    platform::Left loop;
    // What a switch leaves to do for those behind it, on the next stack.
    Member* left = nullptr;
    PartState becomes = PartState::active; ///< active: it is over
    platform::SideStack vacated;
    SpareStacks spare;
    platform::LibraryPlace library; ///< the thread's; see take_library_state()
};

/// The part that a thread begins or goes on with after this one, as a rule; -1: it knows of none.
inline int32_t next_part(const Carrier& carrier) {
    return carrier.untried.has_block() ? carrier.untried.number_of(carrier.untried.count() - 1)
                                       : carrier.stopped.next_after(carrier.last);
}

/// Goes on with a part that the caller has claimed, and with what it carries then, until all of it
/// is over. On a thread that sleeps at its mailbox. Set by schedule/stand_in when it is loaded.
extern void (*go_on_with)(Worker& worker, Member& claimed);

/// Waits at the end of the team's region, whose closing barrier has that epoch, in the place of a
/// part that is over, which the caller has claimed, and runs tasks as long as there are any. Where
/// the region has ended since, the member is somebody else's: then it is not touched. Likewise.
extern void (*help_in_place_of)(Worker& worker, Team& team, Member& claimed, uint32_t epoch);

} // namespace heddle::team
