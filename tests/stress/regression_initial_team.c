// SPDX-License-Identifier: Apache-2.0
// A chain of tasks outside any parallel region, too long for the stack: what the initial team defers
// for want of stack has no barrier to run it, and must have run when the outermost task ends.
#include <stdio.h>

enum { LENGTH = 300000 };

static long counted;

static void chain(long left) {
    counted++;
    if (left > 1) {
#pragma omp task firstprivate(left)
        chain(left - 1);
    }
}

int main(void) {
    for (int round = 1; round <= 3; round++) {
        chain(LENGTH);
        if (counted != (long)LENGTH * round) {
            fprintf(stderr, "round %d: %ld tasks instead of %ld\n", round, counted,
                    (long)LENGTH * round);
            return 1;
        }
    }
    return 0;
}
