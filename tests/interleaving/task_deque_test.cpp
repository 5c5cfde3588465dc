// SPDX-License-Identifier: Apache-2.0
// The task deque under all interleavings the explorer reaches: each task runs exactly once, nobody
// reads a slot that is not his, leapfrogging takes descendants only, thieves run the oldest first.
// The rings start with two slots and a batch has at most four tasks (planted_bugs.py).
// Protocol: docs/protocols/task-deque.md.
#include "concurrent/event_count.hpp"
#include "concurrent/task_deque.hpp"

#include "linearizability.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

using heddle::concurrent::TaskDeque;
using heddle::concurrent::TaskSlot;

namespace {

constexpr size_t most_tasks = 32;

struct Shared {
    std::array<TaskDeque, 3> deques;
    std::array<int, most_tasks> runs{};
    size_t tasks = 0;

    Shared() {
        for (TaskDeque& deque : deques)
            deque.begin_region(true);
        explore::unwatch(tasks); // all who push count here
    }

    /// `parent`: whose child it is, any number.
    void push(TaskDeque& deque, size_t task, size_t parent = 0) {
        TaskSlot* slot = deque.reserve();
        explore::expect(slot != nullptr, "no memory");
        slot->tag = parent * (TaskSlot::flags + 1);
        memset(slot->payload, static_cast<int>(task + 1), sizeof slot->payload);
        deque.push();
        if (task >= tasks)
            tasks = task + 1;
    }

    size_t run(const TaskSlot& slot) {
        const size_t task = slot.payload[0] - size_t{1};
        explore::expect(task < tasks, "the slot holds no task");
        for (unsigned char byte : slot.payload)
            explore::expect(byte == task + 1, "the slot was overwritten");
        explore::expect(++runs[task] == 1, "a task ran twice");
        return task;
    }

    void drain(TaskDeque& deque, uint64_t base = 0) {
        while (TaskSlot* slot = deque.pop(base)) {
            const TaskSlot copy = *slot;
            if (deque.has_private() && deque.wants_tasks())
                deque.publish(explore::choose(2) != 0);
            run(copy);
        }
    }

    void thief(size_t me, size_t victim, int tries) {
        while (tries-- > 0) {
            TaskDeque::Batch batch;
            const uint64_t parts = explore::choose(2) == 0 ? 2 : 8;
            if (!deques[me].steal(deques[victim], batch, parts)) {
                explore::expect(!deques[me].has_private(),
                                "nothing was stolen, but something came");
                heddle::platform::relax();
                continue;
            }
            if (deques[me].has_private() && deques[me].wants_tasks())
                deques[me].publish();
            drain(deques[me]);
            deques[me].end_batch(batch);
        }
    }

    void check_end() {
        for (size_t i = 0; i < tasks; ++i)
            explore::expect(runs[i] == 1, "a task was lost");
    }
};

void owner_and_thieves(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        TaskDeque& mine = shared->deques[0];
        for (size_t i = 0; i < 6; ++i) {
            shared->push(mine, i);
            if (mine.wants_tasks())
                mine.publish(explore::choose(2) != 0);
            if (explore::choose(4) == 0)
                if (TaskSlot* slot = mine.pop(0))
                    shared->run(*slot);
        }
        shared->drain(mine);
    });
    world.thread([shared] { shared->thief(1, 0, 4); });
    world.thread([shared] { shared->thief(2, explore::choose(2), 4); });
    world.at_end([shared] { shared->check_end(); });
}

/// One thief and the owner fight for the last tasks.
void last_task(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        TaskDeque& mine = shared->deques[0];
        for (size_t i = 0; i < 2; ++i) {
            shared->push(mine, i);
            mine.publish();
        }
        shared->drain(mine);
    });
    world.thread([shared] { shared->thief(1, 0, 2); });
    world.at_end([shared] { shared->check_end(); });
}

