/* SPDX-License-Identifier: Apache-2.0
 * heddlecc's clauses on a machine with several nodes: without stealing, tasks and iterations run on the
 * node that each clause asks for. Argument: the node of each thread in turn, as in 0011. */
#define _GNU_SOURCE
#include <heddle.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCKS = 16, COUNT = 400, MOST = 64 };

static const char* nodes;
static int threads, failures;

static int own_node(void) {
    unsigned cpu, node;
    return getcpu(&cpu, &node) == 0 ? (int)node : -1;
}

static int node_of_page(void* page) {
    int node = -1;
    return syscall(SYS_move_pages, 0, 1ul, &page, NULL, &node, 0) == 0 ? node : -1;
}

static int node_of_thread(int thread) { return nodes[thread % threads] - '0'; }

static void check(const char* clause, const int* ran, const int* expected, int n) {
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += ran[i] != expected[i];
    printf("%s: %d of %d where asked for\n", clause, n - wrong, n);
    failures += wrong != 0;
}

static void await(const int* counter, int value) {
    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < value)
        sched_yield();
}

static void hinted_tasks(char* data) {
    int ran[BLOCKS], near[BLOCKS], listed[BLOCKS], by_thread[BLOCKS], by_data[BLOCKS];
    /* First touch: block i by thread i modulo their number, whose node has it, or another one where
     * that one's memory is used up. */
#pragma omp parallel
    for (int i = 0; i < BLOCKS; i++)
        if (i % threads == omp_get_thread_num())
            memset(data + i * PAGE, 1, PAGE);
    for (int i = 0; i < BLOCKS; i++) {
        by_thread[i] = node_of_thread(BLOCKS - i);
        by_data[i] = node_of_page(data + i * PAGE);
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < BLOCKS; i++) {
#pragma omp task affinity(thread: (BLOCKS - i) % threads) shared(ran)
        ran[i] = own_node();
#pragma omp task affinity(data: data[i * PAGE:PAGE]) shared(near)
        near[i] = own_node();
#pragma omp task affinity(data[i * PAGE:PAGE]) shared(listed)
        listed[i] = own_node();
    }
    check("task affinity(thread: e)", ran, by_thread, BLOCKS);
    check("task affinity(data: x)", near, by_data, BLOCKS);
    check("task affinity(x)", listed, by_data, BLOCKS);
}

static void hinted_groups(void) {
    int ran[MOST], expected[MOST], done = 0, own = 0;
#pragma omp parallel
#pragma omp single
    {
        own = omp_get_thread_num();
#pragma omp taskgroup affinity(spread: threads / 2)
        {
            for (int i = 0; i < threads / 2; i++)
#pragma omp task shared(ran, done)
            {
                ran[i] = own_node();
                __atomic_fetch_add(&done, 1, __ATOMIC_ACQ_REL);
            }
            await(&done, threads / 2 - (own % 2 == 0)); /* one waits for this thread */
        }
#pragma omp taskgroup affinity(close)
        {
            for (int i = threads / 2; i < threads; i++)
#pragma omp task shared(ran, done)
            {
                ran[i] = own_node();
                __atomic_fetch_add(&done, 1, __ATOMIC_ACQ_REL);
            }
            await(&done, threads - 1);
        }
    }
    for (int i = 0; i < threads / 2; i++) {
        expected[i] = node_of_thread(2 * i);
        expected[threads / 2 + i] = node_of_thread(own + i);
    }
    check("taskgroup affinity(spread: n)", ran, expected, threads / 2);
    check("taskgroup affinity(close)", ran + threads / 2, expected + threads / 2, threads / 2);
}

static void hinted_loops(void) {
    int ran[MOST], expected[MOST], first[MOST], begun = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop affinity(primary) num_tasks(threads) nogroup shared(ran)
        for (int i = 0; i < threads; i++)
            ran[i] = own_node();
    }
    for (int i = 0; i < threads; i++)
        expected[i] = node_of_thread(0);
    check("taskloop affinity(primary)", ran, expected, threads);
    for (int i = 0; i < threads; i++) {
        first[i] = -1;
        expected[i] = node_of_thread(i);
    }
#pragma omp parallel for schedule(adaptive, 2)
    for (int i = 0; i < COUNT; i++) {
        const int block = i * threads / COUNT;
        if (i % (COUNT / threads) == 0 && first[block] < 0) {
            first[block] = own_node();
            __atomic_fetch_add(&begun, 1, __ATOMIC_ACQ_REL);
            await(&begun, threads); /* nobody is through with its block before */
        }
    }
    check("for schedule(adaptive, n)", first, expected, threads);
}

int main(int argc, char** argv) {
    threads = omp_get_max_threads();
    if (argc != 2 || (int)strlen(argv[1]) != threads || threads > MOST || threads % 2 != 0) {
        fprintf(stderr, "usage: clauses NODES, a digit for each of up to %d threads\n", MOST);
        return 2;
    }
    nodes = argv[1];
    heddle_set_task_stealing(0);
    char* data = mmap(NULL, BLOCKS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
    if (data == MAP_FAILED)
        return 2;
    hinted_tasks(data);
    hinted_groups();
    hinted_loops();
    return failures != 0;
}
