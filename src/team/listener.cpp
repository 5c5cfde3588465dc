// SPDX-License-Identifier: Apache-2.0
// The one listener. Most processes have none.
// Acquire in heard() pairs with the release in set_listener().
#include "team/listener.hpp"

namespace heddle::team {

namespace {

platform::Atomic<const Listener*> current{nullptr};

const Listener* heard() { return current.load(platform::acquire); } // pairs with set_listener()

} // namespace

void set_listener(const Listener& listener) {
    current.store(&listener, platform::release); // pairs with heard()
}

void tell_thread_ends(Worker& worker) {
    if (const Listener* listener = heard())
        listener->thread_ends(worker);
}

void tell_forked_child() {
    if (const Listener* listener = heard())
        listener->forked_child();
}

} // namespace heddle::team
