// SPDX-License-Identifier: Apache-2.0
// A team whose threads push and steal tasks at their barrier: the waiting loop is that of
// schedule/wait_at_barrier.cpp without time limits; task bodies push further tasks. Included by the
// tests of the team barrier, of its flags and of its tree.
#pragma once

#include "concurrent/arrival_flags.hpp"
#include "concurrent/event_count.hpp"
#include "concurrent/task_deque.hpp"
#include "concurrent/tree_barrier.hpp"

#include "explorer.hpp"

#include <memory>

namespace barrier_team {

using heddle::concurrent::ArrivalFlags;
using heddle::concurrent::EventCount;
using heddle::concurrent::TaskDeque;
using heddle::concurrent::TaskSlot;
using heddle::concurrent::TeamBarrier;
using heddle::concurrent::TreeBarrier;
namespace platform = heddle::platform;

struct Shared {
    TeamBarrier barrier;
    EventCount sleep;
    TaskDeque deques[5];
    int size;
    TreeBarrier* tree = nullptr; ///< its nodes, for large teams
    unsigned polls = 0;          ///< before it sleeps
    ArrivalFlags flags;
    bool by_flags = false; ///< its threads arrive so
    int unfinished = 0;    ///< tasks pushed and not run
    int passed[5] = {};
    int phases[5] = {};        ///< which barrier of member() a thread is at
    unsigned executed[2][5]{}; ///< tasks, by phase modulo 2 and thread; plain data of the region
    platform::Atomic<uint32_t> inbox{0}; ///< tasks that became ready outside

    /// `width` is that of the tree's nodes; 0: no tree.
    explicit Shared(int size_, uint32_t width = 0, bool has_flags = false)
        : size(size_), by_flags(has_flags) {
        if (width) {
            tree = TreeBarrier::create(
                static_cast<uint32_t>(size), 0, [](int, uint32_t) { return 0; }, width);
        }
        if (width)
            polls = explore::choose(3);
        if (by_flags && (polls = explore::choose(4)) == 3)
            polls = ~0u; // none ever sleeps
        reset();
        for (TaskDeque& deque : deques)
            deque.begin_region(true);
        explore::unwatch(unfinished); // these two know more than the threads themselves
        explore::unwatch(passed);
    }

    /// A task of level n leaves two of level n - 1.
    void push(TaskDeque& mine, unsigned level) {
        TaskSlot* slot = mine.reserve();
        slot->tag = uintptr_t{level} << 8;
        ++unfinished;
        mine.push();
        if (mine.wants_tasks())
            expose(mine);
    }
    void expose(TaskDeque& mine) {
        mine.publish();
        sleep.notify(1);
    }
    void drain(TaskDeque& mine, TaskDeque::Batch* batch = nullptr) {
        while (TaskSlot* slot = mine.pop(0)) {
            if (batch)
                TaskDeque::begin_entry(*batch, mine.bottom());
            const auto level = static_cast<unsigned>(slot->tag >> 8);
            if (mine.has_private() && mine.wants_tasks())
                expose(mine);
            if (level > 0) {
                push(mine, level - 1);
                push(mine, level - 1);
            }
            --unfinished;
            const auto me = static_cast<size_t>(&mine - deques);
            ++executed[phases[me] % 2][me];
        }
    }
    TaskDeque* find_victim(int me, bool surely) {
        for (int i = 0; i < size; ++i)
            if (i != me && (surely ? deques[i].surely_stealable() : deques[i].looks_stealable()))
                return &deques[i];
        return nullptr;
    }
    void steal(TaskDeque& mine, TaskDeque& victim) {
        TaskDeque::Batch batch;
        const uint64_t count = mine.steal(victim, batch);
        if (count == 0)
            return;
        if (count > 1 && mine.wants_tasks())
            expose(mine);
        drain(mine, &batch);
        mine.end_batch(batch);
    }

    /// A task became ready outside: it holds the barrier until a member has run it.
    void put_into_inbox() {
        barrier.hold();
        inbox.fetch_add(1, platform::seq_cst);
        sleep.notify_all();
    }
    void run_inbox() {
        if (inbox.exchange(0, platform::acquire) == 0)
            return;
        --unfinished;
        barrier.drop();
    }
    /// What held the barrier is complete; by any thread.
    void release_hold() {
        if (barrier.arrive(width()))
            sleep.notify_all();
    }

    /// Of what the barrier itself counts.
    uint32_t width() const { return tree ? tree->root_width() : static_cast<uint32_t>(size); }
    /// What the primary does before a region with other threads.
    void reset() {
        barrier.reset(width());
        if (tree)
            tree->reset(barrier);
    }

    void wait(int me) {
        if (tree)
            wait_at(me, TreeBarrier::Place(*tree, barrier, static_cast<uint32_t>(me)));
        else
            wait(me, static_cast<uint32_t>(size));
    }
    void wait(int me, uint32_t all) {
        if (by_flags)
            wait_at(me, ArrivalFlags::Place(barrier, flags, static_cast<uint32_t>(me), all));
        else
            wait_at(me, TeamBarrier::Place(barrier, all));
    }

