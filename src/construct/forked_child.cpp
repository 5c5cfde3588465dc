// SPDX-License-Identifier: Apache-2.0
// What constructs keep for the whole process, in a forked child and when a thread ends.
// Called by team/attach and team/pool_thread through the listener, on the thread concerned. In the
// child no other thread exists. Locks of the program (critical constructs, omp_lock_t) are left as
// they are: what they protect may be half changed, and only the program knows.
#include "construct/affinity_format.hpp"
#include "construct/allocation_registry.hpp"
#include "construct/critical.hpp"
#include "construct/threadprivate.hpp"
#include "team/listener.hpp"

namespace heddle::construct {

namespace {

void in_forked_child() {
    remake_threadprivate_lock();
    remake_allocation_locks();
    remake_affinity_format_lock();
    // Nobody forks in the few instructions that it guards.
    ::new (&atomic_region) AtomicRegion;
}

constexpr team::Listener listener{destroy_threadprivate_copies, in_forked_child};

__attribute__((constructor)) void listen() { team::set_listener(listener); }

} // namespace

} // namespace heddle::construct
