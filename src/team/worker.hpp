// SPDX-License-Identifier: Apache-2.0
// A worker: one OS thread known to the runtime, with its task memory and its mailbox for forks.
// Pool threads run run_pool_thread(); threads of the user become workers when attached.
// The mailbox is written by others (team/mailbox.hpp); nearly everything else belongs to the owner.
#pragma once

#include "concurrent/block_cache.hpp"
#include "concurrent/spin_budget.hpp"
#include "team/mailbox.hpp"
#include "team/served_host.hpp"
#include "team/statistics.hpp"
#include "team/tool_state.hpp"
#include "tool/watch.hpp"

namespace heddle::team {

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
    // The next three for a pool's thread by its maker, before its first region is posted.
    char* own_stack_limit = nullptr; ///< on the thread's own stack; unknown: the highest address
    size_t stack_size = 0;           ///< of the thread, for the program, in bytes; 0: unknown
    size_t stack_above = 0;          ///< beyond that, for other things
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
