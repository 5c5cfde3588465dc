// SPDX-License-Identifier: Apache-2.0
// The domain of a thread from its team's placement, or from the CPU it was seen on.
// Called on any thread of the team concerned; see locality.hpp for who writes.
#include "team/locality.hpp"

#include "place/places.hpp"

namespace heddle::team {

namespace {

/// The domain that the placement of `team` gives its thread `number`; -1: none, or it has several.
int placed_domain(const Team& team, int32_t number) {
    if (!team.binds)
        return -1;
    return place::domain_of_place(place::position_of(team.placement, team.size, number).place);
}

/// Adds the domains of `count` things, each once with how many of them it has; false when one is in
/// no domain, or none is there.
template <class DomainOf>
bool count_domains(int count, DomainOf&& domain_of_number, place::DomainShares& shares) {
    int32_t counts[place::DomainMap::most] = {};
    for (int i = 0; i < count; ++i) {
        const int domain = domain_of_number(i);
        if (domain < 0)
            return false;
        ++counts[domain];
    }
    for (int domain = 0; domain < place::domain_count(); ++domain)
        if (counts[domain] > 0)
            shares.add(domain, counts[domain]);
    return shares.count > 0;
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

void domains_of_region(const Member& own, place::DomainShares& shares) {
    shares.count = 0;
    const int all = place::domain_count();
    if (all > 1) {
        const Team& team = *own.team;
        const bool known =
            team.level == 0
                ? count_domains(place::places().count(), place::domain_of_place, shares)
                : count_domains(
                      team.size, [&](int number) { return placed_domain(team, number); }, shares);
        if (known)
            return;
    }
    for (int domain = 0; domain < all; ++domain)
        shares.add(domain, place::domains().cpus_in(domain));
}

} // namespace heddle::team
