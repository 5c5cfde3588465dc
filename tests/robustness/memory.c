// SPDX-License-Identifier: Apache-2.0
// Memory that parts of regions, loops and tasks share, for memcheck. Parts wait in frames of all
// depths. Argument: the error to make, in a part or task: none, heap, stack, task, leak.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1000 };

// A frame of 8 KiB; the innermost waits for the team.
__attribute__((noinline)) static double descend(int depth, double start) {
    double values[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        values[i] = start + i;
    double sum = 0;
    if (depth == 0) {
#pragma omp barrier
    } else {
        sum = descend(depth - 1, values[depth]);
    }
    for (int i = 0; i < LENGTH; i++)
        sum += values[i];
    return sum;
}

static volatile int positive;

// memcheck tells where a jump depends on what nobody has written.
__attribute__((noinline)) static void look_at(const volatile double* value) {
    if (*value > 0)
        positive++;
}

__attribute__((noinline)) static void look_at_variable(void) {
    volatile double values[4];
    values[0] = 1;
    look_at(values);
    look_at(values + 2);
}

static void region(const char* error, int round, double* result) {
    double sum = 0;
    long done = 0;
#pragma omp parallel num_threads(8) reduction(+ : sum)
    {
        const int me = omp_get_thread_num();
        double* own = malloc(LENGTH * sizeof *own);
        sum += descend((me * 7 + round) % 12, me);
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 100; i++) {
            own[i] = i;
            sum += own[i];
        }
#pragma omp single
        for (int i = 0; i < 50; i++) {
            double* taken = malloc(sizeof *taken);
            *taken = i;
#pragma omp task firstprivate(taken) shared(done)
            {
                if (strcmp(error, "task") == 0 && i == 20)
                    free(taken);
#pragma omp atomic
                done += (long)*taken;
                if (strcmp(error, "task") != 0 || i != 20)
                    free(taken);
            }
        }
        if (round == 3 && me == 5) {
            if (strcmp(error, "heap") == 0)
                look_at(own + LENGTH - 1);
            if (strcmp(error, "stack") == 0)
                look_at_variable();
        }
#pragma omp barrier
        if (round != 3 || me != 5 || strcmp(error, "leak") != 0)
            free(own);
    }
    *result += sum + (double)done;
}

int main(int count, char** arguments) {
    const char* error = count > 1 ? arguments[1] : "none";
    double result = 0;
    for (int round = 0; round < 12; round++)
        region(error, round, &result);
    printf("%.0f\n", result);
    return 0;
}
