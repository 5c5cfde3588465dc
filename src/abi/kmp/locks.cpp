// SPDX-License-Identifier: Apache-2.0
// Locks by their kmpc names, which icc and ifort generate for the omp_*_lock routines. The storage
// is the same, so a lock may be used by either name. A hint changes nothing.
// Called by generated code on any thread; a nestable lock belongs to the task.
#include "abi/kmp/ident.hpp"
#include "abi/told_locks.hpp"

using namespace heddle;
using namespace heddle::abi;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using construct::NestLock;
using construct::SimpleLock;

HEDDLE_EXPORT void __kmpc_init_lock(Ident*, Gtid, SimpleLock* lock) { init(lock); }
HEDDLE_EXPORT void __kmpc_init_lock_with_hint(Ident*, Gtid, SimpleLock* lock, uintptr_t hint) {
    init(lock, static_cast<unsigned>(hint));
}
HEDDLE_EXPORT void __kmpc_destroy_lock(Ident*, Gtid, SimpleLock* lock) { destroy(lock); }
HEDDLE_EXPORT void __kmpc_set_lock(Ident*, Gtid, SimpleLock* lock) { set(lock); }
HEDDLE_EXPORT void __kmpc_unset_lock(Ident*, Gtid, SimpleLock* lock) { unset(lock); }
HEDDLE_EXPORT int32_t __kmpc_test_lock(Ident*, Gtid, SimpleLock* lock) { return test(lock); }

HEDDLE_EXPORT void __kmpc_init_nest_lock(Ident*, Gtid, NestLock* lock) { init(lock); }
HEDDLE_EXPORT void __kmpc_init_nest_lock_with_hint(Ident*, Gtid, NestLock* lock, uintptr_t hint) {
    init(lock, static_cast<unsigned>(hint));
}
HEDDLE_EXPORT void __kmpc_destroy_nest_lock(Ident*, Gtid, NestLock* lock) { destroy(lock); }
HEDDLE_EXPORT void __kmpc_set_nest_lock(Ident*, Gtid, NestLock* lock) {
    set(lock, team::self().current);
}
HEDDLE_EXPORT void __kmpc_unset_nest_lock(Ident*, Gtid, NestLock* lock) { unset(lock); }
HEDDLE_EXPORT int32_t __kmpc_test_nest_lock(Ident*, Gtid, NestLock* lock) {
    return test(lock, team::self().current);
}
