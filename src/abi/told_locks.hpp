// SPDX-License-Identifier: Apache-2.0
// What the lock routines do, by all of their names. Included by omp/locks and kmp/locks; each is
// inlined into its entry points, so that a tool hears where the program called them.
#pragma once

#include "construct/told_mutex.hpp"

namespace heddle::abi {

using construct::NestLock;
using construct::SimpleLock;

#define HEDDLE_INLINE [[gnu::always_inline]] inline
#define HEDDLE_TOLD HEDDLE_UNLIKELY(tool::has_tool())
#define HEDDLE_CODE __builtin_return_address(0)

/// Making a lock may be the first that a program wants of us.
inline void look_for_tool() {
    if (HEDDLE_UNLIKELY(!team::self_or_null()) && tool::start_tool) {
        tool::start_tool();
        if (tool::has_tool())
            team::self();
    }
}

HEDDLE_INLINE void init(SimpleLock* lock, unsigned hint = 0) {
    ::new (lock) SimpleLock;
    look_for_tool();
    if (HEDDLE_TOLD)
        construct::tell_lock_init(ompt_mutex_lock, lock, hint, HEDDLE_CODE);
}
HEDDLE_INLINE void destroy(SimpleLock* lock) {
    if (HEDDLE_TOLD)
        construct::tell_lock_destroy(ompt_mutex_lock, lock, HEDDLE_CODE);
}
HEDDLE_INLINE void set(SimpleLock* lock) {
    if (HEDDLE_TOLD)
        return construct::told_lock(*lock, ompt_mutex_lock, tool::WaitKind::lock, HEDDLE_CODE);
    construct::acquire(*lock, tool::WaitKind::lock);
}
HEDDLE_INLINE void unset(SimpleLock* lock) {
    construct::release(*lock, ompt_mutex_lock, HEDDLE_CODE);
}
HEDDLE_INLINE int test(SimpleLock* lock) {
    return HEDDLE_TOLD ? construct::told_try_lock(*lock, HEDDLE_CODE) : lock->try_lock();
}
HEDDLE_INLINE void init(NestLock* lock, unsigned hint = 0) {
    ::new (lock) NestLock;
    look_for_tool();
    if (HEDDLE_TOLD)
        construct::tell_lock_init(ompt_mutex_nest_lock, lock, hint, HEDDLE_CODE);
}
HEDDLE_INLINE void destroy(NestLock* lock) {
    if (HEDDLE_TOLD)
        construct::tell_lock_destroy(ompt_mutex_nest_lock, lock, HEDDLE_CODE);
}
HEDDLE_INLINE void set(NestLock* lock, const void* owner) {
    if (HEDDLE_TOLD)
        return construct::told_lock(*lock, owner, HEDDLE_CODE);
    lock->lock(owner);
}
HEDDLE_INLINE void unset(NestLock* lock) {
    if (HEDDLE_TOLD)
        return construct::told_unlock(*lock, HEDDLE_CODE);
    lock->unlock();
}
HEDDLE_INLINE int test(NestLock* lock, const void* owner) {
    return HEDDLE_TOLD ? construct::told_try_lock(*lock, owner, HEDDLE_CODE)
                       : lock->try_lock(owner);
}

#undef HEDDLE_INLINE
#undef HEDDLE_TOLD
#undef HEDDLE_CODE

} // namespace heddle::abi
