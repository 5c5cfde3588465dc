// SPDX-License-Identifier: Apache-2.0
// The task deque on real threads: one owner makes tasks, the others steal, from it and each other.
// Every task runs exactly once and carries its payload through growth of the rings.
#include "concurrent/task_deque.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace {

using heddle::concurrent::TaskDeque;
using heddle::concurrent::TaskSlot;
namespace platform = heddle::platform;

struct Fixture {
    std::unique_ptr<TaskDeque[]> deques;
    std::unique_ptr<platform::Atomic<int>[]> runs;
    platform::Atomic<int> unfinished;
    int tasks;

    Fixture(int threads, int tasks_)
        : deques(new TaskDeque[static_cast<size_t>(threads)]),
          runs(new platform::Atomic<int>[static_cast<size_t>(tasks_)]), unfinished(tasks_),
          tasks(tasks_) {
        for (int i = 0; i < threads; ++i)
            deques[static_cast<size_t>(i)].begin_region(true);
    }

    void push(TaskDeque& deque, int task) {
        TaskSlot* slot = deque.reserve();
        ASSERT_NE(slot, nullptr);
        slot->function = nullptr;
        slot->tag = uintptr_t{static_cast<unsigned>(task)} << 6;
        memset(slot->payload, task & 255, sizeof slot->payload);
        deque.push();
    }
    void run(const TaskSlot& slot) {
        const auto task = static_cast<int>(slot.tag >> 6);
        ASSERT_LT(task, tasks);
        EXPECT_EQ(slot.payload[0], task & 255);
        EXPECT_EQ(slot.payload[TaskSlot::payload_size - 1], task & 255);
        EXPECT_EQ(runs[static_cast<size_t>(task)].fetch_add(1, platform::relaxed), 0);
        unfinished.fetch_sub(1, platform::acq_rel);
    }
    void drain(TaskDeque& deque, uint64_t base) {
        while (const TaskSlot* slot = deque.pop(base)) {
            const TaskSlot task = *slot;
            if (deque.has_private() && deque.wants_tasks())
                deque.publish();
            run(task);
        }
    }
};

TEST(TaskDeque, runs_each_task_once) {
    for (int threads : test::thread_counts) {
        const int tasks = 40000 / test::slower;
        Fixture fixture(threads, tasks);
        test::on_threads(threads, [&](int me) {
            test::Random random(me);
            TaskDeque& mine = fixture.deques[static_cast<size_t>(me)];
            if (me == 0) {
                for (int i = 0; i < tasks; ++i) {
                    fixture.push(mine, i);
                    if (mine.wants_tasks())
                        mine.publish();
                    if (random.below(64) == 0)
                        fixture.drain(mine, mine.bottom() - random.below(16) % mine.size());
                }
                fixture.drain(mine, 0);
            }
            while (fixture.unfinished.load(platform::acquire) > 0) {
                const uint32_t victim = random.below(static_cast<uint32_t>(threads));
                TaskDeque::Batch batch;
                if (static_cast<int>(victim) == me || !mine.steal(fixture.deques[victim], batch)) {
                    platform::yield();
                    continue;
                }
                fixture.drain(mine, batch.start);
                mine.end_batch(batch);
            }
        });
        for (int i = 0; i < tasks; ++i)
            ASSERT_EQ(fixture.runs[static_cast<size_t>(i)].load(platform::relaxed), 1) << i;
    }
}

TEST(TaskDeque, pops_newest_first_down_to_the_base) {
    Fixture fixture(1, 300);
    TaskDeque& deque = fixture.deques[0];
    for (int i = 0; i < 300; ++i)
        fixture.push(deque, i);
    deque.publish();
    for (int i = 299; i >= 100; --i) {
        const TaskSlot* slot = deque.pop(100);
        ASSERT_NE(slot, nullptr);
        EXPECT_EQ(slot->tag >> 6, static_cast<unsigned>(i));
    }
    EXPECT_EQ(deque.pop(100), nullptr);
    EXPECT_EQ(deque.bottom(), 100u);
    fixture.drain(deque, 0);
    EXPECT_EQ(deque.size(), 0u);
}

