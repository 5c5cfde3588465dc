// SPDX-License-Identifier: Apache-2.0
// What the explorer (explorer.cpp) and the platform that it offers (platform.cpp) share: the
// fibers, their memory, and the state of the execution. Not for tests.
#pragma once

#include "clock.hpp"
#include "explorer.hpp"
#include "orders.hpp"
#include "races.hpp"
#include "strategy.hpp"
#include "views.hpp"

#include <deque>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace explore {

constexpr size_t stack_size = 256 * 1024;

struct BufferedStore {
    void* word;
    uint64_t bits;
    size_t size;
    uint64_t step; ///< when it was made
};

struct Fiber {
    enum class State { ready, asleep, ended };

    ucontext_t context{};
    std::unique_ptr<char[]> stack{new char[stack_size]};
    std::function<void()> body;
    State state = State::ended;
    bool passive = false; ///< has called relax(): waits until another actor has made a step
    bool polls = false;   ///< has done so, and written nothing since
    bool may_time_out = false;
    const void* sleeps_on = nullptr;
    std::deque<BufferedStore> stores;
    void* self = nullptr;
    int error = 0;     ///< errno
    Clock clock;       ///< with Memory::views: what it knows
    int unwatched = 0; ///< nested explore::Unwatched
};

enum class Memory {
    direct,  ///< sequentially consistent
    buffers, ///< x86: stores are delayed
    views    ///< as weak as the orders allow
};

struct Engine {
    std::vector<std::unique_ptr<Fiber>> fibers; ///< kept from execution to execution
    size_t used = 0;
    Fiber* current = nullptr; ///< nullptr outside an execution
    ucontext_t main_context{};
    void* main_self = nullptr;
    Memory memory = Memory::buffers;
    Views views;
    Races races;
    Orders orders;
    Order update_order{}; ///< of the read-modify-write between its two halves
    uint64_t step = 0, time = 0;
    uint64_t moments = 0;      ///< that the test has asked for
    uint32_t run_length = 0;   ///< steps that the current fiber has made in a row
    std::vector<Actor> actors; ///< that could go next
    std::vector<std::function<void()>> at_end;
    std::vector<std::pair<void*, size_t>> allocated;  ///< freed after the execution
    std::vector<std::unique_ptr<char[]>> side_stacks; ///< kept from execution to execution
    size_t used_stacks = 0;
    Strategy strategy;
    const Scenario* scenario = nullptr;
    bool expects_failure = false, trace = false;
    std::string options_to_repeat; ///< that a failure depends on
    const char* traced = nullptr;
    const void* traced_word = nullptr;
};
extern Engine engine;

/// A scheduling point: decides who goes next, and returns when it is the calling fiber's turn.
void schedule();
/// The calling fiber has changed what others see, or goes to sleep.
void has_acted();
const Fiber& add_fiber(std::function<void()> body);
size_t number(const Fiber* fiber);
/// The oldest store in the fiber's buffer.
void make_visible(Fiber& fiber);

} // namespace explore
