// SPDX-License-Identifier: Apache-2.0
// __kmpc_atomic_float{4,8,10,16}_* and __kmpc_atomic_cmplx{4,8,10,16}_*: atomic constructs on
// floating-point and complex variables; the number is the size of one part.
// Called by generated code of Intel's compilers, any thread. Lock-free for 4 and 8 bytes together.
// Ordering: see atomic.hpp. Facts: LLVM's OpenMP runtime interface.
#include "abi/kmp/atomic_operations.hpp"

using namespace heddle::abi::kmp;

namespace {

// C's complex types, because a struct of two x87 numbers would be returned in another place.
using Complex4 = _Complex float;
using Complex8 = _Complex double;
using Complex10 = _Complex long double;
#if defined(__SIZEOF_FLOAT128__)
typedef _Complex float Complex16 __attribute__((mode(TC)));
#else
using Complex16 = _Complex long double;
#endif

} // namespace

#define HEDDLE_ATOMIC_ARITHMETIC(type, T)                                                          \
    HEDDLE_ATOMIC(type, add, , T, T, Compute<Add>)                                                 \
    HEDDLE_ATOMIC(type, sub, , T, T, Compute<Sub>)                                                 \
    HEDDLE_ATOMIC(type, mul, , T, T, Compute<Mul>)                                                 \
    HEDDLE_ATOMIC(type, div, , T, T, Compute<Div>)                                                 \
    HEDDLE_ATOMIC(type, sub, _rev, T, T, Compute<Reverse<Sub>>)                                    \
    HEDDLE_ATOMIC(type, div, _rev, T, T, Compute<Reverse<Div>>)                                    \
    HEDDLE_ATOMIC_ACCESS(type, T)                                                                  \
    HEDDLE_ATOMIC_SWAP(type, T)

#define HEDDLE_ATOMIC_REAL(type, T)                                                                \
    HEDDLE_ATOMIC_ARITHMETIC(type, T)                                                              \
    HEDDLE_ATOMIC(type, min, , T, T, Min)                                                          \
    HEDDLE_ATOMIC(type, max, , T, T, Max)

HEDDLE_ATOMIC_REAL(float4, float)
HEDDLE_ATOMIC_REAL(float8, double)
HEDDLE_ATOMIC_REAL(float10, long double)
HEDDLE_ATOMIC_REAL(float16, Quad)

HEDDLE_ATOMIC_QUAD(float4, float)
HEDDLE_ATOMIC_QUAD(float8, double)
HEDDLE_ATOMIC_QUAD(float10, long double)

HEDDLE_ATOMIC_UPDATE(float4_add_float8, float, double, Compute<Add>)
HEDDLE_ATOMIC_UPDATE(float4_sub_float8, float, double, Compute<Sub>)
HEDDLE_ATOMIC_UPDATE(float4_mul_float8, float, double, Compute<Mul>)
HEDDLE_ATOMIC_UPDATE(float4_div_float8, float, double, Compute<Div>)

HEDDLE_ATOMIC_ARITHMETIC(cmplx8, Complex8)
HEDDLE_ATOMIC_ARITHMETIC(cmplx10, Complex10)
HEDDLE_ATOMIC_ARITHMETIC(cmplx16, Complex16)

// A captured pair of floats comes back through a pointer, not as the result; a read one does not.
#define HEDDLE_ATOMIC_COMPLEX4(operation, kind, change)                                            \
    HEDDLE_ATOMIC_UPDATE(cmplx4_##operation##kind, Complex4, Complex4, change)                     \
    HEDDLE_EXPORT void __kmpc_atomic_cmplx4_##operation##_cpt##kind(                               \
        const Ident*, Gtid, Complex4* target, Complex4 operand, Complex4* captured,                \
        int32_t after) {                                                                           \
        const Step<Complex4> step = change::on(target, operand);                                   \
        *captured = after ? step.after : step.before;                                              \
    }

HEDDLE_ATOMIC_COMPLEX4(add, , Compute<Add>)
HEDDLE_ATOMIC_COMPLEX4(sub, , Compute<Sub>)
HEDDLE_ATOMIC_COMPLEX4(mul, , Compute<Mul>)
HEDDLE_ATOMIC_COMPLEX4(div, , Compute<Div>)
HEDDLE_ATOMIC_COMPLEX4(sub, _rev, Compute<Reverse<Sub>>)
HEDDLE_ATOMIC_COMPLEX4(div, _rev, Compute<Reverse<Div>>)
HEDDLE_ATOMIC_ACCESS(cmplx4, Complex4)

HEDDLE_EXPORT void __kmpc_atomic_cmplx4_swp(const Ident*, Gtid, Complex4* target, Complex4 value,
                                            Complex4* captured) {
    *captured = swap(target, value);
}

HEDDLE_ATOMIC_UPDATE(cmplx4_add_cmplx8, Complex4, Complex8, Compute<Add>)
HEDDLE_ATOMIC_UPDATE(cmplx4_sub_cmplx8, Complex4, Complex8, Compute<Sub>)
HEDDLE_ATOMIC_UPDATE(cmplx4_mul_cmplx8, Complex4, Complex8, Compute<Mul>)
HEDDLE_ATOMIC_UPDATE(cmplx4_div_cmplx8, Complex4, Complex8, Compute<Div>)
