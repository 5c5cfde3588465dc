// SPDX-License-Identifier: Apache-2.0
// Fork through the mailbox, with the real post() and wait_for_region(): each region is entered
// once, with its own content, and no thread sleeps through one. Threads that pass a fork on, and
// that leave the closing barrier by their mailbox. Parts on offer: each is executed once, by
// whoever takes it. Protocols: docs/protocols/mailbox.md, stand-in.md.
#include "team/counting.cpp"
#include "team/hosts.cpp"
#include "team/listener.cpp"
#include "team/lookout.cpp"
#include "team/mailbox.cpp"
#include "team/pool.cpp"
#include "team/pool_thread.cpp"
#include "team/region_end.hpp"
#include "team/stand_in.cpp"
#include "team/task_watch.cpp"
#include "team/worker.cpp"

#include "team_stubs.hpp"

#include <memory>

namespace platform = heddle::platform;
namespace team = heddle::team;

namespace heddle::config {
const Settings& settings() { explore::fail("no settings here"); }
size_t stack_size(const Settings&) { return 0; }
} // namespace heddle::config

namespace heddle::team {
void take_place(Member&) {} // nothing is bound
} // namespace heddle::team

namespace {

struct Shared {
    team::Worker workers[2];
    platform::Atomic<uint32_t> arrived{0}; ///< stands for the closing barrier
};

void add(explore::World& world, int threads, int regions) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>();
    world.thread([=] {
        for (int region = 1; region <= regions; ++region) {
            for (int i = 0; i < threads; ++i) {
                shared->workers[i].mailbox.number = region * 10 + i;
                team::post(shared->workers[i]);
            }
            const auto all = static_cast<uint32_t>(region * threads);
            while (shared->arrived.load(platform::acquire) != all)
                platform::relax();
        }
    });
    for (int i = 0; i < threads; ++i) {
        world.thread([=] {
            team::Worker& worker = shared->workers[i];
            uint32_t seen = 0;
            for (int region = 1; region <= regions; ++region) {
                seen = team::wait_for_region(worker, seen, 2).epoch;
                explore::expect(worker.mailbox.number == region * 10 + i, "another region's line");
                shared->arrived.fetch_add(1, platform::acq_rel);
            }
        });
    }
}

/// A team whose primary is no worker here.
struct SmallTeam {
    team::Worker workers[4];
    team::Member* members[4];
    platform::Atomic<team::Member*> entries[4];
    team::Team team;
    platform::Atomic<uint32_t> arrived{0};

    explicit SmallTeam(int size) {
        team.size = size;
        for (int i = 1; i < size; ++i) {
            members[i] = team::create_member(workers[i]);
            members[i]->team = &team;
            members[i]->number = i;
            members[i]->team_size = size;
        }
        team.members.store(entries, platform::relaxed);
        for (int i = 1; i < size; ++i)
            team::set_member(team, i, *members[i]);
    }
};

/// Thread 1 is posted to; BASE has it pass the fork on to thread 2, and so on.
void chain(explore::World& world, int size) {
    team::choose_wait_limits();
    auto shared = std::make_shared<SmallTeam>(size);
    constexpr int regions = 2;
    world.thread([=] {
        for (int region = 1; region <= regions; ++region) {
            team::Mailbox& mailbox = shared->workers[1].mailbox;
            mailbox.number = 1;
            mailbox.size = size;
            mailbox.cpu = region;
            mailbox.team = &shared->team;
            team::post(shared->workers[1]);
            const auto all = static_cast<uint32_t>(region * (size - 1));
            while (shared->arrived.load(platform::acquire) != all)
                platform::relax();
        }
    });
    for (int i = 1; i < size; ++i)
        world.thread([=] {
            const team::Mailbox& mailbox = shared->workers[i].mailbox;
            uint32_t seen = 0;
            for (int region = 1; region <= regions; ++region) {
                seen = team::wait_for_region(shared->workers[i], seen, size).epoch;
                team::pass_fork_on(mailbox);
                explore::expect(mailbox.number == i && mailbox.size == size &&
                                    mailbox.cpu == region && mailbox.team == &shared->team,
                                "another thread's or region's line");
                shared->arrived.fetch_add(1, platform::acq_rel);
            }
        });
}

