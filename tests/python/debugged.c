// SPDX-License-Identifier: Apache-2.0
// A team whose last thread stops in stand_still() while the others wait for it, four frames deep:
// in the first region in which a thread of the system executes several of them, and after 1,000
// regions in any. Arguments: THREADS, and `wait`: stand_still() returns when SIGUSR1 has come.
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 64 };

static volatile sig_atomic_t released;
static int threads, arrived, stops, sum;
static const int* executes[MOST]; // by thread number where the system's thread has its errno

static void release(int number) { released = number; }

__attribute__((noinline)) void stand_still(int number) {
    while (!released)
        usleep(1000);
    stops = number + 1;
}

static int systems_threads(void) {
    int count = 0;
    for (int i = 0; i < threads; i++) {
        int first = 0;
        while (executes[first] != executes[i])
            first++;
        count += first == i;
    }
    return count;
}

__attribute__((noinline)) void descend(int depth, int number, int round) {
    const int mark = 100 * number + depth;
    if (depth > 0)
        descend(depth - 1, number, round);
    else {
        int place;
        executes[number] = &errno;
#pragma omp atomic capture seq_cst
        place = ++arrived;
        if (place == threads && stops == 0 && (systems_threads() < threads || round == 1000)) {
#pragma omp task if (0)
            stand_still(number);
        }
#pragma omp barrier
    }
#pragma omp atomic
    sum += mark;
}

int main(int count, char** arguments) {
    threads = atoi(arguments[1]);
    released = count < 3;
    signal(SIGUSR1, release);
    for (int round = 0; stops == 0; round++) {
        arrived = sum = 0;
#pragma omp parallel num_threads(threads)
        descend(3, omp_get_thread_num(), round);
    }
    printf("%d\n", sum);
    return 0;
}
