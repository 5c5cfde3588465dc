// SPDX-License-Identifier: Apache-2.0
// A function for a better machine than the rest of the program is for: the task's body is not, and
// hands a vector over in other registers. With -march=skylake-avx512 it is enough that it compiles.
#include <stdio.h>

#pragma clang diagnostic ignored "-Wpsabi"

#ifdef __x86_64__
#define BETTER __attribute__((noinline, target("avx2")))
#define IS_BETTER __builtin_cpu_supports("avx2")
#else
#define BETTER __attribute__((noinline))
#define IS_BETTER 1
#endif

typedef float eight __attribute__((vector_size(32)));

static __attribute__((noinline)) eight twice(eight vector) { return vector + vector; }

BETTER void twice_in_task(float* numbers) {
#pragma omp task
    {
        eight vector;
        __builtin_memcpy(&vector, numbers, sizeof vector);
        vector = twice(vector);
        __builtin_memcpy(numbers, &vector, sizeof vector);
    }
#pragma omp taskwait
}

#ifdef __AVX512F__
#include <immintrin.h>

void largest(float* numbers) {
#pragma omp task
    {
        __m512 vector = _mm512_loadu_ps(numbers);
        vector = _mm512_max_round_ps(vector, _mm512_set1_ps(3), _MM_FROUND_NO_EXC);
        _mm512_storeu_ps(numbers, _mm512_scalef_ps(vector, vector));
    }
#pragma omp taskwait
}
#endif

int main(void) {
    float numbers[8];
    for (int i = 0; i < 8; ++i)
        numbers[i] = (float)i;
#pragma omp parallel
#pragma omp single
    if (IS_BETTER)
        twice_in_task(numbers);
    for (int i = 0; i < 8; ++i)
        printf("%g\n", IS_BETTER ? numbers[i] : 2 * numbers[i]);
    return 0;
}
