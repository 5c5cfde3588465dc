// SPDX-License-Identifier: Apache-2.0
// Sleeping at the mailbox, and what the lookout does there: it begins its part if nobody has for a
// nap, and goes on with parts that are stuck. See lookout.hpp; written by the sleeper.
// Protocol: docs/protocols/stand-in.md.
#include "team/lookout.hpp"

#include <algorithm>

namespace heddle::team {

void (*go_on_with)(Worker& worker, Member& claimed) = nullptr;
void (*help_in_place_of)(Worker& worker, Team& team, Member& claimed, uint32_t epoch) = nullptr;

namespace {

// A lookout sleeps for so long, and until this has been in vain so often.
constexpr uint64_t lookout_nap_ns = 1'000'000;
constexpr int most_naps = 16;

/// Of several hosts each has its share of the CPUs, so all takes longer, and a CPU for a look is
/// another host's.
uint64_t nap_ns() {
    constexpr int32_t most_hosts = 4; // parts that wait for each other don't wait much longer
    const int32_t hosts = cpu_pressure.hosts_at_once.load(platform::relaxed);
    return lookout_nap_ns * static_cast<uint64_t>(std::min(hosts, most_hosts));
}

/// So many are begun in a nap, on new stacks and by few threads.
constexpr int32_t parts_a_nap = 64;

/// A part that could go on for so many naps of a lookout, a hundredth of a second: its thread waits
/// for it in a way that we don't see. Sooner it only has others before it, and goes on where it
/// was.
constexpr uint32_t patience = 10;

/// For how many naps the part has been stopped by now.
uint32_t note_nap(Part& part) {
    const bool is_stopped = part.state.load(platform::relaxed) == PartState::stopped;
    const uint32_t stops = is_stopped ? part.stops.load(platform::relaxed) + 1 : 0; // 0: it is not
    uint32_t naps = 0;
    if (is_stopped && part.seen_stops.load(platform::relaxed) == stops)
        naps = part.seen_naps.load(platform::relaxed) + 1;
    if (part.seen_stops.load(platform::relaxed) != stops)
        part.seen_stops.store(stops, platform::relaxed);
    if (is_stopped)
        part.seen_naps.store(naps, platform::relaxed);
    return naps;
}

} // namespace

// The last one of those on offer looks out now, or, where there is none, one who sleeps while
// others execute its part, or will do so.
void pass_lookout_on(const Team& team, int size, const Worker& from) {
    for (int i = 1; i < size; ++i)
        if (want(worker_at(team, i), lookout))
            return;
    for (int i = 1; i < size; ++i) {
        Worker& worker = worker_at(team, i);
        if (&worker != &from && summon(worker))
            return;
    }
}

void Lookout::begin() {
    if (team_)
        return;
    team_ = worker_.offers_of.load(platform::relaxed);
    if (team_)
        team_->on_offer.lookouts.fetch_add(
            1, platform::relaxed); // too early or late, one more is summoned
}

bool Lookout::leave_to_others() {
    int32_t count = team_->on_offer.lookouts.load(platform::relaxed);
    while (count > 1)
        // seq_cst: as in end(); who reads the counter then relies on the other one
        if (team_->on_offer.lookouts.compare_exchange_strong(count, count - 1, platform::seq_cst,
                                                             platform::relaxed)) {
            team_ = nullptr;
            return true;
        }
    return false;
}

void Lookout::end() {
    if (team_)
        team_->on_offer.lookouts.fetch_sub(1, platform::seq_cst); // Dekker with ensure_lookout()
    team_ = nullptr;
}

Member* Lookout::claim(Team& team, int size) {
    // Not even looked at: the thread that has left a part takes it for gone once another has it.
    if (platform::programs_tie_calls())
        return nullptr;
    const bool is_stuck = team.on_offer.is_stuck.load(platform::relaxed) != 0;
    for (int i = 0; i < size; ++i) {
        Member& member = member_at(team, i);
        Part& part = member.part;
        if (note_nap(part) >= (is_stuck ? 1 : patience) && examine(part) == Look::ready)
            return &member;
    }
    return nullptr;
}

template <class Work>
void Lookout::leave_office_for(Team& team, int size, Work&& work) {
    end();
    pass_lookout_on(team, size, worker_);
    work();
    begin();
}

/// In the place of a part that was left at a barrier, or of one that is over.
bool Lookout::help_with_tasks(Team& team, int size) {
    Member* stopped = nullptr;
    for (int i = 0; i < size && !stopped; ++i)
        if (claim_at_barrier(member_at(team, i).part))
            stopped = &member_at(team, i);
    int over = -1;
    uint32_t epoch = 0;
    for (int i = 0; i < OnOffer::parts_over_lines && !stopped && over < 0; ++i)
        over = team.on_offer.parts_over[i].claim(size, epoch);
    note_help(team, tasks_.tasks_block());
    if (!stopped && over < 0) {
        team.back.notify(1); // all have begun, and one is standing back perhaps
        return false;
    }
    leave_office_for(team, size, [&] {
        if (stopped)
            go_on_with(worker_, *stopped);
        else
            help_in_place_of(worker_, team, member_at(team, over), epoch);
    });
    return true;
}

int Lookout::naps_on_offer() const {
    const Team* const team = worker_.offers_of.load(platform::relaxed);
    return team ? 1 + team->size_on_offer.load(platform::relaxed) / parts_a_nap : 1;
}

bool Lookout::relieve(bool overdue) {
    Team* const team = worker_.offers_of.load(platform::relaxed);
    // acquire: pairs with offer_parts(), for members may be new
    const int size = team ? team->size_on_offer.load(platform::acquire) : 0;
    if (size == 0)
        return false;
    if (Member* const claimed = claim(*team, size)) {
        note_stuck(*team);
        leave_office_for(*team, size, [&] { go_on_with(worker_, *claimed); });
        return true;
    }
    const uint32_t region = worker_.mailbox.epoch.load(platform::relaxed);
    if (!is_same_region(region, region_))
        tasks_ = {};
    region_ = region;
    if (overdue)
        call_waiting(*team, size); // on offer for so long, though its own part is taken
    return tasks_.wants_thread(*team, size) && help_with_tasks(*team, size);
}

namespace {

/// A thread that was called though others have its part finds a CPU: it stays awake, to be in time
/// for the next region. False: that has begun.
bool stay_awake(Mailbox& mailbox, uint32_t word) {
    mailbox.asleep.exchange(awake, platform::seq_cst); // Dekker with take_part() of that region
    if (is_same_region(mailbox.epoch.load(platform::seq_cst), word))
        return true;
    mailbox.asleep.exchange(asleep, platform::seq_cst); // somebody may have found it so
    return false;
}

} // namespace

Region sleep_at_mailbox(Worker& worker, uint32_t seen, bool slept) {
    Mailbox& mailbox = worker.mailbox;
    Lookout watch(worker);
    uint32_t sleeps = asleep;
    mailbox.asleep.exchange(asleep, platform::seq_cst); // Dekker with all who post, call and take
    uint32_t word = mailbox.epoch.load(platform::seq_cst);
    const uint32_t first = word; // where it is new, those who take parts may have found it awake
    bool overdue = false, was_long = false;
    for (int in_vain = 0;;) {
        if ((word & offered) == 0 && word != seen)
            break;
        const bool passed_by = !slept && word != seen && is_same_region(word, first);
        if ((word & (offered | taken)) == offered && (passed_by || overdue || (word & called))) {
            if (take(mailbox, word)) {
                word |= taken;
                was_long = overdue;
                break;
            }
            // acquire: pairs with all who post: publish_offer(), post_to_lookout(), Posts::add()
            word = mailbox.epoch.load(platform::acquire);
            continue;
        }
        constexpr uint32_t is_missed = offered | taken | called;
        if (word != seen && (word & is_missed) == is_missed && !watch.is_counted()) {
            if (stay_awake(mailbox, word))
                return {.epoch = word, .missed = true};
            sleeps = asleep;
            word = mailbox.epoch.load(platform::acquire); // as above
            continue;
        }
        const bool is_asked = (word & lookout) != 0;
        const bool looks_out = (word & offered) != 0 &&
                               (is_asked || (watch.is_counted() && !watch.leave_to_others())) &&
                               (in_vain < most_naps || watch.has_region());
        if (looks_out) {
            watch.begin();
        } else if (watch.is_counted()) {
            watch.end();
            // Dekker with ensure_lookout(): who has counted on this thread has posted before
            if (mailbox.epoch.load(platform::seq_cst) != word) {
                watch.begin();
                word = mailbox.epoch.load(platform::acquire); // as above
                continue;
            }
        }
        if (sleeps != (looks_out ? napping : asleep)) {
            sleeps = looks_out ? napping : asleep;
            mailbox.asleep.exchange(sleeps, platform::seq_cst); // as above
            if (mailbox.epoch.load(platform::seq_cst) != word) {
                word = mailbox.epoch.load(platform::acquire); // as above
                continue;
            }
        }
        platform::wait_on(mailbox.epoch, word, looks_out ? nap_ns() : platform::forever);
        if (looks_out)
            cpu_pressure.cpu_share.note_nap();
        const uint32_t now = mailbox.epoch.load(platform::acquire); // as above
        in_vain = now == word ? in_vain + 1 : 0;
        const bool has_napped = looks_out && now == word;
        // On offer for so long: those who have begun may be waiting for it.
        overdue = has_napped && in_vain >= watch.naps_on_offer();
        word = now;
        if (has_napped && (word & taken) != 0)
            while (watch.relieve(overdue)) {
            }
    }
    // Dekker with summon(), which is for regions on offer only
    mailbox.asleep.exchange(awake, platform::seq_cst);
    if ((word & offered) != 0) {
        word |= mailbox.epoch.load(platform::seq_cst) & lookout;
        if (watch.is_counted())
            word |= lookout; // note_offers() passes it on
    }
    return {.epoch = word, .was_long = was_long};
}

} // namespace heddle::team
