// SPDX-License-Identifier: Apache-2.0
// Questions to the loader, which takes a lock of its own for each. fork() does not know that lock:
// a child that is forked while another thread asks has it locked for ever, and hangs when it asks.
// So one thread at a time asks or forks. Any thread asks (thread_data.cpp, tool/modules.cpp);
// fork's handlers run on the thread that forks.
#include "platform/contract.hpp"

#include <link.h>
#include <pthread.h>

namespace heddle::platform {

namespace {

/// The thread that asks; `forking` while one forks. The loader's lock is free when this is nobody.
Atomic<uint64_t> asking{0};
constexpr uint64_t nobody = 0, forking = 1; // of no thread

uint64_t this_thread() { return uint64_t{pthread_self()}; }

bool try_to_hold(uint64_t holder) {
    uint64_t free = nobody;
    // pairs with let_go()
    return asking.compare_exchange_strong(free, holder, acquire, relaxed);
}

void let_go() { asking.store(nobody, release); } // to try_to_hold()

/// A signal handler that forks may have interrupted the thread that asks, and a program may fork
/// where the loader calls it back: neither can be waited out.
void before_fork() {
    constexpr int patience = 100'000; // yields
    const uint64_t self = this_thread();
    for (int i = 0; i < patience && !try_to_hold(forking); ++i) {
        if (asking.load(relaxed) == self)
            return;
        yield();
    }
}

void after_fork() {
    if (asking.load(relaxed) == forking)
        let_go();
}

} // namespace

int ask_loader(int (*visit)(dl_phdr_info*, size_t, void*), void* data) {
    while (!try_to_hold(this_thread()))
        yield();
    const int told = dl_iterate_phdr(visit, data);
    let_go();
    return told;
}

// In the child nobody else asks.
void ask_no_loader_while_forking() { pthread_atfork(before_fork, after_fork, let_go); }

} // namespace heddle::platform
