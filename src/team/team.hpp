// SPDX-License-Identifier: Apache-2.0
// A team: the threads that execute one parallel region, and each thread's membership in it.
// `Member` is what the thread-local pointer points to; its first lines are the task fast path and
// are written by the thread alone that executes its part. `Team` is written by the primary thread
// before the fork and after the join; in between only its atomics change, and what a lock guards.
#pragma once

#include "concurrent/arrival_flags.hpp"
#include "concurrent/event_count.hpp"
#include "concurrent/futex_lock.hpp"
#include "concurrent/task_box.hpp"
#include "place/binding.hpp"
#include "team/host.hpp"
#include "team/on_offer.hpp"
#include "team/seats.hpp"
#include "team/task_record.hpp"
#include "team/workshare.hpp"

namespace heddle::team {

struct Team;
struct Garbage;
struct Worker;
struct PolicyState;
struct BarrierTrees;
struct ToolParallel;

/// Level 0 only: tasks were deferred for want of stack, and no barrier will run them.
enum class Drain : uint8_t { no, due, going_on };

/// Bit of Member::deferring, constant during a region: no task is plain, for priorities count, or
/// all tasks are to be queued. It keeps these questions off the fast path.
inline constexpr uint32_t attention = 1u << 31;
/// Another such bit: HEDDLE_STATS counts all tasks, HEDDLE_TRACE or HEDDLE_HANG_SIGNAL notes them,
/// or a tool is told, so none may take the fast path. What is decided about them stays the same.
inline constexpr uint32_t counting = 1u << 30;
/// Another, which the member's thread itself sets: the task that it executes may have a hint for
/// the next task; see schedule/hints.hpp.
inline constexpr uint32_t hint_given = 1u << 29;
/// Another, constant: cancel-var is true, so tasks may be cancelled, and regions.
inline constexpr uint32_t cancellable = 1u << 28;
/// All of these; the other bits are a number.
inline constexpr uint32_t deferring_flags = attention | counting | hint_given | cancellable;
/// The bits, from the settings; set before the first region.
extern platform::Atomic<uint32_t> initial_attention;

/// Bits of Team::at_begin and at_end: each thread displays its affinity; the region has bound the
/// thread of the user; it is watched; other hosts' teams share the CPUs with it; each thread begins
/// a watched loop with it, or sections.
inline constexpr uint8_t displays = 1, bound_primary = 2, watched = 4, among_hosts = 8;
inline constexpr uint8_t gives_loop = 16, gives_sections = 32;

/// HEDDLE_TASK_STEALING and heddle_set_task_stealing(): 1, threads leave each other's tasks alone.
/// Relaxed: whoever looks for tasks meanwhile does the one or the other.
extern platform::Atomic<uint32_t> stealing_is_off;

/// A thread's place in the tree in which a team combines a reduction; construct/reduction_tree.hpp.
struct alignas(concurrent::cache_line) ReductionPlace {
    void* part = nullptr;                  ///< the thread's own; released by `arrived`
    platform::Atomic<uint32_t> arrived{0}; ///< one of the two subtrees that meet here is complete
    platform::Atomic<uint32_t> taken{0};   ///< nobody needs `part` any more; thread 0: all is in it
    bool locked = false; ///< owner only: it holds the lock of the reduction that it is in
};

/// What a thread that has nothing to do would take from its box: a hint, for others who might take
/// it instead. Written by the thread itself, when boxes are in use.
enum class Wait : uint32_t {
    none,    ///< it has something to do
    barrier, ///< anything
    task,    ///< only what descends from the task that waits
    yield,   ///< the same, if it does not go on: a task looked in vain, and has not waited since
    left     ///< nothing: it has left the region, and others may take all
};

/// A thread's membership in one team.
struct alignas(concurrent::cache_line) Member {
    // The task fast path.
    Frame* current;     ///< the task region being executed
    char* stack_limit;  ///< below this address new tasks are deferred, not nested
    uint32_t deferring; ///< throttle: how many more tasks go to the deque; and the bits above
    int32_t number;     ///< omp_get_thread_num()
    Team* team;
    int32_t team_size;   ///< team->size, for the worker does not read what the primary wrote
    uint32_t victim = 0; ///< where the last steal succeeded, or the next look begins
    Worker* worker;      ///< the OS thread
    Member* enclosing;   ///< the same OS thread's membership in the enclosing team
    Drain drain = Drain::no;
    bool in_barrier : 1 = false;    ///< runs what it took while it waits in a barrier
    bool counts_stops : 1 = true;   ///< the next batch may be long; see schedule/steal.cpp
    bool offers : 1 = false;        ///< the region's parts are on offer: team/stand_in.hpp
    bool at_end : 1 = false;        ///< of such a region: it waits for those who have begun
    bool meets_awake : 1 = false;   ///< of whom it has found some with their part on offer
    bool found_leaves : 1 = false;  ///< its last batch was over at once
    bool by_flags : 1 = false;      ///< how the team's threads arrive at barriers
    uint16_t sleeps = 0;            ///< in waits inside tasks, modulo 2^16
    uint32_t records = 0;           ///< tasks with a record that this thread has created
    uint32_t holder = 0;            ///< where the next look for stolen children begins
    uint32_t random = 0;            ///< state of the generator that draws victims; 0: none yet
    uint16_t gathers = 1;           ///< tasks to publish at once; see schedule/throttle.cpp
    uint16_t stock = 1;             ///< tasks to have queued at any time, while threads wait
    uint32_t seen_taken = 0;        ///< of its deque, modulo 2^32, at its last look there
    const Frame* creator = nullptr; ///< the task for which the queue was last filled
    uint64_t executed_records = 0;  ///< tasks with a record that this thread has executed
    uint64_t record_ns = 0;  ///< how long one lasts, a moving average of every eighth; 0: unknown
    uint64_t tiny_tasks = 0; ///< stolen in a row
    uint64_t pause_ns = 0; ///< how long this thief leaves the others alone; see schedule/steal.cpp
    uint64_t hungry_from = 0; ///< until then

