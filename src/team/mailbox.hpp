// SPDX-License-Identifier: Apache-2.0
// The mailbox of a worker, one cache line: all that its thread must know to take part in a region,
// and the words by which parts of a region on offer are taken, and their owners called or woken.
// Filled in by whoever holds the thread: the primary of its team, or the worker that passes the
// fork on; the words are changed by all threads of the team. Ordering: a post releases the line to
// who reads the epoch. Source: Cyclops-64 paper (one line per worker, no shared reads).
// Protocols: docs/protocols/mailbox.md, stand-in.md.
#pragma once

#include "team/team.hpp"

namespace heddle::team {

/// What a pool thread must know to take part in a region: one cache line. It is filled in by the
/// primary, or by the thread that passes the fork on, and by the pool where the thread is to end.
struct alignas(concurrent::cache_line) Mailbox {
    platform::Atomic<uint32_t> epoch{0};  ///< of the region, and the bits below; to sleep on, too
    platform::Atomic<uint32_t> asleep{0}; ///< the owner sleeps or is about to, or naps: see below
    int32_t number = 0;                   ///< thread number in the team
    int32_t size = 1;                     ///< of the team
    int32_t cpu = -1;                     ///< where the primary runs; -1: does not matter
    uint8_t ways = 0;                     ///< bits: has_place, by_flags, passed_on
    uint8_t with_cpu = 1;                 ///< threads of a region on offer that find a CPU
    /// How many parts of its Block the owner has not tried yet. A hint for others, written by the
    /// owner once it executes its own.
    platform::Atomic<uint16_t> block{0};
    Team* team = nullptr;
    Workshare* first_workshare = nullptr;
    TaskFunction function = nullptr;
    void* data = nullptr;
    void (*run)(Member&, TaskFunction, void*) = nullptr; ///< executes the implicit task
};
static_assert(sizeof(Mailbox) == concurrent::cache_line);

/// In Mailbox::epoch: the region is on offer (team/stand_in.hpp), and whoever puts in `taken` first
/// executes the owner's part of it; the owner is wanted; it is to look out for regions that stay.
inline constexpr uint32_t offered = 1, taken = 2, called = 4, lookout = 8;
/// What the epochs of two regions differ by.
inline constexpr uint32_t next_epoch = 16;

/// Are both of one region? The bits of a word may change until the next one is posted.
inline bool is_same_region(uint32_t word, uint32_t other) { return (word ^ other) < next_epoch; }

/// In Mailbox::ways: the owner has a place in this region; the team's threads arrive by flags; they
/// pass the fork on.
inline constexpr uint8_t has_place = 1, by_flags = 2, passed_on = 4;

/// In Mailbox::asleep.
inline constexpr uint32_t awake = 0, asleep = 1, napping = 2;

/// May the caller execute the owner's part of the region whose epoch it has seen? Acquire pairs
/// with the post: a thread of the team has what the line says of the region. seq_cst: Dekker of who
/// leaves a part for it with a lookout that ceases to be one.
inline bool take(Mailbox& mailbox, uint32_t seen) {
    return mailbox.epoch.compare_exchange_strong(seen, seen | taken, platform::seq_cst,
                                                 platform::relaxed);
}

/// What a fork tells each thread but the primary, beside its number.
struct Fork {
    Team* team;
    Workshare* first_workshare;
    TaskFunction function;
    void* data;
    void (*run)(Member&, TaskFunction, void*);
    int32_t size;
    int32_t cpu;
    uint8_t ways;
};

/// Fills in the mailbox of thread `number`, before its post.
inline void fill_in(Mailbox& mailbox, int32_t number, const Fork& fork) {
    mailbox.number = number;
    mailbox.size = fork.size;
    mailbox.cpu = fork.cpu;
    mailbox.ways = fork.ways;
    mailbox.first_workshare = fork.first_workshare;
    mailbox.team = fork.team;
    mailbox.function = fork.function;
    mailbox.data = fork.data;
    mailbox.run = fork.run;
}

/// Publishes what was written to the worker's mailbox as on offer, and wakes nobody. `bits`:
/// called, or none; the thread that is called is woken after a fence.
void publish_offer(Worker& worker, uint32_t bits);
/// The same for the `lookout`, which is woken from deep sleep.
void post_to_lookout(Worker& worker);
/// By a thread of the region, if nobody has taken the worker's part, nor called it: wakes it to
/// execute its part (`called`), or to look after it (`lookout`). False: somebody has.
bool want(Worker& worker, uint32_t bit);
/// By the lookout of a region in which all parts are taken: the owner of one looks out when it
/// sleeps. False: it does not, or looks out already.
bool summon(Worker& worker);

/// A fork that is passed on, on the worker that has been posted to: posts to those below it. Before
/// it begins its implicit task.
void pass_fork_on(const Mailbox& from);

} // namespace heddle::team
