// SPDX-License-Identifier: Apache-2.0
// How much work a task must hold to be worth creating: Olivier & Prins 2010, section 4.3. Hashes
// that need nothing of each other are dealt out evenly in tasks of so many, each thread creating
// its own share, so nothing is left to balance. All digests are added up for the check.
#include "sha1.h"
#include "tasks.h"

static uint32_t sum_of(long begin, long end) {
    static const uint32_t state[5] = {1, 2, 3, 4, 5};
    uint32_t sum = 0;
    for (long i = begin; i < end; i++) {
        uint32_t digest[5];
        sha1_child(digest, state, (uint32_t)i);
        sum += digest[4];
    }
    return sum;
}

static uint32_t sum_here;
#pragma omp threadprivate(sum_here)

long uts_run_flat_serial(long hashes) { return sum_of(0, hashes); }

long uts_run_flat(long hashes, long per_task) {
    long tasks = (hashes + per_task - 1) / per_task;
    uint32_t total = 0;
#pragma omp parallel reduction(+ : total)
    {
        sum_here = 0;
#pragma omp barrier // a thread may run tasks of one that is ahead
#pragma omp for schedule(static)
        for (long task = 0; task < tasks; task++) {
            long begin = task * per_task;
#pragma omp task firstprivate(begin, per_task, hashes)
            sum_here += sum_of(begin, begin + per_task < hashes ? begin + per_task : hashes);
        }
        total += sum_here; // the barrier of the loop has finished every task
    }
    return total;
}
