/* SPDX-License-Identifier: Apache-2.0
 * Macros that call one kmpc atomic entry point and compare with what C's own arithmetic gives.
 * Included by the programs that test_kmp_atomics.py generates. Every call is made on a variable
 * that is aligned and on one that is not, with untouched bytes on both sides; nothing is checked in
 * parallel here. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Types by the names that the entry points have for them. */
typedef int8_t fixed1;
typedef int16_t fixed2;
typedef int32_t fixed4;
typedef int64_t fixed8;
typedef uint8_t fixed1u;
typedef uint16_t fixed2u;
typedef uint32_t fixed4u;
typedef uint64_t fixed8u;
typedef float float4;
typedef double float8;
typedef long double float10;
typedef __float128 float16;
typedef _Complex float cmplx4;
typedef _Complex double cmplx8;
typedef _Complex long double cmplx10;
typedef _Complex float cmplx16 __attribute__((mode(TC)));

static int failures;

static inline void fail(const char* name, const char* operands, int offset, const char* what) {
    if (++failures <= 20)
        fprintf(stderr, "%s(%s) at offset %d: wrong %s\n", name, operands, offset, what);
}

#define SAME(a, b) ((a) == (b) || ((a) != (a) && (b) != (b)))

/* Runs a body with `p` pointing to a T that holds x, and checks what it holds afterwards. */
#define ON_VARIABLE(name, operands, T, holds, expected, ...)                                       \
    for (int offset = 0; offset < 2; offset++) {                                                   \
        _Alignas(32) char room[32 + 32 + 32 + 1];                                                  \
        memset(room, 0x5a, sizeof room);                                                           \
        T *p = (T*)(room + 32 + offset), x = (holds), seen;                                        \
        memcpy(p, &x, sizeof x);                                                                   \
        __VA_ARGS__                                                                                \
        memcpy(&seen, p, sizeof x);                                                                \
        const T wanted = (expected);                                                               \
        if (!SAME(seen, wanted))                                                                   \
            fail(#name, operands, offset, "value");                                                \
        for (char* byte = room; byte < room + sizeof room; byte++)                                 \
            if ((byte < (char*)p || byte >= (char*)(p + 1)) && *byte != 0x5a)                      \
                fail(#name, operands, offset, "neighbour");                                        \
    }

#define RETURNS(name, operands, got, wanted)                                                       \
    if (!SAME(got, wanted))                                                                        \
        fail(#name, operands, offset, "result");

#define UPDATE(name, T, U, left, right, expression)                                                \
    {                                                                                              \
        void name(const void*, int, T*, U);                                                        \
        volatile U y = (right);                                                                    \
        ON_VARIABLE(name, #left ", " #right, T, left, (T)(expression), name(NULL, 0, p, y);)       \
    }

#define CAPTURE(name, T, U, left, right, expression)                                               \
    {                                                                                              \
        T name(const void*, int, T*, U, int);                                                      \
        volatile U y = (right);                                                                    \
        for (int after = 0; after < 2; after++)                                                    \
            ON_VARIABLE(name, #left ", " #right, T, left, (T)(expression), {                       \
                const T got = name(NULL, 0, p, y, after);                                          \
                RETURNS(name, #left ", " #right, got, after ? (T)(expression) : x)                 \
            })                                                                                     \
    }

#define CAPTURE_BY_POINTER(name, T, U, left, right, expression)                                    \
    {                                                                                              \
        void name(const void*, int, T*, U, T*, int);                                               \
        volatile U y = (right);                                                                    \
        for (int after = 0; after < 2; after++)                                                    \
            ON_VARIABLE(name, #left ", " #right, T, left, (T)(expression), {                       \
                T got = 0;                                                                         \
                name(NULL, 0, p, y, &got, after);                                                  \
                RETURNS(name, #left ", " #right, got, after ? (T)(expression) : x)                 \
            })                                                                                     \
    }

#define READ(name, T)                                                                              \
    {                                                                                              \
        T name(const void*, int, T*);                                                              \
        ON_VARIABLE(name, "77", T, 77, x, RETURNS(name, "77", name(NULL, 0, p), x))                \
    }

#define WRITE(name, T)                                                                             \
    {                                                                                              \
        void name(const void*, int, T*, T);                                                        \
        ON_VARIABLE(name, "77, 33", T, 77, 33, name(NULL, 0, p, 33);)                              \
    }

#define SWAP(name, T)                                                                              \
    {                                                                                              \
        T name(const void*, int, T*, T);                                                           \
        ON_VARIABLE(name, "77, 33", T, 77, 33, RETURNS(name, "77, 33", name(NULL, 0, p, 33), x))   \
    }

#define SWAP_BY_POINTER(name, T)                                                                   \
    {                                                                                              \
        void name(const void*, int, T*, T, T*);                                                    \
        ON_VARIABLE(name, "77, 33", T, 77, 33, {                                                   \
            T got = 0;                                                                             \
            name(NULL, 0, p, 33, &got);                                                            \
            RETURNS(name, "77, 33", got, x)                                                        \
        })                                                                                         \
    }

#define BOOL_CAS(name, T)                                                                          \
    {                                                                                              \
        bool name(const void*, int, T*, T, T);                                                     \
        ON_VARIABLE(name, "77, 77, -3", T, 77, -3,                                                 \
                    RETURNS(name, "77, 77, -3", name(NULL, 0, p, 77, -3), true))                   \
        ON_VARIABLE(name, "77, 78, -3", T, 77, 77,                                                 \
                    RETURNS(name, "77, 78, -3", name(NULL, 0, p, 78, -3), false))                  \
    }

#define VAL_CAS(name, T)                                                                           \
    {                                                                                              \
        T name(const void*, int, T*, T, T);                                                        \
        ON_VARIABLE(name, "-7, -7, 3", T, -7, 3,                                                   \
                    RETURNS(name, "-7, -7, 3", name(NULL, 0, p, -7, 3), -7))                       \
        ON_VARIABLE(name, "-7, -8, 3", T, -7, -7,                                                  \
                    RETURNS(name, "-7, -8, 3", name(NULL, 0, p, -8, 3), -7))                       \
    }

/* Captures when the comparison fails, and leaves the captured variable alone when it does not. */
#define BOOL_CAS_CPT(name, T)                                                                      \
    {                                                                                              \
        bool name(const void*, int, T*, T, T, T*);                                                 \
        ON_VARIABLE(name, "77, 77, -3", T, 77, -3, {                                               \
            T captured = 55;                                                                       \
            RETURNS(name, "77, 77, -3", name(NULL, 0, p, 77, -3, &captured), true)                 \
            RETURNS(name, "77, 77, -3", captured, 55)                                              \
        })                                                                                         \
        ON_VARIABLE(name, "77, 78, -3", T, 77, 77, {                                               \
            T captured = 55;                                                                       \
            RETURNS(name, "77, 78, -3", name(NULL, 0, p, 78, -3, &captured), false)                \
            RETURNS(name, "77, 78, -3", captured, 77)                                              \
        })                                                                                         \
    }

/* Captures what the variable holds after the comparison, and returns what it held before. */
#define VAL_CAS_CPT(name, T)                                                                       \
    {                                                                                              \
        T name(const void*, int, T*, T, T, T*);                                                    \
        ON_VARIABLE(name, "-7, -7, 3", T, -7, 3, {                                                 \
            T captured = 55;                                                                       \
            RETURNS(name, "-7, -7, 3", name(NULL, 0, p, -7, 3, &captured), -7)                     \
            RETURNS(name, "-7, -7, 3", captured, 3)                                                \
        })                                                                                         \
        ON_VARIABLE(name, "-7, -8, 3", T, -7, -7, {                                                \
            T captured = 55;                                                                       \
            RETURNS(name, "-7, -8, 3", name(NULL, 0, p, -8, 3, &captured), -7)                     \
            RETURNS(name, "-7, -8, 3", captured, -7)                                               \
        })                                                                                         \
    }

/* An operation for the generic entry points: adds byte by byte. The result may be the left operand.
 */
#define DEFINE_ADD_BYTES(size)                                                                     \
    static inline void add_bytes_##size(void* result, void* left, void* right) {                   \
        for (int i = 0; i < size; i++)                                                             \
            ((unsigned char*)result)[i] = ((unsigned char*)left)[i] + ((unsigned char*)right)[i];  \
    }
DEFINE_ADD_BYTES(1)
DEFINE_ADD_BYTES(2)
DEFINE_ADD_BYTES(4)
DEFINE_ADD_BYTES(8)
DEFINE_ADD_BYTES(10)
DEFINE_ADD_BYTES(16)
DEFINE_ADD_BYTES(20)
DEFINE_ADD_BYTES(32)

typedef void operation(void* result, void* left, void* right);

#define GENERIC(name, size)                                                                        \
    for (int offset = 0; offset < 2; offset++) {                                                   \
        void name(const void*, int, void*, void*, operation*);                                     \
        _Alignas(32) unsigned char room[32 + 1], operand[size];                                    \
        memset(room, 200, sizeof room);                                                            \
        memset(operand, 99, size);                                                                 \
        name(NULL, 0, room + offset, operand, add_bytes_##size);                                   \
        for (int i = 0; i < 32 + 1; i++)                                                           \
            if (room[i] != (i >= offset && i < offset + size ? (200 + 99) % 256 : 200))            \
                fail(#name, "200, 99", offset, "value");                                           \
    }
