// SPDX-License-Identifier: Apache-2.0
// Runs a kernel in which the first element of each page of `a` notes the node of the CPU it is
// worked on, and asks the kernel (move_pages, which moves nothing if no nodes are given) where the
// page is. Each page has its own note, so threads share nothing but the line it is on.
#define _GNU_SOURCE
#include "pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/bench.h"
#include "../common/placement.h"

enum { PER_PAGE = 4096 / sizeof(double), MAX_NODES = 1024 };

static short *seen; // by page: the node that worked on it

static void note(long i) {
    unsigned cpu = 0, node = 0;
    if (i % PER_PAGE == 0 && syscall(SYS_getcpu, &cpu, &node, NULL) == 0)
        seen[i / PER_PAGE] = (short)node;
}

static void noted_range(long from, long to) {
    for (long i = from; i < to; i++) {
        note(i);
        stream.a[i] = stream.b[i] + stream_factor * stream.c[i];
    }
}

static void noted_blocks(void) {
    const long tasks = stream.tasks, n = stream.n;
    bench_hint_group((int)tasks);
#pragma omp taskgroup
    for (long k = 0; k < tasks; k++) {
        const long from = n * k / tasks, to = n * (k + 1) / tasks;
        bench_hint_task((int)(k * stream.threads / tasks), &stream.a[from],
                        (size_t)(to - from) * sizeof(double));
        if (stream.clause) {
            double *target = stream.a;
            (void)target; // where the compiler has no such clause, or ignores it
            STREAM_TASK_WITH_AFFINITY(target, from, to)
            noted_range(from, to);
        } else {
#pragma omp task
            noted_range(from, to);
        }
    }
}

static void run_noted(enum form form) {
    const long n = stream.n;
    if (form == SERIAL)
        noted_range(0, n);
#pragma omp parallel if (form != SERIAL)
    {
        if (form == LOOP) {
#pragma omp for schedule(runtime)
            for (long i = 0; i < n; i++)
                noted_range(i, i + 1);
        } else if (form == STATIC_LOOP) {
#pragma omp for schedule(static)
            for (long i = 0; i < n; i++)
                noted_range(i, i + 1);
        } else if (form == TASKLOOP) {
#pragma omp single
            {
                bench_hint_group((int)stream.tasks);
#pragma omp taskloop num_tasks(stream.tasks)
                for (long i = 0; i < n; i++)
                    noted_range(i, i + 1);
            }
        } else if (form == TASK) {
#pragma omp single
            noted_blocks();
        }
    }
}

page_report stream_pages(enum form form) {
    long count = (stream.n + PER_PAGE - 1) / PER_PAGE;
    page_report report = {count, 0, 0};
    void **pages = malloc((size_t)count * sizeof *pages);
    int *nodes = malloc((size_t)count * sizeof *nodes);
    seen = malloc((size_t)count * sizeof *seen);
    if (pages == NULL || nodes == NULL || seen == NULL)
        bench_fail("out of memory");
    for (long p = 0; p < count; p++) {
        pages[p] = &stream.a[p * PER_PAGE];
        seen[p] = -1;
    }
    run_noted(form);
    char has_pages[MAX_NODES] = {0};
    if (syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, nodes, 0) != 0)
        report.pages = -1;
    for (long p = 0; p < count && report.pages > 0; p++) {
        report.local += nodes[p] >= 0 && nodes[p] == seen[p];
        if (nodes[p] >= 0 && nodes[p] < MAX_NODES)
            has_pages[nodes[p]] = 1;
    }
    for (int node = 0; node < MAX_NODES; node++)
        report.nodes += has_pages[node];
    free(pages);
    free(nodes);
    free(seen);
    return report;
}
