// SPDX-License-Identifier: Apache-2.0
// Runs a test's fibers under many interleavings and reports how to repeat the one that failed.
// A scenario is a function that makes fresh state and adds fibers to a World; it is called once for
// each execution and must behave the same each time. See README.md for the modes and options.
#pragma once

#include "platform/contract.hpp"

#include <functional>
#include <initializer_list>

namespace explore {

class World {
public:
    /// Adds a fiber, before or during the execution.
    void thread(std::function<void()> body);
    /// Runs after all fibers have ended and all buffers are drained.
    void at_end(std::function<void()> body);
};

struct Scenario {
    const char* name;
    void (*set_up)(World&);
    /// Share of the executions, for scenarios with many steps. 1 is the whole budget.
    double share = 1;
    /// Executions of the exhaustive search are cut off here; 0: only random ones.
    uint32_t exhaustive = 20000;
};

/// Stops everything and reports the interleaving when `condition` does not hold.
void expect(bool condition, const char* text);
[[noreturn]] void fail(const char* text);

/// A number below `bound` that belongs to the schedule: explored, and repeated by --replay.
uint32_t choose(uint32_t bound);

/// Scheduling points of the current execution so far: a clock for the test.
uint64_t steps();

/// main() of every test.
int run(int argc, char** argv, std::initializer_list<Scenario> scenarios);

} // namespace explore
