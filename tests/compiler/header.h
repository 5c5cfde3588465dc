/* SPDX-License-Identifier: Apache-2.0
 * Clauses in a header: in a pragma, and in a macro. */
#define HINT affinity
#define PRAGMA(...) _Pragma(#__VA_ARGS__)

static inline int thread_of_task(int number) {
    int ran = -1;
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp task affinity(thread: number) shared(ran)
    ran = omp_get_thread_num();
    return ran;
}
