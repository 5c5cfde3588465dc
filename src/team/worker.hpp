// SPDX-License-Identifier: Apache-2.0
// A worker: one OS thread known to the runtime, with its task memory and its mailbox for forks.
// Pool threads run run_pool_thread(); threads of the user become workers when attached.
// The mailbox line is written by whoever holds the thread, and read by its owner and by those who
// may execute its part (the epoch's release/acquire pair); nearly everything else belongs to the
// owner. Source: Cyclops-64 paper.
#pragma once

#include "concurrent/block_cache.hpp"
#include "concurrent/spin_budget.hpp"
#include "team/served_host.hpp"
#include "team/served_host.hpp"
#include "team/statistics.hpp"
#include "team/team.hpp"
#include "team/tool_state.hpp"
#include "tool/watch.hpp"

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

inline constexpr int capture_classes = 6; ///< payload blocks of 128 bytes to 4 KiB
inline constexpr size_t smallest_capture = 128;
inline constexpr int task_class = 1; ///< of a whole task of clang: 256 bytes
inline constexpr size_t task_block_size = smallest_capture << task_class;

/// Clauses of the next parallel or teams region that a thread encounters, where the ABI passes them
/// ahead of it. 0 and false_: none.
struct ComingClauses {
    int32_t num_threads = 0;
    const int32_t* inner_threads = nullptr; ///< num_threads(list), from the second item on
    int32_t inner_threads_length = 0;
    int32_t severity = 0; ///< num_threads(strict): 1 a warning, 2 fatal; 0 not strict
    const char* message = nullptr;
    config::ProcBind bind = config::ProcBind::false_;
    int32_t num_teams = 0;
    int32_t teams_thread_limit = 0;
};

/// What the thread has said of the data of a loop; see team/loop_data.hpp. Written by the thread,
/// read by others of its region, all relaxed.
struct LoopData {
    platform::Atomic<const void*> first{nullptr};
    platform::Atomic<size_t> element{0};
    platform::Atomic<uint64_t> loop{0}; ///< which one; 0: none
};

struct Worker {
    Mailbox mailbox;

    /// The epoch last posted, without bits: whoever may write the mailbox need not read there.
    alignas(concurrent::cache_line) uint32_t posted = 0;
    /// The team that has offered it regions. Relaxed, for the lookout: teams are never freed.
    platform::Atomic<Team*> offers_of{nullptr};

    // Owner only, except what BlockPool says of its returned blocks, `domain` and `loop_data`.
    /// Of the thread that executes the owner's part, which sets it.
    alignas(concurrent::cache_line) char* stack_limit = nullptr;
    // The next two for a pool's thread by its maker, before its first region is posted.
    char* own_stack_limit = nullptr; ///< on the thread's own stack; unknown: the highest address
    size_t stack_size = 0;           ///< of the thread, in bytes; 0: unknown
    /// While the thread sleeps at its mailbox: how it rounds, as the parts do that others execute
    /// for it. These write it then.
    uint64_t float_control = 0;
    bool is_pool_thread = false;
    int32_t global_number = 0; ///< of the worker, dense from 0; a later thread may inherit it
    ComingClauses coming;
    place::ThreadBinding binding;
    /// Where the thread was when it last looked, of interest to others; see team/locality.hpp.
    platform::Atomic<int32_t> domain{-1};
    LoopData loop_data;
    uint64_t displayed = 0; ///< fingerprint of the team that was displayed last with this primary
    concurrent::SpinBudget between_regions; ///< of a pool thread at its mailbox
    concurrent::Parker parker;
    concurrent::BlockPool families;
    concurrent::BlockPool groups;
    concurrent::BlockPool captures[capture_classes];
    concurrent::BlockReturns returns; ///< captures of others that this worker has executed
    /// Blocks of captures[task_class], whose header names that: see abi/kmp/task_block.
    concurrent::BlockCache task_blocks;

    // Memberships by nesting depth: [0] is the initial team's or the pool thread's own.
    struct Level {
        Member* member = nullptr;
        Team* team = nullptr; ///< the team this thread is primary of at that depth
        Level* deeper = nullptr;
        bool is_inserted = false; ///< for one thread: team/fork_join.cpp
    };
    Level outermost;
    Level* level = nullptr;          ///< of the current membership
    Level* spare_inserted = nullptr; ///< of regions that have ended, linked by `deeper`

    Carrier carrier; ///< of parts of a region on offer

    Worker* next_idle = nullptr; ///< in the pool's list, under the pool's lock
    platform::Thread thread;     ///< of the pool, by whoever makes it
    ServedHost served;

    Statistics statistics;
    tool::Watch watch;
    ToolThread tool;
};

/// How many workers there are, those included whose threads have ended.
int32_t workers_made();

/// A worker with its first member; nullptr when there is no memory.
Worker* create_worker();

/// Says which stack the worker's thread has. Below its middle tasks are deferred.
void set_own_stack(Worker& worker, const platform::StackOfThread& stack);

/// A member for `worker`; nullptr when there is no memory.
Member* create_member(Worker& worker);

/// Readies `member` for a region of `team` as thread `number` of `size`, without reading `team`:
/// the primary has just written there. By the member's own thread.
void begin_membership(Member& member, Team& team, int number, int size, Workshare* first);

} // namespace heddle::team
