// SPDX-License-Identifier: Apache-2.0
// Task affinity (include/heddle.h): hints for the next task, taskgroup or taskloop of the current
// task, and the switch for stealing. Called by users' programs, around unchanged pragmas.
// A hint is written by the thread that gives it; the switch is one relaxed word of the process.
#include "heddle.h"

#include "abi/export.hpp"
#include "schedule/hints.hpp"

using namespace heddle;
using team::Hint;
using team::HintKind;

namespace {

int give(const Hint& hint) { return schedule::give_hint(team::self(), hint) ? 0 : -1; }

} // namespace

HEDDLE_EXPORT int heddle_affinity_thread(int thread) noexcept {
    return give({HintKind::thread, thread, nullptr, 0});
}

HEDDLE_EXPORT int heddle_affinity_data(const void* data, size_t size) noexcept {
    return data ? give({HintKind::data, 0, data, size}) : -1;
}

HEDDLE_EXPORT int heddle_taskgroup_affinity(int kind, int tasks) noexcept {
    switch (kind) {
    case HEDDLE_AFFINITY_CLOSE:
        return give({HintKind::close, tasks, nullptr, 0});
    case HEDDLE_AFFINITY_SPREAD:
        return give({HintKind::spread, tasks, nullptr, 0});
    case HEDDLE_AFFINITY_PRIMARY:
        return give({HintKind::primary, tasks, nullptr, 0});
    default:
        return -1;
    }
}

HEDDLE_EXPORT void heddle_affinity_none() noexcept {
    if (team::Member* member = team::self_or_null())
        schedule::take_hint_back(*member);
}

HEDDLE_EXPORT int heddle_task_stealing() noexcept {
    team::self(); // reads the settings
    return team::stealing_is_off.load(platform::relaxed) == 0;
}

HEDDLE_EXPORT void heddle_set_task_stealing(int stealing) noexcept {
    team::self(); // the first call reads the settings, which must not come later
    team::stealing_is_off.store(stealing ? 0 : 1, platform::relaxed);
}