/// One thread's way through the closing barrier; as in schedule/wait_at_barrier.cpp, without tasks.
template <class Place>
void pass(SmallTeam& shared, Place place) {
    uint32_t epoch;
    if (place.arrive(epoch)) {
        shared.team.sleep.notify_all();
        return;
    }
    for (unsigned looks = 0; !place.completed(epoch); ++looks) {
        if (looks < 3) {
            platform::relax();
            continue;
        }
        const uint32_t key = shared.team.sleep.announce();
        if (place.surely_completed(epoch))
            shared.team.sleep.withdraw();
        else
            shared.team.sleep.sleep(key);
    }
    if constexpr (requires { place.has_opened(); })
        if (place.has_opened())
            shared.team.sleep.notify_all();
}

/// `place_of(team, number)`: where the thread waits at the team's barrier.
template <class PlaceOf>
void region_end(explore::World& world, int size, PlaceOf place_of) {
    team::choose_wait_limits();
    auto shared = std::make_shared<SmallTeam>(size);
    constexpr int regions = 3;
    const auto all = static_cast<uint32_t>(size);
    world.thread([=] {
        for (int region = 1; region <= regions; ++region) {
            shared->team.barrier.reset(all);
            for (int i = 1; i < size; ++i) {
                shared->workers[i].mailbox.number = region;
                team::post(shared->workers[i]);
            }
            pass(*shared, place_of(shared->team, 0u));
            explore::expect(shared->arrived.peek() == (all - 1) * static_cast<uint32_t>(region),
                            "a region ended without its threads");
        }
    });
    for (int i = 1; i < size; ++i)
        world.thread([=] {
            uint32_t seen = 0;
            for (int region = 1; region <= regions; ++region) {
                seen = team::wait_for_region(shared->workers[i], seen, size).epoch;
                explore::expect(shared->workers[i].mailbox.number == region,
                                "another region's line");
                shared->arrived.fetch_add(1, platform::relaxed);
                pass(*shared, team::RegionEnd(*shared->members[i],
                                              place_of(shared->team, static_cast<uint32_t>(i))));
            }
        });
}

/// Parts on offer, as schedule/stand_in.cpp has them executed.
struct Offers : SmallTeam {
    int done[4] = {};                    ///< of the region, by thread number
    platform::Atomic<uint32_t> begun{0}; ///< parts of the region
    bool meets, calls;                   ///< the parts wait for each other; and say so before
    bool apart;                          ///< all but the primary's do
    team::Member primary{};

    Offers(int size, bool do_meet, bool do_call, bool without_primary)
        : SmallTeam(size), meets(do_meet), calls(do_call), apart(without_primary) {
        members[0] = &primary;
        primary.worker = &workers[0];
        primary.team = &team;
        primary.team_size = size;
        primary.offers = true;
        team::set_member(team, 0, primary);
        for (int i = 1; i < size; ++i) {
            members[i]->offers = true;
            workers[i].outermost.member = members[i];
        }
        explore::unwatch(done);
    }

    void execute(team::Member& member, int number) {
        explore::expect(++done[number] == 1, "a part was executed twice");
        if (calls)
            team::call_others(member);
        if (apart ? number != 0 : meets)
            team::meet(begun, static_cast<uint32_t>(team.size - (apart ? 1 : 0)));
    }

    /// The own part, those that nobody has begun, and the closing barrier.
    void take_part_in(team::Member& member, int number) {
        execute(member, number);
        team::Worker& own = *member.worker;
        team::Untried untried;
        untried.begin(number, own.mailbox.with_cpu, team.size,
                      own.mailbox.block.load(platform::relaxed));
        while (team::Worker* worker = team::take_part(member, own, untried)) {
            execute(member, worker->mailbox.number);
            arrived.fetch_add(1, platform::acq_rel);
        }
        arrived.fetch_add(1, platform::acq_rel);
    }
};

void nothing(team::Member&, team::TaskFunction, void*) {}

/// Others had the first worker's part of a region before, and its thread has yet to find that.
void miss_a_region(Offers& shared) {
    team::Worker& worker = shared.workers[1];
    worker.posted = team::next_epoch;
    worker.mailbox.epoch.store(team::next_epoch | team::offered | team::taken | team::called,
                               platform::relaxed);
    worker.mailbox.asleep.store(team::asleep, platform::relaxed);
}

