// SPDX-License-Identifier: Apache-2.0
// A program for test_thread_data.py, and with -DLIBRARY the library that has its threadprivate
// variable and opens no region: `seen` from outside with -DEXTERN, else behind a function.
// `thread_data HOSTS REGIONS` prints in how many cases a value was not that of the region before.
#ifdef LIBRARY

#ifdef EXTERN
long seen = 0;
#else
static long seen = 0;
#endif
#pragma omp threadprivate(seen)
long *where(void) { return &seen; }

#else

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef EXTERN
extern long seen;
#pragma omp threadprivate(seen)
static long *where(void) { return &seen; }
#else
long *where(void);
#endif

static int regions, wrong;

static void *host(void *raw) {
    const long number = (long)raw;
    for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(3)
        {
            const long mine = (number * 100 + omp_get_thread_num()) * 10000 + i;
            if (i > 0 && *where() != mine)
#pragma omp atomic
                wrong++;
            *where() = mine + 1;
            if (i % 10 == 0)
                usleep(200);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    const int hosts = argc > 1 && atoi(argv[1]) < 64 ? atoi(argv[1]) : 1;
    regions = argc > 2 ? atoi(argv[2]) : 1;
    pthread_t threads[64];
    for (long i = 0; i < hosts; i++)
        if (pthread_create(&threads[i], NULL, host, (void *)(i + 1)) != 0)
            return 1;
    for (int i = 0; i < hosts; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", wrong);
    return 0;
}

#endif
