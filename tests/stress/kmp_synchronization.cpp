// SPDX-License-Identifier: Apache-2.0
// Barriers, masked and single regions, copyprivate, critical regions and locks by clang's entry
// points, mixed with gcc's own in the same region: counters without protection tell who was alone,
// and values that went round tell who waited for whom.
#include "kmp.hpp"
#include "stress.hpp"

#include <omp.h>

#include <set>

namespace {

using stress::expect;

CriticalName name, hinted_name;

/// What one thread gives to the others by copyprivate.
struct Gift {
    int* number;
    long* word;
};

void copy_gift(void* to, void* from) {
    auto& mine = *static_cast<Gift*>(to);
    auto& given = *static_cast<Gift*>(from);
    *mine.number = *given.number;
    *mine.word = *given.word;
}

void copy_number(void* to, void* from) { *static_cast<int*>(to) = *static_cast<int*>(from); }

void copyprivate(int round, int32_t me) {
    int number = -1;
    long word = -1;
    int further[2] = {-1, -1}; // each by a call of its own, as in flang's code
    Gift gift{&number, &word};
    int32_t executed = 0;
    if (__kmpc_single(nullptr, me)) {
        number = round;
        word = round * 1000L;
        further[0] = round + 1;
        further[1] = round + 2;
        executed = 1;
        __kmpc_end_single(nullptr, me);
    }
    __kmpc_copyprivate(nullptr, me, sizeof gift, &gift, copy_gift, executed);
    expect(number == round && word == round * 1000L, "copyprivate gave %d in round %d", number,
           round);
    for (int& one : further)
        __kmpc_copyprivate(nullptr, me, sizeof one, &one, copy_number, executed);
    expect(further[0] == round + 1 && further[1] == round + 2,
           "further copyprivates gave %d and %d in round %d", further[0], further[1], round);
}

void copyprivate_light(int round, int32_t me) {
    int number = -1;
    int* from = nullptr;
    if (__kmpc_single(nullptr, me)) {
        number = round;
        from = &number;
        __kmpc_end_single(nullptr, me);
    }
    const int* given = static_cast<int*>(__kmpc_copyprivate_light(nullptr, me, from));
    expect(*given == round, "copyprivate_light gave %d in round %d", *given, round);
    __kmpc_barrier(nullptr, me);
}

/// Of all threads, and of rounds.
struct Counters {
    long critical = 0, hinted = 0, locked = 0, nested = 0, singles = 0, masked = 0, alone = 0;
    std::atomic<long> arrived{0};
};

struct Locks {
    void* simple = nullptr;
    void* nestable = nullptr;
};

void locked(Counters& counters, Locks& locks, int32_t me, stress::Random& random) {
    if (random.chance(20)) {
        while (!__kmpc_test_lock(nullptr, me, &locks.simple))
            stress::work(100);
        ++counters.locked;
        omp_unset_lock(reinterpret_cast<omp_lock_t*>(&locks.simple)); // one and the same lock
    } else {
        omp_set_lock(reinterpret_cast<omp_lock_t*>(&locks.simple));
        ++counters.locked;
        __kmpc_unset_lock(nullptr, me, &locks.simple);
    }
    __kmpc_set_nest_lock(nullptr, me, &locks.nestable);
    expect(__kmpc_test_nest_lock(nullptr, me, &locks.nestable) == 2, "another nesting count");
    ++counters.nested;
    __kmpc_unset_nest_lock(nullptr, me, &locks.nestable);
    __kmpc_unset_nest_lock(nullptr, me, &locks.nestable);
}

void critical(Counters& counters, int32_t me) {
    __kmpc_critical(nullptr, me, &name);
    ++counters.critical;
    __kmpc_end_critical(nullptr, me, &name);
    __kmpc_critical_with_hint(nullptr, me, &hinted_name, 4);
    ++counters.hinted;
    __kmpc_end_critical(nullptr, me, &hinted_name);
}

/// Every thread has been here `round` times when the barrier lets anybody go.
void barriers(Counters& counters, int round, int threads, int32_t me, stress::Random& random) {
    ++counters.arrived;
    if (random.chance(30))
        stress::work(random.below(5000));
    if (__kmpc_barrier_master(nullptr, me)) {
        expect(counters.arrived.load() == 2L * round * threads + threads, "passed too early");
        counters.alone = round;
        __kmpc_end_barrier_master(nullptr, me);
    }
    expect(counters.alone == round, "the others did not wait for thread 0");
    ++counters.arrived;
    if (__kmpc_barrier_master_nowait(nullptr, me))
        expect(omp_get_thread_num() == 0, "another thread than 0");
    expect(counters.arrived.load() >= 2L * (round + 1) * threads, "passed too early");
    __kmpc_barrier(nullptr, me);
}

/// The numbers of tasks that exist at the same time differ.
void task_numbers(int threads) {
    const uint64_t outside = __kmpc_get_taskid();
    std::set<uint64_t> numbers{outside};
#pragma omp parallel num_threads(threads)
    {
        const uint64_t mine = __kmpc_get_taskid();
        expect(__kmpc_get_parent_taskid() == outside, "another parent's number");
#pragma omp critical
        numbers.insert(mine);
#pragma omp task
        expect(__kmpc_get_taskid() != mine, "an explicit task has its parent's number");
#pragma omp taskwait
        expect(__kmpc_get_taskid() == mine, "the number of a task has changed");
    }
    expect(static_cast<int>(numbers.size()) == threads + 1, "%zu numbers for %d tasks",
           numbers.size(), threads + 1);
}

void region(int threads, int rounds, uint64_t seed) {
    Counters counters;
    Locks locks;
    __kmpc_init_lock(nullptr, 0, &locks.simple);
    __kmpc_init_nest_lock(nullptr, 0, &locks.nestable);
#pragma omp parallel num_threads(threads)
    {
        const int32_t me = __kmpc_global_thread_num(nullptr);
        const int number = omp_get_thread_num();
        expect(__kmpc_bound_thread_num(nullptr) == number, "another bound number");
        expect(__kmpc_bound_num_threads(nullptr) == threads, "another number of threads");
        expect(me < __kmpc_global_num_threads(nullptr), "the global number is too large");
        expect(__kmpc_in_parallel(nullptr) == (threads > 1), "not in parallel");
        stress::Random random(stress::mix(seed, static_cast<uint64_t>(number)));
        for (int round = 0; round < rounds; ++round) {
            expect(__kmpc_global_thread_num(nullptr) == me, "the global number has changed");
            critical(counters, me);
            locked(counters, locks, me, random);
            barriers(counters, round, threads, me, random);
            if (__kmpc_masked(nullptr, me, round % threads)) {
                expect(number == round % threads, "masked took another thread");
                ++counters.masked;
                __kmpc_end_masked(nullptr, me);
            }
            if (__kmpc_master(nullptr, me)) {
                expect(number == 0, "master took another thread");
                __kmpc_end_master(nullptr, me);
            }
#pragma omp barrier
            copyprivate(round, me);
#pragma omp single
            ++counters.singles;
            copyprivate_light(round, me);
            if (__kmpc_single(nullptr, me)) {
                ++counters.singles;
                __kmpc_end_single(nullptr, me);
            }
            __kmpc_flush(nullptr);
        }
    }
    const long all = static_cast<long>(threads) * rounds;
    expect(counters.critical == all, "%ld critical regions of %ld", counters.critical, all);
    expect(counters.hinted == all, "%ld regions with a hint of %ld", counters.hinted, all);
    expect(counters.locked == all, "%ld simple locks of %ld", counters.locked, all);
    expect(counters.nested == all, "%ld nestable locks of %ld", counters.nested, all);
    expect(counters.singles == 2L * rounds, "%ld singles of %d", counters.singles, 2 * rounds);
    expect(counters.masked == rounds, "%ld masked regions of %d", counters.masked, rounds);
    __kmpc_destroy_lock(nullptr, 0, &locks.simple);
    __kmpc_destroy_nest_lock(nullptr, 0, &locks.nestable);
}

} // namespace

int main() {
    stress::Random random(stress::seed());
    for (int threads = 1; threads <= 9; ++threads) {
        task_numbers(threads);
        region(threads, stress::scaled(300), random.next());
    }
    return stress::result("kmp_synchronization");
}
