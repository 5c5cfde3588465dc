// SPDX-License-Identifier: Apache-2.0
// The exploring platform: stands in for src/platform/native through the include path. Each
// operation on an Atomic is a scheduling point of cooperative fibers, and what it reads or when
// others see what it writes is a choice of the explorer: x86's store buffers, or views.hpp.
// explorer.hpp has the interface for tests; outside an execution everything acts at once.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <source_location>
#include <type_traits>

namespace heddle::platform {

using Order = std::memory_order;
inline constexpr Order relaxed = std::memory_order_relaxed;
inline constexpr Order acquire = std::memory_order_acquire;
inline constexpr Order release = std::memory_order_release;
inline constexpr Order acq_rel = std::memory_order_acq_rel;
inline constexpr Order seq_cst = std::memory_order_seq_cst;

namespace model {

using Site = std::source_location;

/// A scheduling point before an operation on `word`; `what` is for the trace.
void point(const char* what, const void* word);
// Operations on a word of `size` bytes, given and returned as the low bits. Each is a scheduling
// point, and acts on the memory that this execution explores.
uint64_t load(const void* word, size_t size, Order order, const Site& site);
void store(void* word, size_t size, uint64_t bits, Order order, const Site& site);
/// Of a word of `size` bytes.
void store_low(void* word, size_t size, uint64_t bits, size_t low_size, Order order,
               const Site& site);
uint64_t load_low(const void* word, size_t size, size_t low_size, Order order, const Site& site);
/// The old value of a read-modify-write, which end_update() ends at once.
uint64_t begin_update(const char* what, void* word, size_t size, Order order, const Site& site);
void end_update(void* word, size_t size, uint64_t bits);
bool compare_exchange(void* word, size_t size, uint64_t& expected, uint64_t desired, Order success,
                      Order failure, const Site& site);
void fence(const Site& site);
/// An Atomic begins its life at `word`.
void construct(const void* word);

template <size_t size>
using Bits = std::conditional_t<
    size == 8, uint64_t,
    std::conditional_t<size == 4, uint32_t, std::conditional_t<size == 2, uint16_t, uint8_t>>>;

template <class T>
uint64_t bits_of(T value) {
    return std::bit_cast<Bits<sizeof(T)>>(value);
}
template <class T>
T value_of(uint64_t bits) {
    return std::bit_cast<T>(static_cast<Bits<sizeof(T)>>(bits));
}

} // namespace model

template <class T>
class Atomic {
    static_assert(sizeof(T) <= 8);
    using Site = model::Site;

public:
    constexpr Atomic() : Atomic(T{}) {}
    constexpr explicit Atomic(T value) : word_(value) {
        if (!std::is_constant_evaluated())
            model::construct(&word_);
    }
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(Order order, Site site = Site::current()) const {
        return model::value_of<T>(model::load(&word_, sizeof(T), order, site));
    }
    void store(T value, Order order, Site site = Site::current()) {
        model::store(&word_, sizeof(T), model::bits_of(value), order, site);
    }
    template <class Low>
    void store_low(Low value, Order order, Site site = Site::current()) {
        model::store_low(&word_, sizeof(T), value, sizeof(Low), order, site);
    }
    template <class Low>
    Low load_low(Order order, Site site = Site::current()) const {
        return static_cast<Low>(model::load_low(&word_, sizeof(T), sizeof(Low), order, site));
    }
    T exchange(T value, Order order, Site site = Site::current()) {
        return change("exchange", order, site, [value](T) { return value; });
    }
    bool compare_exchange_strong(T& expected, T desired, Order success, Order failure,
                                 Site site = Site::current()) {
        uint64_t bits = model::bits_of(expected);
        const bool exchanged = model::compare_exchange(
            &word_, sizeof(T), bits, model::bits_of(desired), success, failure, site);
        if (!exchanged)
            expected = model::value_of<T>(bits);
        return exchanged;
    }
    // Arithmetic on unsigned words: signed ones wrap as the machine's do.
    T fetch_add(T value, Order order, Site site = Site::current()) {
        return change("fetch_add", order, site, [value](T old) {
            using U = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));
        });
    }
    T fetch_sub(T value, Order order, Site site = Site::current()) {
        return change("fetch_sub", order, site, [value](T old) {
            using U = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<U>(old) - static_cast<U>(value));
        });
    }
    T fetch_or(T value, Order order, Site site = Site::current()) {
        return change("fetch_or", order, site,
                      [value](T old) { return static_cast<T>(old | value); });
    }
    T fetch_and(T value, Order order, Site site = Site::current()) {
        return change("fetch_and", order, site,
                      [value](T old) { return static_cast<T>(old & value); });
    }

    // Of the only thread that writes the word, but others may look in between.
    T own(Site site = Site::current()) const { return load(relaxed, site); }
    void set_own(T value, Order order, Site site = Site::current()) { store(value, order, site); }

    /// For checks between the steps of a test: what memory holds, without a scheduling point.
    [[gnu::no_sanitize("thread")]] T peek() const { return word_; }

