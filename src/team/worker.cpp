// SPDX-License-Identifier: Apache-2.0
// Making workers and members, and readying a member for a region.
// Called by pool and attach when a thread joins the runtime, by fork_join for nested levels.
#include "team/worker.hpp"

#include "team/counting.hpp"
#include "team/large_team.hpp"
#include "team/posts.hpp"

namespace heddle::team {

void publish_offer(Worker& worker, uint32_t bits) {
    // release: to its owner and to take(); one that sleeps on need not notice
    worker.mailbox.epoch.store((worker.posted += next_epoch) | offered | bits, platform::release);
}

void post_to_lookout(Worker& worker) {
    Mailbox& mailbox = worker.mailbox;
    // seq_cst: releases the line to its owner and to take(), Dekker with its `asleep`
    mailbox.epoch.exchange((worker.posted += next_epoch) | offered | lookout, platform::seq_cst);
    if (mailbox.asleep.load(platform::seq_cst) == asleep)
        platform::wake(mailbox.epoch, 1);
}

bool want(Worker& worker, uint32_t bit) {
    Mailbox& mailbox = worker.mailbox;
    uint32_t word = mailbox.epoch.load(platform::relaxed);
    do {
        if ((word & (offered | taken | called)) != offered)
            return false;
        // seq_cst: Dekker with `asleep`, as in Posts
    } while (!mailbox.epoch.compare_exchange_strong(word, word | bit, platform::seq_cst,
                                                    platform::relaxed));
    if (mailbox.asleep.load(platform::seq_cst) != awake)
        platform::wake(mailbox.epoch, 1);
    return true;
}

bool summon(Worker& worker) {
    Mailbox& mailbox = worker.mailbox;
    uint32_t word = mailbox.epoch.load(platform::seq_cst); // Dekker with ensure_lookout()
    do {
        if ((word & (offered | taken | lookout)) != (offered | taken))
            return false;
        // seq_cst: Dekker with `asleep`, as in Posts
    } while (!mailbox.epoch.compare_exchange_strong(word, word | lookout, platform::seq_cst,
                                                    platform::relaxed));
    if (mailbox.asleep.load(platform::seq_cst) == awake)
        return false; // at its own part; or about to sleep, and sees the bit
    platform::wake(mailbox.epoch, 1);
    return true;
}

void pass_fork_on(const Mailbox& from) {
    const int first = fork_width * from.number + 1;
    Posts posts;
    for (int i = first; i < first + fork_width && i < from.size; ++i) {
        Worker& worker = worker_at(*from.team, i);
        Mailbox& mailbox = worker.mailbox;
        mailbox.number = i;
        mailbox.size = from.size;
        mailbox.cpu = from.cpu;
        mailbox.ways = from.ways;
        mailbox.first_workshare = from.first_workshare;
        mailbox.team = from.team;
        mailbox.function = from.function;
        mailbox.data = from.data;
        mailbox.run = from.run;
        posts.add(worker);
    }
}

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
