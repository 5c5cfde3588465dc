// SPDX-License-Identifier: Apache-2.0
// What a lock costs under contention: lock-delay and lock-null of the Cyclops-64 paper, section
// 5.2.1, over its five locks, the library's futex lock, and the locks and critical of the OpenMP
// runtime; and how a lock is shared out among threads that want nothing else.
// Usage: locks [--lock NAME] [--mode null|delay|share] [--acquires N] [--delay N] [--spins N]
#include "../common/bench.h"
#include "kinds.hpp"

#include <cstdint>
#include <memory>

namespace {

enum Mode : long { NULL_MODE, DELAY, SHARE };
constexpr const char* mode_names[] = {"null", "delay", "share"};
enum Kind : long { TAS, TAS_BACKOFF, TICKET, MCS, MCS_SLEEP, FUTEX, OMP, NEST, CRITICAL };
constexpr const char* kind_names[] = {"tas",   "tas_backoff", "ticket", "mcs",     "mcs_sleep",
                                      "futex", "omp",         "nest",   "critical"};

long mode = NULL_MODE, kind = OMP, acquires = 50000, outside = 100, spins = -1;

/// A fixed delay; volatile, so that the loop stays.
void wait(long turns) {
    volatile long done = 0;
    while (done < turns)
        done = done + 1;
}

struct alignas(64) Thread {
    double begin = 0, end = 0, longest_wait = 0;
    long acquired = 0;
};

/// What the lock protects: plain data, which comes out wrong if two threads are inside.
struct alignas(64) Protected {
    long count = 0, hand_overs = 0, inside = 0, wrong = 0;
    const Thread* last = nullptr;
    bool over = false;
};

void enter(Protected& data, Thread& me, long turns) {
    data.wrong += data.inside++ != 0;
    if (turns != 0)
        wait(turns);
    data.hand_overs += data.last != &me;
    data.last = &me;
    ++data.count;
    ++me.acquired;
    --data.inside;
}

template <class Lock>
void run_thread(Lock& lock, Protected& data, Thread& me, int threads,
                heddle::concurrent::WaitLimits limits) {
    const long inside = mode == NULL_MODE ? 0 : 3 * outside;
    me.begin = bench_seconds();
    if (mode == SHARE) { // each takes it again at once, until they have it often enough together
        for (bool over = false; !over;) {
            const double asked = bench_seconds();
            lock.hold(limits, [&] {
                const double waited = bench_seconds() - asked;
                me.longest_wait = waited > me.longest_wait ? waited : me.longest_wait;
                over = data.over;
                if (over)
                    return;
                enter(data, me, inside);
                data.over = data.count == threads * acquires;
            });
        }
    } else {
        for (long i = 0; i < acquires; ++i) {
            lock.hold(limits, [&] { enter(data, me, inside); });
            if (mode == DELAY)
                wait(outside);
        }
    }
    me.end = bench_seconds();
}

/// How long a delay takes, in seconds: the least of some, so that it is that of a free CPU.
double time_of(long turns) {
    double least = 1e9;
    for (int i = 0; i < 200; ++i) {
        const double start = bench_seconds();
        for (int j = 0; j < 20; ++j)
            wait(turns);
        const double taken = (bench_seconds() - start) / 20;
        least = taken < least ? taken : least;
    }
    return least;
}

void report(const Protected& data, const Thread* each, int threads) {
    Thread all = each[0];
    long fewest = each[0].acquired, most = fewest;
    for (int i = 1; i < threads; ++i) {
        all.begin = each[i].begin < all.begin ? each[i].begin : all.begin;
        all.end = each[i].end > all.end ? each[i].end : all.end;
        all.longest_wait =
            each[i].longest_wait > all.longest_wait ? each[i].longest_wait : all.longest_wait;
        all.acquired += each[i].acquired;
        fewest = each[i].acquired < fewest ? each[i].acquired : fewest;
        most = each[i].acquired > most ? each[i].acquired : most;
    }
    if (data.wrong != 0)
        bench_fail("wrong answer: %ld times a thread met another one inside", data.wrong);
    if (data.count != threads * acquires || all.acquired != data.count)
        bench_fail("wrong answer: %ld acquires counted inside and %ld outside, should be %ld",
                   data.count, all.acquired, threads * acquires);
    const double count = static_cast<double>(data.count), seconds = all.end - all.begin;
    double work = 0; // the paper's: with more threads the delay outside overlaps with the others'
    if (mode != NULL_MODE)
        work = time_of(3 * outside);
    if (mode == DELAY && threads == 1)
        work += time_of(outside);
    bench_json_begin("locks", kind_names[kind], threads, seconds);
    bench_json_text("mode", mode_names[mode]);
    bench_json_integer("acquires", acquires);
    bench_json_integer("delay", mode == NULL_MODE ? 0 : outside);
    bench_json_real("ns_per_acquire", 1e9 * seconds / count);
    bench_json_real("overhead_ns", 1e9 * (seconds / count - work));
    bench_json_real("handed_over_share", static_cast<double>(data.hand_overs) / count);
    bench_json_real("least_share", static_cast<double>(fewest) / count);
    bench_json_real("largest_share", static_cast<double>(most) / count);
    if (mode == SHARE)
        bench_json_real("longest_wait_us", 1e6 * all.longest_wait);
    bench_json_end();
}

template <class Lock>
void measure(int threads, heddle::concurrent::WaitLimits limits) {
    const auto lock = std::make_unique<Lock>();
    const std::unique_ptr<Thread[]> each(new Thread[static_cast<size_t>(threads)]);
    Protected data;
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
        run_thread(*lock, data, each[static_cast<size_t>(omp_get_thread_num())], threads, limits);
    }
    report(data, each.get(), threads);
}

} // namespace

