// SPDX-License-Identifier: Apache-2.0
// __kmpc_atomic_start/_end, and __kmpc_atomic_{1,2,4,8,10,16,20,32}: atomic constructs whose
// operation generated code brings along as a function of (result, left operand, right operand).
// Called by generated code of Intel's compilers, any thread. Ordering: see atomic.hpp; the region
// is the one of GOMP_atomic_start. Facts: LLVM's OpenMP runtime interface.
#include "abi/kmp/atomic.hpp"
#include "abi/kmp/ident.hpp"
#include "construct/critical.hpp"

namespace heddle::abi::kmp {

void enter_atomic_region() { construct::acquire_atomic_region(); }
void leave_atomic_region() { construct::atomic_region.lock.unlock(); }

} // namespace heddle::abi::kmp

using namespace heddle::abi::kmp;

namespace {

using Operation = void (*)(void* result, void* left, void* right);

void apply_in_region(void* target, void* operand, Operation operation) {
    enter_atomic_region();
    operation(target, target, operand);
    leave_atomic_region();
}

/// The same for a size that has an atomic word.
template <class Bits>
void apply(void* target, void* operand, Operation operation) {
    update(static_cast<Bits*>(target), [=](Bits& value) {
        Bits before = value;
        operation(&value, &before, operand);
        return true;
    });
}

} // namespace

#define HEDDLE_ATOMIC_GENERIC(size, function)                                                      \
    HEDDLE_EXPORT void __kmpc_atomic_##size(const Ident*, Gtid, void* target, void* operand,       \
                                            Operation operation) {                                 \
        function(target, operand, operation);                                                      \
    }

HEDDLE_ATOMIC_GENERIC(1, apply<uint8_t>)
HEDDLE_ATOMIC_GENERIC(2, apply<uint16_t>)
HEDDLE_ATOMIC_GENERIC(4, apply<uint32_t>)
HEDDLE_ATOMIC_GENERIC(8, apply<uint64_t>)
HEDDLE_ATOMIC_GENERIC(10, apply_in_region)
HEDDLE_ATOMIC_GENERIC(16, apply_in_region)
HEDDLE_ATOMIC_GENERIC(20, apply_in_region)
HEDDLE_ATOMIC_GENERIC(32, apply_in_region)

HEDDLE_EXPORT void __kmpc_atomic_start() { enter_atomic_region(); }
HEDDLE_EXPORT void __kmpc_atomic_end() { leave_atomic_region(); }