void growth(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        TaskDeque& mine = shared->deques[0];
        for (size_t i = 0; i < 10; ++i) {
            shared->push(mine, i);
            if (mine.wants_tasks() || i == 1)
                mine.publish();
        }
        shared->drain(mine);
    });
    world.thread([shared] { shared->thief(1, 0, 3); });
    world.thread([shared] { shared->thief(2, 0, 3); });
    world.at_end([shared] { shared->check_end(); });
}

/// Steals from any other, and runs what a batch holds in the order of its creation. Each of the
/// tasks 0 to 7 leaves two behind, from 8 + twice its number on.
void orderly_thief(Shared& shared, size_t me, int tries) {
    TaskDeque& mine = shared.deques[me];
    while (tries-- > 0) {
        TaskDeque::Batch batch;
        if (!mine.steal(shared.deques[explore::choose(2) == 0 ? 0 : 3 - me], batch)) {
            heddle::platform::relax();
            continue;
        }
        mine.publish();
        size_t next = 0;
        while (TaskSlot* slot = mine.pop(batch.start)) {
            TaskDeque::begin_entry(batch, mine.bottom());
            const bool stolen = (slot->tag & TaskSlot::stolen) != 0;
            const size_t task = shared.run(*slot);
            explore::expect(!stolen || task >= next, "a newer task of a batch before an older one");
            next = stolen ? task : next;
            for (size_t i = 0; task < 8 && i < 2; ++i)
                shared.push(mine, 8 + 2 * task + i, 2 + task);
            while (mine.has_private() && explore::choose(2) == 0)
                mine.publish(explore::choose(2) != 0);
        }
        mine.end_batch(batch);
    }
}

/// Tasks may wait for older ones outside OpenMP: however often they are stolen, no thread has an
/// older one behind the one that it runs.
void oldest_first(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        TaskDeque& mine = shared->deques[0];
        for (size_t i = 0; i < 8; ++i)
            shared->push(mine, i);
        for (int i = 0; i < 4 && mine.has_private(); ++i)
            mine.publish();
        shared->drain(mine);
    });
    world.thread([shared] { orderly_thief(*shared, 1, 3); });
    world.thread([shared] { orderly_thief(*shared, 2, 5); });
    world.at_end([shared] { shared->check_end(); });
}

/// Steals from `victim`. Each of the tasks 0 to 7 leaves two behind: 8 + and 16 + its number; the
/// first of these leaves one: 24 +.
void thief_with_children(Shared& shared, size_t me, size_t victim, int tries) {
    TaskDeque& mine = shared.deques[me];
    while (tries-- > 0) {
        TaskDeque::Batch batch;
        if (!mine.steal(shared.deques[victim], batch)) {
            heddle::platform::relax();
            continue;
        }
        while (TaskSlot* slot = mine.pop(batch.start)) {
            TaskDeque::begin_entry(batch, mine.bottom());
            if (mine.has_private())
                mine.publish();
            const size_t task = shared.run(*slot);
            if (task < 8)
                shared.push(mine, 8 + task, 2 + task);
            if (task < 16)
                shared.push(mine, 16 + task, 2 + task);
            if (mine.has_private())
                mine.publish();
        }
        mine.end_batch(batch);
    }
    shared.drain(mine);
}

/// Tasks 0 to 2 are older than the one that waits, 3 to 7 are its children. The waiting owner of
/// deque 0 may leapfrog, here to deque `holder`, for its own and for what they left behind.
void wait_for_stolen(Shared& shared, size_t holder) {
    TaskDeque& mine = shared.deques[0];
    for (size_t i = 0; i < 3; ++i)
        shared.push(mine, i);
    mine.publish();
    const uint64_t base = mine.bottom();
    for (size_t i = 3; i < 8; ++i)
        shared.push(mine, i, 1);
    for (int i = 0; i < 3 && mine.has_private(); ++i)
        mine.publish();
    for (int tries = 0; tries < 12; ++tries) {
        TaskDeque::Batch batch;
        if (explore::choose(8) == 0 && shared.deques[holder].withholds())
            shared.deques[holder].seize(); // what its owner has begun included
        if (!mine.leapfrog(shared.deques[holder], base, batch)) {
            heddle::platform::relax();
            continue;
        }
        while (TaskSlot* slot = mine.pop(batch.start)) {
            TaskDeque::begin_entry(batch, mine.bottom());
            explore::expect((shared.run(*slot) & 7) >= 3, "leapfrogged to a task of another");
        }
        mine.end_batch(batch);
    }
    shared.drain(mine);
}