private:
    template <class F>
    T change(const char* what, Order order, const Site& site, F next) {
        const T old = model::value_of<T>(model::begin_update(what, &word_, sizeof(T), order, site));
        model::end_update(&word_, sizeof(T), model::bits_of(next(old)));
        return old;
    }

    T word_;
};

} // namespace heddle::platform

#include "platform/shared_memory.hpp"

namespace heddle::platform {

void relax();
void yield();
inline void prefetch_for_write(const void*) {}
inline void prefetch_for_read(const void*) {}
inline int current_cpu() { return -1; }
inline void leave_cpu() {}
inline void compiler_fence() {} // the fibers' operations keep the program's order
inline void fence(model::Site site = model::Site::current()) { model::fence(site); }
bool fence_all_threads();
inline bool get_affinity(uint64_t*, size_t) { return false; }
inline bool set_affinity(const uint64_t*, size_t) { return false; }
inline bool set_affinity_of(int, const uint64_t*, size_t) { return false; }
uint64_t now_ns();
inline uint64_t process_cpu_ns() { return now_ns(); }
inline int runnable_threads(int, int = 0) { return -1; }
struct Stops {
    uint64_t waiting = 0, preempted = 0;
};
inline Stops stops() { return {}; }
void* self();
void set_self(void* pointer);

inline char* stack_pointer() { return static_cast<char*>(__builtin_frame_address(0)); }

inline constexpr uint64_t forever = ~uint64_t{0};
bool wait_on(Atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns);
bool wait_on(Atomic<uint64_t>& word, uint64_t expected, uint64_t timeout_ns);
void wake(Atomic<uint32_t>& word, int count);
void wake(Atomic<uint64_t>& word, int count);

struct StackOfThread {
    char* low;
    size_t size;
    size_t above = 0;
};
struct Thread {
    void (*entry)(void*) = nullptr;
    void* argument = nullptr;
    StackOfThread stack{nullptr, 0};
};
bool spawn(Thread& thread, size_t stack_bytes);
StackOfThread stack_of_thread();

} // namespace heddle::platform

#include "platform/native/float_control.hpp"
#include "platform/native/side_stack.hpp" // a fiber may change its stack like a thread

namespace heddle::platform {

bool may_switch_stacks();
SideStack map_stack(size_t bytes);
void unmap_stack(const SideStack& stack);

void* allocate(size_t size, size_t alignment);
void deallocate(void* block);
inline constexpr int most_nodes = 1024;
inline size_t page_size() { return 4096; }
inline int node_of_page(const void*) { return -1; }
void on_thread_exit(void (*handler)(void*));
bool programs_keep_thread_data();
/// What programs_tie_calls() says.
extern bool calls_are_tied;
inline bool programs_tie_calls() { return calls_are_tied; }
bool is_main_thread();
bool main_thread_has_ended();
void on_fork_child(void (*handler)());
/// Nobody cancels threads here.
struct NotCancelled {
    NotCancelled() {}
    ~NotCancelled() {}
};
int thread_id();
void warn(const char* text);
[[noreturn]] void die(const char* text);

} // namespace heddle::platform
