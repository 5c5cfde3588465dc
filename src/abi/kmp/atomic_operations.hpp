// SPDX-License-Identifier: Apache-2.0
// The operations of the kmpc atomic entry points, and the macros that make entry points of them.
// Included by atomic_integer.cpp and atomic_floating.cpp; pure functions of two operands, except
// for the last part. An operation is computed in the type of the right operand, which is the
// variable's own or wider, as in C. Integers wrap around, and shift counts are taken modulo the
// width.
#pragma once

#include "abi/kmp/atomic.hpp"
#include "abi/kmp/ident.hpp"

namespace heddle::abi::kmp {

#if defined(__SIZEOF_FLOAT128__)
using Quad = __float128;
#else
using Quad = long double; // where that is the IEEE format of 128 bits
#endif

/// T's unsigned arithmetic type: at least `unsigned`, since smaller ones would be promoted to int.
template <class T>
using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

struct Add {
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
        else
            return a + b;
    }
};

struct Sub {
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
        else
            return a - b;
    }
};

struct Mul {
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
        else
            return a * b;
    }
};

struct Div {
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
            if (b == -1) // the one quotient that can overflow
                return Sub::of(T{0}, a);
        return static_cast<T>(a / b);
    }
};

struct AndBits {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
};

struct OrBits {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};

struct Xor {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};

struct Equivalent {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(~(a ^ b));
    }
};

struct And {
    template <class T>
    static T of(T a, T b) {
        return a && b;
    }
};

struct Or {
    template <class T>
    static T of(T a, T b) {
        return a || b;
    }
};

/// A shift count within the width of the promoted type, as the processor sees it.
template <class T>
unsigned shift_count(T count) {
    return static_cast<unsigned>(count) % (8 * sizeof(Wide<T>));
}

struct ShiftLeft {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(static_cast<Wide<T>>(a) << shift_count(b));
    }
};

struct ShiftRight {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a >> shift_count(b));
    }
};

/// Op with its operands the other way round.
template <class Op>
struct Reverse {
    template <class T>
    static T of(T a, T b) {
        return Op::of(b, a);
    }
};

/// x = x Op operand.
template <class Op>
struct Compute {
    template <class T, class U>
    static Step<T> on(T* target, U operand) {
        return update(target, [operand](T& value) {
            value = static_cast<T>(Op::of(static_cast<U>(value), operand));
            return true;
        });
    }
};

/// x = the smaller one. What is small enough, or cannot be compared, is not written.
struct Min {
    template <class T>
    static Step<T> on(T* target, T operand) {
        return update(target, [operand](T& value) {
            const bool replace = operand < value;
            value = replace ? operand : value;
            return replace;
        });
    }
};

/// x = the larger one. What is large enough, or cannot be compared, is not written.
struct Max {
    template <class T>
    static Step<T> on(T* target, T operand) {
        return update(target, [operand](T& value) {
            const bool replace = value < operand;
            value = replace ? operand : value;
            return replace;
        });
    }
};

} // namespace heddle::abi::kmp

/// __kmpc_atomic_<name>(): *target is changed by `change` with an operand of type U.
#define HEDDLE_ATOMIC_UPDATE(name, T, U, change)                                                   \
    HEDDLE_EXPORT void __kmpc_atomic_##name(const Ident*, Gtid, T* target, U operand) {            \
        change::on(target, operand);                                                               \
    }

/// The same with a result: what *target held after the update, or before it when `after` is 0.
#define HEDDLE_ATOMIC_CAPTURE(name, T, U, change)                                                  \
    HEDDLE_EXPORT T __kmpc_atomic_##name(const Ident*, Gtid, T* target, U operand,                 \
                                         int32_t after) {                                          \
        const Step<T> step = change::on(target, operand);                                          \
        return after ? step.after : step.before;                                                   \
    }

/// Both of one operation. `kind` is what ends their names: nothing, _rev, _fp or _rev_fp.
#define HEDDLE_ATOMIC(type, operation, kind, T, U, change)                                         \
    HEDDLE_ATOMIC_UPDATE(type##_##operation##kind, T, U, change)                                   \
    HEDDLE_ATOMIC_CAPTURE(type##_##operation##_cpt##kind, T, U, change)

/// The operations on T with an operand of the widest floating-point type, computed in that type.
#define HEDDLE_ATOMIC_QUAD(type, T)                                                                \
    HEDDLE_ATOMIC(type, add, _fp, T, Quad, Compute<Add>)                                           \
    HEDDLE_ATOMIC(type, sub, _fp, T, Quad, Compute<Sub>)                                           \
    HEDDLE_ATOMIC(type, mul, _fp, T, Quad, Compute<Mul>)                                           \
    HEDDLE_ATOMIC(type, div, _fp, T, Quad, Compute<Div>)                                           \
    HEDDLE_ATOMIC(type, sub, _rev_fp, T, Quad, Compute<Reverse<Sub>>)                              \
    HEDDLE_ATOMIC(type, div, _rev_fp, T, Quad, Compute<Reverse<Div>>)

/// Reading and writing.
#define HEDDLE_ATOMIC_ACCESS(type, T)                                                              \
    HEDDLE_EXPORT T __kmpc_atomic_##type##_rd(const Ident*, Gtid, T* target) {                     \
        return read(target);                                                                       \
    }                                                                                              \
    HEDDLE_EXPORT void __kmpc_atomic_##type##_wr(const Ident*, Gtid, T* target, T value) {         \
        swap(target, value);                                                                       \
    }

/// Swapping, with what was there as the result.
#define HEDDLE_ATOMIC_SWAP(type, T)                                                                \
    HEDDLE_EXPORT T __kmpc_atomic_##type##_swp(const Ident*, Gtid, T* target, T value) {           \
        return swap(target, value);                                                                \
    }