void on_offer(explore::World& world, int size, int cpus, bool meet, bool call, bool apart,
              bool missed = false) {
    team::choose_wait_limits();
    team::cpu_pressure.cpus.store(cpus, platform::relaxed);
    team::cpu_pressure.borrowed.store(0, platform::relaxed);
    heddle::concurrent::lock_slots.open_all();
    auto shared = std::make_shared<Offers>(size, meet, call, apart);
    if (missed)
        miss_a_region(*shared);
    const int regions = missed ? 1 : 2;
    world.thread([=] {
        for (int region = 1; region <= regions; ++region) {
            team::offer_parts(shared->team, nullptr, nullptr, nothing);
            shared->take_part_in(shared->primary, 0);
            while (shared->arrived.load(platform::acquire) != static_cast<uint32_t>(region * size))
                platform::relax();
            for (int i = 0; i < size; ++i)
                explore::expect(shared->done[i] == 1, "a part was not executed");
            team::end_offers(shared->primary);
            memset(shared->done, 0, sizeof shared->done);
            shared->begun.store(0, platform::relaxed);
        }
        for (int i = 1; i < size; ++i) {
            shared->workers[i].mailbox.run = nullptr;
            team::post(shared->workers[i]);
        }
    });
    for (int i = 1; i < size; ++i)
        world.thread([=] {
            team::Worker& worker = shared->workers[i];
            for (uint32_t seen = 0;;) {
                const team::Region region = team::wait_for_region(worker, seen, cpus);
                seen = region.epoch;
                if (!worker.mailbox.run)
                    break;
                explore::expect(worker.mailbox.number == i, "another thread's line");
                team::note_offers(*shared->members[i], seen, region.was_long);
                shared->take_part_in(*shared->members[i], i);
            }
        });
}

template <int size, int cpus, bool meet = false, bool call = false, bool apart = false>
void offers(explore::World& world) {
    on_offer(world, size, cpus, meet, call, apart);
}

/// A thread is called, and summoned once its part is taken: by itself, but who summons cannot know.
/// Either it learns of that, or the other one, who then asks somebody else.
void summons(explore::World& world) {
    team::choose_wait_limits();
    auto shared = std::make_shared<SmallTeam>(2);
    world.thread([=] {
        team::Worker& worker = shared->workers[1];
        team::publish_offer(worker, team::called);
        platform::fence();
        team::wake_if_asleep(worker);
        while ((worker.mailbox.epoch.load(platform::relaxed) & team::taken) == 0)
            platform::relax();
        if (team::summon(worker))
            shared->arrived.fetch_add(1, platform::relaxed);
    });
    world.thread([=] {
        const team::Region region = team::sleep_at_mailbox(shared->workers[1], 0, false);
        if ((region.epoch & team::lookout) != 0)
            shared->arrived.fetch_add(2, platform::relaxed);
    });
    world.at_end(
        [=] { explore::expect(shared->arrived.peek() != 1, "a summons that nobody heeds"); });
}

void offers_missed(explore::World& world) { on_offer(world, 3, 2, false, false, false, true); }

void chain_of_four(explore::World& world) { chain(world, 4); }
void counted_end(explore::World& world, int size) {
    region_end(world, size, [size](team::Team& team, uint32_t) {
        return heddle::concurrent::TeamBarrier::Place(team.barrier, static_cast<uint32_t>(size));
    });
}
void flagged_end(explore::World& world, int size) {
    region_end(world, size, [size](team::Team& team, uint32_t number) {
        return heddle::concurrent::ArrivalFlags::Place(team.barrier, team.flags, number,
                                                       static_cast<uint32_t>(size));
    });
}
void region_end_two(explore::World& world) { counted_end(world, 2); }
void region_end_three(explore::World& world) { counted_end(world, 3); }
void flagged_end_two(explore::World& world) { flagged_end(world, 2); }
void flagged_end_three(explore::World& world) { flagged_end(world, 3); }
void one_thread(explore::World& world) { add(world, 1, 2); }
void two_threads(explore::World& world) { add(world, 2, 3); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"one_thread", one_thread},
                         {"two_threads", two_threads},
                         {"chain_of_four", chain_of_four, 1, 5000},
                         {"region_end_two", region_end_two, 1, 5000},
                         {"region_end_three", region_end_three, 1, 2000},
                         {"flagged_end_two", flagged_end_two, 1, 5000},
                         {"flagged_end_three", flagged_end_three, 1, 2000},
                         {"offers_one_cpu", offers<3, 1>, 1, 3000},
                         {"offers_two_cpus", offers<3, 2>, 1, 3000},
                         {"summons", summons, 0.5},
                         {"offers_missed", offers_missed, 10, 5000},
                         {"offers_four", offers<4, 2>, 1, 0},
                         {"offers_meet", offers<3, 1, true>, 1, 3000},
                         {"offers_meet_four", offers<4, 2, true>, 1, 0},
                         {"offers_apart", offers<3, 1, false, false, true>, 1, 3000},
                         {"offers_apart_four", offers<4, 2, false, false, true>, 1, 0},
                         {"offers_call", offers<3, 1, true, true>, 1, 3000},
                         {"offers_call_four", offers<4, 2, true, true>, 1, 0}});
}
