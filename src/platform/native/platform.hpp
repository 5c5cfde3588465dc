// SPDX-License-Identifier: Apache-2.0
// The native platform: std::atomic, futex, pthreads and one initial-exec TLS pointer on Linux.
// Called by every layer; the seam must vanish in the object code, so what is hot is inline.
// See platform/contract.hpp for what each name promises.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <new>

struct dl_phdr_info;

namespace heddle::platform {

using Order = std::memory_order;
inline constexpr Order relaxed = std::memory_order_relaxed;
inline constexpr Order acquire = std::memory_order_acquire;
inline constexpr Order release = std::memory_order_release;
inline constexpr Order acq_rel = std::memory_order_acq_rel;
inline constexpr Order seq_cst = std::memory_order_seq_cst;

/// One word shared between threads. No operation has a default order.
template <class T>
class Atomic {
public:
    constexpr Atomic() = default;
    constexpr explicit Atomic(T value) : word_(value) {}
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(Order order) const { return word_.load(order); }
    void store(T value, Order order) { word_.store(value, order); }
    T exchange(T value, Order order) { return word_.exchange(value, order); }
    bool compare_exchange_strong(T& expected, T desired, Order success, Order failure) {
        return word_.compare_exchange_strong(expected, desired, success, failure);
    }
    T fetch_add(T value, Order order) { return word_.fetch_add(value, order); }
    T fetch_sub(T value, Order order) { return word_.fetch_sub(value, order); }
    T fetch_or(T value, Order order) { return word_.fetch_or(value, order); }
    T fetch_and(T value, Order order) { return word_.fetch_and(value, order); }

    /// Of the low bytes alone: leaves the others as they are, also what is changed in them
    /// meanwhile.
    template <class Low>
    void store_low(Low value, Order order) {
        __atomic_store_n(low<Low>(), value, static_cast<int>(order));
    }
    template <class Low>
    Low load_low(Order order) const {
        return __atomic_load_n(low<Low>(), static_cast<int>(order));
    }

    // For the only thread that writes the word: as cheap as a plain variable.
    T own() const { return word_.load(relaxed); }
    void set_own(T value, Order order) { word_.store(value, order); }

private:
    template <class Low>
    auto* low() const {
        static_assert(std::endian::native == std::endian::little && sizeof(Low) < sizeof(T));
        using Alias [[gnu::may_alias]] = Low;
        return reinterpret_cast<Alias*>(const_cast<std::atomic<T>*>(&word_));
    }

    std::atomic<T> word_{};
};

} // namespace heddle::platform

#include "platform/shared_memory.hpp"

namespace heddle::platform {

/// Tells the core that this is a waiting loop.
inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

/// Asks for the cache line at `address`, soon to be written; any address is allowed.
inline void prefetch_for_write(const void* address) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
    __builtin_prefetch(address, 1);
#endif
}

/// Asks for the cache line at `address`, soon to be read; any address is allowed.
inline void prefetch_for_read(const void* address) { __builtin_prefetch(address); }

/// Offers the core to another runnable thread.
void yield();

/// The CPU that the calling thread is running on, as a hint; -1 when it cannot be found out.
int current_cpu();
/// Asks the system to run the calling thread on another CPU of its affinity mask, if there is one.
void leave_cpu();
inline void compiler_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }
/// Between the calling thread's accesses before and after, in the one order of all seq_cst ones.
inline void fence() {
#ifdef __SANITIZE_THREAD__ // which knows no fences; to the processor this is one
    static std::atomic<int> word;
    word.exchange(0, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}
bool fence_all_threads();

/// The affinity mask of the calling thread, a bit for each CPU in `count` words; CPUs beyond them
/// are not in it. False when the system refuses, as it does when the words are fewer than its own.
bool get_affinity(uint64_t* words, size_t count);
bool set_affinity(const uint64_t* words, size_t count);
/// The same for a thread by its thread_id(), which is not 0.
bool set_affinity_of(int thread, const uint64_t* words, size_t count);

/// How often the calling thread has stopped running: to wait for something, and for others' turn.
struct Stops {
    uint64_t waiting = 0, preempted = 0;
};
Stops stops();

inline uint64_t clock_ns(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}
/// Monotonic time in nanoseconds.
inline uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }
/// What all threads of the process have run together, in nanoseconds. A system call.
inline uint64_t process_cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }
/// How many threads of the process run or wait for a CPU, as far as `enough`, the caller among
/// them; -1: the system does not tell. Some 10 us for each thread that does not. Of the first
/// `most_looks` threads only: with many of them the answer would take milliseconds.
int runnable_threads(int enough, int most_looks = 64);

