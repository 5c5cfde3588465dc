// SPDX-License-Identifier: Apache-2.0
// Victim choice (at random in large teams), batch steals with feedback on the victim's queue
// length, and leapfrogging. Feedback: a batch that lasts under 10 us means the victim's queue holds
// only leaves, so it is doubled; over 200 us a shorter queue, with fewer deferrals, is enough. Many
// tiny tasks in a row were not worth their price: the thief pauses, longer each time. Tasks that
// sleep: all of the queue is for thieves. Runs on the thief.
#include "schedule/steal.hpp"

#include "schedule/boxes.hpp"
#include "schedule/record.hpp"
#include "schedule/throttle.hpp"
#include "team/counting.hpp"
#include "team/locality.hpp"
#include "team/random.hpp"
#include "team/watching.hpp"

namespace heddle::schedule {

namespace {

constexpr uint64_t short_batch_ns = 10'000, long_batch_ns = 200'000;
/// Of such a length on average, with all that comes of it: see creates_large_tasks().
constexpr uint64_t large_task_ns = 10'000;
/// A batch that lasts less had leaves of a tree only: see keep_stock().
constexpr uint64_t leaves_ns = 1'000;
/// In a batch that lasts longer, tasks may have slept.
constexpr uint64_t sleeping_batch_ns = 1'000'000;

/// What a steal costs both sides, about: once, and for each task, its execution by the thief
/// included, which is part of how long a batch lasts. One that lasts less was not worth it. A
/// record's price is so high that the mere execution time counts.
constexpr uint64_t steal_ns = 500, hand_over_ns = 25;
/// The same where the owner waits for the batch meanwhile: all of it is on its way.
constexpr uint64_t awaited_steal_ns = 800, awaited_hand_over_ns = 100;
/// After so many such tasks in a row the thief pauses; among fewer, a tree as unbalanced as UTS's
/// T3 may hide large subtrees. Few are enough where there is no doubt.
constexpr uint64_t many_tiny_tasks = 128, few_tiny_tasks = 8;
constexpr uint64_t first_pause_ns = 4'000, longest_pause_ns = 256'000;

bool is_pausing(const Member& member) {
    return HEDDLE_UNLIKELY(member.pause_ns != 0) && platform::now_ns() < member.hungry_from;
}

/// Are tasks of the victim tiny beyond doubt? Others have found them so, or they were records, the
/// execution of which is measured alone, and takes a fraction of what they cost.
bool are_surely_tiny(const Member& member, const Member& victim, uint64_t records) {
    return victim.deque.task_size() == concurrent::TaskDeque::tiny ||
           (records != 0 && member.record_ns != 0 && member.record_ns < record_price_ns / 4);
}

/// A batch was stolen from the victim, of so many tasks, `records` among them: was it worth it?
void weigh_batch(Member& member, const Member& victim, uint64_t tasks, uint64_t records, bool worth,
                 uint64_t now) {
    if (worth) {
        member.tiny_tasks = 0;
        member.pause_ns = 0;
        return;
    }
    member.tiny_tasks +=
        are_surely_tiny(member, victim, records) ? tasks * many_tiny_tasks / few_tiny_tasks : tasks;
    if (member.tiny_tasks >= many_tiny_tasks) {
        const uint64_t longer = member.pause_ns * 2;
        member.pause_ns = longer < first_pause_ns     ? first_pause_ns
                          : longer < longest_pause_ns ? longer
                                                      : longest_pause_ns;
        member.hungry_from = now + member.pause_ns;
        team::count(member, team::Counter::pauses);
    }
}

/// Do the tasks of a batch sleep, in the system or for each other? They do if the batch is long,
/// and its thread stopped more often to wait, our own waits aside, than because others were due.
/// The system is asked only after a long batch: it takes 0.5 us.
class SleepWatch {
public:
    explicit SleepWatch(const Member& member)
        : counts_(member.counts_stops), sleeps_(member.sleeps),
          before_(counts_ ? platform::stops() : platform::Stops()) {}

