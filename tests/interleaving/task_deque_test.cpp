// SPDX-License-Identifier: Apache-2.0
// The task deque under all interleavings the explorer reaches: each task runs exactly once, nobody
// reads a slot that is not his, leapfrogging takes
// descendants only.
// The rings start with two slots and a batch has at most four tasks (planted_bugs.py).
// Protocol: docs/protocols/task-deque.md.
#include "concurrent/task_deque.hpp"

#include "explorer.hpp"

#include <array>
#include <memory>

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
    }

    void push(TaskDeque& deque, size_t task) {
        TaskSlot* slot = deque.reserve();
        explore::expect(slot != nullptr, "no memory");
        slot->tag = task << 8;
        memset(slot->payload, static_cast<int>(task + 1), sizeof slot->payload);
        deque.push();
        if (task >= tasks)
            tasks = task + 1;
    }

    size_t run(const TaskSlot& slot) {
        const size_t task = slot.tag >> 8;
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
                deque.publish();
            run(copy);
        }
    }

    void thief(size_t me, size_t victim, int tries) {
        while (tries-- > 0) {
            TaskDeque::Batch batch;
            if (!deques[me].steal(deques[victim], batch)) {
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
                mine.publish();
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
                shared.push(mine, 8 + task);
            if (task < 16)
                shared.push(mine, 16 + task);
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
        shared.push(mine, i);
    for (int i = 0; i < 3 && mine.has_private(); ++i)
        mine.publish();
    for (int tries = 0; tries < 12; ++tries) {
        TaskDeque::Batch batch;
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

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"last_task", last_task},
                         {"owner_and_thieves", owner_and_thieves, 1, 4000},
                         {"growth", growth, 1, 4000},
                         {"leapfrogging", leapfrogging, 1, 4000},
                         {"leapfrogging_on", leapfrogging_on, 1, 4000}});
}
