// SPDX-License-Identifier: Apache-2.0
// Parts of a region on offer that are left in the middle and gone on with, by the thread that left
// them or by a lookout: the real schedule/stand_in.cpp, wait_for_region() and side stacks. Each
// part runs once and on one thread at a time, nobody passes a barrier early, what lies on a
// thread's own stack ends on that thread, and everything comes to an end. Protocol:
// docs/protocols/stand-in.md.
#include "schedule/remaining.cpp"
#include "schedule/stand_in.cpp"

#include "team/counting.cpp"
#include "team/hosts.cpp"
#include "team/listener.cpp"
#include "team/lookout.cpp"
#include "team/mailbox.cpp"
#include "team/pool.cpp"
#include "team/pool_thread.cpp"
#include "team/stand_in.cpp"
#include "team/task_watch.cpp"
#include "team/worker.cpp"

#include "team_stubs.hpp"

#include <memory>

namespace platform = heddle::platform;
namespace schedule = heddle::schedule;
namespace team = heddle::team;

namespace heddle::config {
const Settings& settings() {
    static const Settings none{};
    return none;
}
size_t stack_size(const Settings&) { return 0; }
} // namespace heddle::config

namespace heddle::team {
void take_place(Member&) {} // nothing is bound
Member& attach_thread() { explore::fail("a thread without a member"); }
} // namespace heddle::team

namespace heddle::schedule {
void finish_own_tasks(Member&) {} // there are none
void run_tasks_of_others(Member&) { explore::fail("a task here"); }
} // namespace heddle::schedule

namespace {

/// What parts do.
enum class Meeting { barriers, own_way, in_turn };

struct Region {
    team::Worker workers[4];
    team::Member* members[4];
    platform::Atomic<team::Member*> entries[4];
    team::Team team;
    heddle::team::Workshare* workshare = nullptr;
    Meeting meeting;
    int done[4] = {}, inside[4] = {}; ///< by thread number
    int passed = 0;                   ///< how often a part has come to a barrier
    platform::Atomic<uint32_t> begun{0}, turn{0};
    heddle::concurrent::EventCount changed;