// Eight bytes of static TLS: a load from the thread pointer, where the general-dynamic model is a
// call. Issue-size budget of static TLS is 64 bytes; tests/abi checks it.
// include/heddle.h declares it by its symbol, for code that users compile.
extern __thread void* self_pointer __asm__("heddle_thread_1")
    __attribute__((tls_model("initial-exec"), visibility("default")));

/// Where the calling thread has it. A function may come back from a call in another thread, which
/// carries its part of a region on (native/side_stack.hpp): on x86-64 each access asks who that is,
/// but for AArch64 compilers keep the thread pointer over calls, so it is read where they see none.
inline void** self_place() {
#if defined(__aarch64__)
    char* thread;
    ptrdiff_t distance;
    asm volatile("mrs %0, tpidr_el0" : "=r"(thread));
    asm("adrp %0, :gottprel:heddle_thread_1\n\tldr %0, [%0, :gottprel_lo12:heddle_thread_1]"
        : "=r"(distance));
    return reinterpret_cast<void**>(thread + distance);
#else
    return &self_pointer;
#endif
}
inline void* self() { return *self_place(); }
inline void set_self(void* pointer) { *self_place() = pointer; }

/// Where it lies relative to the thread pointer: the same in all threads, for it is static TLS.
inline ptrdiff_t self_offset() {
    return reinterpret_cast<char*>(&self_pointer) - static_cast<char*>(__builtin_thread_pointer());
}

/// About where the calling function's frame lies on its stack.
inline char* stack_pointer() {
    char* pointer;
#if defined(__x86_64__)
    asm("mov %%rsp, %0" : "=r"(pointer));
#elif defined(__aarch64__)
    asm("mov %0, sp" : "=r"(pointer));
#else
    pointer = static_cast<char*>(__builtin_frame_address(0));
#endif
    return pointer;
}

inline constexpr uint64_t forever = ~uint64_t{0};

/// Sleeps while `word` holds `expected`, at most `timeout_ns`. May return early for no reason.
/// False: it has not slept, for the word held another value.
bool wait_on(Atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns);

/// The same for the low 32 bits of a 64-bit word: a change of the others may go unnoticed.
bool wait_on(Atomic<uint64_t>& word, uint64_t expected, uint64_t timeout_ns);

/// Wakes up to `count` threads that sleep in wait_on(word).
void wake(Atomic<uint32_t>& word, int count);
void wake(Atomic<uint64_t>& word, int count);

struct StackOfThread {
    char* low;
    size_t size;      ///< for the program, bytes
    size_t above = 0; ///< beyond that, for other things
};

/// A thread of spawn(). Of the one who calls that, and in place until the thread has ended.
struct Thread {
    void (*entry)(void*) = nullptr;
    void* argument = nullptr;
    StackOfThread stack{nullptr, 0}; ///< size 0: unknown
    size_t guard = 0;                ///< bytes below the stack that may not be touched
    size_t room = 0; ///< bytes of its stack kept for a line, see native/stack_guard.hpp; 0: none
};

/// Starts a detached thread that calls thread.entry(thread.argument) on a stack of `stack_bytes`
/// (0: the system's default), all signals as the caller has them. False when the system refuses;
/// nothing is printed. Fills in the rest of `thread` before it returns, and the thread must not end
/// before that: so a thread that starts asks for no memory, for which the C library would reserve
/// 64 MiB of addresses for each. When the thread runs over the end of its stack a line may say so.
bool spawn(Thread& thread, size_t stack_bytes);

/// The calling thread's stack; size 0 when it cannot be found out.
StackOfThread stack_of_thread();

} // namespace heddle::platform

#include "platform/native/float_control.hpp"
#include "platform/native/side_stack.hpp"

