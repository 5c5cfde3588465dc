// SPDX-License-Identifier: Apache-2.0
// Are lock-free structures worth it? FIFO, LIFO and hash table of the Cyclops-64 paper, section
// 5.2.2, each lock-free, lock-free with backoff, and with locks (the library's futex lock).
// Usage: structures [--structure fifo|lifo|hash] [--way lock|lock_free|backoff] [--operations N]
#include "hash.hpp"
#include "queues.hpp"

#include <omp.h>
#include <vector>

using namespace structures;

namespace {

enum Structure : long { FIFO, LIFO, HASH };
enum Way : long { LOCK, LOCK_FREE, BACKOFF };
constexpr const char* structure_names[] = {"fifo", "lifo", "hash"};
constexpr const char* way_names[] = {"lock", "lock_free", "backoff"};
constexpr uint64_t keys = 500, first_items = 250; // 10 items a bucket, as in the paper

long structure = FIFO, way = LOCK, operations = 50000, most_delay = 50;

/// What a thread has done, for the check: sums of what it put in and what it took out.
struct alignas(cache_line) Tally {
    double begin = 0, end = 0;
    long put = 0, taken = 0, out_of_order = 0;
    uint64_t put_digest = 0, taken_digest = 0;
};

uint64_t mix(uint64_t x) { // splitmix64: losing one item and taking another twice shows
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

void delay(Thread& me) { // volatile, so that the loop stays
    const long turns = static_cast<long>(me.random()) % (most_delay + 1);
    volatile long done = 0;
    while (done < turns)
        done = done + 1;
}

/// Puts and takes at random, `operations` in all. A value is its thread and its serial number.
template <class Queue>
void use_queue(Queue& queue, Thread& me, Tally& tally, uint64_t number, size_t threads) {
    const long each = operations / 2;
    std::vector<uint64_t> last(threads);
    uint32_t in_vain = 0;
    while (tally.put < each || tally.taken < each) {
        const bool puts = tally.taken == each || (tally.put < each && (me.random() & 1) != 0);
        uint64_t value = number << 32 | static_cast<uint64_t>(tally.put + 1);
        if (puts) {
            queue.put(me, value);
            ++tally.put;
            tally.put_digest += mix(value);
        } else if (queue.take(me, value)) {
            ++tally.taken;
            tally.taken_digest += mix(value);
            tally.out_of_order += structure == FIFO && value <= last[value >> 32];
            last[value >> 32] = value;
            in_vain = 0;
        } else if (++in_vain > 100) {
            platform::yield(); // who has something to put may not be running
        }
        delay(me);
    }
}

/// A fifth insertions, a fifth deletions, the rest searches.
template <class Table>
void use_table(Table& table, Thread& me, Tally& tally, uint64_t, size_t) {
    for (long i = 0; i < operations; ++i) {
        const uint64_t key = me.random() % keys;
        const uint32_t what = me.random() % 5;
        if (what == 0 && table.insert(me, key)) {
            ++tally.put;
            tally.put_digest += mix(key);
        } else if (what == 1 && table.erase(me, key)) {
            ++tally.taken;
            tally.taken_digest += mix(key);
        } else if (what > 1) {
            table.contains(me, key);
        }
        delay(me);
    }
}

template <class Queue>
void drain(Queue& queue, Thread& me, Tally& tally) {
    if (uint64_t value = 0; queue.take(me, value))
        ++tally.taken; // there must be none
}

/// What is left in the table, as if it were taken out.
template <class Table>
void count(Table& table, Thread&, Tally& tally) {
    uint64_t before = 0, number = 0;
    table.visit([&](uint64_t key) {
        tally.out_of_order += number++ != 0 && key % buckets == before % buckets && key <= before;
        before = key;
        ++tally.taken;
        tally.taken_digest += mix(key);
    });
}

void report(const std::vector<Tally>& each) {
    Tally all = each[0];
    for (size_t i = 1; i < each.size(); ++i) {
        if (each[i].end != 0) { // not that of the beginning and the end
            all.begin = each[i].begin < all.begin ? each[i].begin : all.begin;
            all.end = each[i].end > all.end ? each[i].end : all.end;
        }
        all.put += each[i].put;
        all.taken += each[i].taken;
        all.out_of_order += each[i].out_of_order;
        all.put_digest += each[i].put_digest;
        all.taken_digest += each[i].taken_digest;
    }
    if (all.put != all.taken || all.put_digest != all.taken_digest)
        bench_fail("wrong answer: %ld items put in and %ld taken out, or not the same ones",
                   all.put, all.taken);
    if (all.out_of_order != 0)
        bench_fail("wrong answer: %ld items out of order", all.out_of_order);
    const auto threads = static_cast<int>(each.size()) - 1;
    const double seconds = all.end - all.begin;
    bench_json_begin("structures", structure_names[structure], threads, seconds);
    bench_json_text("way", way_names[way]);
    bench_json_integer("operations", operations);
    bench_json_real("ns_per_operation",
                    1e9 * seconds / (static_cast<double>(operations) * threads));
    bench_json_end();
}

template <class S, class Use, class Finish>
void measure(Use use, Finish finish) {
    const auto threads = static_cast<size_t>(bench_team());
    const auto nodes_each =
        static_cast<size_t>(operations) + keys; // whoever takes out keeps the node
    Nodes nodes((threads + 1) * nodes_each);
    std::vector<Thread> all(threads + 1); // the last one: of the beginning and the end
    std::vector<Tally> tallies(threads + 1);
    uint32_t number = 1;
    for (size_t i = 0; i <= threads; ++i) {
        all[i].nodes = &nodes;
        all[i].state = i;
        all[i].limits = omp_get_num_procs() < static_cast<int>(threads) ? WaitLimits{64, 16}
                                                                        : WaitLimits{150000, 0};
        for (size_t j = 0; j < nodes_each; ++j)
            all[i].free_node(number++);
    }
    S shared(nodes, all[threads]);
    if constexpr (requires { shared.insert(all[0], 0); }) {
        for (uint64_t i = 0; i < first_items; ++i) {
            const uint64_t key = 2 * i;
            shared.insert(all[threads], key);
            ++tallies[threads].put;
            tallies[threads].put_digest += mix(key);
        }
    }
#pragma omp parallel num_threads(static_cast<int>(threads))
    {
        const auto me = static_cast<size_t>(omp_get_thread_num());
#pragma omp barrier
        tallies[me].begin = bench_seconds();
        use(shared, all[me], tallies[me], me, threads);
        tallies[me].end = bench_seconds();
    }
    finish(shared, all[threads], tallies[threads]);
    report(tallies);
}

template <class S>
void measure_queue() {
    measure<S>([](auto&... arguments) { use_queue(arguments...); },
               [](auto&... arguments) { drain(arguments...); });
}
template <class S>
void measure_table() {
    measure<S>([](auto&... arguments) { use_table(arguments...); },
               [](auto&... arguments) { count(arguments...); });
}

} // namespace

int main(int argc, char** argv) {
    const bench_option options[] = {
        {"structure", 's', BENCH_CHOICE, &structure, 0, 0, "fifo|lifo|hash",
         "what is shared (fifo)"},
        {"way", 'w', BENCH_CHOICE, &way, 0, 0, "lock|lock_free|backoff",
         "locks, or none; backoff: pauses after another thread was faster (lock)"},
        {"operations", 'o', BENCH_INTEGER, &operations, 2, 1e6, "N", "by each thread (50000)"},
        {"delay", 'd', BENCH_INTEGER, &most_delay, 0, 1e6, "N",
         "iterations after an operation, at most (50)"},
    };
    bench_parse(argc, argv, "Structures with locks and without.", options,
                sizeof options / sizeof options[0]);
    if (structure == FIFO && way == LOCK)
        measure_queue<LockedFifo>();
    else if (structure == FIFO && way == LOCK_FREE)
        measure_queue<LockFreeFifo<AtOnce>>();
    else if (structure == FIFO)
        measure_queue<LockFreeFifo<Backoff>>();
    else if (structure == LIFO && way == LOCK)
        measure_queue<LockedLifo>();
    else if (structure == LIFO && way == LOCK_FREE)
        measure_queue<LockFreeLifo<AtOnce>>();
    else if (structure == LIFO)
        measure_queue<LockFreeLifo<Backoff>>();
    else if (way == LOCK)
        measure_table<LockedHash>();
    else if (way == LOCK_FREE)
        measure_table<LockFreeHash<AtOnce>>();
    else
        measure_table<LockFreeHash<Backoff>>();
    return 0;
}
