// SPDX-License-Identifier: Apache-2.0
// The critical construct (OpenMP 5.2 section 15.2). A hint changes nothing: the one kind of lock
// spins, then sleeps.
// Called by generated code on any thread.
#include "abi/kmp/critical.hpp"

#include "construct/told_mutex.hpp"

using namespace heddle;
using abi::kmp::CriticalName;
using abi::kmp::Gtid;
using abi::kmp::Ident;

HEDDLE_EXPORT void __kmpc_critical(Ident*, Gtid, CriticalName* name) {
    if (HEDDLE_UNLIKELY(tool::has_tool()))
        return construct::told_lock(name->lock, ompt_mutex_critical, tool::WaitKind::critical,
                                    __builtin_return_address(0));
    construct::acquire(name->lock);
}

HEDDLE_EXPORT void __kmpc_critical_with_hint(Ident*, Gtid, CriticalName* name, uint32_t hint) {
    if (HEDDLE_UNLIKELY(tool::has_tool()))
        return construct::told_lock(name->lock, ompt_mutex_critical, tool::WaitKind::critical,
                                    __builtin_return_address(0), hint);
    construct::acquire(name->lock);
}

HEDDLE_EXPORT void __kmpc_end_critical(Ident*, Gtid, CriticalName* name) {
    construct::release(name->lock, ompt_mutex_critical, __builtin_return_address(0));
}