    /// The batch has ended. Tells the team if it says something; true: its tasks sleep.
    bool end(Member& member, uint64_t lasted) const {
        member.counts_stops = lasted > sleeping_batch_ns;
        if (member.counts_stops && !counts_)
            return false;
        const bool sleep = member.counts_stops && has_slept(member);
        platform::Atomic<uint32_t>& known = member.team->tasks_sleep;
        if (known.load(platform::relaxed) != (sleep ? 1 : 0)) // a hint: see expose()
            known.store(sleep ? 1 : 0, platform::relaxed);
        return sleep;
    }

private:
    bool has_slept(const Member& member) const {
        const platform::Stops now = platform::stops();
        const auto own = static_cast<uint16_t>(member.sleeps - sleeps_);
        return now.waiting - before_.waiting > own + (now.preempted - before_.preempted);
    }

    bool counts_;
    uint16_t sleeps_;
    platform::Stops before_;
};

/// Teams of up to so many threads are searched whole. In a larger one lines change faster than a
/// thief can read them again: it looks at a few, asks somebody at random for tasks, and looks there
/// first the next time.
constexpr uint32_t most_searched = 16, looks_in_large_team = 4;
/// A thread that waits inside a task looks at no more before it sees again what it waits for: as a
/// rule that is soon complete, and a look takes as long as a small task. Where the region is on
/// offer most members are at rest, with nothing stolen, and their lines stay here: these don't
/// count.
constexpr uint32_t looks_of_waiting = 4;
/// Members whose numbers are near are in the same domain, whether they are bound close or spread.
constexpr uint32_t least_near = 4;

/// Any member, three times of four one that is near, where there are several domains.
uint32_t random_member(Member& member, uint32_t size) {
    const uint32_t drawn = team::draw(member);
    const auto domains = static_cast<uint32_t>(place::domain_count());
    uint32_t first = 0, count = size;
    if (domains > 1 && (drawn & 3) != 0) {
        count = size / domains < least_near ? least_near : size / domains;
        first = static_cast<uint32_t>(member.number) / count * count;
        count = first + count < size ? count : size - first;
    }
    return first + static_cast<uint32_t>(uint64_t{drawn} * count >> 32);
}

/// A member of the same locality domain with stealable tasks, where there are several domains.
[[gnu::noinline]] Victim find_near_victim(Member& member) {
    team::Team& team = *member.team;
    const int domain = team::domain_of_self(member);
    int32_t number = member.number;
    for (int32_t i = 1; i < member.team_size; ++i) {
        number = number + 1 == member.team_size ? 0 : number + 1;
        Member& other = member_at(team, number);
        if (other.deque.looks_stealable() && team::domain_of(team, number) == domain) {
            member.victim = static_cast<uint32_t>(number);
            return {&other, other.deque.taken()};
        }
    }
    return {};
}

} // namespace

Victim find_victim(Member& member) {
    if (is_pausing(member) || team::stealing_is_off.load(platform::relaxed) != 0)
        return {};
    team::Team& team = *member.team;
    const auto size = static_cast<uint32_t>(member.team_size);
    // With hints about, a thief that comes back soon takes what is meant for others.
    const bool whole = size <= most_searched || uses_boxes(member);
    if (HEDDLE_UNLIKELY(place::domain_count() > 1) && whole)
        if (const Victim near = find_near_victim(member))
            return near;
    uint32_t number = member.victim < size ? member.victim : 0;
    for (uint32_t i = 0; i < (whole ? size : looks_in_large_team); ++i) {
        Member& other = member_at(team, static_cast<int32_t>(number));
        if (&other != &member && other.deque.looks_stealable()) {
            member.victim = number;
            return {&other, other.deque.taken()};
        }
        number = number + 1 == size ? 0 : number + 1;
    }
    // One a round, another each time: a single hungry thread should not make all others defer.
    member.victim = !whole ? random_member(member, size) : number + 1 < size ? number + 1 : 0;
    if (static_cast<int32_t>(member.victim) != member.number)
        member_at(team, static_cast<int32_t>(member.victim)).deque.ask_for_tasks();
    return {};
}

bool any_stealable(Member& member) {
    team::Team& team = *member.team;
    if (team::stealing_is_off.load(platform::relaxed) != 0)
        return false;
    int32_t number = member.number;
    for (int32_t i = 1; i < member.team_size; ++i) {
        number = number + 1 == member.team_size ? 0 : number + 1;
        if (member_at(team, number).deque.surely_stealable()) {
            member.victim = static_cast<uint32_t>(number); // the first to look at
            return true;
        }
    }
    return false;
}

TaskSlot* take_newest(Member& member, uint64_t base) {
    TaskSlot* slot = member.deque.pop(base);
    if (!slot)
        return nullptr;
    if (HEDDLE_UNLIKELY(member.stock > 1))
        keep_stock(member);
    if (member.deque.has_private()) {
        const bool large = creates_large_tasks(member);
        if (large || member.deque.wants_tasks())
            expose(member, large);
    }
    return slot;
}

namespace {

/// Was it worth while to steal a batch? A batch is measured by how long it lasts. But an owner that
/// waits for its tasks asks for some of the few that are left, again and again, and the thief is
/// busy with handing over: tasks that defer none last a tenth of their batch. So where the owner
/// waited since this thief's last batch, or does now, one of the tasks is timed alone.
class BatchWork {
public:
    BatchWork(Member& member, const Member& owner, uint64_t count)
        : owner_(owner), count_(count), parents_(member.parents) {
        const uint32_t waits = owner.waits.load(platform::relaxed); // a hint
        waited_for_ = waits != member.seen_waits;
        member.seen_waits = waits;
    }

