/* SPDX-License-Identifier: Apache-2.0
 * Passes depend objects of clang, which are pointers, to a routine of gcc's, as a program of clang
 * does that is linked with Heddle and not with libomp. */
#include <omp.h>
#include <stdio.h>

/* Not in the header of gcc 12. */
int omp_target_memcpy_async(void* to, const void* from, size_t length, size_t to_offset,
                            size_t from_offset, int to_device, int from_device, int count,
                            omp_depend_t* objects);
#pragma weak omp_target_memcpy_async

int main(void) {
    static char lists[2][24];
    void* objects[4] = {lists[0], lists[1], lists[0], lists[1]};
    int to = 0, from = 1;
    const int host = omp_get_initial_device();
#pragma omp parallel num_threads(2)
#pragma omp single
    omp_target_memcpy_async(&to, &from, sizeof to, 0, 0, host, host, 2, (omp_depend_t*)objects);
    printf("%d\n", to);
    return 0;
}
