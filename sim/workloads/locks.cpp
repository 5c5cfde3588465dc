// SPDX-License-Identifier: Apache-2.0
// lock-delay and lock-null of the Cyclops-64 paper, section 5.2.1, over the library's five locks:
// each thread takes and releases one lock so often, with delays: inside three times that outside.
// As there, a thread's node of the MCS locks is in its own scratchpad, where the machine has those.
#include "engine/engine.hpp"
#include "workloads/workload.hpp"

#include "concurrent/locks/mcs.hpp"
#include "concurrent/locks/mcs_sleep.hpp"
#include "concurrent/locks/test_and_set.hpp"
#include "concurrent/locks/test_and_set_backoff.hpp"
#include "concurrent/locks/ticket.hpp"

#include <memory>

namespace heddle::sim {

namespace {

struct Plan {
    int64_t acquires;
    uint64_t outside, inside;
    concurrent::WaitLimits limits;
};

/// Whom the lock has let in; wrong if two are there at once.
struct Inside {
    int64_t count = 0, now = 0, wrong = 0;
};

template <concurrent::Lock L>
Outcome measure(const Plan& plan, int threads) {
    const auto lock = std::make_unique<L>();
    Inside data;
    uint64_t began = 0, ended = 0;
#pragma omp parallel
    {
#pragma omp barrier
#pragma omp master
        began = virtual_ns();
        alignas(concurrent::cache_line) typename L::Node node;
        if (engine.machine().scratch)
            engine.lines().place_in_scratchpad(&node, sizeof node, engine.current().core);
        for (int64_t i = 0; i < plan.acquires; ++i) {
            lock->lock(node, plan.limits);
            data.wrong += data.now++ != 0;
            if (plan.inside != 0)
                charge_cycles(plan.inside);
            ++data.count;
            --data.now;
            lock->unlock(node);
            if (plan.outside != 0)
                charge_cycles(plan.outside);
        }
        ended = std::max(ended, virtual_ns());
    }
    Outcome outcome;
    outcome.seconds = static_cast<double>(ended - began) * 1e-9;
    outcome.checked = data.wrong == 0 && data.count == plan.acquires * threads;
    outcome.answer = std::to_string(data.count);
    const double each =
        outcome.seconds * 1e9 * engine.machine().clock_ghz / static_cast<double>(data.count);
    // The paper's formula: with several threads the delay outside overlaps with the others'.
    outcome.figures["overhead_cycles"] =
        each - static_cast<double>(plan.inside + (threads == 1 ? plan.outside : 0));
    return outcome;
}

Outcome run(Parameters& parameters, int threads) {
    const std::string lock =
        parameters.choice("lock", {"mcs", "mcs_sleep", "tas", "tas_backoff", "ticket"});
    const std::string mode = parameters.choice("mode", {"delay", "null"});
    Plan plan{};
    plan.acquires = parameters.integer("acquires", 100, 1, 1000000);
    plan.outside = static_cast<uint64_t>(parameters.integer("delay", 100, 0, 1000000));
    const int64_t usual_spins = lock == "mcs_sleep" ? 0 : 1 << 30;
    const int64_t spins = parameters.integer("spins", usual_spins, 0, 1 << 30);
    parameters.refuse_unknown();
    if (mode == "null")
        plan.outside = 0;
    plan.inside = 3 * plan.outside;
    plan.limits = {static_cast<uint32_t>(spins), 0};
    if (lock == "mcs")
        return measure<concurrent::Mcs>(plan, threads);
    if (lock == "mcs_sleep")
        return measure<concurrent::McsSleep>(plan, threads);
    if (lock == "tas")
        return measure<concurrent::TestAndSet>(plan, threads);
    if (lock == "tas_backoff")
        return measure<concurrent::TestAndSetBackoff>(plan, threads);
    return measure<concurrent::Ticket>(plan, threads);
}

const Registration registration{
    "locks", "five locks under contention: lock, mode, acquires (a thread), delay, spins", run};

} // namespace

} // namespace heddle::sim
