/* SPDX-License-Identifier: Apache-2.0
 * No update of a kmpc atomic entry point is lost when threads meet on one variable, whichever
 * entries they use. Started by test_kmp_atomics.py; exits with 0 when all is well. */
#include "kmp_atomics.h"

#include <stdlib.h>

void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

enum { threads = 4, rounds = 100000, all = threads * rounds };

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* All threads begin together, so that even short rounds meet. */
#define IN_PARALLEL(...)                                                                           \
    _Pragma("omp parallel num_threads(threads)") {                                                 \
        _Pragma("omp barrier") for (int round = 0; round < rounds; round++) { __VA_ARGS__ }        \
    }

/* Every thread adds 1, on an aligned variable and on one that is not. */
#define COUNT(T, operation, U)                                                                     \
    for (int offset = 0; offset < 2; offset++) {                                                   \
        void __kmpc_atomic_##T##_##operation(const void*, int, T*, U);                             \
        _Alignas(32) static char room[32 + 1];                                                     \
        T *p = (T*)(room + offset), sum = 0;                                                       \
        memcpy(p, &sum, sizeof sum);                                                               \
        IN_PARALLEL(__kmpc_atomic_##T##_##operation(NULL, 0, p, 1);)                               \
        memcpy(&sum, p, sizeof sum);                                                               \
        CHECK(sum == (T)all);                                                                      \
    }

/* Every value that is given out is given out once. */
#define TICKETS(T)                                                                                 \
    {                                                                                              \
        T __kmpc_atomic_##T##_add_cpt(const void*, int, T*, T, int);                               \
        static T next;                                                                             \
        static char taken[all + 1];                                                                \
        IN_PARALLEL({                                                                              \
            const long mine = __kmpc_atomic_##T##_add_cpt(NULL, 0, &next, 1, 1);                   \
            CHECK(mine >= 1 && mine <= all);                                                       \
            CHECK(!__atomic_exchange_n(&taken[mine], 1, __ATOMIC_RELAXED));                        \
        })                                                                                         \
        CHECK(next == all);                                                                        \
    }

/* What is swapped out, and what stays, is all that was put in. */
#define SWAPS(T)                                                                                   \
    {                                                                                              \
        T __kmpc_atomic_##T##_swp(const void*, int, T*, T);                                        \
        static T variable;                                                                         \
        static char seen[all + 1];                                                                 \
        int next = 0;                                                                              \
        IN_PARALLEL({                                                                              \
            const int mine = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);                       \
            const int out = (int)__kmpc_atomic_##T##_swp(NULL, 0, &variable, mine);                \
            CHECK(out >= 0 && out <= all);                                                         \
            CHECK(!__atomic_exchange_n(&seen[out], 1, __ATOMIC_RELAXED));                          \
        })                                                                                         \
        CHECK(!seen[(int)variable]);                                                               \
    }

/* The extremes of all the values that the threads offer. */
#define EXTREMES(T)                                                                                \
    {                                                                                              \
        void __kmpc_atomic_##T##_max(const void*, int, T*, T);                                     \
        void __kmpc_atomic_##T##_min(const void*, int, T*, T);                                     \
        static T high;                                                                             \
        static T low;                                                                              \
        int next = 0;                                                                              \
        IN_PARALLEL({                                                                              \
            const T mine = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);                         \
            __kmpc_atomic_##T##_max(NULL, 0, &high, mine);                                         \
            __kmpc_atomic_##T##_min(NULL, 0, &low, -mine);                                         \
        })                                                                                         \
        CHECK(high == all && low == -(T)all);                                                      \
    }

static void add_int32(void* result, void* left, void* right) {
    *(int32_t*)result = *(int32_t*)left + *(int32_t*)right;
}

static void add_float10(void* result, void* left, void* right) {
    *(float10*)result = *(float10*)left + *(float10*)right;
}

