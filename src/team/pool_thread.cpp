// SPDX-License-Identifier: Apache-2.0
// The waiting of a pool's thread at its mailbox, and its way into each region: see pool_thread.hpp.
// The thread writes what is its own: its member, its worker but for the mailbox.
#include "team/pool_thread.hpp"

#include "team/counting.hpp"
#include "team/cpu_pressure.hpp"
#include "team/large_team.hpp"
#include "team/listener.hpp"
#include "team/lookout.hpp"
#include "team/placement.hpp"
#include "team/pool.hpp"
#include "team/stand_in.hpp"
#include "team/watching.hpp"

namespace heddle::team {

namespace {

/// Until there is a region that this thread is to begin, and not others for it. `seen`: the last
/// one's epoch.
Region wait_for_region(Worker& worker, uint32_t seen, int team_size) {
    Mailbox& mailbox = worker.mailbox;
    if (platform::own::has_signals()) {
        platform::own::await_signal(mailbox.epoch, seen);
        return {.epoch = mailbox.epoch.load(platform::relaxed)};
    }
    concurrent::Waiting waiting(region_wait_limits(team_size), worker.between_regions);
    bool has_slept = false;
    const auto begin = [&worker, &has_slept](Region region) { // which others' parts have changed
        if (has_slept)
            platform::set_float_control(worker.float_control, platform::float_control());
        return region;
    };
    bool stands_back = (seen & (offered | called)) == offered; // of the next one, too
    bool starts_asleep = seen == 0 && mailbox.asleep.load(platform::relaxed) != awake;
    uint32_t word;
    // acquire: pairs with Posts::add() and the posts of offers
    while (is_same_region(word = mailbox.epoch.load(platform::acquire), seen) || starts_asleep) {
        if (!stands_back && !starts_asleep && waiting.again())
            continue;
        const bool counted = (initial_attention.load(platform::relaxed) & counting) != 0;
        if (counted)
            note_sleep(worker, tool::EventKind::sleep_begin);
        if (!has_slept && !starts_asleep)
            worker.float_control = platform::float_control(); // others may execute its parts now
        has_slept = true;
        const Region region = sleep_at_mailbox(worker, seen, starts_asleep);
        if (counted)
            note_sleep(worker, tool::EventKind::sleep_end);
        waiting.ended(worker.between_regions);
        if (!region.missed)
            return begin(region);
        seen = region.epoch;
        stands_back = starts_asleep = false;
        waiting.restart(bounded(region_wait_limits(team_size))); // more threads than CPUs
    }
    if (HEDDLE_LIKELY((word & offered) == 0))
        return begin({.epoch = word});
    while (!take(mailbox, word)) { // somebody has called it meanwhile
        word = mailbox.epoch.load(platform::acquire);
        HEDDLE_CHECK((word & taken) == 0); // the part of a thread that is awake
    }
    return begin({.epoch = word | taken});
}

/// Linux may have put this thread on its primary's CPU, and keeps the two there though a CPU be
/// idle, or another process's: each then waits for the other's slices to end, 4 ms each. But where
/// more threads of the process run than the team has, those of a BLAS's own pool perhaps, this one
/// would get into the way of one on whose work its own may wait.
void leave_primary_alone(int primary_cpu, int team_size) {
    constexpr int most_looks = 16; // the region waits meanwhile
    if (HEDDLE_UNLIKELY(primary_cpu >= 0 && primary_cpu == platform::current_cpu()) &&
        platform::runnable_threads(team_size + 1, most_looks) <= team_size)
        platform::leave_cpu();
}

} // namespace

void run_pool_thread(void* raw) {
    Worker& worker = *static_cast<Worker*>(raw);
    Member& member = *worker.outermost.member;
    platform::set_self(&member);
    worker.served.thread_id.store(platform::thread_id(), platform::relaxed);
    platform::own::keep_near(&member, sizeof member);
    platform::own::keep_near(&worker, sizeof worker);
    worker.carrier.library = {}; // an earlier thread's
    watch_thread(worker, true);
    int team_size = 1;
    for (uint32_t seen = 0;;) {
        const Region region = wait_for_region(worker, seen, team_size);
        seen = region.epoch;
        Mailbox& mailbox = worker.mailbox;
        if (!mailbox.run)
            break;
        platform::prefetch_for_read(mailbox.data); // the primary has just written it
        if ((mailbox.ways & by_flags) != 0)
            platform::prefetch_for_read(&mailbox.team->barrier); // at the end: in which epoch?
        team_size = mailbox.size;
        if (HEDDLE_UNLIKELY((mailbox.ways & passed_on) != 0))
            pass_fork_on(mailbox);
        leave_primary_alone(mailbox.cpu, team_size);
        worker.stack_limit = worker.own_stack_limit; // those who executed its parts had another one
        begin_membership(member, *mailbox.team, mailbox.number, mailbox.size,
                         mailbox.first_workshare);
        if (HEDDLE_UNLIKELY((seen & offered) != 0 || member.offers))
            team_size = note_offers(member, seen, region.was_long);
        member.by_flags = (mailbox.ways & by_flags) != 0;
        count(member, Counter::regions);
        if (HEDDLE_UNLIKELY((mailbox.ways & has_place) != 0))
            take_place(member);
        mailbox.run(member, mailbox.function, mailbox.data);
    }
    tell_thread_ends(worker);
    watch_thread(worker, false);
    worker.carrier.spare.release();
    platform::set_self(nullptr);
    worker.mailbox.run = nullptr;
    worker.binding.place = -1;
    leave_pool(worker);
}

} // namespace heddle::team
