// SPDX-License-Identifier: Apache-2.0
// A layer above that keeps something for each worker hears when the worker's thread ends, after
// which a later thread may inherit the worker, and of a process fork.
// Set by construct/forked_child when the library is loaded; called by attach and pool on the thread
// concerned. Ordering: the pointer is released with what it points to, which is constant.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

struct Listener {
    void (*thread_ends)(Worker& worker); ///< on that thread, which is still a member of its team
    void (*forked_child)();              ///< no other thread exists any more
};

/// At most one listener; it stays.
void set_listener(const Listener& listener);

void tell_thread_ends(Worker& worker);
void tell_forked_child();

} // namespace heddle::team
