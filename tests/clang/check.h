/* SPDX-License-Identifier: Apache-2.0
 * What the programs in this folder share. Each prints a line on stderr for whatever is not as it
 * should be, and returns 0 when there is none. Any thread may call expect(). */
#ifndef CHECK_H
#define CHECK_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

#define expect(condition) ((condition) ? (void)0 : complain(#condition, __FILE__, __LINE__))

__attribute__((noinline, unused)) static void complain(const char* what, const char* file,
                                                       int line) {
    if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < 20)
        fprintf(stderr, "%s:%d: not so on thread %d of %d: %s\n", file, line, omp_get_thread_num(),
                omp_get_num_threads(), what);
}

/* Sizes of teams that are tried beside the default one. */
#define FOR_TEAM_SIZES(size) for (int size = 1; size <= 9; size = 2 * size - size / 5)

#endif
