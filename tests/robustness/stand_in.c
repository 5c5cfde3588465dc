// SPDX-License-Identifier: Apache-2.0
// A program for test_stand_in.py: `stand_in THREADS REGIONS` prints on how many stacks at least the
// THREADS threads of a region ran, of all but the first regions. -DLOCAL: it has thread-local
// storage; -DLIBRARY: this is a library that has some; -DSELF: it asks which thread it is on;
// -DTHREADS="f": it has f, which concerns one thread. -DMEET: the parts meet at barriers, and it
// prints how often threads stopped in a region, in that eighth of them in which it was least, for
// beside other processes it is more at times; -DCANCEL: one cancels each region in the end.
#ifdef LIBRARY
int *of_thread(void);
int *of_thread(void) {
    static _Thread_local int kept;
    return &kept;
}
#else
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { most_threads = 16, apart = 256 << 10 };

#ifdef LOCAL
static _Thread_local int kept;
#endif
#ifdef SELF
pthread_t threads[most_threads];
#endif

#ifdef THREADS
void concerns_one(void) __asm__(THREADS);
void (*volatile of_threads)(void) = concerns_one;
#endif

static uintptr_t frames[most_threads];

static int by_address(const void *a, const void *b) {
    const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

#ifdef MEET
static long meet(int size, int regions) {
    int passed = 0;
    for (int i = 0; i < regions; i++) {
        int here = 0;
#pragma omp parallel num_threads(size)
        for (int round = 1; round <= 3; round++) {
#pragma omp atomic
            here++;
#pragma omp barrier
            if (round == 1 && here < size)
                abort();
#pragma omp single
            passed++;
#pragma omp for ordered schedule(static, 1)
            for (int k = 0; k < size; k++) {
#pragma omp ordered
                passed++;
            }
#ifdef CANCEL
#pragma omp cancel parallel if (round == 3 && omp_get_thread_num() == size / 2)
#pragma omp barrier
            if (round == 3)
                abort();
#endif
        }
    }
    if (passed != 3 * (size + 1) * regions)
        abort();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}
#endif

int main(int argc, char **argv) {
    const int size = argc > 1 && atoi(argv[1]) <= most_threads ? atoi(argv[1]) : 1;
    const int regions = argc > 2 ? atoi(argv[2]) : 1;
#ifdef MEET
    long stopped = meet(size, regions / 8), least = -1;
    for (int i = 1; i < 8; i++) {
        const long before = stopped;
        stopped = meet(size, regions / 8);
        const long each = (stopped - before) / (regions / 8);
        least = least < 0 || each < least ? each : least;
    }
    printf("%ld\n", least);
    return 0;
#endif
    int fewest = size;
    for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(size)
        {
            const int number = omp_get_thread_num();
            frames[number] = (uintptr_t)__builtin_frame_address(0);
#ifdef LOCAL
            kept += number;
#endif
#ifdef SELF
            threads[number] = pthread_self();
#endif
        }
        qsort(frames, (size_t)size, sizeof *frames, by_address);
        int stacks = 1;
        for (int j = 1; j < size; j++)
            stacks += frames[j] - frames[j - 1] > apart;
        if (stacks < fewest)
            fewest = stacks;
    }
    printf("%d\n", fewest);
    return 0;
}
#endif