TEST(TaskDeque, publishes_the_older_half_or_all) {
    Fixture fixture(2, 20);
    TaskDeque& deque = fixture.deques[0];
    for (int i = 0; i < 10; ++i)
        fixture.push(deque, i);
    deque.publish();
    EXPECT_EQ(deque.private_size(), 5u);
    deque.publish(true);
    EXPECT_EQ(deque.private_size(), 0u);
    TaskDeque::Batch batch;
    EXPECT_EQ(fixture.deques[1].steal(deque, batch, 4), 3u); // a fourth of all ten
    EXPECT_EQ(deque.taken(), 3u);
    fixture.drain(fixture.deques[1], batch.start);
    fixture.deques[1].end_batch(batch);
    for (int i = 10; i < 16; ++i)
        fixture.push(deque, i);
    deque.publish(); // three: ten are public
    EXPECT_EQ(fixture.deques[1].steal(deque, batch, 4), 5u);
    fixture.drain(fixture.deques[1], batch.start);
    fixture.deques[1].end_batch(batch);
    fixture.drain(deque, 0);
    EXPECT_EQ(deque.size(), 0u);
}

TEST(TaskDeque, knows_what_thieves_say_of_its_tasks) {
    TaskDeque deque;
    EXPECT_EQ(deque.task_size(), TaskDeque::medium);
    deque.note_task_size(TaskDeque::large);
    EXPECT_EQ(deque.task_size(), TaskDeque::large);
    deque.note_task_size(TaskDeque::tiny);
    EXPECT_EQ(deque.task_size(), TaskDeque::tiny);
}

TEST(TaskDeque, tells_a_thief_that_asked) {
    TaskDeque owner, thief;
    owner.begin_region(false);
    thief.begin_region(false);
    EXPECT_EQ(owner.wants_tasks(), 0u);
    TaskDeque::Batch batch;
    EXPECT_EQ(thief.steal(owner, batch), 0u);
    EXPECT_EQ(owner.wants_tasks(), 1u);
}

/// Tasks 0 and 1 are older than the waiting one, 2 to 5 are its children.
TEST(TaskDeque, leapfrogs_to_descendants_only) {
    Fixture fixture(2, 6);
    TaskDeque &owner = fixture.deques[0], &holder = fixture.deques[1];
    for (int i = 0; i < 6; ++i)
        fixture.push(owner, i);
    while (owner.has_private())
        owner.publish();
    TaskDeque::Batch stolen, back;
    ASSERT_EQ(holder.steal(owner, stolen), 3u); // 0, 1, 2, of which 2 is a child
    while (holder.has_private())
        holder.publish();
    const TaskSlot* slot = holder.pop(stolen.start);
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->tag >> 6, 0u); // the oldest first
    TaskDeque::begin_entry(stolen, holder.bottom());
    fixture.run(*slot);
    EXPECT_EQ(owner.leapfrog(holder, 3, back), 0u);
    ASSERT_EQ(owner.leapfrog(holder, 2, back), 1u);
    slot = owner.pop(back.start);
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->tag >> 6, 2u);
    EXPECT_NE(slot->tag & TaskSlot::stolen, 0u);
    owner.end_batch(back);
}

/// One task of `deques[0]` that one thief after another took, as the numbers in `way` say.
struct Way {
    std::unique_ptr<TaskDeque[]> deques;
    std::unique_ptr<TaskDeque::Batch[]> batches;
    std::vector<size_t> way;

