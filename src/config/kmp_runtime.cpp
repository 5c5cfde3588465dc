// SPDX-License-Identifier: Apache-2.0
// The words behind kmp_runtime.hpp.
// Written by any thread that calls a kmp_set_* routine. Relaxed is enough: each word stands alone
// and publishes nothing.
#include "config/kmp_runtime.hpp"

#include "platform.hpp"

#include <algorithm>
#include <climits>

namespace heddle::config {

namespace {

/// No call has changed the variable: the environment's value holds.
constexpr int64_t from_environment = -1;

constexpr int64_t adaptive = -2; ///< of spin_count_set: no number, whatever the environment says

constinit platform::Atomic<int64_t> wait_policy_set{from_environment};
constinit platform::Atomic<int64_t> spin_count_set{from_environment};
constinit platform::Atomic<int64_t> blocktime_set{from_environment};
constinit platform::Atomic<int64_t> stack_size_set{from_environment};
constinit platform::Atomic<int64_t> library_set{from_environment};
constinit platform::Atomic<int64_t> target_offload_set{from_environment};

int64_t value_or(const platform::Atomic<int64_t>& word, int64_t environment) {
    const int64_t value = word.load(platform::relaxed);
    return value == from_environment ? environment : value;
}

/// A poll with its pause takes about 25 ns: see team/cpu_pressure.
constexpr int64_t polls_in_microsecond = 40;

constexpr int default_blocktime = 4; ///< milliseconds, of team/cpu_pressure's default

int blocktime_of(WaitPolicy policy) {
    if (policy == WaitPolicy::active)
        return INT_MAX;
    return policy == WaitPolicy::passive ? 0 : default_blocktime;
}

/// Milliseconds that the environment asks for.
int blocktime_of(const Settings& settings) {
    if (settings.kmp_blocktime >= 0)
        return milliseconds_of(settings.kmp_blocktime);
    return blocktime_of(settings.wait_policy);
}

} // namespace

int64_t spins_of(int64_t microseconds) {
    if (microseconds > INT64_MAX / polls_in_microsecond)
        return INT64_MAX;
    return microseconds * polls_in_microsecond;
}

int milliseconds_of(int64_t microseconds) {
    return static_cast<int>(std::min<int64_t>(microseconds / 1000, INT_MAX));
}

WaitPolicy wait_policy(const Settings& settings) {
    return static_cast<WaitPolicy>(
        value_or(wait_policy_set, static_cast<int64_t>(settings.wait_policy)));
}

void set_wait_policy(WaitPolicy policy) {
    wait_policy_set.store(static_cast<int64_t>(policy), platform::relaxed);
    spin_count_set.store(adaptive, platform::relaxed);
    blocktime_set.store(blocktime_of(policy), platform::relaxed);
}

int64_t spin_count(const Settings& settings) {
    const int64_t count = value_or(spin_count_set, settings.spin_count);
    return count == adaptive ? -1 : count;
}

int blocktime(const Settings& settings) {
    return static_cast<int>(value_or(blocktime_set, blocktime_of(settings)));
}

void set_blocktime(int milliseconds) {
    if (milliseconds < 0)
        milliseconds = 0;
    blocktime_set.store(milliseconds, platform::relaxed);
    spin_count_set.store(milliseconds == INT_MAX ? INT64_MAX
                                                 : spins_of(int64_t{milliseconds} * 1000),
                         platform::relaxed);
}

size_t stack_size(const Settings& settings) {
    return static_cast<size_t>(value_or(stack_size_set, static_cast<int64_t>(settings.stack_size)));
}
void set_stack_size(size_t bytes) {
    stack_size_set.store(static_cast<int64_t>(bytes), platform::relaxed);
}
const char* stack_size_source(const Settings& settings) {
    return stack_size_set.load(platform::relaxed) == from_environment ? settings.stack_from
                                                                      : "kmp_set_stacksize";
}

KmpLibrary library(const Settings& settings) {
    const auto value =
        static_cast<KmpLibrary>(value_or(library_set, static_cast<int64_t>(settings.kmp_library)));
    return value == KmpLibrary::unset ? KmpLibrary::throughput : value;
}
void set_library(KmpLibrary value) {
    library_set.store(static_cast<int64_t>(value), platform::relaxed);
}

TargetOffload target_offload(const Settings& settings) {
    return static_cast<TargetOffload>(
        value_or(target_offload_set, static_cast<int64_t>(settings.target_offload)));
}
void set_target_offload(TargetOffload offload) {
    target_offload_set.store(static_cast<int64_t>(offload), platform::relaxed);
}

} // namespace heddle::config
