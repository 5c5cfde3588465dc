// SPDX-License-Identifier: Apache-2.0
// Where the memory of a region lies: a line that a thread writes or reads on its way through a
// region, a loop or a task has no field that another thread writes meanwhile. Checked on the
// objects of a running team. docs/memory-layout.md is the table in words.
#include "construct/parallel.hpp"
#include "team/worker.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace heddle::concurrent {

/// Sees the parts of a deque by who writes them.
struct TaskDequeLayout {
    static const void* asked(const TaskDeque& deque) { return &deque.wants_tasks_; }
    static const void* owner_begin(const TaskDeque& deque) { return &deque.bottom_; }
    static const void* owner_end(const TaskDeque& deque) { return &deque.mask_ + 1; }
    static const void* shared_begin(const TaskDeque& deque) { return &deque.lock_; }
    static const void* shared_end(const TaskDeque& deque) { return &deque.shared_mask_ + 1; }
    static const void* batches(const TaskDeque& deque) { return &deque.batches_; }
};

} // namespace heddle::concurrent

namespace {

using namespace heddle;
using concurrent::cache_line;
using concurrent::TaskDequeLayout;
using team::Member;
using team::Team;
using team::Worker;
using team::Workshare;

static_assert(sizeof(team::Mailbox) == cache_line && alignof(team::Mailbox) == cache_line);
static_assert(alignof(Worker) == cache_line && alignof(Member) == cache_line &&
              alignof(Team) == cache_line && alignof(Workshare) == cache_line);
static_assert(sizeof(concurrent::StealRange) == cache_line, "each thread's range has its line");
static_assert(sizeof(team::ReductionPlace) == cache_line);

/// Which lines there are, and who writes them: one kind of writer each.
class Map {
public:
    /// The bytes from `begin` to `end` are written by `writer`; no one else's lie in their lines.
    void add(const std::string& writer, const void* begin, const void* end) {
        ASSERT_LT(begin, end) << writer;
        for (uintptr_t line = line_of(begin); line <= line_of(end, 1); ++line) {
            const auto [entry, is_new] = lines_.try_emplace(line, writer);
            EXPECT_EQ(entry->second, writer) << "in one line, at " << begin;
        }
    }
    template <class T>
    void add(const std::string& writer, const T& field) {
        add(writer, &field, &field + 1);
    }
    size_t lines() const { return lines_.size(); }

private:
    static uintptr_t line_of(const void* address, uintptr_t before = 0) {
        return (reinterpret_cast<uintptr_t>(address) - before) / cache_line;
    }
    std::map<uintptr_t, std::string> lines_;
};

void add_deque(Map& map, const std::string& owner, const concurrent::TaskDeque& deque) {
    map.add("hungry threads to " + owner, TaskDequeLayout::asked(deque),
            TaskDequeLayout::owner_begin(deque));
    map.add(owner, TaskDequeLayout::owner_begin(deque), TaskDequeLayout::owner_end(deque));
    map.add("thieves of " + owner, TaskDequeLayout::shared_begin(deque),
            TaskDequeLayout::shared_end(deque));
    map.add("batches of " + owner, TaskDequeLayout::batches(deque), &deque + 1);
}

/// Of thread `number`, which may be running: nothing of the member is read but its addresses.
void add_member(Map& map, const Member& member, int number) {
    const std::string owner = "thread " + std::to_string(number);
    const Worker& worker = *member.worker;
    map.add("primary to " + owner, worker.mailbox);
    map.add("poster to " + owner, worker.posted);
    map.add(owner, &worker.stack_limit, &worker.coming + 1);
    // The task fast path and the implicit task.
    map.add(owner, &member.current, static_cast<const void*>(&member.deque));
    add_deque(map, owner, member.deque);
    map.add(owner, &member.implicit_task, &member.own_icvs + 1);
    map.add(owner, &member.workshare.node, &member.workshare.flagged + 1);
    map.add("last to leave a node of " + owner, member.workshare.returned);
    map.add(owner, member.partition);
    map.add("reduction of " + owner, member.reduction);
}

void add_team(Map& map, const Team& team) {
    map.add("primary of the team", &team.size, &team.tool + 1);
    map.add("all who arrive", team.barrier);
    map.add("who waits and who cancels", &team.sleep, &team.garbage + 1);
    map.add("all who arrive, cancellable", team.cancellable_barrier);
    map.add("primary when threads or places come", &team.members, &team.placement + 1);
    map.add("primary between regions", &team.attached, &team.known_trees + 1);
}

void add_workshare(Map& map, const Workshare& node, int size) {
    map.add("all who pass a region", &node.next, &node.reductions + 1);
    map.add("creator of a region", &node.loop, &node.memory + 1);
    map.add("all who take chunks", node.next_chunk);
    map.add("all in order", &node.ordered_turn, &node.changed + 1);
    auto& ranges = const_cast<Workshare&>(node);
    for (int i = 0; i < size; ++i)
        map.add("range of thread " + std::to_string(i), ranges.ranges()[i]);
}

TEST(Layout, no_line_has_two_writers) {
    constexpr int size = 4;
    Member& primary = construct::begin_parallel(size);
    construct::start_parallel(primary, [](void*) {}, nullptr);
    const Team& team = *primary.team;
    ASSERT_EQ(team.size, size);
    Map map;
    add_team(map, team);
    add_workshare(map, *primary.workshare.node, size);
    for (int i = 0; i < size; ++i)
        add_member(map, team::member_at(team, i), i);
    EXPECT_GT(map.lines(), size_t{60}) << "the objects are there";
    construct::end_parallel();
}

// The map sees two writers in one line.
TEST(Layout, the_check_can_fail) {
    alignas(cache_line) static const int fields[2] = {};
    EXPECT_NONFATAL_FAILURE(
        {
            Map map;
            map.add("one", fields[0]);
            map.add("another", fields[1]);
        },
        "in one line");
}

} // namespace