int main(int argc, char** argv) {
    const bench_option options[] = {
        {"lock", 'l', BENCH_CHOICE, &kind, 0, 0,
         "tas|tas_backoff|ticket|mcs|mcs_sleep|futex|omp|nest|critical",
         "one of the paper's, the library's futex lock, or the runtime's (omp)"},
        {"mode", 'm', BENCH_CHOICE, &mode, 0, 0, "null|delay|share",
         "no delay; one inside and one outside; take it again at once (null)"},
        {"acquires", 'a', BENCH_INTEGER, &acquires, 1, 1e9, "N",
         "by each thread, of share: on average (50000)"},
        {"delay", 'd', BENCH_INTEGER, &outside, 0, 1e9, "N",
         "iterations outside; inside it is three times as long (100)"},
        {"spins", 's', BENCH_INTEGER, &spins, 0, 4e9, "N",
         "polls of the library's locks before they sleep or yield (as the runtime)"},
    };
    bench_parse(argc, argv, "Threads that want one lock.", options,
                sizeof options / sizeof options[0]);
    const int threads = bench_team();
    heddle::concurrent::WaitLimits limits{150000, 0};
    if (threads > omp_get_num_procs())
        limits = {64, 16};
    if (spins >= 0)
        limits = {static_cast<uint32_t>(spins), 0};
    using namespace heddle::concurrent;
    switch (kind) {
    case TAS:
        measure<kinds::Own<TestAndSet>>(threads, limits);
        break;
    case TAS_BACKOFF:
        measure<kinds::Own<TestAndSetBackoff>>(threads, limits);
        break;
    case TICKET:
        measure<kinds::Own<Ticket>>(threads, limits);
        break;
    case MCS:
        measure<kinds::Own<Mcs>>(threads, limits);
        break;
    case MCS_SLEEP:
        measure<kinds::Own<McsSleep>>(threads, limits);
        break;
    case FUTEX:
        measure<kinds::Futex>(threads, limits);
        break;
    case OMP:
        measure<kinds::Simple>(threads, limits);
        break;
    case NEST:
        measure<kinds::Nestable>(threads, limits);
        break;
    case CRITICAL:
        measure<kinds::Critical>(threads, limits);
        break;
    }
    return 0;
}
