/* SPDX-License-Identifier: Apache-2.0
 * Locality domains and distributed arrays as heddle.h promises them on any machine, however many
 * domains it has; tests/guest/locality.c sees pages on a machine of four. Exits with 1 when an
 * answer is wrong; test_heddle_hpp.py compiles it as C and as C++, test_limits.py runs it where the
 * system refuses to place memory. */
#include <heddle.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int right, const char* what) {
    if (!right) {
        fprintf(stderr, "wrong: %s\n", what);
        failures = 1;
    }
}

static void in_region(void* data) {
    const int domains = omp_get_num_locality_domains();
    const int own = omp_get_locality_domain_num();
    (void)data;
    expect(domains >= 1, "the number of domains");
    expect(own >= 0 && own < domains, "the domain of a thread");
}

static void check_array(char* array, size_t size) {
    const int domains = omp_get_num_locality_domains();
    size_t i;
    expect(array != NULL, "no memory");
    if (array == NULL)
        return;
    expect((uintptr_t)array % 4096 == 0, "an array does not begin at a page");
    memset(array, 7, size);
    expect(omp_get_locality_domain_size(array) == size, "the size of an array");
    expect(omp_get_locality_domain_size(array + 1) == 0, "the size of what is no array");
    for (i = 0; i < size; i += 1000) {
        const int planned = omp_get_locality_domain_of_block(array + i);
        const int page = omp_get_locality_domain_of_page(array + i);
        expect(planned >= 0 && planned < domains, "the domain of a block");
        expect(page >= -1 && page < domains, "the domain of a page");
    }
    expect(omp_get_locality_domain_of_block(array + size) == -1, "behind an array");
    heddle_loop_data(array, 8);
    omp_locality_domain_free(array);
    expect(omp_get_locality_domain_size(array) == 0, "an array that was freed has a size");
    heddle_loop_data(NULL, 0);
}

int main(void) {
    static const size_t sizes[] = {1, 4096, 4097, 1000000};
    static const size_t blocks[] = {0, 1, 4096, 10000, SIZE_MAX};
    size_t i, j;
    in_region(NULL);
    heddle_run(in_region, NULL, 2);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_array((char*)omp_locality_domain_allocate_bloc1d(sizes[i]), sizes[i]);
        for (j = 0; j < sizeof blocks / sizeof *blocks; j++)
            check_array((char*)omp_locality_domain_allocate_bloc1dcyclic(sizes[i], blocks[j]),
                        sizes[i]);
    }
    expect(omp_locality_domain_allocate_bloc1d(0) == NULL, "an array of no bytes");
    expect(omp_locality_domain_allocate_bloc1d(SIZE_MAX) == NULL, "an array of too many");
    expect(omp_locality_domain_allocate_bloc1dcyclic(SIZE_MAX - 4096, 1) == NULL, "and in blocks");
    omp_locality_domain_free(NULL);
    omp_locality_domain_free(&failures); /* one line on stderr */
    return failures;
}
