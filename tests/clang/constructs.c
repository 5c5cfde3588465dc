/* SPDX-License-Identifier: Apache-2.0
 * Sections, single, masked, critical, atomic, barriers and locks as clang compiles them. */
#include "check.h"

#include <string.h>

static void sections(int size) {
    int counts[9] = {0}, last = 0, total = 0;
#pragma omp parallel num_threads(size)
    {
#pragma omp sections lastprivate(last) reduction(+ : total)
        {
#pragma omp section
            {
                last = 1;
                total += 1;
#pragma omp atomic
                ++counts[0];
            }
#pragma omp section
            {
                last = 2;
                total += 2;
#pragma omp atomic
                ++counts[1];
            }
#pragma omp section
            {
                last = 3;
                total += 3;
#pragma omp atomic
                ++counts[2];
            }
        }
        expect(last == 3 && total == 6);
        expect(counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
#pragma omp sections nowait
        {
#pragma omp atomic
            ++counts[3];
        }
#pragma omp sections nowait firstprivate(last)
        {
#pragma omp section
            {
                expect(last == 3);
#pragma omp atomic
                ++counts[4];
            }
#pragma omp section
#pragma omp atomic
            ++counts[5];
        }
    }
    expect(counts[3] == 1 && counts[4] == 1 && counts[5] == 1);
#pragma omp parallel sections num_threads(size)
    {
#pragma omp section
#pragma omp parallel num_threads(2)
#pragma omp sections
        {
#pragma omp section
#pragma omp atomic
            ++counts[6];
#pragma omp section
#pragma omp atomic
            ++counts[6];
        }
#pragma omp section
#pragma omp atomic
        ++counts[7];
    }
    expect(counts[6] == 2 && counts[7] == 1);
}

struct large {
    int values[50];
};

static int per_thread;
#pragma omp threadprivate(per_thread)

static void single(int size) {
    int executed = 0, late = 0;
#pragma omp parallel num_threads(size)
    for (int round = 0; round < 30; ++round) {
        int number = -1;
        double real = 0;
        struct large record;
        memset(&record, 0, sizeof record);
        per_thread = -1;
#pragma omp single copyprivate(number, real, record, per_thread)
        {
            number = round;
            real = round / 2.0;
            record.values[49] = round + 1;
            per_thread = round + 2;
        }
        expect(number == round && real == round / 2.0);
        expect(record.values[49] == round + 1 && per_thread == round + 2);
#pragma omp single nowait
        {
#pragma omp atomic
            ++executed;
        }
#pragma omp single
        {
            expect(number == round);
            late = round;
        }
        expect(late == round);
#pragma omp barrier
    }
    expect(executed == 30);
}

static void masked(int size) {
    int master = 0, filtered = 0, nobody = 0;
#pragma omp parallel num_threads(size)
    {
#pragma omp master
        {
            expect(omp_get_thread_num() == 0);
            ++master;
        }
#pragma omp masked
        ++master;
#pragma omp masked filter(size - 1)
        {
            expect(omp_get_thread_num() == size - 1);
#pragma omp atomic
            ++filtered;
        }
#pragma omp masked filter(size)
        ++nobody;
#pragma omp masked filter(omp_get_thread_num())
#pragma omp atomic
        ++filtered;
    }
    expect(master == 2 && filtered == size + 1 && nobody == 0);
#pragma omp parallel masked num_threads(size) filter(0)
    ++master;
#pragma omp parallel master num_threads(size)
    ++master;
    expect(master == 4);
}

static void critical(int size) {
    long plain = 0, named = 0, hinted = 0;
#pragma omp parallel num_threads(size)
    for (int i = 0; i < 200; ++i) {
#pragma omp critical
        plain = plain + 1;
#pragma omp critical(same) hint(omp_sync_hint_contended)
        {
            named = named + 1;
#pragma omp critical(inside)
            hinted = hinted + 1;
        }
#pragma omp critical(same) hint(omp_sync_hint_contended)
        named = named + 1;
    }
    expect(plain == 200 * size && named == 400 * size && hinted == 200 * size);
}

static void atomic(int size) {
    int integer = 0, most = -1, swaps = 0;
    double real = 1;
    long double wide = 0;
    _Complex double both = 0;
    unsigned char byte = 0;
    static struct {
        char data[3];
    } unused;
    (void)unused;
#pragma omp parallel num_threads(size)
    for (int i = 0; i < 100; ++i) {
        int old, now;
#pragma omp atomic
        integer += 3;
#pragma omp atomic capture
        {
            old = integer;
            integer += 2;
        }
#pragma omp atomic capture seq_cst
        now = integer -= 1;
        expect(old >= 3 && now >= 3);
#pragma omp atomic update hint(omp_sync_hint_contended)
        real = 0.5 + real;
#pragma omp atomic
        wide += 1;
#pragma omp atomic
        both += 1;
#pragma omp atomic
        byte++;
#pragma omp atomic compare
        if (most < i)
            most = i;
#pragma omp atomic compare capture
        {
            old = swaps;
            if (swaps == i)
                swaps = i + 1;
        }
        (void)old;
#pragma omp atomic read acquire
        now = integer;
#pragma omp atomic write release
        unused.data[1] = 7;
#pragma omp flush
#pragma omp flush(integer)
#pragma omp flush acq_rel
    }
    expect(integer == 400 * size && real == 1 + 50.0 * size && wide == 100 * size);
    expect(both == 100 * size && byte == (unsigned char)(100 * size) && most == 99);
    expect(swaps == 100 && unused.data[1] == 7);
}

static void locks(int size) {
    omp_lock_t lock, hinted;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_lock_with_hint(&hinted, omp_sync_hint_contended);
    omp_init_nest_lock(&nest);
    long plain = 0, tested = 0, depth = 0;
#pragma omp parallel num_threads(size)
    for (int i = 0; i < 100; ++i) {
        omp_set_lock(&lock);
        plain = plain + 1;
        omp_unset_lock(&lock);
        while (!omp_test_lock(&hinted))
            ;
        tested = tested + 1;
        omp_unset_lock(&hinted);
        omp_set_nest_lock(&nest);
        expect(omp_test_nest_lock(&nest) == 2);
        depth = depth + 1;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    expect(plain == 100 * size && tested == 100 * size && depth == 100 * size);
    omp_destroy_lock(&lock);
    omp_destroy_lock(&hinted);
    omp_destroy_nest_lock(&nest);
}

int main(void) {
    omp_set_max_active_levels(2);
    FOR_TEAM_SIZES(size) {
        sections(size);
        single(size);
        masked(size);
        critical(size);
        atomic(size);
        locks(size);
    }
    return failures != 0;
}
