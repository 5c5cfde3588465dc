// SPDX-License-Identifier: Apache-2.0
// A program of several files, each compiled from this one as another PART; each calls the NEXT
// in a task. test_pass.py links them before LLVM is done with them.
#include <stdio.h>

#define JOIN(name, number) name##number
#define NAME(name, number) JOIN(name, number)

int NAME(part, NEXT)(int n);

int NAME(part, PART)(int n) {
    int sum = 0;
    if (n < 1)
        return 1;
#pragma omp task shared(sum)
    sum = NAME(part, NEXT)(n - 1);
#pragma omp task shared(sum) if (n > 5)
    {
#pragma omp atomic
        sum += 0;
    }
#pragma omp taskwait
    return sum + 1;
}

#if PART == 0
int main(void) {
    int sum = 0;
#pragma omp parallel
#pragma omp single
    sum = part0(300);
    printf("%d\n", sum);
    return 0;
}
#endif