void check_first_eight(const Shared& shared) {
    for (size_t i = 0; i < 8; ++i)
        explore::expect(shared.runs[i] == 1, "a task was lost");
}

void leapfrogging(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] { wait_for_stolen(*shared, 1); });
    world.thread([shared] { thief_with_children(*shared, 1, 0, 8); });
    world.at_end([shared] { check_first_eight(*shared); });
}

/// The same where a second thief has stolen from the first: what it has came from deque 0 before.
void leapfrogging_on(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] { wait_for_stolen(*shared, 2); });
    world.thread([shared] { thief_with_children(*shared, 1, 0, 4); });
    world.thread([shared] { thief_with_children(*shared, 2, 1, 4); });
    world.at_end([shared] { check_first_eight(*shared); });
}

/// The owner pushes and pops, and publishes rarely; a thief moves the split in its stead, whatever
/// it is doing, and both thieves steal, from each other too.
void seizures(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        TaskDeque& mine = shared->deques[0];
        for (size_t i = 0; i < 6; ++i) {
            shared->push(mine, i);
            const uint32_t next = explore::choose(6);
            if (next == 0 && mine.has_private())
                mine.publish();
            if (next < 3)
                if (TaskSlot* slot = mine.pop(0))
                    shared->run(*slot);
        }
        shared->drain(mine);
    });
    for (size_t me = 1; me < 3; ++me)
        world.thread([shared, me] {
            for (int tries = 0; tries < 2; ++tries) {
                const size_t victim = explore::choose(3) != 0 ? 0 : 3 - me;
                if (shared->deques[victim].withholds())
                    shared->deques[victim].seize();
                shared->thief(me, victim, 1);
            }
        });
    world.at_end([shared] { shared->check_end(); });
}

/// The owner never comes back: all its tasks but what it has popped are run by another.
void absent_owner(explore::World& world, bool pops) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared, pops] {
        for (size_t i = 0; i < 5; ++i)
            shared->push(shared->deques[0], i);
        if (!pops)
            shared->deques[0].publish();
        else if (TaskSlot* slot = shared->deques[0].pop(0))
            shared->run(*slot);
    });
    world.thread([shared, pops] {
        const int left = pops ? 4 : 5;
        while (std::count(shared->runs.begin(), shared->runs.begin() + left, 1) != left) {
            if (!shared->deques[0].looks_stealable() && shared->deques[0].withholds())
                shared->deques[0].seize();
            shared->thief(1, 0, 1);
        }
    });
    world.at_end([shared] { shared->check_end(); });
}
void absent_publisher(explore::World& world) { absent_owner(world, false); }
void absent_popper(explore::World& world) { absent_owner(world, true); }

/// The owner leaves its task to a thief that may be asleep, and does not take it back.
void sleeping_thief(explore::World& world) {
    struct Sleeping : Shared {
        heddle::concurrent::EventCount sleep;
        heddle::platform::Atomic<uint32_t> done{0};
    };
    auto shared = std::make_shared<Sleeping>();
    world.thread([shared] {
        shared->push(shared->deques[0], 0);
        shared->deques[0].publish();
        shared->sleep.notify(1);
        while (shared->done.load(heddle::platform::acquire) == 0)
            heddle::platform::relax();
    });
    world.thread([shared] {
        TaskDeque& mine = shared->deques[1];
        TaskDeque::Batch batch;
        while (!mine.steal(shared->deques[0], batch)) {
            const uint32_t key = shared->sleep.announce();
            if (shared->deques[0].surely_stealable())
                shared->sleep.withdraw();
            else
                shared->sleep.sleep(key);
        }
        shared->drain(mine);
        mine.end_batch(batch);
        shared->done.store(1, heddle::platform::release);
    });
    world.at_end([shared] { shared->check_end(); });
}

