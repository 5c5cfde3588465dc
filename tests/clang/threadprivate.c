/* SPDX-License-Identifier: Apache-2.0
 * Threadprivate variables as clang compiles them, with the system's thread-local storage or, by
 * -fnoopenmp-use-tls, without: they last from region to region; copyin and copyprivate; threads
 * that come and go; a forked child. */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

struct record {
    int values[20];
};
static int counter = 100;
static struct record record = {{1, 2, 3}};
static double zero;
#pragma omp threadprivate(counter, record, zero)

static int use_block_variable(void) {
    static int calls = 40;
#pragma omp threadprivate(calls)
    return ++calls;
}

static void last(int size) {
    int* addresses[9];
#pragma omp parallel num_threads(size)
    {
        const int number = omp_get_thread_num();
        addresses[number] = &counter;
        counter = 1000 + number;
        zero = number;
        record.values[19] = number;
#pragma omp barrier
        for (int i = 0; i < number; ++i)
            expect(addresses[i] != &counter);
    }
#pragma omp parallel num_threads(size)
    {
        const int number = omp_get_thread_num();
        expect(&counter == addresses[number] && counter == 1000 + number && zero == number);
        expect(record.values[19] == number && record.values[0] == 1);
    }
    expect(counter == 1000);
    counter = 77;
    record.values[5] = 55;
#pragma omp parallel num_threads(size) copyin(counter, record)
    {
        expect(counter == 77 && record.values[5] == 55 && record.values[19] == 0);
        counter = omp_get_thread_num();
#pragma omp single copyprivate(counter, zero)
        counter = 5, zero = 2.5;
        expect(counter == 5 && zero == 2.5);
    }
    record.values[5] = 0;
}

static void* in_new_thread(void* unused) {
    expect(counter == 100 && record.values[2] == 3 && zero == 0 && use_block_variable() == 41);
    counter = 8;
#ifndef WITHOUT_TLS /* then clang copies in what the main thread has */
#pragma omp parallel num_threads(3) copyin(counter)
    {
        expect(counter == 8);
        ++counter;
    }
    expect(counter == 9);
#endif
    return unused;
}

static void churn(void) {
    for (int i = 0; i < 100; ++i) {
        pthread_t threads[3];
        for (int j = 0; j < 3; ++j)
            expect(pthread_create(&threads[j], NULL, in_new_thread, NULL) == 0);
        for (int j = 0; j < 3; ++j)
            pthread_join(threads[j], NULL);
    }
}

static void forked(void) {
    counter = 123;
    const pid_t child = fork();
    if (child == 0) {
        expect(counter == 123);
#pragma omp parallel num_threads(4)
        {
            if (omp_get_thread_num() != 0)
                counter = omp_get_thread_num();
#pragma omp barrier
            expect(counter == (omp_get_thread_num() ? omp_get_thread_num() : 123));
        }
        _exit(failures != 0);
    }
    int status = -1;
    expect(waitpid(child, &status, 0) == child && status == 0);
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 0)
        expect(counter == 123);
}

int main(void) {
    FOR_TEAM_SIZES(size)
    last(size);
    expect(use_block_variable() == 41);
    churn();
    forked();
    churn();
    expect(use_block_variable() == 42);
    return failures != 0;
}
