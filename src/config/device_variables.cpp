// SPDX-License-Identifier: Apache-2.0
// The words behind the ICVs with device scope; see device_variables.hpp.
// Written by any thread that calls omp_set_num_teams or omp_set_teams_thread_limit. Relaxed is
// enough: each word stands alone and publishes nothing.
#include "config/device_variables.hpp"

#include "platform.hpp"

namespace heddle::config {

namespace {

/// No call has changed the variable: the environment's value holds.
constexpr int from_environment = -1;

constinit platform::Atomic<int> num_teams_set{from_environment};
constinit platform::Atomic<int> teams_thread_limit_set{from_environment};

int value_or(const platform::Atomic<int>& word, int environment) {
    int value = word.load(platform::relaxed);
    return value == from_environment ? environment : value;
}

} // namespace

int num_teams(const Settings& settings) { return value_or(num_teams_set, settings.num_teams); }

void set_num_teams(int count) {
    if (count >= 0)
        num_teams_set.store(count, platform::relaxed);
}

int teams_thread_limit(const Settings& settings) {
    return value_or(teams_thread_limit_set, settings.teams_thread_limit);
}

void set_teams_thread_limit(int limit) {
    if (limit >= 0)
        teams_thread_limit_set.store(limit, platform::relaxed);
}

} // namespace heddle::config
