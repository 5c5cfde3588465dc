// SPDX-License-Identifier: Apache-2.0
// __kmpc_atomic_fixed{1,2,4,8}[u]_*: atomic constructs on integers, and compare-and-swap.
// Called by generated code of Intel's compilers, any thread. Lock-free unless misaligned.
// An unsigned name exists only where the result would differ. Ordering: see atomic.hpp.
// Facts: LLVM's OpenMP runtime interface.
#include "abi/kmp/atomic_operations.hpp"

using namespace heddle::abi::kmp;

#define HEDDLE_ATOMIC_SIGNED(type, T)                                                              \
    HEDDLE_ATOMIC(type, add, , T, T, Compute<Add>)                                                 \
    HEDDLE_ATOMIC(type, sub, , T, T, Compute<Sub>)                                                 \
    HEDDLE_ATOMIC(type, sub, _rev, T, T, Compute<Reverse<Sub>>)                                    \
    HEDDLE_ATOMIC(type, mul, , T, T, Compute<Mul>)                                                 \
    HEDDLE_ATOMIC(type, andb, , T, T, Compute<AndBits>)                                            \
    HEDDLE_ATOMIC(type, orb, , T, T, Compute<OrBits>)                                              \
    HEDDLE_ATOMIC(type, xor, , T, T, Compute<Xor>)                                                 \
    HEDDLE_ATOMIC(type, neqv, , T, T, Compute<Xor>)                                                \
    HEDDLE_ATOMIC(type, eqv, , T, T, Compute<Equivalent>)                                          \
    HEDDLE_ATOMIC(type, andl, , T, T, Compute<And>)                                                \
    HEDDLE_ATOMIC(type, orl, , T, T, Compute<Or>)                                                  \
    HEDDLE_ATOMIC(type, shl, , T, T, Compute<ShiftLeft>)                                           \
    HEDDLE_ATOMIC(type, shl, _rev, T, T, Compute<Reverse<ShiftLeft>>)                              \
    HEDDLE_ATOMIC(type, min, , T, T, Min)                                                          \
    HEDDLE_ATOMIC(type, max, , T, T, Max)                                                          \
    HEDDLE_ATOMIC_UPDATE(type##_mul_float8, T, double, Compute<Mul>)                               \
    HEDDLE_ATOMIC_UPDATE(type##_div_float8, T, double, Compute<Div>)                               \
    HEDDLE_ATOMIC_ACCESS(type, T)                                                                  \
    HEDDLE_ATOMIC_SWAP(type, T)

#define HEDDLE_ATOMIC_EITHER_SIGN(type, T)                                                         \
    HEDDLE_ATOMIC(type, div, , T, T, Compute<Div>)                                                 \
    HEDDLE_ATOMIC(type, div, _rev, T, T, Compute<Reverse<Div>>)                                    \
    HEDDLE_ATOMIC(type, shr, , T, T, Compute<ShiftRight>)                                          \
    HEDDLE_ATOMIC(type, shr, _rev, T, T, Compute<Reverse<ShiftRight>>)                             \
    HEDDLE_ATOMIC_QUAD(type, T)

/// *target becomes `desired` if it holds `expected`. The four of one size differ in what they tell:
/// whether it did or what it held before; and through `captured` what it held when the comparison
/// failed, or what it holds after the construct.
#define HEDDLE_ATOMIC_COMPARE(size, T)                                                             \
    HEDDLE_EXPORT bool __kmpc_atomic_bool_##size##_cas(const Ident*, Gtid, T* target, T expected,  \
                                                       T desired) {                                \
        return compare_and_swap(target, expected, desired).before == expected;                     \
    }                                                                                              \
    HEDDLE_EXPORT T __kmpc_atomic_val_##size##_cas(const Ident*, Gtid, T* target, T expected,      \
                                                   T desired) {                                    \
        return compare_and_swap(target, expected, desired).before;                                 \
    }                                                                                              \
    HEDDLE_EXPORT bool __kmpc_atomic_bool_##size##_cas_cpt(const Ident*, Gtid, T* target,          \
                                                           T expected, T desired, T* captured) {   \
        const T before = compare_and_swap(target, expected, desired).before;                       \
        if (before != expected)                                                                    \
            *captured = before;                                                                    \
        return before == expected;                                                                 \
    }                                                                                              \
    HEDDLE_EXPORT T __kmpc_atomic_val_##size##_cas_cpt(const Ident*, Gtid, T* target, T expected,  \
                                                       T desired, T* captured) {                   \
        const Step<T> step = compare_and_swap(target, expected, desired);                          \
        *captured = step.after;                                                                    \
        return step.before;                                                                        \
    }

namespace {

template <class T>
Step<T> compare_and_swap(T* target, T expected, T desired) {
    return update(target, [expected, desired](T& value) {
        if (value != expected)
            return false;
        value = desired;
        return true;
    });
}

} // namespace

HEDDLE_ATOMIC_SIGNED(fixed1, int8_t)
HEDDLE_ATOMIC_SIGNED(fixed2, int16_t)
HEDDLE_ATOMIC_SIGNED(fixed4, int32_t)
HEDDLE_ATOMIC_SIGNED(fixed8, int64_t)

HEDDLE_ATOMIC_EITHER_SIGN(fixed1, int8_t)
HEDDLE_ATOMIC_EITHER_SIGN(fixed2, int16_t)
HEDDLE_ATOMIC_EITHER_SIGN(fixed4, int32_t)
HEDDLE_ATOMIC_EITHER_SIGN(fixed8, int64_t)
HEDDLE_ATOMIC_EITHER_SIGN(fixed1u, uint8_t)
HEDDLE_ATOMIC_EITHER_SIGN(fixed2u, uint16_t)
HEDDLE_ATOMIC_EITHER_SIGN(fixed4u, uint32_t)
HEDDLE_ATOMIC_EITHER_SIGN(fixed8u, uint64_t)

HEDDLE_ATOMIC_COMPARE(1, int8_t)
HEDDLE_ATOMIC_COMPARE(2, int16_t)
HEDDLE_ATOMIC_COMPARE(4, int32_t)
HEDDLE_ATOMIC_COMPARE(8, int64_t)