    template <class Run>
    void run(Run&& run_task) {
        if (HEDDLE_LIKELY(++ran_ != timed() || !waited_for_)) {
            run_task();
            return;
        }
        const uint64_t looked = platform::now_ns(), began = platform::now_ns();
        run_task();
        const uint64_t took = platform::now_ns() - began, look = began - looked;
        timed_ns_ = took > look ? took - look : 1;
    }

    /// All of it lasted so long.
    bool was_worth(Member& member, uint64_t lasted) const {
        const uint64_t price = steal_ns + count_ * hand_over_ns;
        if (lasted <= price)
            return false;
        const bool waited_for =
            waited_for_ || owner_.waits.load(platform::relaxed) != member.seen_waits;
        if (!waited_for || member.parents != parents_ || lasted >= price * most_handing_over)
            return true;
        if (timed_ns_ != 0)
            note(member.stolen_ns);
        return member.stolen_ns == 0 ||
               count_ * member.stolen_ns > awaited_steal_ns + count_ * awaited_hand_over_ns;
    }

private:
    static constexpr uint64_t most_handing_over = 8; ///< times the price; else some tasks are long

    /// Which task: if there are several not the first, which finds its data at another thread.
    uint32_t timed() const { return count_ == 1 ? 1 : 2; }

    /// A median that moves by an eighth: one task in twenty waits for a line.
    void note(uint32_t& median) const {
        if (median == 0)
            median = static_cast<uint32_t>(timed_ns_ < large_task_ns ? timed_ns_ : large_task_ns);
        else
            median = timed_ns_ > median ? median + median / 8 + 1 : median - median / 8;
    }

