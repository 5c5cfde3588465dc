// SPDX-License-Identifier: Apache-2.0
// The events of mutexes, and what the thread is said to wait for between acquire and acquired.
// Called on the thread that acquires or releases, which alone writes its ToolThread; the mutex
// itself is taken and given back by the plain operations. A thread that OpenMP does not know yet is
// attached first. Source: OpenMP 5.2 section 19.5.2.13 on. docs/ompt.md.
#include "construct/told_mutex.hpp"

namespace heddle::construct {

namespace {

using tool::tell;

ompt_wait_id_t id_of(const void* object) { return reinterpret_cast<ompt_wait_id_t>(object); }

ompt_state_t state_while(ompt_mutex_t kind) {
    switch (kind) {
    case ompt_mutex_critical:
        return ompt_state_wait_critical;
    case ompt_mutex_atomic:
        return ompt_state_wait_atomic;
    case ompt_mutex_ordered:
        return ompt_state_wait_ordered;
    default:
        return ompt_state_wait_lock;
    }
}

} // namespace

ToldAcquire::ToldAcquire(ompt_mutex_t kind, const void* object, const void* code, unsigned hint)
    : thread_(team::tool_of(team::self())), kind_(kind), id_(id_of(object)), code_(code),
      before_(thread_.state) {
    tell<ompt_callback_mutex_acquire>(kind, hint, static_cast<unsigned>(team::mutex_impl_futex),
                                      id_, code);
    thread_.wait_id = id_;
    thread_.state = state_while(kind);
}

ToldAcquire::~ToldAcquire() {
    thread_.state = before_;
    thread_.wait_id = ompt_wait_id_none;
}

void ToldAcquire::done(bool nested) {
    thread_.state = before_;
    if (nested)
        tell<ompt_callback_nest_lock>(ompt_scope_begin, id_, code_);
    else
        tell<ompt_callback_mutex_acquired>(kind_, id_, code_);
}

void tell_released(ompt_mutex_t kind, const void* object, const void* code) {
    tell<ompt_callback_mutex_released>(kind, id_of(object), code);
}

void told_release(concurrent::FutexLock& lock, ompt_mutex_t kind, const void* code) {
    lock.unlock();
    tell_released(kind, &lock, code);
}

void tell_lock_init(ompt_mutex_t kind, const void* object, unsigned hint, const void* code) {
    tell<ompt_callback_lock_init>(kind, hint, static_cast<unsigned>(team::mutex_impl_futex),
                                  id_of(object), code);
}

void tell_lock_destroy(ompt_mutex_t kind, const void* object, const void* code) {
    tell<ompt_callback_lock_destroy>(kind, id_of(object), code);
}

void told_lock(concurrent::FutexLock& lock, ompt_mutex_t kind, tool::WaitKind wait,
               const void* code, unsigned hint) {
    ToldAcquire told(kind, &lock, code, hint);
    acquire(lock, wait);
    told.done();
}

bool told_try_lock(SimpleLock& lock, const void* code) {
    ToldAcquire told(ompt_mutex_test_lock, &lock, code);
    const bool got = lock.try_lock();
    if (got)
        told.done();
    return got;
}

void told_lock(NestLock& lock, const void* owner, const void* code) {
    ToldAcquire told(ompt_mutex_nest_lock, &lock, code);
    lock.lock(owner);
    told.done(lock.count() > 1);
}

void told_unlock(NestLock& lock, const void* code) {
    const bool last = lock.count() == 1;
    lock.unlock();
    if (last)
        tell_released(ompt_mutex_nest_lock, &lock, code);
    else
        tell<ompt_callback_nest_lock>(ompt_scope_end, id_of(&lock), code);
}

int told_try_lock(NestLock& lock, const void* owner, const void* code) {
    ToldAcquire told(ompt_mutex_test_nest_lock, &lock, code);
    const int count = lock.try_lock(owner);
    if (count > 0)
        told.done(count > 1);
    return count;
}

} // namespace heddle::construct
