// SPDX-License-Identifier: Apache-2.0
// Fibonacci with two tasks a call and no cut-off, as bench/fib: nothing but the cost of tasks.
// A call charges what it computes besides its tasks.
#include "workloads/workload.hpp"

namespace heddle::sim {

namespace {

uint64_t call_cycles;

int64_t fib(int n) {
    charge_cycles(call_cycles);
    if (n < 2)
        return n;
    int64_t x, y;
#pragma omp task shared(x) firstprivate(n)
    x = fib(n - 1);
#pragma omp task shared(y) firstprivate(n)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

Outcome run(Parameters& parameters, int) {
    const auto n = static_cast<int>(parameters.integer("n", 20, 0, 40));
    call_cycles = static_cast<uint64_t>(parameters.integer("cycles", 10, 0, 1000000000));
    parameters.refuse_unknown();
    int64_t result = 0, expected = 0, next = 1, calls = 1, next_calls = 1;
    for (int i = 0; i < n; ++i) {
        const int64_t sum = expected + next, sum_calls = calls + next_calls + 1;
        expected = next;
        next = sum;
        calls = next_calls;
        next_calls = sum_calls;
    }
    Outcome outcome;
    start_team();
    outcome.seconds = timed([&result, n] {
#pragma omp parallel
#pragma omp single
        result = fib(n);
    });
    outcome.checked = result == expected;
    outcome.answer = std::to_string(result);
    outcome.figures["tasks"] = static_cast<double>(calls - 1);
    outcome.figures["ns_per_call"] = 1e9 * outcome.seconds / static_cast<double>(calls);
    return outcome;
}

const Registration registration{"fib", "Fibonacci, two tasks a call: n, cycles", run};

} // namespace

} // namespace heddle::sim
