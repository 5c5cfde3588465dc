/* SPDX-License-Identifier: Apache-2.0
 * What the two libraries have in common: part.c is compiled by gcc with MINE(x) gnu_x and
 * OTHERS(x) llvm_x, and by clang the other way round. */
#include <stdio.h>
#include <stdlib.h>

enum { levels = 3, iterations = 40 };
static const int widths[levels] = {3, 2, 2};

/* The ancestors of a thread as they have seen themselves, from level 1 on. */
struct path {
    int level;
    int numbers[levels + 1], sizes[levels + 1];
};

#define DECLARE(compiler)                                                                          \
    void compiler##_region(const struct path *outer, int depth);                                   \
    void compiler##_check(const struct path *here);                                                \
    void compiler##_loop(long *sum);                                                               \
    void compiler##_tasks(long *leaves, int depth);                                                \
    void compiler##_append(unsigned long *chain, unsigned long what);                              \
    void compiler##_count(long *counter);
DECLARE(gnu)
DECLARE(llvm)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
