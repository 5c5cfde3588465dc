// SPDX-License-Identifier: Apache-2.0
// The domain of a thread from its team's placement, or from the CPU it was seen on.
// Called on any thread of the team concerned; see locality.hpp for who writes.
#include "team/locality.hpp"

namespace heddle::team {

namespace {

/// The domain that the placement of `team` gives its thread `number`; -1: none, or it has several.
int placed_domain(const Team& team, int32_t number) {
    if (!team.binds)
        return -1;
    return place::domain_of_place(place::position_of(team.placement, team.size, number).place);
}

} // namespace

int domain_of_self(const Member& own) {
    if (place::domain_count() == 1)
        return 0;
    int domain = -1;
    if (own.worker->binding.place >= 0)
        domain = place::domain_of_place(own.worker->binding.place);
    if (domain < 0)
        domain = place::current_domain();
    own.worker->domain.store(domain, platform::relaxed);
    return domain;
}

int domain_of(const Team& team, int32_t number) {
    if (place::domain_count() == 1)
        return 0;
    const int placed = placed_domain(team, number);
    return placed >= 0 ? placed : member_at(team, number).worker->domain.load(platform::relaxed);
}

} // namespace heddle::team