/// What a deque is to one thread. A steal that gets nothing may always happen.
struct Sequence {
    enum class Kind { push, pop, steal };
    struct Operation {
        Kind kind;
        std::vector<size_t> tasks; ///< pushed, popped (or none), stolen: the oldest first
    };
    std::vector<size_t> tasks;

    bool apply(const Operation& operation) {
        const std::vector<size_t>& of = operation.tasks;
        if (operation.kind == Kind::push) {
            tasks.push_back(of[0]);
            return true;
        }
        if (operation.kind == Kind::steal) {
            if (of.size() > tasks.size() || !std::equal(of.begin(), of.end(), tasks.begin()))
                return false;
            tasks.erase(tasks.begin(), tasks.begin() + static_cast<long>(of.size()));
            return true;
        }
        if (of.empty() || tasks.empty() || tasks.back() != of[0])
            return of.empty() && tasks.empty();
        tasks.pop_back();
        return true;
    }
};

struct Recorded : Shared {
    explore::History<Sequence> history;

    void push_next(size_t task) {
        const explore::Moment asked = explore::now();
        push(deques[0], task);
        history.add({Sequence::Kind::push, {task}}, asked);
    }
    bool pop_one() {
        const explore::Moment asked = explore::now();
        const TaskSlot* slot = deques[0].pop(0);
        const size_t entry = history.add({Sequence::Kind::pop, {}}, asked);
        if (slot)
            history.at(entry).tasks.push_back(run(*slot));
        return slot != nullptr;
    }
    void steal_some(size_t me) {
        const explore::Moment asked = explore::now();
        TaskDeque::Batch batch;
        const uint64_t count = deques[me].steal(deques[0], batch);
        if (count == 0)
            return heddle::platform::relax();
        const size_t entry = history.add({Sequence::Kind::steal, {}}, asked);
        for (uint64_t i = 0; i < count; ++i) {
            const size_t task = run(*deques[me].pop(batch.start));
            history.at(entry).tasks.push_back(task);
        }
        deques[me].end_batch(batch);
    }
};

void linearizable(explore::World& world) {
    auto shared = std::make_shared<Recorded>();
    world.thread([shared] {
        for (size_t i = 0; i < 5; ++i) {
            shared->push_next(i);
            if (shared->deques[0].wants_tasks())
                shared->deques[0].publish();
            if (explore::choose(3) == 0)
                shared->pop_one();
        }
        while (shared->pop_one())
            ;
    });
    for (size_t me = 1; me < 3; ++me)
        world.thread([shared, me] {
            for (int tries = 0; tries < 2; ++tries)
                shared->steal_some(me);
        });
    world.at_end([shared] {
        shared->check_end();
        shared->history.check({});
    });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"last_task", last_task},
                         {"owner_and_thieves", owner_and_thieves, 1, 4000},
                         {"growth", growth, 1, 4000},
                         {"seizures", seizures, 1, 4000},
                         {"absent_publisher", absent_publisher, 0.5, 2000},
                         {"absent_popper", absent_popper, 1, 4000},
                         {"sleeping_thief", sleeping_thief, 0.5, 2000},
                         {"linearizable", linearizable, 0.5, 2000},
                         {"oldest_first", oldest_first, 1, 0},
                         {"leapfrogging", leapfrogging, 1, 4000},
                         {"leapfrogging_on", leapfrogging_on, 4, 4000}});
}