    concurrent::TaskDeque deque;

    // What a thief knows of the tasks it takes: schedule/steal.cpp.
    uint32_t parents = 0;    ///< tasks that left deferred children, or waited for them, modulo 2^32
    uint32_t seen_waits = 0; ///< of the owner of its last batch
    uint32_t stolen_ns = 0;  ///< how long a stolen task that is none lasts, about the median

    // The implicit task.
    Frame implicit_task;
    Context own_context; ///< used once the implicit task has changed its ICVs
    config::Icvs own_icvs;
    Garbage* later_contexts = nullptr; ///< of the implicit task, after `own_context`; all of them
    uint32_t singles = 0;              ///< that this thread has come to in the region
    WorksharePosition workshare;
    place::Partition partition; ///< place-partition-var, where threads are bound
    ReductionPlace reduction;

    // Task affinity: schedule/hints.hpp, schedule/boxes.hpp.
    const Frame* hint_frame = nullptr; ///< whose next task or taskgroup `hint` is for
    Hint hint;
    HintScope* hints = nullptr; ///< innermost scope; may be of a task below on the stack
    uint32_t served = 0;        ///< Team::hinted_groups, when it last took a task from its box
    platform::Atomic<Wait> wait{Wait::none};
    uint16_t stocked = 0;        ///< deferred for the sake of `stock` since the last thread asked
    uint16_t other_requests = 0; ///< since the last one for roots, or since the stock was halved

    /// Waits inside tasks for what others have, modulo 2^32; relaxed, thieves take it for a hint.
    platform::Atomic<uint32_t> waits{0};

    // Under one of the papers' task policies.
    uint64_t policy_tasks = 0; ///< tasks that this thread has created, for its queues
    platform::Atomic<PolicyState*> policy{nullptr}; ///< made at first use; schedule/policy/

    /// Tasks that are meant for this thread, added by all. Empty between regions.
    alignas(concurrent::cache_line) concurrent::TaskBox<TaskRecord> box;

