// SPDX-License-Identifier: Apache-2.0
// The wait policy of the process, read and set while it runs (include/heddle.h).
// Called by users' programs on any thread; it writes the words of config/kmp_runtime, from which
// team/cpu_pressure derives the limits of all waits. docs/waiting.md.
#include "heddle.h"

#include "abi/export.hpp"
#include "config/kmp_runtime.hpp"
#include "team/cpu_pressure.hpp"
#include "team/team.hpp"

using namespace heddle;
using config::WaitPolicy;

static_assert(static_cast<int>(WaitPolicy::unset) == HEDDLE_WAIT_ADAPTIVE);
static_assert(static_cast<int>(WaitPolicy::active) == HEDDLE_WAIT_ACTIVE);
static_assert(static_cast<int>(WaitPolicy::passive) == HEDDLE_WAIT_PASSIVE);

HEDDLE_EXPORT int heddle_wait_policy() noexcept {
    const config::Settings& settings = config::settings();
    if (config::spin_count(settings) >= 0)
        return HEDDLE_WAIT_TIMED;
    return static_cast<int>(config::wait_policy(settings));
}

HEDDLE_EXPORT int heddle_set_wait_policy(int policy) noexcept {
    if (policy < HEDDLE_WAIT_ADAPTIVE || policy > HEDDLE_WAIT_PASSIVE)
        return -1;
    team::self(); // a first attachment would look at the settings again
    config::set_wait_policy(static_cast<WaitPolicy>(policy));
    team::set_up_cpu_pressure();
    return 0;
}