    const Member& owner_;
    uint64_t count_;
    uint32_t parents_;
    uint32_t ran_ = 0;
    bool waited_for_;
    uint64_t timed_ns_ = 0;
};

/// The owner has taken back what was to be stolen: it was no larger than a look at it takes.
void note_late_theft(Member& member, Member& victim) {
    weigh_batch(member, victim, 1, 0, false, platform::now_ns());
    if (member.pause_ns == 0)
        return;
    victim.deque.ask_no_more();
    victim.deque.note_task_size(concurrent::TaskDeque::tiny);
}

/// Runs the batch that was just moved to this deque, and tells its former owner from how long that
/// took whether to queue more.
void run_batch(Member& member, Member& victim, concurrent::TaskDeque::Batch& batch) {
    const uint64_t began = platform::now_ns();
    const uint64_t records_before = member.executed_records;
    if (member.pause_ns != 0)
        victim.deque.ask_no_more();
    if (batch.count > 1 &&
        (member.deque.wants_tasks() || member.team->tasks_sleep.load(platform::relaxed)))
        expose(member);
    const SleepWatch watch(member);
    BatchWork work(member, victim, batch.count);
    FinishedChildren finished;
    while (TaskSlot* slot = take_newest(member, batch.start)) {
        concurrent::TaskDeque::begin_entry(batch, member.deque.bottom());
        work.run([&] { run_slot(member, *slot, finished); });
    }
    finished.count_them(member);
    member.worker->returns.flush();
    member.deque.end_batch(batch);
    const uint64_t now = platform::now_ns(), lasted = now - began;
    const uint64_t records = member.executed_records - records_before; // and released successors
    const uint64_t tasks = records > batch.count ? records : batch.count;
    const bool worth =
        records == 0 ? work.was_worth(member, lasted) : member.record_ns > record_price_ns;
    team::count_batch(member, batch.count, batch.outer ? 0 : lasted);
    weigh_batch(member, victim, batch.count + records, records, worth, now);
    member.found_leaves = lasted < leaves_ns;
    using concurrent::TaskDeque;
    victim.deque.note_task_size(lasted > tasks * large_task_ns ? TaskDeque::large
                                : member.pause_ns == 0         ? TaskDeque::medium
                                                               : TaskDeque::tiny);
    if (watch.end(member, lasted)) { // then a few tasks for every thread
        if (victim.deque.limit() < 4 * static_cast<uint32_t>(member.team_size))
            victim.deque.lengthen_limit();
        return;
    }
    if (lasted > long_batch_ns || member.pause_ns != 0)
        victim.deque.shorten_limit();
    else if (lasted < short_batch_ns)
        victim.deque.lengthen_limit();
}

} // namespace

bool steal_batch(Member& member, const Victim& victim) {
    concurrent::TaskDeque::Batch batch;
    Member& owner = *victim.member;
    const auto size = static_cast<uint32_t>(member.team_size);
    if (member.deque.steal(owner.deque, batch, size) == 0) {
        team::count(member, team::Counter::failed_steals);
        if (owner.deque.taken() == victim.taken && !owner.deque.looks_stealable())
            note_late_theft(member, owner);
        if (size > most_searched) // not all at the one that has many
            member.victim = random_member(member, size);
        return false;
    }
    team::count(member, team::Counter::steals);
    team::watch_steal(member, tool::EventKind::steal, batch.count, owner);
    run_batch(member, owner, batch);
    return true;
}

bool leapfrog(Member& member, uint64_t base) {
    if (is_deep(member))
        return false; // the holders come to the end without us
    team::Team& team = *member.team;
    const auto size = static_cast<uint32_t>(member.team_size);
    uint32_t number = member.holder < size ? member.holder : 0;
    concurrent::TaskDeque::Batch batch;
    const uint32_t request =
        member.found_leaves ? concurrent::TaskDeque::roots_wanted : concurrent::TaskDeque::wanted;
    uint32_t looks = size < looks_of_waiting ? size : looks_of_waiting;
    for (uint32_t i = 0; i < size && looks != 0; ++i) {
        Member& holder = member_at(team, static_cast<int32_t>(number));
        member.holder = number;
        number = number + 1 < size ? number + 1 : 0;
        if (!member.offers || holder.deque.holds_batches())
            --looks;
        if (&holder == &member || member.deque.leapfrog(holder.deque, base, batch, request) == 0)
            continue;
        team::count(member, team::Counter::leapfrogs);
        team::watch_steal(member, tool::EventKind::leapfrog, batch.count, holder);
        // All of it, though our own children may be done before: the holder waits for these now.
        run_batch(member, holder, batch);
        return true;
    }
    member.holder = number;
    return false;
}

} // namespace heddle::schedule
