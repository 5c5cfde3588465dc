// SPDX-License-Identifier: Apache-2.0
// omp_*_lock routines (OpenMP 5.2 section 18.9) under both of libgomp's versions, C and Fortran.
// Called by user programs. OMP_3.0: a nestable lock belongs to the task; OMP_1.0: to the thread.
// omp_lock_t is 4 bytes in gcc's omp.h, omp_nest_lock_t 16, of which 8 are used.
#include "abi/export.hpp"
#include "abi/told_locks.hpp"

using namespace heddle;
using namespace heddle::abi;
using construct::NestLock;
using construct::SimpleLock;

namespace {

/// Who owns a nestable lock: the task region being executed, or the thread.
const void* current_task() { return team::self().current; }
const void* current_thread() { return team::self().worker; }

} // namespace

HEDDLE_EXPORT void omp_init_lock(SimpleLock* lock) { init(lock); }
HEDDLE_EXPORT void omp_init_lock_with_hint(SimpleLock* lock, int hint) {
    init(lock, static_cast<unsigned>(hint));
}
HEDDLE_EXPORT void omp_destroy_lock(SimpleLock* lock) { destroy(lock); }
HEDDLE_EXPORT void omp_set_lock(SimpleLock* lock) { set(lock); }
HEDDLE_EXPORT void omp_unset_lock(SimpleLock* lock) { unset(lock); }
HEDDLE_EXPORT int omp_test_lock(SimpleLock* lock) { return test(lock); }

HEDDLE_EXPORT void omp_init_nest_lock(NestLock* lock) { init(lock); }
HEDDLE_EXPORT void omp_init_nest_lock_with_hint(NestLock* lock, int hint) {
    init(lock, static_cast<unsigned>(hint));
}
HEDDLE_EXPORT void omp_destroy_nest_lock(NestLock* lock) { destroy(lock); }
HEDDLE_EXPORT void omp_set_nest_lock(NestLock* lock) { set(lock, current_task()); }
HEDDLE_EXPORT void omp_unset_nest_lock(NestLock* lock) { unset(lock); }
HEDDLE_EXPORT int omp_test_nest_lock(NestLock* lock) { return test(lock, current_task()); }

// Fortran. omp_lock_kind has 4 bytes and omp_nest_lock_kind 8, so both locks live in place.
HEDDLE_EXPORT void omp_init_lock_(SimpleLock* lock) { init(lock); }
HEDDLE_EXPORT void omp_init_lock_with_hint_(SimpleLock* lock, const int* hint) {
    init(lock, static_cast<unsigned>(*hint));
}
HEDDLE_EXPORT void omp_destroy_lock_(SimpleLock* lock) { destroy(lock); }
HEDDLE_EXPORT void omp_set_lock_(SimpleLock* lock) { set(lock); }
HEDDLE_EXPORT void omp_unset_lock_(SimpleLock* lock) { unset(lock); }
HEDDLE_EXPORT int omp_test_lock_(SimpleLock* lock) { return test(lock); }
HEDDLE_EXPORT void omp_init_nest_lock_(NestLock* lock) { init(lock); }
HEDDLE_EXPORT void omp_init_nest_lock_with_hint_(NestLock* lock, const int* hint) {
    init(lock, static_cast<unsigned>(*hint));
}
HEDDLE_EXPORT void omp_destroy_nest_lock_(NestLock* lock) { destroy(lock); }
HEDDLE_EXPORT void omp_set_nest_lock_(NestLock* lock) { set(lock, current_task()); }
HEDDLE_EXPORT void omp_unset_nest_lock_(NestLock* lock) { unset(lock); }
HEDDLE_EXPORT int omp_test_nest_lock_(NestLock* lock) { return test(lock, current_task()); }

// The OMP_1.0 versions, for programs linked before gcc 4.4: simple locks are the same, nestable
// ones belong to the thread.
#define HEDDLE_OLD(result, name, parameters)                                                       \
    HEDDLE_EXPORT __attribute__((symver(#name "@OMP_1.0"))) result heddle_old_##name parameters

HEDDLE_OLD(void, omp_init_lock, (SimpleLock * lock)) { init(lock); }
HEDDLE_OLD(void, omp_destroy_lock, (SimpleLock * lock)) { destroy(lock); }
HEDDLE_OLD(void, omp_set_lock, (SimpleLock * lock)) { set(lock); }
HEDDLE_OLD(void, omp_unset_lock, (SimpleLock * lock)) { unset(lock); }
HEDDLE_OLD(int, omp_test_lock, (SimpleLock * lock)) { return test(lock); }
HEDDLE_OLD(void, omp_init_nest_lock, (NestLock * lock)) { init(lock); }
HEDDLE_OLD(void, omp_destroy_nest_lock, (NestLock * lock)) { destroy(lock); }
HEDDLE_OLD(void, omp_set_nest_lock, (NestLock * lock)) { set(lock, current_thread()); }
HEDDLE_OLD(void, omp_unset_nest_lock, (NestLock * lock)) { unset(lock); }
HEDDLE_OLD(int, omp_test_nest_lock, (NestLock * lock)) { return test(lock, current_thread()); }
HEDDLE_OLD(void, omp_init_lock_, (SimpleLock * lock)) { init(lock); }
HEDDLE_OLD(void, omp_destroy_lock_, (SimpleLock * lock)) { destroy(lock); }
HEDDLE_OLD(void, omp_set_lock_, (SimpleLock * lock)) { set(lock); }
HEDDLE_OLD(void, omp_unset_lock_, (SimpleLock * lock)) { unset(lock); }
HEDDLE_OLD(int, omp_test_lock_, (SimpleLock * lock)) { return test(lock); }
HEDDLE_OLD(void, omp_init_nest_lock_, (NestLock * lock)) { init(lock); }
HEDDLE_OLD(void, omp_destroy_nest_lock_, (NestLock * lock)) { destroy(lock); }
HEDDLE_OLD(void, omp_set_nest_lock_, (NestLock * lock)) { set(lock, current_thread()); }
HEDDLE_OLD(void, omp_unset_nest_lock_, (NestLock * lock)) { unset(lock); }
HEDDLE_OLD(int, omp_test_nest_lock_, (NestLock * lock)) { return test(lock, current_thread()); }
