/* SPDX-License-Identifier: Apache-2.0
 * Cancellation as clang compiles it: in loops, sections, regions and taskgroups, nested in each
 * other; and the same code where OMP_CANCELLATION=false makes all of it do nothing. */
#include "check.h"

static int cancels;

static void loops(int size) {
    int begun = 0, after = 0, sum = 0;
    double last = 0;
#pragma omp parallel num_threads(size)
    {
        for (int round = 0; round < 5; ++round) {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 1000; ++i) {
#pragma omp atomic
                ++begun;
#pragma omp cancel for
                if (omp_get_cancellation())
                    expect(!"behind a cancel");
            }
#pragma omp for reduction(+ : sum) schedule(guided)
            for (int i = 0; i < 100; ++i) {
                sum += 1;
#pragma omp cancel for if (i < 0)
            }
#pragma omp for schedule(static)
            for (int i = 0; i < 100; ++i) {
#pragma omp atomic
                ++after;
#pragma omp cancellation point for
            }
        }
#pragma omp for lastprivate(last) schedule(static, 2)
        for (int i = 0; i < 10; ++i) {
            last = i;
#pragma omp cancel for if (0)
        }
    }
    expect(cancels ? begun >= 5 && begun <= 5 * size : begun == 5000);
    expect(sum == 500 && after == 500 && last == 9);
    int parts = 0;
#pragma omp parallel for num_threads(size) reduction(+ : parts)
    for (int i = 0; i < 300; ++i) {
        parts += 1;
#pragma omp cancel for if (i % 10 == 5)
    }
    expect(cancels ? parts < 300 && parts >= 0 : parts == 300);
}

static void sections(int size) {
    int begun = 0, behind = 0, whole = 0;
#pragma omp parallel num_threads(size)
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                ++begun;
#pragma omp cancel sections
#pragma omp atomic
                ++behind;
            }
#pragma omp section
            {
#pragma omp cancellation point sections
#pragma omp atomic
                ++begun;
            }
        }
#pragma omp sections
        {
#pragma omp section
#pragma omp atomic
            ++whole;
#pragma omp section
#pragma omp atomic
            ++whole;
        }
    }
    expect(behind == !cancels && whole == 2);
    expect(begun >= 1 && begun <= 2);
#pragma omp parallel sections num_threads(size)
    {
#pragma omp section
        {
#pragma omp cancel sections if (size > 100)
            ++behind;
        }
    }
    expect(behind == 1 + !cancels);
}

static void regions(int size) {
    int barriers = 0, ends = 0, calm = 0;
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(size)
        {
            if (omp_get_thread_num() == round % size) {
#pragma omp cancel parallel
            }
#pragma omp barrier
#pragma omp atomic
            ++barriers;
#pragma omp for
            for (int i = 0; i < 10; ++i) {
#pragma omp cancellation point for
            }
#pragma omp cancellation point parallel
#pragma omp atomic
            ++ends;
        }
#pragma omp parallel num_threads(size) reduction(+ : calm)
        {
#pragma omp barrier
            calm += 1;
#pragma omp cancel parallel if (calm < 0)
        }
    }
    expect(calm == 20 * size);
    expect(barriers == (cancels ? 0 : 20 * size) && ends == barriers);
    /* Deep inside of other constructs. */
    int copies = 0, alive = 0;
#pragma omp parallel num_threads(size) reduction(+ : copies)
    for (int i = 0; i < 50; ++i) {
        copies += 1;
        if (i == 10 && omp_get_thread_num() == size - 1) {
#pragma omp critical
            {
#pragma omp atomic
                ++alive;
            }
#pragma omp cancel parallel
        }
#pragma omp single nowait
        copies += 0;
#pragma omp cancellation point parallel
    }
    expect(alive == 1);
    expect(cancels ? copies <= 50 * size : copies == 50 * size);
}

static void taskgroups(int size) {
    int begun = 0, behind = 0, other = 0, inside = 0;
#pragma omp parallel num_threads(size)
#pragma omp single
    {
#pragma omp taskgroup
        {
            for (int i = 0; i < 200; ++i) {
#pragma omp task firstprivate(i)
                {
#pragma omp atomic
                    ++begun;
                    if (i == 50) {
#pragma omp cancel taskgroup
#pragma omp atomic
                        ++behind;
                    }
#pragma omp cancellation point taskgroup
#pragma omp task
#pragma omp atomic
                    ++inside;
                }
            }
        }
#pragma omp taskgroup
        for (int i = 0; i < 50; ++i)
#pragma omp task
#pragma omp atomic
            ++other;
#pragma omp taskgroup
        {
#pragma omp taskloop nogroup num_tasks(20)
            for (int i = 0; i < 200; ++i)
                if (i == 77) {
#pragma omp cancel taskgroup
                }
#pragma omp task depend(out : other)
            {
#pragma omp cancellation point taskgroup
            }
        }
    }
    expect(cancels || (begun == 200 && inside == 200));
    expect(behind == !cancels && begun <= 200 && inside <= begun);
    expect(other == 50);
}

static void nested(int size) {
    int outer = 0;
#pragma omp parallel num_threads(2) reduction(+ : outer)
    {
        int inner = 0;
#pragma omp parallel num_threads(size) reduction(+ : inner)
        {
#pragma omp cancel parallel
            inner += 1;
        }
        expect(cancels ? inner == 0 : inner == size);
#pragma omp barrier
        outer += 1;
#pragma omp parallel num_threads(size) if (0)
        {
#pragma omp cancel parallel
            expect(!cancels);
        }
#pragma omp cancellation point parallel
        outer += 1;
    }
    expect(outer == 4);
}

/* A thread cancels the region, and the others share a value: the code goes on behind that. */
static void copies(int size) {
    int wrong = 0, begun = 0;
    for (int round = 0; round < 100; ++round) {
#pragma omp parallel num_threads(size)
        {
            int value = 0;
#pragma omp cancel parallel if (omp_get_thread_num() == 1)
#pragma omp single copyprivate(value)
            value = round + 1;
#pragma omp atomic
            wrong += value != round + 1;
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 10; ++i) {
#pragma omp atomic
                ++begun;
            }
        }
    }
    expect(wrong == 0);
    expect(cancels && size > 1 ? begun <= 1000 : begun == 1000);
}

int main(void) {
    cancels = omp_get_cancellation();
    omp_set_max_active_levels(2);
    for (int again = 0; again < 5; ++again)
        FOR_TEAM_SIZES(size) {
            loops(size);
            sections(size);
            regions(size);
            taskgroups(size);
            nested(size);
            copies(size);
        }
    return failures != 0;
}
