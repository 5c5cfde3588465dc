// SPDX-License-Identifier: Apache-2.0
// One-block SHA-1 (RFC 3174, section 6.1), all 80 rounds unrolled over a 16-word schedule.
// Both messages fit one block and most of their padding is zero, which the compiler sees
// because compress() is inlined into its two callers. Plain C on purpose: the benchmark wants
// the cost per node that the papers had, not the CPU's SHA instructions.
#include "sha1.h"

static inline uint32_t rotate(uint32_t word, int bits) {
    return (word << bits) | (word >> (32 - bits));
}

#define CHOOSE(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define PARITY(b, c, d) ((b) ^ (c) ^ (d))
#define MAJORITY(b, c, d) (((b) & (c)) | ((d) & ((b) | (c))))

// Word t of the schedule: given for t < 16, afterwards computed in place.
#define GIVEN(t) w[t]
#define MIXED(t)                                                                              \
    (w[(t)&15] = rotate(w[((t) + 13) & 15] ^ w[((t) + 8) & 15] ^ w[((t) + 2) & 15] ^ w[(t)&15], 1))

#define ROUND(a, b, c, d, e, f, k, word)                                                      \
    e += rotate(a, 5) + f(b, c, d) + (k) + (word);                                            \
    b = rotate(b, 30);

// Five rounds bring the five registers back to their places.
#define FIVE(f, k, word, t)                                                                   \
    ROUND(a, b, c, d, e, f, k, word(t))                                                       \
    ROUND(e, a, b, c, d, f, k, word((t) + 1))                                                 \
    ROUND(d, e, a, b, c, f, k, word((t) + 2))                                                 \
    ROUND(c, d, e, a, b, f, k, word((t) + 3))                                                 \
    ROUND(b, c, d, e, a, f, k, word((t) + 4))

#define TWENTY(f, k, word, t)                                                                 \
    FIVE(f, k, word, t)                                                                       \
    FIVE(f, k, word, (t) + 5)                                                                 \
    FIVE(f, k, word, (t) + 10)                                                                \
    FIVE(f, k, word, (t) + 15)

static inline __attribute__((always_inline)) void compress(uint32_t digest[5], uint32_t w[16]) {
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;

    FIVE(CHOOSE, 0x5a827999, GIVEN, 0)
    FIVE(CHOOSE, 0x5a827999, GIVEN, 5)
    FIVE(CHOOSE, 0x5a827999, GIVEN, 10)
    ROUND(a, b, c, d, e, CHOOSE, 0x5a827999, GIVEN(15))
    ROUND(e, a, b, c, d, CHOOSE, 0x5a827999, MIXED(16))
    ROUND(d, e, a, b, c, CHOOSE, 0x5a827999, MIXED(17))
    ROUND(c, d, e, a, b, CHOOSE, 0x5a827999, MIXED(18))
    ROUND(b, c, d, e, a, CHOOSE, 0x5a827999, MIXED(19))
    TWENTY(PARITY, 0x6ed9eba1, MIXED, 20)
    TWENTY(MAJORITY, 0x8f1bbcdc, MIXED, 40)
    TWENTY(PARITY, 0xca62c1d6, MIXED, 60)

    digest[0] = 0x67452301 + a;
    digest[1] = 0xefcdab89 + b;
    digest[2] = 0x98badcfe + c;
    digest[3] = 0x10325476 + d;
    digest[4] = 0xc3d2e1f0 + e;
}

void sha1_child(uint32_t digest[5], const uint32_t state[5], uint32_t index) {
    uint32_t w[16] = {state[0], state[1], state[2], state[3],   state[4], index,
                      0x80000000, 0,      0,        0,          0,        0,
                      0,          0,      0,        24 * 8};
    compress(digest, w);
}

void sha1_root(uint32_t digest[5], uint32_t seed) {
    uint32_t w[16] = {0, 0, 0, 0, seed, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8};
    compress(digest, w);
}
