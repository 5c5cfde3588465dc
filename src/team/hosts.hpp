// SPDX-License-Identifier: Apache-2.0
// Hosts: threads of the program that open regions. Where several do, their teams share the CPUs:
// how many are in regions at the same time is sampled as regions begin, and told to CpuPressure.
// Called by the hosts, and by the pool when one comes or ends. What a host says of itself it writes
// alone. All relaxed: a statistic, on which only the time that regions take depends.
#pragma once

#include "team/team.hpp"

namespace heddle::team {

/// How many hosts are in regions at the same time, from samples: the average, rounded, where it is
/// off by so much that it does not come and go.
class HostsAtOnce {
public:
    /// `in_regions`: as one begins a region, which is counted.
    void add(int32_t in_regions) {
        average_ += (in_regions * one - average_) / samples;
        const int32_t off = average_ - rounded_ * one;
        if (off >= (rounded_ == 1 ? one / 2 : one * 3 / 4) || off <= -one * 3 / 4)
            rounded_ = (average_ + one / 2) / one;
    }
    int32_t value() const { return rounded_; }
    /// Has there hardly ever been more than one?
    bool in_turn() const { return average_ < one + one / 16; }

private:
    static constexpr int32_t one = 256; ///< the average is in such parts
    static constexpr int32_t samples = 8;
    int32_t average_ = one;
    int32_t rounded_ = 1;
};

/// `team` is the outermost one of a thread of the program that has its first region of several
/// threads. Returns how many such threads there are.
int add_host(Team& team);
/// That thread has ended.
int remove_host(Team& team);
/// In a forked child: there are none.
void forget_hosts_after_fork();

/// By a host, where there are several: it begins a region, or ends it.
void begin_among_hosts(Team& team);
void end_among_hosts(Team& team);

// By a host, of its own regions; only known among several.
/// Do they take less time than to wake a thread and to have it do its share?
inline bool has_short_regions(const Team& team) {
    constexpr uint64_t worth_waking_ns = 100'000;
    return team.host.usual_ns < worth_waking_ns;
}
/// Do they take so long that, after each, the threads may go back to a pool from which others wait
/// for them? Where they do they take longer than on their own, so this is more.
inline bool has_long_regions(const Team& team) {
    constexpr uint64_t worth_waiting_ns = 500'000;
    return team.host.usual_ns >= worth_waiting_ns;
}

} // namespace heddle::team
