// SPDX-License-Identifier: Apache-2.0
// The three ways to choose a schedule. See strategy.hpp.
#include "strategy.hpp"

#include <cstdlib>

namespace explore {

uint64_t Strategy::random() { // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void Strategy::begin_random(uint64_t seed, bool pct) {
    mode_ = pct ? Mode::pct : Mode::random;
    seed_ = state_ = seed;
    // Each execution has its own temper: long runs or short ones, quick buffers or slow ones.
    constexpr uint32_t tempers[] = {2, 3, 6, 20};
    switch_one_in_ = tempers[random() % 4];
    drain_one_in_ = tempers[random() % 4];
    older_one_in_ = 0;
    priorities_.clear();
    change_points_.clear();
    spinners_priority_ = below_originals;
    const uint64_t length = uint64_t{16} << random() % 5;
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
        change_points_.push_back(1 + random() % length);
}

void Strategy::begin_exhaustive(uint32_t preemptions, bool buffers) {
    mode_ = Mode::exhaustive;
    buffers_ = buffers;
    preemptions_ = preemptions;
    spent_ = 0;
    decisions_.clear();
    position_ = 0;
    last_fiber_ = 0;
}

bool Strategy::advance() {
    decisions_.resize(position_);
    spent_ = 0;
    position_ = 0;
    last_fiber_ = 0;
    while (!decisions_.empty()) {
        Decision& last = decisions_.back();
        if (last.taken + 1 < last.alternatives) {
            ++last.taken;
            return true;
        }
        decisions_.pop_back();
    }
    return false;
}

uint32_t Strategy::decide(uint32_t alternatives, uint32_t cost) {
    if (spent_ + cost > preemptions_)
        alternatives = 1;
    if (position_ == decisions_.size())
        decisions_.push_back({0, alternatives, cost});
    Decision& decision = decisions_[position_++];
    if (decision.taken >= alternatives && decision.taken != 0)
        decision.taken = 0; // a replay of another program
    if (decision.taken != 0)
        spent_ += cost;
    return decision.taken;
}

uint64_t& Strategy::priority(const Actor& actor) {
    const size_t i = actor.fiber * 2 + (actor.is_buffer ? 1 : 0);
    while (priorities_.size() <= i)
        priorities_.push_back((random() >> 8) + (uint64_t{1} << 32));
    return priorities_[i];
}

size_t Strategy::next(const std::vector<Actor>& actors, uint64_t step) {
    size_t fibers = 0, current = actors.size();
    for (size_t i = 0; i < actors.size(); ++i) {
        fibers += actors[i].is_buffer ? 0 : 1;
        if (actors[i].current)
            current = i;
    }
    if (mode_ == Mode::exhaustive) {
        if (actors.size() == 1) {
            if (fibers)
                last_fiber_ = actors[0].fiber;
            return 0;
        }
        // The current fiber goes on, then the others in turn, then the buffers.
        const bool goes_on = current != actors.size();
        const uint32_t taken = decide(static_cast<uint32_t>(actors.size()), goes_on ? 1 : 0);
        if (taken >= fibers)
            return taken;
        size_t first = 0;
        while (first < fibers && actors[first].fiber < last_fiber_ + (goes_on ? 0 : 1))
            ++first;
        const size_t i = (first + taken) % fibers;
        last_fiber_ = actors[i].fiber;
        return i;
    }
    if (mode_ == Mode::random) {
        const size_t buffers = actors.size() - fibers;
        if (buffers && (fibers == 0 || one_in(drain_one_in_)))
            return fibers + random() % buffers;
        if (current != actors.size() && !one_in(switch_one_in_))
            return current;
        return random() % fibers;
    }
    size_t best = 0;
    for (size_t i = 0; i < actors.size(); ++i)
        if (priority(actors[i]) > priority(actors[best]))
            best = i;
    for (uint64_t point : change_points_)
        if (point == step)
            priority(actors[best]) = below_originals + (random() >> 40); // and above spinners
    for (size_t i = 0; i < actors.size(); ++i)
        if (priority(actors[i]) > priority(actors[best]))
            best = i;
    return best;
}

void Strategy::spins(uint32_t fiber) {
    if (mode_ == Mode::pct)
        priority({fiber, false, false}) = --spinners_priority_;
}

uint32_t Strategy::choose(uint32_t bound) {
    if (bound <= 1)
        return 0;
    return mode_ == Mode::exhaustive ? decide(bound, 0) : static_cast<uint32_t>(random() % bound);
}

size_t Strategy::choose_older(size_t count) {
    if (count <= 1)
        return 0;
    if (mode_ == Mode::exhaustive)
        return decide(static_cast<uint32_t>(count), 1);
    if (older_one_in_ == 0) { // views only: other executions keep their seeds
        constexpr uint32_t tempers[] = {2, 4, 10, 40};
        older_one_in_ = tempers[random() % 4];
    }
    return one_in(older_one_in_) ? 1 + random() % (count - 1) : 0;
}

const char* Strategy::name() const {
    return mode_ == Mode::random ? "a random schedule"
           : mode_ == Mode::pct  ? "PCT"
                                 : "exhaustive search";
}

std::string Strategy::replay() const {
    if (mode_ != Mode::exhaustive)
        return (mode_ == Mode::random ? "random:" : "pct:") + std::to_string(seed_);
    std::string text = buffers_ ? "buffered:" : "direct:";
    for (size_t i = 0; i < position_ && i < decisions_.size(); ++i)
        if (decisions_[i].taken)
            text += std::to_string(i) + "=" + std::to_string(decisions_[i].taken) + ",";
    return text;
}

bool Strategy::begin_replay(const std::string& text) {
    const size_t colon = text.find(':');
    const std::string mode = text.substr(0, colon);
    const char* rest = colon == std::string::npos ? "" : text.c_str() + colon + 1;
    if (mode == "random" || mode == "pct") {
        begin_random(strtoull(rest, nullptr, 10), mode == "pct");
        return true;
    }
    begin_exhaustive(~uint32_t{0}, mode == "buffered");
    char* end = const_cast<char*>(rest);
    while (*end) {
        const size_t position = strtoull(end, &end, 10);
        const uint32_t taken = *end == '=' ? static_cast<uint32_t>(strtoul(end + 1, &end, 10)) : 0;
        while (decisions_.size() <= position)
            decisions_.push_back({0, ~uint32_t{0}, 0});
        decisions_[position].taken = taken;
        while (*end == ',')
            ++end;
        if (*end && (*end < '0' || *end > '9'))
            break;
    }
    return buffers_;
}

} // namespace explore
