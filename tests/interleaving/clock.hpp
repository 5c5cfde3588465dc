// SPDX-License-Identifier: Apache-2.0
// Vector clocks: what a fiber knows of the others. An event is (fiber, time); it happens before all
// that whoever knows it does from then on. A fiber's time rises when it releases something.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace explore {

constexpr size_t most_fibers = 16; ///< of an execution with views

struct Clock {
    std::array<uint32_t, most_fibers> times{};
    /// In the order of all seq_cst operations: the last one that is known.
    uint64_t seq_cst = 0;

    bool knows(size_t fiber, uint32_t time) const { return time <= times[fiber]; }
    void join(const Clock& other) {
        for (size_t i = 0; i < most_fibers; ++i)
            times[i] = std::max(times[i], other.times[i]);
        seq_cst = std::max(seq_cst, other.seq_cst);
    }
};

} // namespace explore
