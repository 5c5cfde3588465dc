// SPDX-License-Identifier: Apache-2.0
// FIFO, LIFO and hash table of the Cyclops-64 paper, section 5.2.2: lock-free, with backoff, and
// with the library's futex lock. The structures are those of bench/structures. As in the paper:
// pairs of put and take in random order; a fifth of the table's operations insert, a fifth erase.
#include "workloads/workload.hpp"

#include "structures/hash.hpp"
#include "structures/queues.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

/// Where bench/structures ends when it runs out of nodes.
[[noreturn]] void bench_fail(const char* format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    _Exit(1);
}

namespace heddle::sim {

namespace {

using namespace structures;

constexpr uint64_t keys = 500, first_items = 250; // 25 buckets of 10 items

struct Tally {
    int64_t put = 0, taken = 0;
    uint64_t put_sum = 0, taken_sum = 0;
};

void pause(Thread& me) { charge_cycles(me.random() % 51); }

template <class Queue>
void use_queue(Queue& queue, Thread& me, Tally& tally, int64_t operations) {
    const int64_t each = operations / 2;
    while (tally.put < each || tally.taken < each) {
        if (tally.taken == each || (tally.put < each && (me.random() & 1) != 0)) {
            const uint64_t value = me.random() + 1;
            queue.put(me, value);
            ++tally.put;
            tally.put_sum += value;
        } else if (uint64_t value = 0; queue.take(me, value)) {
            ++tally.taken;
            tally.taken_sum += value;
        }
        pause(me);
    }
}

template <class Table>
void use_table(Table& table, Thread& me, Tally& tally, int64_t operations) {
    for (int64_t i = 0; i < operations; ++i) {
        const uint64_t key = me.random() % keys;
        const uint32_t what = me.random() % 5;
        if (what == 0 && table.insert(me, key)) {
            ++tally.put;
            tally.put_sum += key;
        } else if (what == 1 && table.erase(me, key)) {
            ++tally.taken;
            tally.taken_sum += key;
        } else if (what > 1) {
            table.contains(me, key);
        }
        pause(me);
    }
}

template <class S>
Outcome measure(int threads, int64_t operations) {
    const auto team = static_cast<size_t>(threads);
    const auto nodes_each = static_cast<size_t>(operations) + keys;
    Nodes nodes((team + 1) * nodes_each);
    std::vector<Thread> all(team + 1); // the last one: of the beginning
    std::vector<Tally> tallies(team + 1);
    uint32_t number = 1;
    for (size_t i = 0; i <= team; ++i) {
        all[i].nodes = &nodes;
        all[i].state = i;
        all[i].limits = {150000, 0};
        for (size_t j = 0; j < nodes_each; ++j)
            all[i].free_node(number++);
    }
    S shared(nodes, all[team]);
    constexpr bool is_table = requires { shared.insert(all[0], 0); };
    if constexpr (is_table)
        for (uint64_t i = 0; i < first_items; ++i) {
            shared.insert(all[team], 2 * i);
            ++tallies[team].put;
            tallies[team].put_sum += 2 * i;
        }
    uint64_t began = 0, ended = 0;
#pragma omp parallel
    {
        const auto me = static_cast<size_t>(omp_get_thread_num());
#pragma omp barrier
#pragma omp master
        began = virtual_ns();
        if constexpr (is_table)
            use_table(shared, all[me], tallies[me], operations);
        else
            use_queue(shared, all[me], tallies[me], operations);
        ended = std::max(ended, virtual_ns());
    }
    if constexpr (is_table)
        shared.visit([&](uint64_t key) {
            ++tallies[team].taken;
            tallies[team].taken_sum += key;
        });
    Tally sum;
    for (const Tally& tally : tallies) {
        sum.put += tally.put;
        sum.taken += tally.taken;
        sum.put_sum += tally.put_sum;
        sum.taken_sum += tally.taken_sum;
    }
    Outcome outcome;
    outcome.seconds = static_cast<double>(ended - began) * 1e-9;
    outcome.checked = sum.put == sum.taken && sum.put_sum == sum.taken_sum;
    outcome.answer = std::to_string(sum.put);
    return outcome;
}

template <template <class> class LockFree, class Locked>
Outcome measure_way(const std::string& way, int threads, int64_t operations) {
    if (way == "lock_free")
        return measure<LockFree<AtOnce>>(threads, operations);
    if (way == "backoff")
        return measure<LockFree<Backoff>>(threads, operations);
    return measure<Locked>(threads, operations);
}

Outcome run(Parameters& parameters, int threads) {
    const std::string structure = parameters.choice("structure", {"fifo", "lifo", "hash"});
    const std::string way = parameters.choice("way", {"lock", "lock_free", "backoff"});
    const int64_t operations = parameters.integer("operations", 200, 2, 1000000);
    parameters.refuse_unknown();
    if (structure == "fifo")
        return measure_way<LockFreeFifo, LockedFifo>(way, threads, operations);
    if (structure == "lifo")
        return measure_way<LockFreeLifo, LockedLifo>(way, threads, operations);
    return measure_way<LockFreeHash, LockedHash>(way, threads, operations);
}

const Registration registration{
    "structures", "structures with locks and without: structure, way, operations (a thread)", run};

} // namespace

} // namespace heddle::sim
