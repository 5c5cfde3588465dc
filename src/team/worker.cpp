// SPDX-License-Identifier: Apache-2.0
// Making workers and members, and readying a member for a region.
// Called by pool and attach when a thread joins the runtime, by fork_join for nested levels.
#include "team/worker.hpp"

#include "team/counting.hpp"

namespace heddle::team {

platform::Atomic<uint32_t> initial_attention{0};
platform::Atomic<uint32_t> stealing_is_off{0};

namespace {
platform::Atomic<int32_t> workers{0}; // their count
}

int32_t workers_made() { return workers.load(platform::relaxed); }

Member* create_member(Worker& worker) {
    void* memory = platform::allocate(sizeof(Member), alignof(Member));
    if (!memory)
        return nullptr;
    auto* member = ::new (memory) Member;
    member->worker = &worker;
    member->enclosing = nullptr;
    return member;
}

Worker* create_worker() {
    void* memory = platform::allocate(sizeof(Worker), alignof(Worker));
    if (!memory)
        return nullptr;
    auto* worker = ::new (memory) Worker;
    worker->global_number = workers.fetch_add(1, platform::relaxed); // only a number
    worker->families.configure(sizeof(Family), alignof(Family));
    worker->groups.configure(sizeof(Group), alignof(Group));
    for (int i = 0; i < capture_classes; ++i)
        worker->captures[i].configure(smallest_capture << i, concurrent::cache_line);
    worker->float_control = platform::float_control(); // threads inherit it
    worker->level = &worker->outermost;
    worker->outermost.member = create_member(*worker);
    if (worker->outermost.member) {
        list_statistics(*worker);
        return worker;
    }
    platform::deallocate(worker);
    return nullptr;
}

void set_own_stack(Worker& worker, const platform::StackOfThread& stack) {
    worker.own_stack_limit =
        stack.size ? stack.low + stack.size / 2 : reinterpret_cast<char*>(UINTPTR_MAX);
    worker.stack_size = stack.size;
    worker.stack_above = stack.above;
}

void begin_membership(Member& member, Team& team, int number, int size, Workshare* first) {
    member.number = number;
    member.team_size = size;
    member.team = &team;
    member.stack_limit = member.worker->stack_limit;
    member.deferring = initial_attention.load(platform::relaxed);
    member.implicit_task = {nullptr, nullptr, reinterpret_cast<uintptr_t>(&team.context)};
    member.current = &member.implicit_task;
    member.workshare.enter(first);
    member.singles = 0;
    member.by_flags = false;
    member.deque.begin_region(size > 1);
}

} // namespace heddle::team
