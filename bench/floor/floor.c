// SPDX-License-Identifier: Apache-2.0
// What the machine itself asks for the steps that locks and barriers are made of: no runtime could
// take less. A word is handed from thread to thread, or changed by all of them at will.
// Usage: floor [--step hand_over|exchange|pair] [--rounds N] [--threads N]
#include "../common/bench.h"

#include <omp.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

enum { HAND_OVER, EXCHANGE, PAIR };
static const char* const step_names[] = {"hand_over", "exchange", "pair"};
static long step = HAND_OVER, rounds = 1000000;

static alignas(64) struct {
    atomic_long word;
    char rest_of_line[64 - sizeof(atomic_long)];
} shared;

// Each thread waits for its turn and gives it to the next: a store, seen by a load.
static void hand_over(int me, int threads) {
    for (long i = me; i < threads * rounds; i += threads) {
        for (long polls = 0; atomic_load_explicit(&shared.word, memory_order_acquire) != i; polls++)
            if (polls > 10000)
                sched_yield(); // more threads than CPUs
        atomic_store_explicit(&shared.word, i + 1, memory_order_release);
    }
}

// What a lock without contention cannot do without: one locked instruction, or two.
static void change(int times) {
    for (long i = 0; i < rounds; i++)
        for (int j = 0; j < times; j++)
            atomic_fetch_add_explicit(&shared.word, 1, memory_order_acq_rel);
}

int main(int argc, char** argv) {
    const bench_option options[] = {
        {"step", 's', BENCH_CHOICE, &step, 0, 0, "hand_over|exchange|pair",
         "a store seen by the next thread; one locked instruction, or two, by every thread"},
        {"rounds", 'r', BENCH_INTEGER, &rounds, 1, 1e9, "N", "by each thread (1000000)"},
    };
    bench_parse(argc, argv, "The steps of which locks and barriers are made.", options,
                sizeof options / sizeof options[0]);
    int threads = bench_team();
    double begin = 1e300, end = 0;
#pragma omp parallel num_threads(threads) reduction(min : begin) reduction(max : end)
    {
#pragma omp barrier
        begin = bench_seconds();
        if (step == HAND_OVER)
            hand_over(omp_get_thread_num(), threads);
        else
            change(step == PAIR ? 2 : 1);
        end = bench_seconds();
    }
    long expected = rounds * threads * (step == PAIR ? 2 : 1);
    if (atomic_load(&shared.word) != expected)
        bench_fail("wrong answer: %ld changes, should be %ld", atomic_load(&shared.word), expected);
    bench_json_begin("floor", step_names[step], threads, end - begin);
    bench_json_integer("rounds", rounds);
    bench_json_real("ns_per_step", 1e9 * (end - begin) / (double)(rounds * threads));
    bench_json_end();
    return 0;
}
