// SPDX-License-Identifier: Apache-2.0
// The exploring platform: stands in for src/platform/native through the include path. Each
// operation on an Atomic is a scheduling point of cooperative fibers; plain atomic stores go
// through a store buffer as on x86 and become visible when the explorer drains it.
// explorer.hpp has the interface for tests; outside an execution everything acts at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

namespace heddle::platform {

using Order = std::memory_order;
inline constexpr Order relaxed = std::memory_order_relaxed;
inline constexpr Order acquire = std::memory_order_acquire;
inline constexpr Order release = std::memory_order_release;
inline constexpr Order acq_rel = std::memory_order_acq_rel;
inline constexpr Order seq_cst = std::memory_order_seq_cst;

namespace model {

/// A scheduling point before an operation on `word`; `what` is for the trace.
void point(const char* what, const void* word);
/// The calling fiber's newest buffered store to `word`, as bits; false: memory has it.
bool forward(const void* word, uint64_t& bits);
/// Puts a store into the calling fiber's buffer; false: store at once (no execution, no buffers).
bool buffer(void* word, uint64_t bits, size_t size);
/// Makes the calling fiber's buffered stores visible.
void drain();
/// For the trace: the value that the operation read or wrote.
void note(uint64_t bits);

template <class T>
uint64_t bits_of(T value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

} // namespace model

template <class T>
class Atomic {
    static_assert(sizeof(T) <= 8);

public:
    constexpr Atomic() = default;
    constexpr explicit Atomic(T value) : word_(value) {}
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(Order) const {
        model::point("load", &word_);
        T value = word_;
        uint64_t bits;
        if (model::forward(&word_, bits))
            memcpy(&value, &bits, sizeof value);
        model::note(model::bits_of(value));
        return value;
    }
    void store(T value, Order order) {
        model::point(order == seq_cst ? "store seq_cst" : "store", &word_);
        model::note(model::bits_of(value));
        if (order != seq_cst && model::buffer(&word_, model::bits_of(value), sizeof value))
            return;
        model::drain();
        word_ = value;
    }
    T exchange(T value, Order) {
        return change("exchange", [value](T) { return value; });
    }
    bool compare_exchange_strong(T& expected, T desired, Order, Order) {
        model::point("compare_exchange", &word_);
        model::drain();
        model::note(model::bits_of(word_));
        if (word_ == expected) {
            word_ = desired;
            return true;
        }
        expected = word_;
        return false;
    }
    // Arithmetic on unsigned words: signed ones wrap as the machine's do.
    T fetch_add(T value, Order) {
        return change("fetch_add", [value](T old) {
            using U = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));
        });
    }
    T fetch_sub(T value, Order) {
        return change("fetch_sub", [value](T old) {
            using U = std::make_unsigned_t<T>;
            return static_cast<T>(static_cast<U>(old) - static_cast<U>(value));
        });
    }
    T fetch_or(T value, Order) {
        return change("fetch_or", [value](T old) { return static_cast<T>(old | value); });
    }
    T fetch_and(T value, Order) {
        return change("fetch_and", [value](T old) { return static_cast<T>(old & value); });
    }

    /// For checks between the steps of a test: what memory holds, without a scheduling point.
    T peek() const { return word_; }

private:
    template <class F>
    T change(const char* what, F next) {
        model::point(what, &word_);
        model::drain();
        const T old = word_;
        word_ = next(old);
        model::note(model::bits_of(old));
        return old;
    }

    T word_{};
};

} // namespace heddle::platform

#include "platform/shared_memory.hpp"

namespace heddle::platform {

void relax();
void yield();
inline void prefetch_for_write(const void*) {}
inline int current_cpu() { return -1; }
inline void leave_cpu() {}
inline bool get_affinity(uint64_t*, size_t) { return false; }
inline bool set_affinity(const uint64_t*, size_t) { return false; }
uint64_t now_ns();
struct Stops {
    uint64_t waiting = 0, preempted = 0;
};
inline Stops stops() { return {}; }
void* self();
void set_self(void* pointer);

inline char* stack_pointer() { return static_cast<char*>(__builtin_frame_address(0)); }

inline constexpr uint64_t forever = ~uint64_t{0};
void wait_on(Atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns);
void wait_on(Atomic<uint64_t>& word, uint64_t expected, uint64_t timeout_ns);
void wake(Atomic<uint32_t>& word, int count);
void wake(Atomic<uint64_t>& word, int count);

bool spawn(void (*entry)(void*), void* argument, size_t stack_bytes);

struct StackOfThread {
    char* low;
    size_t size;
};
StackOfThread stack_of_thread();

void* allocate(size_t size, size_t alignment);
void deallocate(void* block);
inline constexpr int most_nodes = 1024;
inline size_t page_size() { return 4096; }
inline int node_of_page(const void*) { return -1; }
void on_thread_exit(void (*handler)(void*));
bool programs_keep_thread_data();
bool is_main_thread();
bool main_thread_has_ended();
void on_fork_child(void (*handler)());
int thread_id();
void warn(const char* text);
[[noreturn]] void die(const char* text);

} // namespace heddle::platform