    template <class Place>
    void wait_at(int me, Place place) {
        TaskDeque& mine = deques[me];
        drain(mine);
        uint32_t epoch;
        if (place.arrive(epoch)) {
            sleep.notify_all();
            return;
        }
        unsigned looks = 0;
        while (!place.completed(epoch)) {
            TaskDeque* victim = find_victim(me, false);
            const bool any = victim || inbox.load(platform::relaxed) != 0;
            if (any && place.rejoin(epoch)) {
                if (victim)
                    steal(mine, *victim);
                else
                    run_inbox();
                if (place.arrive(epoch)) {
                    sleep.notify_all();
                    return;
                }
                continue;
            }
            if (looks++ < polls) {
                platform::relax();
                continue;
            }
            const uint32_t key = sleep.announce();
            if (place.surely_completed(epoch) || find_victim(me, true) ||
                inbox.load(platform::seq_cst) != 0)
                sleep.withdraw();
            else
                sleep.sleep(key);
        }
        if constexpr (requires { place.has_opened(); })
            if (place.has_opened())
                sleep.notify_all();
    }

    /// `barriers` phases; in each, member `phase % size` makes the tasks.
    void member(int me, int barriers, unsigned level) {
        for (int phase = 0; phase < barriers; ++phase) {
            phases[me] = phase;
            executed[phase % 2][me] = 0;
            if (me == phase % size) {
                push(deques[me], level);
                push(deques[me], level);
            }
            wait(me);
            unsigned all = 0;
            for (int i = 0; i < size; ++i)
                all += executed[phase % 2][i];
            explore::expect(all == (4u << level) - 2,
                            "what was done before the barrier is not seen");
            ++passed[me];
            // Others may have gone on to the next phase, but not through it without this one.
            for (int i = 0; i < size; ++i)
                explore::expect(passed[i] >= phase && passed[i] <= phase + 2,
                                "passed without the others");
            explore::expect(unfinished == 0 || phase + 1 < barriers,
                            "passed with unfinished tasks");
        }
    }
};

/// Members of one region.
inline void add(explore::World& world, int size, int barriers, unsigned level, uint32_t width = 0,
                bool by_flags = false) {
    auto shared = std::make_shared<Shared>(size, width, by_flags);
    for (int i = 0; i < size; ++i)
        world.thread([=] { shared->member(i, barriers, level); });
}

/// Barriers without tasks: nobody is a barrier ahead.
inline void add_empty(explore::World& world, int size, uint32_t width = 0, bool by_flags = false) {
    auto shared = std::make_shared<Shared>(size, width, by_flags);
    for (int i = 0; i < size; ++i)
        world.thread([=] {
            for (int phase = 1; phase <= 3; ++phase) {
                shared->wait(i);
                shared->passed[i] = phase;
                for (int other = 0; other < size; ++other)
                    explore::expect(shared->passed[other] >= phase - 1, "passed alone");
            }
        });
}

/// The next region of the team is smaller; a thread may still be on its way out of the first.
inline void add_smaller_region(explore::World& world, bool by_flags) {
    auto shared = std::make_shared<Shared>(3, 0, by_flags);
    auto begun = std::make_shared<platform::Atomic<uint32_t>>(0u);
    for (int i = 0; i < 3; ++i)
        world.thread([=] {
            if (i == 0) {
                shared->push(shared->deques[i], 0);
                shared->push(shared->deques[i], 0);
            }
            shared->wait(i);
            if (i == 2)
                return;
            if (i == 0) {
                shared->barrier.reset(2);
                begun->exchange(1, platform::seq_cst);
            }
            while (!begun->load(platform::acquire))
                platform::relax();
            shared->push(shared->deques[i], 0);
            shared->push(shared->deques[i], 0);
            shared->wait(i, 2);
            explore::expect(shared->unfinished == 0, "passed with unfinished tasks");
            shared->wait(i, 2);
        });
}

/// Members leave a detached task behind, which a thread outside completes; it may make another task
/// ready. Then the next region begins: nobody of the first may touch its barrier.
inline void held(explore::World& world, int size, bool has_successor, uint32_t width = 0,
                 bool by_flags = false) {
    auto shared = std::make_shared<Shared>(size, width, by_flags);
    auto executed = std::make_shared<platform::Atomic<uint32_t>>(0);
    auto over = std::make_shared<platform::Atomic<uint32_t>>(0);
    for (int i = 0; i < size; ++i)
        world.thread([=] {
            if (i == 0) {
                shared->unfinished += has_successor ? 2 : 1;
                shared->barrier.hold();
                executed->exchange(1, platform::seq_cst);
            }
            shared->wait(i);
            explore::expect(shared->unfinished == 0, "passed with unfinished tasks");
            if (over->fetch_add(1, platform::acq_rel) + 1 == static_cast<uint32_t>(size))
                explore::expect(shared->barrier.active() == shared->width(),
                                "the next region begins with another number of threads");
        });
    world.thread([=] {
        while (!executed->load(platform::acquire))
            platform::relax();
        if (has_successor)
            shared->put_into_inbox();
        --shared->unfinished;
        shared->release_hold();
    });
}

} // namespace barrier_team
