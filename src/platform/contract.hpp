// SPDX-License-Identifier: Apache-2.0
// The platform contract: what every layer above may use of the machine, checked at compile time.
// `platform.hpp` is found through the include path: src/platform/native ships, a simulator or an
// explorer of interleavings brings its own. Included by the sources of each implementation; those
// above include `platform.hpp`.
//
//   Atomic<T>           one shared word; the order is spelled at every call. own(), set_own(): for
//                       the only thread that writes it; store_low(), load_low(): low bytes alone
//   relax(), yield()    hints of a waiting loop: to the core, to the scheduler of the system
//   prefetch_for_write, prefetch_for_read  hints that a cache line will be written, or read; any
//                       address will do
//   compiler_fence()    keeps what is before it in the program before what is after it
//   fence()             between the calling thread's accesses before and after, of seq_cst order
//   fence_all_threads() every thread of the process passes a full fence meanwhile; false: it cannot
//   current_cpu()       where the calling thread runs, a hint
//   leave_cpu()         moves the calling thread to another CPU that it may use, if there is one
//   get_affinity(), set_affinity()  the CPUs that the calling thread may use
//   set_affinity_of()   those that another thread may use, by its thread_id()
//   now_ns()            monotonic clock, nanoseconds
//   process_cpu_ns()    the time that all threads of the process have run together
//   runnable_threads()  how many of the process run, or wait for a CPU, a hint; -1: unknown
//   stops()             how often the calling thread has stopped running, to wait and for others
//   self(), set_self()  one pointer a thread, nullptr in a thread nobody has announced
//   wait_on(), wake()   sleep while a 32-bit word has the expected value; may return early; false:
//                       it had another one
//   float_control(), set_float_control()  how the calling thread rounds, and the like; 0: unknown
//   spawn()             a detached thread and its stack; false when the system refuses
//   stack_pointer()     an address in the calling function's frame
//   stack_of_thread()   lowest address and size of the calling thread's stack
//   map_stack(), switch_stack(), leave_stack()  side stacks, if has_side_stacks and, at run time,
//                       may_switch_stacks(): a thread leaves one for another and comes back;
//   take_library_state(), put_library_state()  errno and the like are then taken along
//   allocate()          aligned memory; nullptr when there is none
//   map_pages(), prefer_node_for(), node_of_page()...  pages, and the NUMA nodes they lie on
//   programs_keep_thread_data()  whether loaded programs may have threadprivate variables
//   programs_tie_calls()  whether such calls of theirs come in pairs that one thread has to make
//   ask_loader()        what objects are loaded, as dl_iterate_phdr() tells
//   NotCancelled        a scope in which pthread_cancel() has no effect
//   own::               locks, signals, a barrier, memory near a thread, where machines have them
//   on_thread_exit(), is_main_thread(), main_thread_has_ended(), on_fork_child(), warn(), die()
#pragma once

#include "platform.hpp"

#include <concepts>

namespace heddle::platform {

template <class A, class T>
concept AtomicContract = requires(A a, const A c, T v, T& e) {
    { c.load(acquire) } -> std::same_as<T>;
    { a.store(v, release) } -> std::same_as<void>;
    { a.exchange(v, acq_rel) } -> std::same_as<T>;
    { a.compare_exchange_strong(e, v, acq_rel, acquire) } -> std::same_as<bool>;
    { c.own() } -> std::same_as<T>;
    { a.set_own(v, release) } -> std::same_as<void>;
};

static_assert(AtomicContract<Atomic<uint32_t>, uint32_t>);
static_assert(requires(Atomic<uint32_t>& w) {
    { w.store_low(uint8_t{0}, release) } -> std::same_as<void>;
    { w.load_low<uint8_t>(relaxed) } -> std::same_as<uint8_t>;
});
static_assert(AtomicContract<Atomic<void*>, void*>);
static_assert(sizeof(Atomic<uint32_t>) == 4 && sizeof(Atomic<uint64_t>) == 8,
              "locks live in the 4 and 8 bytes that omp.h gives them");
static_assert(requires(Atomic<uint32_t>& w, StackOfThread s, Thread& t) {
    { now_ns() } -> std::same_as<uint64_t>;
    { process_cpu_ns() } -> std::same_as<uint64_t>;
    { runnable_threads(0) } -> std::same_as<int>;
    { stops() } -> std::same_as<Stops>;
    { page_size() } -> std::same_as<size_t>;
    { node_of_page(static_cast<const void*>(nullptr)) } -> std::same_as<int>;
    { current_cpu() } -> std::same_as<int>;
    { leave_cpu() } -> std::same_as<void>;
    { compiler_fence() } -> std::same_as<void>;
    { fence_all_threads() } -> std::same_as<bool>;
    { set_affinity(static_cast<const uint64_t*>(nullptr), size_t{0}) } -> std::same_as<bool>;
    { get_affinity(static_cast<uint64_t*>(nullptr), size_t{0}) } -> std::same_as<bool>;
    { set_affinity_of(0, static_cast<const uint64_t*>(nullptr), size_t{0}) } -> std::same_as<bool>;
    { self() } -> std::same_as<void*>;
    { wait_on(w, 0u, forever) } -> std::same_as<bool>;
    { wake(w, 1) } -> std::same_as<void>;
    { spawn(t, size_t{0}) } -> std::same_as<bool>;
    { s.low } -> std::convertible_to<char*>;
    { t.stack } -> std::convertible_to<StackOfThread>;
    { may_switch_stacks() } -> std::same_as<bool>;
    { map_stack(size_t{0}) } -> std::same_as<SideStack>;
    { end(SideStack{}) } -> std::same_as<Left>;
});

} // namespace heddle::platform
