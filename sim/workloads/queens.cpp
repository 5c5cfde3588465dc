// SPDX-License-Identifier: Apache-2.0
// All ways to place n queens, without a cut-off: a real search, of which each node charges what it
// would compute. OMPi paper, section 4.2; Duran et al., "Barcelona OpenMP Tasks Suite" (ICPP 2009).
#include "workloads/workload.hpp"

namespace heddle::sim {

namespace {

constexpr int64_t solutions[] = {1,  1,   0,   0,    2,     10,    4,     40,
                                 92, 352, 724, 2680, 14200, 73712, 365596};

/// Rows as bit sets: columns and diagonals that are attacked.
int64_t queens(unsigned all, unsigned columns, unsigned left, unsigned right) {
    charge_cycles(40);
    if (columns == all)
        return 1;
    int64_t found[16] = {};
    int count = 0;
    for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        const unsigned here = free & -free;
        int64_t* const slot = &found[count++];
#pragma omp task firstprivate(here, slot)
        *slot = queens(all, columns | here, (left | here) << 1, (right | here) >> 1);
    }
#pragma omp taskwait
    int64_t sum = 0;
    for (int i = 0; i < count; ++i)
        sum += found[i];
    return sum;
}

Outcome run(Parameters& parameters, int) {
    const int64_t n = parameters.integer("n", 8, 1, 14);
    parameters.refuse_unknown();
    int64_t found = 0;
    Outcome outcome;
    outcome.seconds = timed([&found, n] {
#pragma omp parallel
#pragma omp single
        found = queens((1u << n) - 1, 0, 0, 0);
    });
    outcome.checked = found == solutions[n];
    outcome.answer = std::to_string(found);
    return outcome;
}

const Registration registration{"queens", "all ways to place n queens, a task for each try: n",
                                run};

} // namespace

} // namespace heddle::sim