    Region(int size, Meeting what) : meeting(what) {
        team.size = size;
        for (int i = 0; i < size; ++i) {
            members[i] = team::create_member(workers[i]);
            members[i]->team = &team;
            members[i]->team_size = size;
            members[i]->number = i;
            members[i]->offers = true;
            workers[i].outermost.member = members[i];
        }
        team.members.store(entries, platform::relaxed);
        for (int i = 0; i < size; ++i)
            team::set_member(team, i, *members[i]);
        explore::unwatch(*this);
    }
};
Region* region; // of the current execution

template <class Condition>
bool holds(const void* condition) {
    return (*static_cast<const Condition*>(condition))();
}

/// As the waits of the runtime: with others' parts meanwhile, then asleep, for moments if there are
/// parts to look after.
template <class Condition>
void wait_until(team::Member& member, heddle::concurrent::EventCount& changed,
                Condition&& condition) {
    using Held = std::remove_reference_t<Condition>;
    for (unsigned looks = 0; !condition(); ++looks) {
        if (schedule::go_on_elsewhere(member, holds<Held>, &condition))
            continue;
        if (looks < 3) {
            platform::relax();
            continue;
        }
        const uint32_t key = changed.announce();
        if (condition())
            changed.withdraw();
        else
            changed.sleep(key, schedule::has_left_parts(member) ? schedule::moment_ns
                                                                : platform::forever);
    }
}

void barrier(team::Member& member) {
    const heddle::concurrent::TeamBarrier& place = member.team->barrier;
    const uint32_t epoch = place.epoch();
    const auto is_open = [&place, epoch] { return place.surely_completed(epoch); };
    if (schedule::arrive_or_go_on(member, holds<const decltype(is_open)>, &is_open, epoch)) {
        member.team->sleep.notify_all();
        return;
    }
    wait_until(member, member.team->sleep, is_open);
}

/// The part of the thread whose member is the current one.
void part(void*) {
    team::Member& member = team::self();
    const int number = member.number, thread = platform::thread_id();
    const auto size = static_cast<uint32_t>(member.team_size);
    explore::expect(++region->done[number] == 1, "a part was executed twice");
    for (uint32_t i = 1; i <= 2; ++i) {
        if (region->meeting == Meeting::in_turn) { // also after a barrier
            const uint32_t mine = (i - 1) * size + static_cast<uint32_t>(number);
            wait_until(member, region->changed,
                       [mine] { return region->turn.load(platform::seq_cst) == mine; });
            region->turn.fetch_add(1, platform::seq_cst);
            region->changed.notify_all();
        }
        explore::expect(++region->inside[number] == 1, "two threads are in one part");
        platform::yield();
        ++region->passed;
        --region->inside[number];
        barrier(member);
        explore::expect(&team::self() == &member, "a part goes on as another one");
        explore::expect(region->passed >= member.team_size * static_cast<int>(i),
                        "a barrier ended early");
    }
    if (region->meeting == Meeting::own_way)
        team::meet(region->begun, size);
    explore::expect(!platform::calls_are_tied || platform::thread_id() == thread,
                    "a part ends on another thread, which its program does not allow");
}

/// The closing barrier of a thread that does not leave the region at once.
void close(team::Member& member) {
    uint32_t epoch;
    heddle::concurrent::TeamBarrier& place = member.team->barrier;
    if (place.arrive(static_cast<uint32_t>(member.team_size), epoch))
        return member.team->sleep.notify_all();
    while (!place.surely_completed(epoch)) {
        const uint32_t key = member.team->sleep.announce();
        if (place.surely_completed(epoch))
            member.team->sleep.withdraw();
        else
            member.team->sleep.sleep(key);
    }
}

void nothing(team::Member&, team::TaskFunction, void*) {}

void primary(int size, int regions) {
    team::Member& member = *region->members[0];
    const int thread = platform::thread_id();
    platform::set_self(&member);
    for (int i = 0; i < regions; ++i) {
        region->team.barrier.reset(static_cast<uint32_t>(size));
        team::offer_parts(region->team, part, nullptr, nothing);
        part(nullptr);
        schedule::stand_in_for_others(member);
        explore::expect(platform::thread_id() == thread, "the primary ends on another thread");
        close(member);
        team::end_offers(member);
        for (int k = 0; k < size; ++k)
            explore::expect(region->done[k] == 1, "a part was not executed");
        memset(region->done, 0, sizeof region->done);
        region->passed = 0;
        region->begun.store(0, platform::relaxed);
        region->turn.store(0, platform::relaxed);
        // Long enough for lookouts to find that they are not needed any more.
        for (uint32_t looks = explore::choose(4); looks > 0; --looks)
            platform::relax();
    }
    for (int i = 1; i < size; ++i) {
        region->workers[i].mailbox.run = nullptr;
        team::post(region->workers[i]);
    }
}

void pool_thread(int number, int cpus) {
    team::Worker& worker = region->workers[number];
    team::Member& member = *region->members[number];
    const int thread = platform::thread_id();
    platform::set_self(&member);
    for (uint32_t seen = 0;;) {
        const team::Region woken = team::wait_for_region(worker, seen, cpus);
        seen = woken.epoch;
        if (!worker.mailbox.run)
            break;
        const team::Mailbox& mailbox = worker.mailbox;
        team::begin_membership(member, *mailbox.team, mailbox.number, mailbox.size,
                               mailbox.first_workshare);
        team::note_offers(member, seen, woken.was_long);
        part(nullptr);
        const bool has_left = schedule::end_part(member);
        explore::expect(platform::thread_id() == thread, "a thread ends on another one");
        if (!has_left)
            close(member);
    }
}

template <int size, int cpus, Meeting meeting, bool tied = false>
void parts(explore::World& world) {
    platform::calls_are_tied = tied;
    team::choose_wait_limits();
    team::cpu_pressure.cpus.store(cpus, platform::relaxed);
    team::cpu_pressure.borrowed.store(0, platform::relaxed);
    heddle::concurrent::lock_slots.open_all();
    auto state = std::make_shared<Region>(size, meeting);
    region = state.get();
    world.thread([state] { primary(size, 3); });
    for (int i = 1; i < size; ++i)
        world.thread([state, i] { pool_thread(i, cpus); });
}

} // namespace

int main(int argc, char** argv) {
    using enum Meeting;
    return explore::run(argc, argv,
                        {{"barriers", parts<3, 1, barriers>, 1, 1000},
                         {"barriers_two_cpus", parts<3, 2, barriers>, 1, 1000},
                         {"barriers_four", parts<4, 2, barriers>, 1, 0},
                         {"barriers_tied", parts<3, 1, barriers, true>, 0.3, 1000},
                         {"barriers_tied_two_cpus", parts<3, 2, barriers, true>, 0.3, 1000},
                         {"barriers_tied_four", parts<4, 2, barriers, true>, 0.3, 0},
                         {"in_turn_tied", parts<3, 1, in_turn, true>, 0.3, 1000},
                         {"in_turn_tied_two_cpus", parts<3, 2, in_turn, true>, 0.3, 1000},
                         {"own_way_pair", parts<2, 2, own_way>, 1, 5000},
                         {"own_way", parts<3, 1, own_way>, 1, 1000},
                         {"own_way_two_cpus", parts<3, 2, own_way>, 1, 1000},
                         {"own_way_four", parts<4, 2, own_way>, 1, 0},
                         {"in_turn", parts<3, 1, in_turn>, 1, 1000},
                         {"in_turn_two_cpus", parts<3, 2, in_turn>, 1, 1000},
                         {"in_turn_four", parts<4, 2, in_turn>, 1, 0}});
}
