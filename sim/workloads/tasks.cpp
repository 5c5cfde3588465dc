// SPDX-License-Identifier: Apache-2.0
// Graphs of tasks like those of BOTS, without cut-offs, whose nodes charge what they would compute:
// queens (a real search), a sort that divides by four, and Strassen's products.
// OMPi paper, section 4.2; Duran et al., "Barcelona OpenMP Tasks Suite" (ICPP 2009).
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

constexpr int64_t sort_base = 2048;

int64_t merge(int64_t n) {
    if (n <= sort_base) {
        charge_cycles(static_cast<uint64_t>(4 * n));
        return n;
    }
    int64_t a = 0, b = 0;
#pragma omp task shared(a)
    a = merge(n / 2);
#pragma omp task shared(b)
    b = merge(n - n / 2);
#pragma omp taskwait
    return a + b;
}

int64_t sort(int64_t n) {
    if (n <= sort_base) {
        charge_cycles(static_cast<uint64_t>(4 * 11 * n)); // log2(2048) passes
        return n;
    }
    int64_t parts[4] = {};
    for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i) shared(parts)
        parts[i] = sort(n * (i + 1) / 4 - n * i / 4);
    }
#pragma omp taskwait
    int64_t low = 0, high = 0;
#pragma omp task shared(low)
    low = merge(parts[0] + parts[1]);
#pragma omp task shared(high)
    high = merge(parts[2] + parts[3]);
#pragma omp taskwait
    return merge(low + high);
}

/// Returns the multiplications: 7 for each level.
int64_t strassen(int64_t n) {
    if (n <= 64) {
        charge_cycles(static_cast<uint64_t>(2 * n * n * n));
        return 1;
    }
    const int64_t half = n / 2;
    charge_cycles(static_cast<uint64_t>(10 * half * half)); // sums before
    int64_t parts[7] = {};
    for (int i = 0; i < 7; ++i) {
#pragma omp task firstprivate(i) shared(parts)
        parts[i] = strassen(half);
    }
#pragma omp taskwait
    charge_cycles(static_cast<uint64_t>(8 * half * half)); // and after
    int64_t sum = 0;
    for (const int64_t part : parts)
        sum += part;
    return sum;
}

Outcome run(Parameters& parameters, int) {
    const std::string kind = parameters.choice("kind", {"nqueens", "sort", "strassen"});
    const bool is_search = kind == "nqueens";
    const int64_t size = parameters.integer("size",
                                            is_search        ? 8
                                            : kind == "sort" ? 1 << 16
                                                             : 512,
                                            1, is_search ? 14 : 1 << 28);
    parameters.refuse_unknown();
    int64_t answer = 0, expected = 0;
    Outcome outcome;
    outcome.seconds = timed([&] {
#pragma omp parallel
#pragma omp single
        answer = kind == "nqueens" ? queens((1u << size) - 1, 0, 0, 0)
                 : kind == "sort"  ? sort(size)
                                   : strassen(size);
    });
    if (kind == "nqueens") {
        expected = solutions[size];
    } else if (kind == "sort") {
        expected = size;
    } else {
        expected = 1;
        for (int64_t n = size; n > 64; n /= 2)
            expected *= 7;
    }
    outcome.checked = answer == expected;
    outcome.answer = std::to_string(answer);
    return outcome;
}

const Registration registration{"tasks", "graphs of tasks: kind (nqueens, sort, strassen), size",
                                run};

} // namespace

} // namespace heddle::sim
