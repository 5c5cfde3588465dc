// SPDX-License-Identifier: Apache-2.0
// What of standing in concerns the team: which regions are on offer, who is woken for them, and who
// takes which part. schedule/stand_in executes it.
// The offer is written by the primary; parts are taken and threads called by all of the team.
#include "team/stand_in.hpp"

#include "concurrent/scatter.hpp"
#include "config/kmp_runtime.hpp"
#include "team/hosts.hpp"
#include "team/large_team.hpp"
#include "team/lookout.hpp"
#include "team/posts.hpp"
#include "tool/modules.hpp"

#include <algorithm>

namespace heddle::team {

namespace {

/// A note on the regions of some code: its address, and how many of them to decline, for its parts
/// were on offer for long; 0: nothing is known against it. Or there are tasks, which may have stood
/// still so long that one more thread came; or all threads are to begin, for they need each other.
constexpr uint64_t note(uint64_t code, uint64_t declines) { return code << 8 | declines; }
constexpr uint64_t stood_still = 253, with_tasks = 254, all_begin = 255;
constexpr uint64_t code_of(uint64_t note) { return note >> 8; }
constexpr uint64_t declines_of(uint64_t note) { return note & 255; }

constexpr int line_of_notes = 8; ///< where a code may be noted

/// Where it is noted what the regions of this code do, or can be; another code's note may be there.
platform::Atomic<uint64_t>& note_of(Team& team, uint64_t code) {
    const uint64_t hash = concurrent::scattered(code);
    platform::Atomic<uint64_t>* const line =
        &team.on_offer.notes_on_code[(hash >> 61) * line_of_notes];
    platform::Atomic<uint64_t>* free = nullptr;
    for (int i = 0; i < line_of_notes; ++i) {
        const uint64_t noted = line[i].load(platform::relaxed);
        if (code_of(noted) == code)
            return line[i];
        if (noted == 0 && !free)
            free = &line[i];
    }
    return free ? *free : line[hash >> 58 & (line_of_notes - 1)];
}
static_assert(sizeof(OnOffer::notes_on_code) == 8 * line_of_notes * sizeof(uint64_t));

/// The last region that could be noted is over.
void end_trial(Team& team) {
    const bool had_tasks = team.had_tasks;
    team.had_tasks = false;
    const uint64_t code = team.code_on_trial.load(platform::relaxed);
    if (code == 0)
        return;
    team.code_on_trial.store(0, platform::relaxed);
    platform::Atomic<uint64_t>& place = note_of(team, code);
    const uint64_t noted = place.load(platform::relaxed);
    if (code_of(noted) != code || noted == note(code, 0)) // else the region's threads know more
        place.store(note(code, had_tasks ? with_tasks : 0), platform::relaxed);
}

/// Whoever offers in vain wakes the threads later than need be, so it is done seldom.
constexpr int32_t decline_after_call = 64;

/// Is the primary's stack as large as those of the pool, for whose sake it may be asked for?
bool has_room(const Worker& worker) {
    return worker.stack_size >= config::stack_size(config::settings());
}

/// How many threads of the team find a CPU, the primary among them. Hosts that compute between
/// their regions have the CPUs meanwhile: for short regions no thread is woken beside them.
int32_t threads_with_cpu(const Team& team) {
    const int32_t rivals = cpu_pressure.rivals.load(platform::relaxed);
    if (HEDDLE_UNLIKELY(rivals != 0) && has_short_regions(team) &&
        cpu_pressure.hosts_at_once.load(platform::relaxed) == 1 &&
        cpu_pressure.hosts_in_turn.load(platform::relaxed) == 0)
        return 1;
    const int32_t cpus = share_of_host(cpu_pressure.cpus.load(platform::relaxed) + rivals -
                                       cpu_pressure.borrowed.load(platform::relaxed));
    return cpus < 1 ? 1 : cpus < team.size ? cpus : team.size;
}

/// Is its part on offer, and nobody has taken it, nor been called for it?
bool is_waiting(const Mailbox& mailbox) {
    const uint32_t word = mailbox.epoch.load(platform::relaxed);
    return (word & (offered | taken | called)) == offered;
}

} // namespace

bool call_waiting(Team& team, int32_t size) {
    bool any = false;
    for (int i = 1; i < size; ++i) {
        Worker& worker = worker_at(team, i);
        if (!is_waiting(worker.mailbox))
            continue;
        if (!any) { // first, for threads that begin to wait meanwhile: see threads_awake()
            team.on_offer.is_crowded.store(1, platform::relaxed);
            const uint64_t code = team.code_on_trial.load(platform::relaxed);
            uint64_t harmless = note(code, 0); // else more is known: a part was stuck, say
            note_of(team, code)
                .compare_exchange_strong(harmless, note(code, decline_after_call),
                                         platform::relaxed, platform::relaxed);
        }
        any = true;
        want(worker, called);
    }
    return any;
}

namespace {

/// The member begins a region that is on offer, on its own thread, which may execute others' parts.
void begin_to_carry(Member& member) {
    Worker& worker = *member.worker;
    Carrier& carrier = worker.carrier;
    const int32_t with_cpu = worker.mailbox.with_cpu, size = member.team_size;
    carrier.stopped.begin(size);
    carrier.at_barrier.begin(size);
    carrier.number = member.number;
    carrier.last = 0;
    carrier.untried.begin(member.number, with_cpu, size,
                          worker.mailbox.block.load(platform::relaxed));
    HEDDLE_CHECK(carrier.arrivals == 0);
    carrier.team_size = static_cast<uint32_t>(size);
    carrier.begun = 1;
    carrier.finds_cpu = member.number < with_cpu;
    carrier.in_vain = 0;
    carrier.pace.node = nullptr;
    carrier.may_leave = platform::may_switch_stacks();
    carrier.native = &member;
    carrier.loop_waits = false;
    carrier.left = nullptr;
    carrier.vacated = {};
    member.part.carrier = member.part.home = &worker;
}

/// Not written without need: the threads of the team read that line.
void set(platform::Atomic<uint32_t>& flag, uint32_t value) {
    if (flag.load(platform::relaxed) != value)
        flag.store(value, platform::relaxed);
}

bool has_default_policy() {
    return config::settings().heddle.task_policy.kind == config::TaskPolicyKind::heddle;
}

/// Do tasks leave the fast path for their priorities alone? Not for a policy, nor for a program
/// that wants all of them queued, for they wait for each other: it may have all its threads at
/// once.
bool only_priorities_count() {
    return has_default_policy() && config::settings().kmp_task_throttling;
}

/// Tasks that wait for each other need threads, which then go on with parts that others have left
/// in the middle, and run tasks from deques.
bool may_offer_tasks() {
    return platform::may_switch_stacks() && !platform::programs_tie_calls() && has_default_policy();
}

/// Nobody is asked to begin parts of others, nor to do without tasks that wait for each other.
Crowd seated(Team& team, int32_t count) {
    if (count > most_seats || team.size > most_seated_threads || !has_default_policy())
        return Crowd::all;
    team.seat_count.store(count, platform::relaxed);
    set(team.on_offer.is_stuck, 0);
    set(team.on_offer.helpers, 0);
    return Crowd::seated;
}

/// More lines would be gone again before they are written.
constexpr int32_t most_prefetched = 16;

/// Half of these lines come from other cores, all at about the same time. Who is awake polls its
/// own and would have it back at once.
void prefetch_mailboxes(const Team& team, int32_t with_cpu) {
    if (team.size > most_prefetched)
        return;
    for (int32_t i = team.size - 1; i >= with_cpu; --i)
        platform::prefetch_for_write(&worker_at(team, i).mailbox);
}

/// All who execute parts arrive at one line, so they are few.
bool fits_on_offer(const Team& team, int32_t with_cpu) {
    return with_cpu < team.size && team.size <= most_parts && with_cpu <= largest_central_team &&
           !has_trees(team);
}

} // namespace

Crowd crowd_of(Team& team, TaskFunction function, const void* data) {
    const uint32_t flags = initial_attention.load(platform::relaxed);
    if (team.nesting != 1 || team.lends || (flags & counting) != 0 ||
        ((flags & attention) != 0 && !only_priorities_count()) ||
        stealing_is_off.load(platform::relaxed) != 0 || platform::own::exists)
        return Crowd::all;
    const int32_t with_cpu = threads_with_cpu(team);
    prefetch_mailboxes(team, with_cpu);
    end_trial(team);
    const int32_t to_decline = team.on_offer.regions_to_decline.load(platform::relaxed);
    if (to_decline > 0) {
        team.on_offer.regions_to_decline.store(to_decline - 1, platform::relaxed);
        return Crowd::all;
    }
    const uint64_t code = tool::code_address(function, data);
    platform::Atomic<uint64_t>& place = note_of(team, code);
    const uint64_t noted = place.load(platform::relaxed);
    const bool is_known = code_of(noted) == code;
    const uint64_t declines = is_known ? declines_of(noted) : with_tasks; // perhaps
    if (declines == all_begin)
        return Crowd::all;
    if (declines != 0 && declines < stood_still) {
        place.store(noted - 1, platform::relaxed);
        return seated(team, with_cpu);
    }
    team.code_on_trial.store(code, platform::relaxed);
    set(team.on_offer.spares_called, declines != 0 ? 1 : 0);
    const bool on_offer = !team.binds && fits_on_offer(team, with_cpu) &&
                          config::settings().heddle.stand_in && has_room(worker_at(team, 0)) &&
                          !platform::programs_keep_thread_data() &&
                          (declines == 0 || may_offer_tasks());
    return on_offer ? Crowd::on_offer : seated(team, with_cpu);
}

// The lookout's part is offered after all others, but for those that are called: these begin when
// all is on offer.
void offer_parts(Team& team, TaskFunction function, void* data,
                 void (*run)(Member&, TaskFunction, void*)) {
    const int32_t size = team.size;
    // Other hosts may have given CPUs back since crowd_of() looked; one thread is the lookout.
    const int32_t with_cpu = std::min({threads_with_cpu(team), size - 1, largest_central_team});
    const int cpu = with_cpu > 1 ? platform::current_cpu() : -1; // as in start()
    Member& primary = member_at(team, 0);
    Worker& own = *primary.worker;
    primary.offers = true;
    own.mailbox.with_cpu = static_cast<uint8_t>(with_cpu);
    const Blocks blocks(with_cpu, size);
    own.mailbox.block.store(static_cast<uint16_t>(blocks.size(0)), platform::relaxed);
    team.size_on_offer.store(size, platform::release); // to lookouts: Lookout::relieve()
    set(team.on_offer.is_stuck, 0);
    set(team.on_offer.is_crowded, 0);
    set(team.on_offer.helpers, 0);
    for (int i = size - 1; i > 0; --i) {
        Worker& worker = worker_at(team, i);
        Mailbox& mailbox = worker.mailbox;
        fill_in(
            mailbox, i,
            {&team, team.first_workshare, function, data, run, size, i < with_cpu ? cpu : -1, 0});
        mailbox.with_cpu = static_cast<uint8_t>(with_cpu);
        mailbox.block.store(i < with_cpu ? static_cast<uint16_t>(blocks.size(i)) : 0,
                            platform::relaxed);
        if (worker.offers_of.load(platform::relaxed) != &team)
            worker.offers_of.store(&team, platform::relaxed);
        if (i == with_cpu)
            post_to_lookout(worker);
        else
            publish_offer(worker, i < with_cpu ? called : 0);
    }
    platform::fence(); // Dekker with `asleep` of all
    for (int i = 1; i < with_cpu; ++i)
        wake_if_asleep(worker_at(team, i));
    begin_to_carry(primary); // the others begin meanwhile
}

void end_offers(Member& primary) {
    primary.offers = primary.at_end = primary.meets_awake = false;
    primary.team->size_on_offer.store(0, platform::relaxed);
}

namespace {
/// The first ones that it takes.
void prefetch_block(const Team& team, const Untried& untried) {
    const int32_t last = std::max(0, untried.count() - most_prefetched);
    for (int32_t i = untried.count() - 1; i >= last; --i)
        platform::prefetch_for_write(&worker_at(team, untried.number_of(i)).mailbox);
}
} // namespace

int note_offers(Member& member, uint32_t epoch, bool was_long) {
    member.offers = (epoch & offered) != 0;
    member.meets_awake = false;
    member.wait.store(Wait::none, platform::relaxed); // others may have left for it
    if (member.offers) {
        begin_to_carry(member);
        prefetch_block(*member.team, member.worker->carrier.untried);
        if ((epoch & called) == 0)
            member.team->on_offer.is_crowded.store(1, platform::relaxed);
    }
    if (was_long) // somebody may be waiting in ways that we don't see
        call_waiting(*member.team, member.team_size);
    if ((epoch & lookout) != 0)
        pass_lookout_on(*member.team, member.team_size, *member.worker);
    return threads_awake(member);
}

void call_others(Member& member) {
    Team& team = *member.team;
    const uint64_t code = team.code_on_trial.load(platform::relaxed);
    if (call_waiting(team, member.team_size)) // else all have begun, or are awake
        note_of(team, code).store(note(code, all_begin), platform::relaxed);
}

void note_stuck(Team& team) {
    team.on_offer.is_stuck.store(1, platform::relaxed);
    team.on_offer.is_crowded.store(1, platform::relaxed);
    team.back.notify_all(); // who misses that wakes by itself
    // Threads are to have the next regions for themselves, and those of this code always.
    team.on_offer.regions_to_decline.store(decline_after_call, platform::relaxed);
    if (const uint64_t code = team.code_on_trial.load(platform::relaxed))
        note_of(team, code).store(note(code, all_begin), platform::relaxed);
}

void note_help(Team& team, bool tasks_block) {
    team.on_offer.is_crowded.store(1, platform::relaxed);
    team.on_offer.helpers.fetch_add(1, platform::relaxed);
    if (tasks_block)
        return note_stuck(team);
    // Once they may have computed for long. Teams of few threads never need more help than that.
    if (const uint64_t code = team.code_on_trial.load(platform::relaxed)) {
        platform::Atomic<uint64_t>& place = note_of(team, code);
        const uint64_t noted = place.load(platform::relaxed);
        const bool again = noted == note(code, stood_still) || noted == note(code, all_begin);
        place.store(note(code, again ? all_begin : stood_still), platform::relaxed);
    }
}

namespace {

/// All that others have not tried. `with_cpu`: threads that have blocks, and are on the way.
[[gnu::noinline]] void learn_parts(const Team& team, int32_t with_cpu, int32_t size,
                                   PartSet& parts) {
    if (team.on_offer.spares_called.load(platform::relaxed) == 0)
        parts.add_range(1, with_cpu);
    for (int32_t i = 0; i < with_cpu; ++i)
        if (const int32_t count = worker_at(team, i).mailbox.block.load(platform::relaxed))
            Blocks(with_cpu, size).add(i, count, parts);
}

/// The number of the next part to try, which is then not among them any more; -1: there is none.
/// Those whose owners are on the way come last.
int32_t next_of(const Member& member, Worker& taker, Untried& untried) {
    if (untried.has_block()) {
        const int32_t number = untried.take_of_block();
        // The others need not look at that one, nor have its line. If they do, one of them has it.
        taker.mailbox.block.store(static_cast<uint16_t>(untried.count()), platform::relaxed);
        return number;
    }
    if (!untried.knows_all())
        learn_parts(*member.team, taker.mailbox.with_cpu, member.team_size, untried.learn_all());
    return untried.take_other();
}

} // namespace

Worker* take_part(Member& member, Worker& taker, Untried& untried) {
    const Team& team = *member.team;
    for (int number; (number = next_of(member, taker, untried)) > 0;) {
        Worker& worker = worker_at(team, number);
        // Both seq_cst: Dekker with an owner that goes to sleep, or stays awake. One that is awake
        // takes its part itself; it may still be on its way out of the last region, with its
        // membership.
        uint32_t word = worker.mailbox.epoch.load(platform::seq_cst);
        if (worker.mailbox.asleep.load(platform::seq_cst) == awake) {
            member.meets_awake |= is_waiting(worker.mailbox);
            continue;
        }
        // A second time if its owner was called meanwhile.
        for (int tries = 0; tries < 2 && (word & (offered | taken)) == offered; ++tries) {
            if (take(worker.mailbox, word))
                return &worker;
            word = worker.mailbox.epoch.load(platform::relaxed);
        }
    }
    return nullptr;
}

} // namespace heddle::team
