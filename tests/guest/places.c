// SPDX-License-Identifier: Apache-2.0
// `places LIST...`: the place list is these lists of CPUs, in this order, as the query routines of
// OpenMP 5.2 sections 18.3 tell it. Without an argument there must be no places.
// For runs.txt, which sets OMP_PLACES and its kin.
#define _GNU_SOURCE
#include "masks.h"

#include <omp.h>

static cpu_set_t mask_of_place(int place) {
    cpu_set_t mask;
    int cpus[64];
    CPU_ZERO(&mask);
    const int count = omp_get_place_num_procs(place);
    expect(count > 0 && count <= 64, "place %d has %d CPUs", place, count);
    omp_get_place_proc_ids(place, cpus);
    for (int i = 0; i < count; i++)
        CPU_SET((size_t)cpus[i], &mask);
    return mask;
}

int main(int argc, char** argv) {
    run_under_mask(argv);
    const int places = omp_get_num_places();
    int partition[64];
    expect(places == argc - 1, "%d places, not %d", places, argc - 1);
    for (int i = 0; i < places; i++) {
        const cpu_set_t mask = mask_of_place(i);
        const cpu_set_t expected = mask_of(i < argc - 1 ? argv[i + 1] : "");
        expect(i < argc - 1 && CPU_EQUAL(&mask, &expected), "place %d is %s", i, text_of(mask));
    }
    expect(omp_get_place_num() == (places ? 0 : -1), "at place %d", omp_get_place_num());
    expect(omp_get_partition_num_places() == places, "%d places in the partition",
           omp_get_partition_num_places());
    omp_get_partition_place_nums(partition);
    for (int i = 0; i < places; i++)
        expect(partition[i] == i, "place %d of the partition is %d", i, partition[i]);
    expect(omp_get_place_num_procs(places) == 0 && omp_get_place_num_procs(-1) == 0,
           "a place that is none has CPUs");
    return failures != 0;
}
