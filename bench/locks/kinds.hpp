// SPDX-License-Identifier: Apache-2.0
// The locks that bench/locks compares, all with one function: do something while holding it.
// The library's own are compiled into the program, from src/concurrent; those of OpenMP come from
// the runtime that serves it.
#pragma once

#include "concurrent/futex_lock.hpp"
#include "concurrent/locks/mcs.hpp"
#include "concurrent/locks/mcs_sleep.hpp"
#include "concurrent/locks/test_and_set.hpp"
#include "concurrent/locks/test_and_set_backoff.hpp"
#include "concurrent/locks/ticket.hpp"

#include <omp.h>

namespace kinds {

using heddle::concurrent::WaitLimits;

/// One of the five, with the node on the caller's stack.
template <heddle::concurrent::Lock L>
struct Own {
    L lock;

    template <class Inside>
    void hold(WaitLimits limits, Inside inside) {
        typename L::Node node;
        lock.lock(node, limits);
        inside();
        lock.unlock(node);
    }
};

struct Futex {
    alignas(heddle::concurrent::cache_line) heddle::concurrent::FutexLock lock;

    template <class Inside>
    void hold(WaitLimits limits, Inside inside) {
        lock.lock(limits);
        inside();
        lock.unlock();
    }
};

struct Simple {
    alignas(heddle::concurrent::cache_line) omp_lock_t lock;
    Simple() { omp_init_lock(&lock); }
    ~Simple() { omp_destroy_lock(&lock); }

    template <class Inside>
    void hold(WaitLimits, Inside inside) {
        omp_set_lock(&lock);
        inside();
        omp_unset_lock(&lock);
    }
};

struct Nestable {
    alignas(heddle::concurrent::cache_line) omp_nest_lock_t lock;
    Nestable() { omp_init_nest_lock(&lock); }
    ~Nestable() { omp_destroy_nest_lock(&lock); }

    template <class Inside>
    void hold(WaitLimits, Inside inside) {
        omp_set_nest_lock(&lock);
        inside();
        omp_unset_nest_lock(&lock);
    }
};

struct Critical {
    template <class Inside>
    void hold(WaitLimits, Inside inside) {
#pragma omp critical(bench_locks)
        inside();
    }
};

} // namespace kinds