/* Entry points of different kinds on one variable of 4 bytes, with the compiler's own atomics. */
static void mixed_word(void) {
    void __kmpc_atomic_4(const void*, int, void*, void*, operation*);
    void __kmpc_atomic_fixed4_sub_rev(const void*, int, fixed4*, fixed4);
    void __kmpc_atomic_fixed4_mul_float8(const void*, int, fixed4*, float8);
    fixed4 __kmpc_atomic_fixed4_xor_cpt(const void*, int, fixed4*, fixed4, int);
    bool __kmpc_atomic_bool_4_cas(const void*, int, fixed4*, fixed4, fixed4);
    fixed4 __kmpc_atomic_fixed4_rd(const void*, int, fixed4*);
    void __kmpc_atomic_fixed4_add_fp(const void*, int, fixed4*, float16);
    static fixed4 sum;
    IN_PARALLEL({
        fixed4 two = 2, seen;
        __kmpc_atomic_4(NULL, 0, &sum, &two, add_int32);
        do
            seen = __kmpc_atomic_fixed4_rd(NULL, 0, &sum);
        while (!__kmpc_atomic_bool_4_cas(NULL, 0, &sum, seen, seen + 3));
        __kmpc_atomic_fixed4_add_fp(NULL, 0, &sum, 4);
        __kmpc_atomic_fixed4_mul_float8(NULL, 0, &sum, 1);
        __atomic_fetch_add(&sum, 5, __ATOMIC_RELAXED);
    })
    CHECK(sum == all * (2 + 3 + 4 + 5));
    IN_PARALLEL(__kmpc_atomic_fixed4_sub_rev(NULL, 0, &sum, 0);)
    CHECK(sum == all * (2 + 3 + 4 + 5));
    IN_PARALLEL(__kmpc_atomic_fixed4_xor_cpt(NULL, 0, &sum, 1 << round % 20, 0);)
    CHECK(sum == all * (2 + 3 + 4 + 5));
}

/* What has no atomic word is excluded from both compilers' atomic regions too. */
static void mixed_region(void) {
    void __kmpc_atomic_16(const void*, int, void*, void*, operation*);
    void __kmpc_atomic_float10_add(const void*, int, float10*, float10);
    void __kmpc_atomic_float10_sub_fp(const void*, int, float10*, float16);
    static float10 sum;
    IN_PARALLEL({
        float10 two = 2;
        __kmpc_atomic_16(NULL, 0, &sum, &two, add_float10);
        __kmpc_atomic_float10_add(NULL, 0, &sum, 3);
        __kmpc_atomic_float10_sub_fp(NULL, 0, &sum, -4);
        __kmpc_atomic_start();
        sum += 5;
        __kmpc_atomic_end();
        GOMP_atomic_start();
        sum += 6;
        GOMP_atomic_end();
    })
    CHECK(sum == all * (2 + 3 + 4 + 5 + 6));
}

int main(void) {
    COUNT(fixed1, add, fixed1)
    COUNT(fixed2, add, fixed2)
    COUNT(fixed4, add, fixed4)
    COUNT(fixed8, add, fixed8)
    COUNT(fixed1u, add_fp, float16)
    COUNT(fixed2u, add_fp, float16)
    COUNT(fixed4u, add_fp, float16)
    COUNT(fixed8u, add_fp, float16)
    COUNT(float4, add, float4)
    COUNT(float8, add, float8)
    COUNT(float10, add, float10)
    COUNT(float16, add, float16)
    COUNT(float4, add_float8, float8)
    COUNT(float10, add_fp, float16)
    COUNT(cmplx4, add, cmplx4)
    COUNT(cmplx8, add, cmplx8)
    COUNT(cmplx10, add, cmplx10)
    COUNT(cmplx16, add, cmplx16)
    COUNT(cmplx4, add_cmplx8, cmplx8)
    TICKETS(fixed4)
    TICKETS(fixed8)
    TICKETS(float4)
    TICKETS(float8)
    TICKETS(float10)
    TICKETS(float16)
    SWAPS(fixed4)
    SWAPS(fixed8)
    SWAPS(float4)
    SWAPS(float10)
    SWAPS(float16)
    EXTREMES(fixed4)
    EXTREMES(fixed8)
    EXTREMES(float4)
    EXTREMES(float8)
    EXTREMES(float10)
    EXTREMES(float16)
    mixed_word();
    mixed_region();
    return 0;
}