    Part part; ///< of a region on offer
};

/// In Team::has_tasks: some member has deferred a task in this region; some task was put into a
/// box.
inline constexpr uint32_t deferred_tasks = 1, boxed_tasks = 2;

/// In Team::inbox_size: a policy's queue of which the team's waiting threads are to know.
inline constexpr int64_t policy_queue = int64_t{1} << 32;

inline constexpr int affinity_bits = 8; ///< the team's table of locations has so many entries

/// In teams of more threads, while each has a CPU, each arrives by a flag of its own, and one
/// fetches them together. Fewer count themselves in one word: the last to come knows that it is.
inline constexpr int32_t most_counted_threads = 4;

/// Teams of more threads find the workers of the others by their members.
inline constexpr int crew_size = 16;

/// The team's single constructs: construct/single.hpp.
struct alignas(concurrent::cache_line) Singles {
    platform::Atomic<uint32_t> begun{0};     ///< in this region
    platform::Atomic<uint32_t> published{0}; ///< the last one with copyprivate: its number, from 1
    platform::Atomic<void*> data{nullptr};   ///< of that one
    concurrent::EventCount changed;          ///< notified when `published` changes
};

/// The barrier behind copyprivate in a cancelled region: schedule/remaining.hpp.
struct Remaining {
    concurrent::FutexLock lock;
    int32_t waiting = 0;                 ///< under the lock: at the barrier
    int32_t gone = 0;                    ///< under the lock: to the end of the region
    platform::Atomic<uint32_t> epoch{0}; ///< barriers that have opened, modulo 2^32
    concurrent::EventCount changed;      ///< notified when `epoch` changes
};

/// Begins a block of memory that lives until the team's region ends.
struct Garbage {
    Garbage* next;
};

/// An initial team's place in its league.
struct League {
    int32_t size = 1;     ///< initial teams: omp_get_num_teams()
    int32_t number = 0;   ///< of this one: omp_get_team_num()
    bool at_once = false; ///< other teams of the league run meanwhile
};

/// Tasks that became ready outside any worker: schedule/inbox.hpp. Under the lock.
struct Inbox {
    concurrent::FutexLock lock;
    TaskRecord* first = nullptr;
    TaskRecord** end = &first; ///< the null at its end
};

struct alignas(concurrent::cache_line) Team {
    // Constant during the region.
    int32_t size = 1;
    int32_t level = 0;        ///< enclosing parallel regions, this one included
    int32_t active_level = 0; ///< those with more than one thread
    /// Parallel regions of several threads on this stack, those around an initial team too.
    int32_t nesting = 0;
    League league;
    Member* parent = nullptr; ///< the primary's member in the enclosing team; none at level 0
    platform::Atomic<int32_t>* busy_threads =
        nullptr;           ///< of the contention group, see thread_limit
    int32_t reserved = 0;  ///< threads that this team added to it; the primary's
    bool binds = false;    ///< the threads have places: `placement` holds
    bool by_flags = false; ///< they arrive at barriers by flags
    uint8_t at_begin = 0;  ///< what else its threads do then: the bits above
    uint8_t at_end = 0;    ///< what else its primary does then
    int32_t crowding = 0;  ///< CPUs that places deny it, see place_team()
    /// 0: nobody stands back, but in regions on offer. Relaxed: read by who lingers in the last
    /// one.
    platform::Atomic<int32_t> seat_count{0};
    Workshare* first_workshare = nullptr; ///< every member's position when the region begins
    BarrierTrees* trees = nullptr;        ///< of a large team, if there was memory; large_team.hpp
    config::Icvs icvs;                    ///< of the implicit tasks
    Context context;                      ///< of the implicit tasks
    uint64_t code = 0, outer_task = 0;    ///< of a watched region: see team/watching.cpp
    ToolParallel* tool = nullptr;         ///< of a region or league that a tool is told of

    // Changed during the region. The barrier's line is written by all at its end, and polled.
    alignas(concurrent::cache_line) concurrent::TeamBarrier barrier;
    concurrent::ArrivalFlags flags, cancellable_flags; ///< of this barrier, and the one below

    // Polled by those who wait, and hardly ever written.
    alignas(concurrent::cache_line) concurrent::EventCount sleep; ///< members that wait for tasks
    concurrent::EventCount back; ///< those that leave tasks to others: team/stand_in.hpp
    platform::Atomic<uint32_t> has_tasks{0};   ///< the bits above
    platform::Atomic<int64_t> inbox_size{0};   ///< entries of `inbox`; plus policy_queue for each
    platform::Atomic<uint32_t> cancelled{0};   ///< `cancel parallel` was encountered
    platform::Atomic<uint32_t> tasks_sleep{0}; ///< they were seen to; a hint, schedule/steal.cpp
    platform::Atomic<int32_t> parked{0}; ///< active members that sleep in a taskwait or taskgroup
    platform::Atomic<Garbage*> garbage{nullptr};

    Singles singles;