    Way(size_t count, std::vector<size_t> thieves)
        : deques(new TaskDeque[count]), batches(new TaskDeque::Batch[thieves.size()]),
          way(std::move(thieves)) {
        for (size_t i = 0; i < count; ++i)
            deques[i].begin_region(true);
        TaskSlot* slot = deques[0].reserve();
        slot->tag = 64;
        deques[0].push();
        deques[0].publish();
        size_t victim = 0;
        for (size_t i = 0; i < way.size(); ++i) {
            EXPECT_EQ(deques[way[i]].steal(deques[victim], batches[i]), 1u);
            victim = way[i];
            deques[victim].publish();
        }
    }
    /// Does the first owner get it back? It is done then, and so are all batches.
    bool comes_back() {
        TaskDeque::Batch back;
        TaskDeque& last = deques[way.back()];
        const bool came = deques[0].leapfrog(last, 0, back) == 1;
        EXPECT_NE((came ? deques[0] : last).pop(0), nullptr);
        if (came)
            deques[0].end_batch(back);
        for (size_t i = way.size(); i-- > 0;)
            deques[way[i]].end_batch(batches[i]);
        return came;
    }
};

TEST(TaskDeque, leapfrogs_to_thieves_of_thieves) {
    std::vector<size_t> thieves;
    while (thieves.size() < TaskDeque::Batch::most_origins + 1)
        thieves.push_back(thieves.size() + 1);
    EXPECT_TRUE(Way(thieves.size() + 1, thieves).comes_back());
    thieves.push_back(thieves.size() + 1); // one more than the list has room for
    EXPECT_FALSE(Way(thieves.size() + 1, thieves).comes_back());
}

TEST(TaskDeque, two_thieves_that_take_turns_are_two_origins) {
    std::vector<size_t> thieves;
    while (thieves.size() < 3 * TaskDeque::Batch::most_origins)
        thieves.push_back(1 + thieves.size() % 2);
    EXPECT_TRUE(Way(3, thieves).comes_back());
}

/// A task has one child, and that one has four and waits for them: all of them are stolen at once,
/// and from the thief again. The second thief has the four only, so the one that waits knows that
/// they are its own.
TEST(TaskDeque, batches_of_second_thefts_are_of_one_parent) {
    Fixture fixture(3, 5);
    TaskDeque &owner = fixture.deques[0], &thief = fixture.deques[1], &second = fixture.deques[2];
    const auto push = [](TaskDeque& deque, uintptr_t parent) {
        deque.reserve()->tag = parent * (TaskSlot::flags + 1);
        deque.push();
    };
    push(owner, 1);
    const uint64_t base = owner.bottom();
    for (int i = 0; i < 4; ++i)
        push(owner, 2);
    owner.publish(true);
    TaskDeque::Batch first, again, back;
    ASSERT_EQ(thief.steal(owner, first, 1), 5u); // the oldest is the newest there
    thief.publish(true);
    ASSERT_EQ(second.steal(thief, again, 1), 4u);
    EXPECT_TRUE(again.again);
    second.publish(true);
    EXPECT_EQ(owner.leapfrog(second, owner.bottom(), back), 0u);
    ASSERT_GE(owner.leapfrog(second, base, back), 1u);
    EXPECT_EQ(owner.pop(back.start)->tag / (TaskSlot::flags + 1), 2u);
}

/// The children of a stolen task are many more than the waiter's ring has room for.
TEST(TaskDeque, leapfrogs_to_a_batch_at_most) {
    const int tasks = 5000;
    Fixture fixture(2, tasks);
    TaskDeque &owner = fixture.deques[0], &holder = fixture.deques[1];
    fixture.push(owner, 0);
    owner.publish();
    TaskDeque::Batch stolen;
    ASSERT_EQ(holder.steal(owner, stolen), 1u);
    const TaskSlot* slot = holder.pop(stolen.start);
    ASSERT_NE(slot, nullptr);
    TaskDeque::begin_entry(stolen, holder.bottom());
    fixture.run(*slot);
    for (int i = 1; i < tasks; ++i)
        fixture.push(holder, i);
    while (holder.has_private())
        holder.publish();
    while (holder.size() != 0) {
        TaskDeque::Batch back;
        const uint64_t count = owner.leapfrog(holder, 0, back);
        ASSERT_GE(count, 1u);
        ASSERT_LE(count, TaskDeque::largest_batch);
        fixture.drain(owner, back.start);
        owner.end_batch(back);
    }
    EXPECT_EQ(fixture.unfinished.load(platform::relaxed), 0);
    holder.end_batch(stolen);
}

} // namespace
