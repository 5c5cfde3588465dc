/* SPDX-License-Identifier: Apache-2.0
 * A program that knows nothing of Heddle: prints the path of the runtime that serves it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

extern void GOMP_barrier(void);

int main(void) {
    Dl_info info;
#pragma omp parallel num_threads(2)
    ;
    if (dladdr((void*)GOMP_barrier, &info) == 0)
        return 1;
    puts(info.dli_fname);
    return 0;
}
