// SPDX-License-Identifier: Apache-2.0
// Locks, critical and ordered constructs and the atomic region while a tool is active: acquiring
// and releasing them with the events (OpenMP 5.2 section 19.5.2.13 on). What identifies a mutex is
// its address. Called by the ABI layers instead of the plain operations, on any thread.
#pragma once

#include "construct/lock.hpp"
#include "team/tool_events.hpp"

namespace heddle::construct {

/// As long as it lives the thread tries to get the mutex at `object`; then done() tells it has it.
class ToldAcquire {
public:
    ToldAcquire(ompt_mutex_t kind, const void* object, const void* code, unsigned hint = 0);
    /// `nested`: it had it already.
    void done(bool nested = false);
    ~ToldAcquire();
    ToldAcquire(const ToldAcquire&) = delete;
    ToldAcquire& operator=(const ToldAcquire&) = delete;

private:
    team::ToolThread& thread_;
    ompt_mutex_t kind_;
    ompt_wait_id_t id_;
    const void* code_;
    ompt_state_t before_;
};

void tell_released(ompt_mutex_t kind, const void* object, const void* code);
void tell_lock_init(ompt_mutex_t kind, const void* object, unsigned hint, const void* code);
void tell_lock_destroy(ompt_mutex_t kind, const void* object, const void* code);

void told_lock(concurrent::FutexLock& lock, ompt_mutex_t kind, tool::WaitKind wait,
               const void* code, unsigned hint = 0);
bool told_try_lock(SimpleLock& lock, const void* code);

void told_lock(NestLock& lock, const void* owner, const void* code);
void told_unlock(NestLock& lock, const void* code);
int told_try_lock(NestLock& lock, const void* owner, const void* code);

void told_release(concurrent::FutexLock& lock, ompt_mutex_t kind, const void* code);

/// Whether or not a tool is active: asked first, for then all that unlock() calls is called last.
[[gnu::always_inline]] inline void release(concurrent::FutexLock& lock, ompt_mutex_t kind,
                                           const void* code) {
    if (platform::own::has_locks()) { // on a chip without caches it is asked after the turn
        lock.unlock();
        if (HEDDLE_UNLIKELY(tool::has_tool()))
            tell_released(kind, &lock, code);
        return;
    }
    if (HEDDLE_UNLIKELY(tool::has_tool()))
        return told_release(lock, kind, code);
    lock.unlock();
}

} // namespace heddle::construct
