/* SPDX-License-Identifier: Apache-2.0
 * Clauses that macros and headers make: what the preprocessor leaves is rewritten. */
#include "check.h"
#include "header.h"

#define TASK_ON_FIRST TASK(affinity(thread: 0) shared(ran))
#define TASK(...) PRAGMA(omp task __VA_ARGS__)
#define ON(number) thread: number
#define SPAWN(statement, number) PRAGMA(omp task shared(ran) HINT(thread: number)) statement

int main(void) {
    int ran[8], undeferred = 1;
    heddle_set_task_stealing(0);
    expect(thread_of_task(2) == 2 && thread_of_task(3) == 3);
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        TASK_ON(3)
        ran[0] = omp_get_thread_num();
        _Pragma("omp task affinity(thread: 2) , shared(ran)") ran[1] = omp_get_thread_num();
        TASK_ON_FIRST
        ran[2] = omp_get_thread_num();
#pragma omp task HINT(ON(1)) shared(ran)
        ran[3] = omp_get_thread_num();
        SPAWN(ran[4] = omp_get_thread_num();, 3)
#if 0
#pragma omp task affinity(nonsense: 1)
#endif
#pragma omp task affinity(thread: 1) shared(ran) if (!undeferred)
        ran[5] = 0;
    }
    expect(ran[0] == 3 && ran[1] == 2 && ran[2] == 0 && ran[3] == 1 && ran[4] == 3);
    return failures != 0;
}