namespace heddle::platform {

/// Not where something would notice: an address sanitizer, a shadow stack of the processor.
bool may_switch_stacks();

/// A stack of `bytes` (0: the system's default) that is no memory until it is touched; size 0 when
/// there is none. Running over its end is told like that of a thread of spawn(), on such a thread.
SideStack map_stack(size_t bytes);
void unmap_stack(const SideStack& stack);

/// `size` bytes aligned to `alignment` (a power of two), not cleared; nullptr when there is none.
void* allocate(size_t size, size_t alignment);
void deallocate(void* block);

// Pages and the NUMA nodes that they lie on; see native/memory.cpp.

inline constexpr int most_nodes = 1024; ///< numbers of nodes are below it, as Linux is built

size_t page_size();

/// `size` bytes of zeroed pages, which no memory stands behind until they are touched; nullptr when
/// there are none. `size`, here and below, is a multiple of page_size().
void* map_pages(size_t size);
void unmap_pages(void* start, size_t size);

/// Wants no page of more than page_size() there.
void use_small_pages(void* start, size_t size);

/// Pages there that are touched from now on come from `node` while it has memory, else from a near
/// one; or from `nodes`, a bit for each of most_nodes, in turn: the page whose number, that is its
/// address divided by page_size(), is i from the (i modulo their count)th of them. False, and
/// nothing has changed, when the system refuses.
bool prefer_node_for(void* start, size_t size, int node);
bool interleave_on(void* start, size_t size, const uint64_t* nodes);

/// Where pages that the calling thread touches come from, unless the pages themselves say so.
struct MemoryPolicy {
    int mode;
    uint64_t nodes[most_nodes / 64];
};
bool read_memory_policy(MemoryPolicy& policy);
bool set_memory_policy(const MemoryPolicy& policy);
MemoryPolicy preferring(int node);

/// The node of the page at `address`; -1 when nobody has touched it, and when the system refuses.
int node_of_page(const void* address);

/// While it lives, pthread_cancel() of the calling thread has no effect: in the runtime's slow
/// paths, some with locks, there are system calls in which it would end.
class NotCancelled {
public:
    NotCancelled();
    ~NotCancelled();
    NotCancelled(const NotCancelled&) = delete;
    NotCancelled& operator=(const NotCancelled&) = delete;

private:
    int before_;
};

/// Calls `handler` with the thread's self() when a thread that called this exits.
void on_thread_exit(void (*handler)(void*));

/// Whether a loaded object that calls an OpenMP runtime may have threadprivate variables: its
/// threads are not just any. Objects that come later are seen. Takes the loader's lock.
bool programs_keep_thread_data();
/// Whether one may be, in the middle of a region, between two calls that have to be made by the
/// same thread, as the last programs_keep_thread_data() found.
bool programs_tie_calls();

/// dl_iterate_phdr(), while no thread of the process forks; `visit` must not call it again. False,
/// with nothing asked: in a forked child, and where the loader cannot be asked now.
bool ask_loader(int (*visit)(dl_phdr_info*, size_t, void*), void* data);

/// `found`: the first function of that name which a loaded object defines whose file's name begins
/// with `file`, other than `but`, or nullptr. False where the loader cannot be asked. Takes no lock
/// that is held while a library's constructors run, as dlsym() does.
bool find_function(const char* name, const char* file, const void* but, void*& found);

/// Is the calling thread the one that main() runs on?
bool is_main_thread();

/// Whether the main thread of the process has ended before the others, or is the calling thread,
/// which ends. False where the system does not tell.
bool main_thread_has_ended();

/// Calls `handler` in every forked child, on the forking thread. At most one handler, from a
/// constructor: the children's handlers that come later may use the runtime.
void on_fork_child(void (*handler)());
/// By that: no thread of ours holds the loader's lock when the process forks. loader.cpp.
void ask_no_loader_while_forking();

/// Kernel id of the calling thread.
int thread_id();

/// One line on stderr, `heddle: ` before the text, unless warnings are switched off.
void warn(const char* text);
void set_warnings(bool on);
/// The line of warn() in any case, then abort(): for an ABI symbol that is not supported and for
/// broken invariants.
[[noreturn]] void die(const char* text);

} // namespace heddle::platform
