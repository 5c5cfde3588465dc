// SPDX-License-Identifier: Apache-2.0
// Waiting loops. A fiber that has read the same lines, none of which changed, and done nothing else
// between several calls of relax(), would read the same again. So it stays away for longer and
// longer, 400 ns at most, unless one of these lines changes: then it is back at the poll that
// would have been the first to see that.
#include "engine/engine.hpp"

#include <algorithm>

namespace heddle::sim {

namespace {

constexpr uint32_t exact_polls = 32;  ///< none is skipped so far, nor more than twice as many later
constexpr size_t most_watched = 4096; ///< lines; a loop that reads more is no waiting loop

uint64_t pattern_of(const Fiber& fiber) {
    uint64_t sum = fiber.polled.size();
    for (const auto& [line, version] : fiber.polled)
        sum += line->address * 0x9e3779b97f4a7c15u;
    return sum;
}

bool has_changed(const Fiber& fiber) {
    return std::any_of(fiber.polled.begin(), fiber.polled.end(),
                       [](const auto& entry) { return entry.first->version != entry.second; });
}

} // namespace

/// Since the last relax() the fiber has but read.
void Engine::remember(Fiber& fiber, Line& line) {
    if (fiber.polled.size() < most_watched)
        fiber.polled.emplace_back(&line, line.version);
    else
        fiber.is_active = true;
}

void Engine::stop_watching(Fiber& fiber) {
    fiber.watches = false;
    ++fiber.episode;
}

/// Enters the fiber into the lists of the lines it has read.
void Engine::watch(Fiber& fiber) {
    const auto is_stale = [this](const Watcher& watcher) {
        return fibers_[watcher.fiber]->episode != watcher.episode;
    };
    ++fiber.episode;
    fiber.watches = true;
    for (const auto& [line, version] : fiber.polled) {
        std::vector<Watcher>& list = line->watchers;
        if (!list.empty() && list.back().fiber == fiber.number &&
            list.back().episode == fiber.episode)
            continue; // two words of a line
        if (list.size() > 2 * fibers_.size() + 16)
            list.erase(std::remove_if(list.begin(), list.end(), is_stale), list.end());
        list.push_back({fiber.number, fiber.episode});
    }
}

/// A line has changed, which others can see from `when` on.
void Engine::tell_watchers(Line& line, Time when) {
    ++line.version;
    if (line.watchers.empty())
        return;
    for (const Watcher& watcher : line.watchers) {
        Fiber& fiber = *fibers_[watcher.fiber];
        if (fiber.episode != watcher.episode)
            continue;
        stop_watching(fiber);
        if (!fiber.is_waiting || !queue_.holds(fiber.number))
            continue; // or it has no CPU
        const Time waited = when > fiber.poll_began ? when - fiber.poll_began : 0;
        const Time next_poll = fiber.poll_began + (waited + fiber.poll_takes - 1) /
                                                      fiber.poll_takes * fiber.poll_takes;
        if (next_poll < queue_.time_of(fiber.number))
            queue_.hasten(fiber.number, next_poll);
    }
    line.watchers.clear();
    set_horizon();
}

/// Until the next poll that could see something.
void Engine::wait_in_poll(Fiber& fiber) {
    const uint32_t doublings = std::min(fiber.idle_polls / exact_polls, longest_skip_);
    if (doublings > 0 && !fiber.watches)
        watch(fiber);
    fiber.poll_takes = poll_ + (fiber.clock - fiber.poll_ended);
    fiber.poll_began = fiber.clock;
    fiber.clock += poll_ << (fiber.watches ? doublings : 0);
    const Cpu& cpu = cpus_[static_cast<size_t>(fiber.cpu)];
    if (!cpu.ready.empty() && fiber.clock > cpu.slice_end)
        fiber.clock = std::max(cpu.slice_end, fiber.poll_began);
    counts_.skipped_waits += doublings > 0;
    fiber.is_waiting = fiber.watches;
    point();
    fiber.is_waiting = false;
    fiber.poll_ended = fiber.clock;
}

void Engine::relax() {
    if (!current_)
        return;
    Fiber& fiber = *current_;
    if (!fiber.is_active && fiber.polled.empty()) { // a longer pause: nothing was read in between
        fiber.clock += poll_;
        return;
    }
    const uint64_t pattern = pattern_of(fiber);
    const bool is_idle = !fiber.is_active && pattern == fiber.pattern && !fiber.polled.empty() &&
                         !has_changed(fiber);
    fiber.idle_polls = is_idle ? fiber.idle_polls + 1 : 0;
    fiber.pattern = pattern;
    if (!is_idle && fiber.watches)
        stop_watching(fiber);
    wait_in_poll(fiber);
    fiber.polled.clear();
    fiber.is_active = false;
}

} // namespace heddle::sim
