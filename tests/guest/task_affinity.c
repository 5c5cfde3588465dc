/* SPDX-License-Identifier: Apache-2.0
 * Hinted tasks run on the node that holds their data, on a machine with several: a task for each
 * block of an array whose pages lie where other threads touched them. Checked on the CPU that each
 * task runs on, against the node of its page as the system says. Without stealing the threads of a
 * node must have shared its tasks. Arguments: off or on (stealing), the least share of tasks in
 * percent that must run there, and how often a task goes over its block (4). */
#define _GNU_SOURCE
#include <heddle.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCKS = 256, BLOCK = 4 * 4096, ROUNDS = 8 };

static int node_of_page(void* page) {
    int node = -1;
    if (syscall(SYS_move_pages, 0, 1ul, &page, NULL, &node, 0) != 0)
        return -1;
    return node;
}

static int own_node(void) {
    unsigned cpu, node;
    return getcpu(&cpu, &node) == 0 ? (int)node : -1;
}

/* Some work, so that no thread runs out of it before the others have begun. */
static long sum(const char* block, int turns) {
    long result = 0;
    for (int turn = 0; turn < turns; turn++)
        for (int i = 0; i < BLOCK; i += 8)
            result += block[i];
    return result;
}

int main(int argc, char** argv) {
    if ((argc != 3 && argc != 4) || (strcmp(argv[1], "off") != 0 && strcmp(argv[1], "on") != 0)) {
        fprintf(stderr, "usage: task_affinity off|on PERCENT [TURNS]\n");
        return 2;
    }
    const int turns = argc == 4 ? atoi(argv[3]) : 4;
    heddle_set_task_stealing(strcmp(argv[1], "on") == 0);
    char* data = mmap(NULL, (size_t)BLOCKS * BLOCK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* In one huge page blocks of all threads would lie where its first toucher is. */
    if (data == MAP_FAILED || madvise(data, (size_t)BLOCKS * BLOCK, MADV_NOHUGEPAGE) != 0)
        return 2;
    /* First touch: block i by thread i modulo their number, so that neighbours lie apart. */
#pragma omp parallel
    for (int i = 0; i < BLOCKS; i++)
        if (i % omp_get_num_threads() == omp_get_thread_num())
            memset(data + (size_t)i * BLOCK, 1, BLOCK);
    int near = 0, nodes[8] = {0}, threads[8] = {0}, wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int ran[BLOCKS], ran_by[BLOCKS];
        long sums[BLOCKS];
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < BLOCKS; i++) {
            char* block = data + (size_t)i * BLOCK;
            HEDDLE_HINT(heddle_affinity_data(block, BLOCK))
#pragma omp task firstprivate(i, block) shared(ran, ran_by, sums)
            {
                ran[i] = own_node();
                ran_by[i] = omp_get_thread_num();
                sums[i] = sum(block, turns);
            }
        }
        for (int i = 0; i < BLOCKS; i++) {
            const int node = node_of_page(data + (size_t)i * BLOCK);
            near += node >= 0 && node == ran[i];
            wrong += sums[i] != (long)turns * BLOCK / 8;
            if (ran[i] >= 0 && ran[i] < 8)
                nodes[ran[i]]++;
            if (ran_by[i] < 8)
                threads[ran_by[i]]++;
        }
    }
    const int percent = 100 * near / (ROUNDS * BLOCKS);
    printf("%d%% of %d tasks on the node of their data; tasks by node: %d %d %d %d; by thread:",
           percent, ROUNDS * BLOCKS, nodes[0], nodes[1], nodes[2], nodes[3]);
    for (int thread = 0; thread < 8 && thread < omp_get_max_threads(); thread++) {
        printf(" %d", threads[thread]);
        /* With stealing that depends on who gets time. */
        wrong += strcmp(argv[1], "off") == 0 &&
                 2 * threads[thread] * omp_get_max_threads() < ROUNDS * BLOCKS;
    }
    printf("\n");
    return wrong != 0 || percent < atoi(argv[2]);
}
