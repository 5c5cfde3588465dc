// SPDX-License-Identifier: Apache-2.0
// Runs a test's fibers under many interleavings and reports how to repeat the one that failed.
// A scenario is a function that makes fresh state and adds fibers to a World; it is called once for
// each execution and must behave the same each time. See README.md for the modes and options.
#pragma once

#include "clock.hpp"
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

/// Is the memory weaker than x86's (--memory views)? Then data races are looked for, too.
bool memory_is_weak();

/// A point of the current fiber's execution. With weak memory one is before another fiber's when it
/// happens before it; otherwise when it is earlier.
struct Moment {
    uint64_t number;
    size_t fiber;
    Clock clock;
};
Moment now();
bool is_before(const Moment& one, const Moment& other);

/// In its scope the current fiber keeps the test's accounts, which race with others'; without a
/// scheduling point.
class Unwatched {
public:
    Unwatched();
    ~Unwatched();
    Unwatched(const Unwatched&) = delete;
    Unwatched& operator=(const Unwatched&) = delete;
};

/// For this execution the object belongs to the test's accounts.
void unwatch(const void* address, size_t size);
template <class T>
void unwatch(const T& object) {
    unwatch(&object, sizeof object);
}

/// main() of every test.
int run(int argc, char** argv, std::initializer_list<Scenario> scenarios);

} // namespace explore
