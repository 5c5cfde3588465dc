/* SPDX-License-Identifier: Apache-2.0
 * One of two libraries, whose regions lie in each other: each construct is met by threads whose
 * team, loop, task or parent the other compiler has made. -DCLANG when clang compiles it. */
#include "part.h"

#include <omp.h>

#ifdef CLANG
#define MINE(name) llvm_##name
#define OTHERS(name) gnu_##name
#else
#define MINE(name) gnu_##name
#define OTHERS(name) llvm_##name
#endif

/* What the routines say here is what the ancestors have seen. */
void MINE(check)(const struct path *here) {
    CHECK(omp_get_level() == here->level);
    CHECK(omp_get_active_level() == here->level);
    CHECK(omp_in_parallel());
    CHECK(omp_get_thread_num() == here->numbers[here->level]);
    CHECK(omp_get_num_threads() == here->sizes[here->level]);
    for (int level = 1; level <= here->level; ++level) {
        CHECK(omp_get_ancestor_thread_num(level) == here->numbers[level]);
        CHECK(omp_get_team_size(level) == here->sizes[level]);
    }
}

/* Met by all threads of a team. */
void MINE(loop)(long *sum) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < iterations; ++i) {
#pragma omp atomic
        *sum += i;
    }
#pragma omp for schedule(static, 3)
    for (int i = 0; i < iterations; ++i) {
#pragma omp atomic
        *sum += i;
    }
}

/* A tree whose nodes' children are tasks of the other compiler. */
void MINE(tasks)(long *leaves, int depth) {
    if (depth == 0) {
#pragma omp atomic
        ++*leaves;
        return;
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp task
        OTHERS(tasks)(leaves, depth - 1);
    }
    if (depth % 2) {
#pragma omp taskwait
    }
}

/* One link of a chain of siblings; any two of them in another order make another value. */
void MINE(append)(unsigned long *chain, unsigned long what) {
#pragma omp task depend(inout : *chain)
    *chain = *chain * 3 + what;
}

void MINE(count)(long *counter) {
#pragma omp critical(mixed)
    ++*counter;
}

static void in_one_thread(long *leaves) {
    unsigned long chain = 1, wanted = 1;
    for (unsigned long i = 0; i < 12; ++i) {
        i % 3 ? MINE(append)(&chain, i) : OTHERS(append)(&chain, i);
        wanted = wanted * 3 + i;
    }
#pragma omp taskgroup
    OTHERS(tasks)(leaves, 4);
    CHECK(*leaves == 81);
#pragma omp taskwait
    CHECK(chain == wanted);
}

void MINE(region)(const struct path *outer, int depth) {
    const int threads = widths[outer->level];
    long members = 0, sum = 0, others_count = 0, own_count = 0, leaves = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    {
        struct path here = *outer;
        ++here.level;
        here.numbers[here.level] = omp_get_thread_num();
        here.sizes[here.level] = omp_get_num_threads();
        MINE(check)(&here);
        OTHERS(check)(&here);
        members += 1;
        OTHERS(loop)(&sum);
        MINE(loop)(&sum);
        OTHERS(count)(&others_count);
#pragma omp single nowait
        in_one_thread(&leaves);
        MINE(count)(&own_count);
        if (depth > 0)
            OTHERS(region)(&here, depth - 1);
#pragma omp barrier
        if (depth > 0)
            MINE(region)(&here, depth - 1);
        OTHERS(check)(&here);
        MINE(check)(&here);
    }
    CHECK(members == threads);
    CHECK(others_count == threads && own_count == threads);
    CHECK(sum == 4L * iterations * (iterations - 1) / 2);
    CHECK(leaves == 81);
}
