// SPDX-License-Identifier: Apache-2.0
// Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4): numbers
// that lie near each other, or at equal distances, are put far apart.
// Called by whoever keeps something in a small table by an address, a name or a time; pure.
#pragma once

#include <cstdint>

namespace heddle::concurrent {

/// A product modulo 2^64 with 2^64 divided by the golden ratio. The high bits are the good ones.
constexpr uint64_t scattered(uint64_t x) { return x * 0x9e3779b97f4a7c15u; }

/// The `bits` best ones, 1 to 64: an index of a table of so many bits.
constexpr uint64_t scattered_bits(uint64_t x, int bits) { return scattered(x) >> (64 - bits); }

/// A fingerprint of a sequence: that of what came before, and the next value.
constexpr uint64_t mixed_in(uint64_t before, uint64_t value) { return scattered(before ^ value); }

} // namespace heddle::concurrent
