// SPDX-License-Identifier: Apache-2.0
// Mergesort by tasks, as bench/mergesort: halves are sorted, and merges divided, by two tasks in a
// taskgroup that may have the affinity policy spread. Nothing is sorted: each part charges what it
// computes and moves. Task affinity paper, section 6.3.
#include "workloads/data.hpp"

namespace heddle::sim {

namespace {

constexpr size_t element = 4; // bytes

struct Mergesort {
    const Array* data[2];
    int64_t base;
    bool spreads;
    uint64_t compare_cycles;
    Traffic traffic;
    int64_t sorted = 0, merged = 0; // elements

    void group() const {
        if (spreads)
            heddle_taskgroup_affinity(HEDDLE_AFFINITY_SPREAD, 2);
    }
    void use(int which, int64_t first, int64_t n) {
        data[which]->use(static_cast<size_t>(first) * element, static_cast<size_t>(n) * element,
                         traffic);
    }
    static int64_t log2(int64_t n) {
        int64_t levels = 0;
        while (n >> levels > 1)
            ++levels;
        return levels;
    }
    /// Into array `to`, from the other one. Both halves are assumed to split at their middle.
    void merge(int64_t first, int64_t n, int to) {
        if (n <= base) {
            use(1 - to, first, n);
            charge_cycles(static_cast<uint64_t>(n) * compare_cycles);
            use(to, first, n);
            merged += n;
            return;
        }
        charge_cycles(static_cast<uint64_t>(log2(n)) * compare_cycles);
        const int64_t half = n / 2;
        group();
#pragma omp taskgroup
        {
#pragma omp task
            merge(first, half, to);
#pragma omp task
            merge(first + half, n - half, to);
        }
    }
    /// The result is in array `to`.
    void sort(int64_t first, int64_t n, int to) {
        if (n <= base) {
            use(0, first, n);
            charge_cycles(static_cast<uint64_t>(n * log2(n)) * compare_cycles);
            if (to != 0)
                use(1, first, n);
            sorted += n;
            return;
        }
        const int64_t half = n / 2;
        group();
#pragma omp taskgroup
        {
#pragma omp task
            sort(first, half, 1 - to);
#pragma omp task
            sort(first + half, n - half, 1 - to);
        }
        merge(first, n, to);
    }
};

Outcome run(Parameters& parameters, int) {
    const int64_t n = parameters.integer("n", 1 << 20, 1, int64_t{1} << 32);
    const int64_t base = parameters.integer("base", 8192, 4, 1 << 30);
    const auto compare = static_cast<uint64_t>(parameters.integer("compare_cycles", 4, 0, 1000000));
    const Placement touch = choose_placement(parameters, "touch");
    const std::string hint = parameters.choice("hint", {"none", "spread"});
    parameters.refuse_unknown();
    start_team(); // bound, so that memory can be placed where they are
    const auto bytes = static_cast<size_t>(n) * element;
    const Array data(bytes, touch), scratch(bytes, touch);
    Mergesort program{{&data, &scratch}, base, hint == "spread", compare, {}};
    const auto pages = static_cast<int64_t>(bytes / Pages::page_bytes);
#pragma omp parallel for schedule(static) if (touch == Placement::touch)
    for (int64_t i = 0; i < pages; ++i)
        for (const Array* array : program.data)
            array->use(static_cast<size_t>(i) * Pages::page_bytes, 64, program.traffic);
    program.traffic = {};
    Outcome outcome;
    outcome.seconds = timed([&] {
#pragma omp parallel
#pragma omp single
        program.sort(0, n, 0);
    });
    int64_t expected = 0,
            levels = 0; // elements at each level: all, if n is base times a power of 2
    for (int64_t part = n; part > base; part /= 2)
        ++levels;
    expected = n * levels;
    outcome.checked = program.sorted == n && (program.merged == expected || n % base != 0);
    outcome.answer = std::to_string(program.merged);
    outcome.figures["remote_share"] = program.traffic.remote_share();
    return outcome;
}

const Registration registration{"mergesort",
                                "mergesort by tasks: n, base, touch, hint, compare_cycles", run};

} // namespace

} // namespace heddle::sim
