// SPDX-License-Identifier: Apache-2.0
// The threads of the pool end and others take their place, again and again, while threads of the
// program come and go: a worker's memory serves threads of both kinds in turn, and its mailbox
// begins anew each time.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { rounds = 300, regions = 10 };

static atomic_int wrong;

/// A region of `size` threads, all of which must come.
static void region(int size) {
    int members = 0;
#pragma omp parallel num_threads(size) reduction(+ : members)
    members++;
    if (members != size)
        atomic_fetch_add(&wrong, 1);
}

static void* user(void* unused) {
    for (int i = 0; i < regions; i++)
        region(3);
    return unused;
}

int main(void) {
    const int size = omp_get_max_threads() + 1;
    for (int i = 0; i < rounds; i++) {
        pthread_t users[2];
        region(size);
        if (omp_pause_resource_all(omp_pause_soft) != 0)
            atomic_fetch_add(&wrong, 1);
        if (i % 3 != 0)
            continue;
        for (int j = 0; j < 2; j++)
            if (pthread_create(&users[j], NULL, user, NULL) != 0)
                return 1;
        omp_pause_resource_all(omp_pause_soft);
        for (int j = 0; j < 2; j++)
            pthread_join(users[j], NULL);
    }
    printf("pool_restart: %d wrong\n", wrong);
    return wrong != 0;
}