    /// Where members may leave early when it was: never the one at which the region ends.
    alignas(concurrent::cache_line) concurrent::TeamBarrier cancellable_barrier;
    /// Which worksharing region was cancelled, by the barrier that ends it; see construct/cancel.
    platform::Atomic<uint64_t> cancelled_workshare{0};
    Remaining remaining;
    Inbox inbox;
    platform::Atomic<uint32_t> hinted_groups{0}; ///< groups with a hint, of implicit tasks
    /// Who last executed a task with a location, plus 1; see schedule/affinity.hpp.
    platform::Atomic<uint16_t> affinity[1 << affinity_bits] = {};

    platform::Atomic<int32_t> own_busy_threads{1}; ///< initial teams: the group's counter

    OnOffer on_offer;

    alignas(concurrent::cache_line) Seats seats = {}; ///< at its barrier: team/seats.hpp

    // Written when threads come to the team, and read by all.
    /// By thread number. A thread that lingers in the last barrier may read an old entry or array.
    alignas(concurrent::cache_line) platform::Atomic<platform::Atomic<Member*>*> members{nullptr};
    int32_t capacity = 0; ///< entries in `members`
    /// The workers of its first threads: who takes parts leaves the members' lines alone.
    platform::Atomic<Worker*> crew[crew_size] = {};
    /// How the threads find their places: constant during the region, and as a rule from one to the
    /// next.
    place::Placement placement;

    // The primary's, between regions.
    alignas(concurrent::cache_line) int32_t attached = 1; ///< members[1..attached) are ours to fork
    int32_t borrowed = 0;         ///< what this region adds to CpuPressure::borrowed
    bool lends = false;           ///< its threads go back to the pool after the region
    bool has_new_threads = false; ///< some of them, since the last large region
    /// Threads of the team while its region is on offer, else 0. For the lookout.
    platform::Atomic<int32_t> size_on_offer{0};
    bool had_tasks = false; ///< a region has deferred some: team/stand_in.cpp
    /// Of a region of which team/stand_in.cpp is to know more; 0: there is none. Relaxed, for the
    /// lookout.
    platform::Atomic<uint64_t> code_on_trial{0};
    BarrierTrees* known_trees = nullptr; ///< for all sizes

    alignas(concurrent::cache_line) Host host; ///< the primary's
};

/// Wakes all that sleep at its barrier: it has opened, say.
inline void wake_all(Team& team) {
    team.sleep.notify_all();
    team.back.notify_all();
}

/// By the primary, before a region begins: nobody has cancelled it.
inline void forget_cancellation(Team& team) {
    team.cancelled.store(0, platform::relaxed);
    team.remaining.waiting = team.remaining.gone = 0;
}

/// Thread `number` of the team. Acquire pairs with the release that published the array; the entry
/// is relaxed: what it leads to was released with it, and members are never freed.
inline Member& member_at(const Team& team, int32_t number) {
    return *team.members.load(platform::acquire)[number].load(platform::relaxed);
}

/// Makes it thread `number` of the team. By the primary, between regions.
inline void set_member(Team& team, int32_t number, Member& member) {
    // release: who lingers in the last region may meet the new member by its address
    team.members.load(platform::relaxed)[number].store(&member, platform::release);
    if (number < crew_size)
        team.crew[number].store(member.worker, platform::release); // pairs with worker_at()
}

/// The worker of thread `number`; none is ever freed. For the first threads what their members
/// write in each region is not read.
inline Worker& worker_at(const Team& team, int32_t number) {
    return HEDDLE_LIKELY(number < crew_size)
               ? *team.crew[number].load(platform::acquire) // pairs with set_member()
               : *member_at(team, number).worker;
}

/// The membership of the calling thread; nullptr before it was attached.
inline Member* self_or_null() { return static_cast<Member*>(platform::self()); }

/// Announces a thread that OpenMP did not create: it becomes the initial thread of its own
/// contention group, alone in a team of level 0. Ends the process only when no memory is left.
Member& attach_thread();

inline Member& self() {
    Member* member = self_or_null();
    return HEDDLE_LIKELY(member != nullptr) ? *member : attach_thread();
}

/// The initial team of the calling thread's contention group, which knows its place in the league.
inline Team& initial_team(const Member& member) {
    Team* team = member.team;
    while (team->parent)
        team = team->parent->team;
    return *team;
}

/// The block that begins with `garbage` is freed when the region of `team` ends.
void keep_for_region(Team& team, Garbage& garbage);

/// Frees these blocks. By the primary, outside the region.
void free_region_memory(Team& team);

} // namespace heddle::team
