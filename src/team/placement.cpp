// SPDX-License-Identifier: Apache-2.0
// The bind-var of a region's implicit tasks, the position of each thread, what was last displayed.
// Called on the thread concerned; see placement.hpp for the order.
#include "team/placement.hpp"

#include "concurrent/scatter.hpp"
#include "place/places.hpp"
#include "team/cpu_pressure.hpp"

namespace heddle::team {

namespace {

using config::ProcBind;

/// The policy of the region. Sets bind-var of its implicit tasks, which is the same unless
/// OMP_PROC_BIND has an element for their level.
ProcBind policy_of(Team& team, ProcBind clause) {
    ProcBind& bind = team.icvs.bind; // of the parent, up to here
    if (bind == ProcBind::false_)
        return bind;
    if (clause != ProcBind::false_)
        bind = clause;
    const ProcBind policy = bind;
    const config::Settings& settings = config::settings();
    if (settings.bind_list_length > 1 && team.level < settings.bind_list_length)
        bind = settings.bind_list[team.level];
    return policy;
}

/// Whether the display shows which threads a team has.
bool names_threads() {
    const int8_t set = display_names_threads.load(platform::relaxed);
    return set == as_in_environment ? config::settings().display_names_threads : set != 0;
}

/// A number that changes, very likely, when what the display shows of a team's threads does.
uint64_t fingerprint(const Team& team) {
    uint64_t hash = 1;
    const auto mix = [&hash](uint64_t value) { hash = concurrent::mixed_in(hash, value); };
    for (int32_t value :
         {team.size, team.level, team.parent->number, static_cast<int32_t>(team.placement.policy),
          team.placement.parent.place, team.placement.parent.partition.first,
          team.placement.parent.partition.count})
        mix(static_cast<uint64_t>(value));
    // Lent threads may be others in each region; that is shown where the format names threads.
    if (!names_threads())
        return hash;
    for (int i = 0; i < team.size; ++i)
        mix(reinterpret_cast<uintptr_t>(member_at(team, i).worker));
    return hash;
}

/// With more threads in a place than it has CPUs, waiting threads must let others run, also after
/// the region: until the team is placed otherwise it counts as having too many threads.
void note_crowding(Team& team) {
    int32_t crowding = 0;
    if (team.binds) {
        const place::Position& parent = team.placement.parent;
        const int32_t places =
            team.placement.policy == ProcBind::primary ? 1 : parent.partition.count;
        const int32_t in_each = (team.size + places - 1) / places;
        if (in_each > 1 && in_each > place::places()[parent.place].count())
            crowding = config::settings().available_cpus;
    }
    if (crowding == team.crowding)
        return;
    cpu_pressure.borrowed.fetch_add(crowding - team.crowding, platform::relaxed);
    team.crowding = crowding;
}

} // namespace

place::Partition partition_of(const Member& member) {
    return member.partition.count != 0 ? member.partition
                                       : place::Partition{0, place::places().count()};
}

int place_number(const Member& member) {
    if (place::places().count() == 0)
        return -1;
    const int32_t place = member.worker->binding.place;
    return place < 0 ? 0 : place;
}

void place_team(Team& team, Member& primary, ProcBind clause) {
    const ProcBind policy = policy_of(team, clause);
    team.binds = policy != ProcBind::false_ && place::places().count() > 0;
    team.at_begin = team.at_end = 0;
    place::Placement placement;
    if (team.binds) {
        const config::Settings& settings = config::settings();
        const bool in_turn = settings.place_source == config::PlaceSource::kmp_affinity &&
                             settings.kmp_affinity.type != config::AffinityType::balanced;
        placement = {policy, {place_number(primary), partition_of(*team.parent)}, in_turn};
    }
    if (!(placement == team.placement)) // else the others need not fetch the line again
        team.placement = placement;
    if (team.binds) {
        Worker& worker = *primary.worker;
        primary.partition = place::position_of(placement, team.size, 0).partition;
        if (worker.binding.place < 0) {
            place::bind_root_for_region(worker.binding, placement.parent.place);
            team.at_end = bound_primary;
        }
    }
    note_crowding(team);
    if (config::settings().display_affinity) {
        const uint64_t now = fingerprint(team);
        team.at_begin = now != primary.worker->displayed ? displays : 0;
        primary.worker->displayed = now;
    }
}

void leave_place(Team& team, Member& primary) {
    team.at_end &= static_cast<uint8_t>(~bound_primary);
    const config::KmpAffinity& affinity = config::settings().kmp_affinity;
    if (!affinity.given || affinity.reset)
        place::unbind_root_after_region(primary.worker->binding);
}

void place_initial_thread(Member& initial, const Member& outer, int32_t from, int number,
                          int size) {
    const ProcBind policy = config::settings().kmp_teams_bind;
    if (initial.team->icvs.bind == ProcBind::false_ || policy == ProcBind::false_ ||
        place::places().count() == 0)
        return;
    const place::Placement league = {policy, {from < 0 ? 0 : from, partition_of(outer)}};
    const place::Position position = place::position_of(league, size, number);
    initial.partition = position.partition;
    place::ThreadBinding& binding = initial.worker->binding;
    if (binding.place < 0)
        place::bind_root(binding, position.place);
    else
        place::bind_thread(binding, position.place);
}

void leave_league(Member& outer, int32_t from) {
    place::ThreadBinding& binding = outer.worker->binding;
    if (from < 0)
        place::unbind_root(binding);
    else
        place::bind_thread(binding, from);
}

void take_place(Member& member) {
    const place::Position position =
        place::position_of(member.team->placement, member.team_size, member.number);
    member.partition = position.partition;
    place::bind_thread(member.worker->binding, position.place);
}

} // namespace heddle::team
