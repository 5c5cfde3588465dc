// SPDX-License-Identifier: Apache-2.0
// The list of watched workers, and what a forked child makes of it. It only grows, but in a child.
// By the thread that makes a worker; the child of a fork has one thread.
#include "tool/watch.hpp"

#include "config/load.hpp"
#include "tool/modules.hpp"

namespace heddle::tool {

namespace {

platform::Atomic<Watch*> newest{nullptr};

} // namespace

bool traces() { return config::settings().heddle.trace; }

void list_watch(Watch& watch, int32_t number) {
    watch.number = number;
    if (traces())
        watch.recorder.begin(number);
    Watch* older = newest.load(platform::relaxed); // the exchange tells whether it is stale
    do
        watch.older = older;
    while (!newest.compare_exchange_strong(older, &watch, platform::release,
                                           platform::relaxed)); // to all_watches()
}

const Watch* all_watches() {
    return newest.load(platform::acquire); // pairs with list_watch()
}

void restart_watches() {
    newest.store(nullptr, platform::relaxed); // no other thread exists
    forget_modules_lock_after_fork();
    leave_trace_after_fork();
}

} // namespace heddle::tool
