// SPDX-License-Identifier: Apache-2.0
// SHA-1 (RFC 3174) of one short message, as the UTS benchmark uses it: a state is five words,
// and a child's state is the digest of its parent's state followed by its index.
#ifndef HEDDLE_BENCH_UTS_SHA1_H
#define HEDDLE_BENCH_UTS_SHA1_H

#include <stdint.h>

// digest := SHA-1(state || index), 24 bytes, words big-endian. `digest` may be `state`.
void sha1_child(uint32_t digest[5], const uint32_t state[5], uint32_t index);

// digest := SHA-1(16 zero bytes || seed), 20 bytes: the state of a tree's root.
void sha1_root(uint32_t digest[5], uint32_t seed);

#endif
