// SPDX-License-Identifier: Apache-2.0
// The team barrier with stealing: nobody passes while a task of the team is unfinished, and nobody
// sleeps for ever. The waiting loop is that of schedule/wait.cpp without time limits; task bodies
// push further tasks. Protocol: docs/protocols/team-barrier.md.
#include "concurrent/event_count.hpp"
#include "concurrent/task_deque.hpp"
#include "concurrent/team_barrier.hpp"

#include "explorer.hpp"

#include <memory>

using heddle::concurrent::EventCount;
using heddle::concurrent::TaskDeque;
using heddle::concurrent::TaskSlot;
using heddle::concurrent::TeamBarrier;
namespace platform = heddle::platform;

namespace {

struct Shared {
    TeamBarrier barrier;
    EventCount sleep;
    TaskDeque deques[3];
    int size;
    int unfinished = 0; ///< tasks pushed and not run
    int passed[3] = {};
    platform::Atomic<uint32_t> inbox{0}; ///< tasks that became ready outside

    explicit Shared(int size_) : size(size_) {
        barrier.reset(static_cast<uint32_t>(size));
        for (TaskDeque& deque : deques)
            deque.begin_region(true);
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
        if (barrier.arrive(static_cast<uint32_t>(size)))
            sleep.notify_all();
    }

    void wait(int me) { wait(me, static_cast<uint32_t>(size)); }
    void wait(int me, uint32_t all) {
        TaskDeque& mine = deques[me];
        drain(mine);
        const uint32_t epoch = barrier.epoch();
        if (barrier.arrive(all)) {
            sleep.notify_all();
            return;
        }
        while (!barrier.completed(epoch)) {
            TaskDeque* victim = find_victim(me, false);
            const bool any = victim || inbox.load(platform::relaxed) != 0;
            if (any && barrier.rejoin(epoch)) {
                if (victim)
                    steal(mine, *victim);
                else
                    run_inbox();
                if (barrier.arrive(all)) {
                    sleep.notify_all();
                    return;
                }
                continue;
            }
            const uint32_t key = sleep.announce();
            if (barrier.surely_completed(epoch) || find_victim(me, true) ||
                inbox.load(platform::seq_cst) != 0)
                sleep.withdraw();
            else
                sleep.sleep(key);
        }
    }

    /// `barriers` phases; in each, member `phase % size` makes the tasks.
    void member(int me, int barriers, unsigned level) {
        for (int phase = 0; phase < barriers; ++phase) {
            if (me == phase % size) {
                push(deques[me], level);
                push(deques[me], level);
            }
            wait(me);
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

void add(explore::World& world, int size, int barriers, unsigned level) {
    auto shared = std::make_shared<Shared>(size);
    for (int i = 0; i < size; ++i)
        world.thread([=] { shared->member(i, barriers, level); });
}

void empty(explore::World& world) {
    auto shared = std::make_shared<Shared>(2);
    for (int i = 0; i < 2; ++i)
        world.thread([=] {
            for (int phase = 1; phase <= 3; ++phase) {
                shared->wait(i);
                shared->passed[i] = phase;
                explore::expect(shared->passed[1 - i] >= phase - 1, "passed alone");
            }
        });
}
/// The next region of the team is smaller; a thread may still be on its way out of the first.
void smaller_region(explore::World& world) {
    auto shared = std::make_shared<Shared>(3);
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
void held(explore::World& world, int size, bool has_successor) {
    auto shared = std::make_shared<Shared>(size);
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
                explore::expect(shared->barrier.active() == static_cast<uint32_t>(size),
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
void held_alone(explore::World& world) { held(world, 1, false); }
void held_two(explore::World& world) { held(world, 2, false); }
void inbox_alone(explore::World& world) { held(world, 1, true); }
void inbox_two(explore::World& world) { held(world, 2, true); }

void two(explore::World& world) { add(world, 2, 2, 0); }
void two_growing(explore::World& world) { add(world, 2, 2, 1); }
void three(explore::World& world) { add(world, 3, 2, 1); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"empty", empty},
                         {"held_alone", held_alone},
                         {"held_two", held_two, 0.5, 5000},
                         {"inbox_alone", inbox_alone},
                         {"inbox_two", inbox_two, 0.5, 5000},
                         {"smaller_region", smaller_region, 2, 0},
                         {"two", two},
                         {"two_growing", two_growing, 1, 5000},
                         {"three", three, 1, 0}});
}
