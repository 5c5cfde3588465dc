// SPDX-License-Identifier: Apache-2.0
// The simulated platform: stands in for src/platform/native through the include path. Each
// operation on an Atomic costs what the machine model says and is a scheduling point of the
// engine's fibers; its value is that of the one OS thread's memory, in the order of virtual time.
// See platform/contract.hpp for what each name promises, and docs/simulator.md.
#pragma once

#include "engine/charge.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

struct dl_phdr_info;

namespace heddle::platform {

using Order = std::memory_order;
inline constexpr Order relaxed = std::memory_order_relaxed;
inline constexpr Order acquire = std::memory_order_acquire;
inline constexpr Order release = std::memory_order_release;
inline constexpr Order acq_rel = std::memory_order_acq_rel;
inline constexpr Order seq_cst = std::memory_order_seq_cst;

template <class T>
class Atomic {
public:
    constexpr Atomic() = default;
    constexpr explicit Atomic(T value) : word_(value) {}
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(Order) const {
        sim::charge_load(&word_);
        return word_;
    }
    void store(T value, Order order) {
        sim::charge_store(&word_, order == seq_cst);
        word_ = value;
    }
    template <class Low>
    void store_low(Low value, Order) {
        sim::charge_store(&word_, false);
        word_ = static_cast<T>((word_ & ~T{static_cast<Low>(-1)}) | value);
    }
    template <class Low>
    Low load_low(Order order) const {
        return static_cast<Low>(load(order));
    }
    T exchange(T value, Order) {
        sim::charge_change(&word_);
        const T old = word_;
        word_ = value;
        return old;
    }
    bool compare_exchange_strong(T& expected, T desired, Order, Order) {
        sim::charge_change(&word_);
        if (word_ == expected) {
            word_ = desired;
            return true;
        }
        expected = word_;
        return false;
    }
    // Arithmetic on unsigned words: signed ones wrap as the machine's do.
    T fetch_add(T value, Order) {
        using U = std::make_unsigned_t<T>;
        return change(
            [value](T old) { return static_cast<T>(static_cast<U>(old) + static_cast<U>(value)); });
    }
    T fetch_sub(T value, Order) {
        using U = std::make_unsigned_t<T>;
        return change(
            [value](T old) { return static_cast<T>(static_cast<U>(old) - static_cast<U>(value)); });
    }
    T fetch_or(T value, Order) {
        return change([value](T old) { return static_cast<T>(old | value); });
    }
    T fetch_and(T value, Order) {
        return change([value](T old) { return static_cast<T>(old & value); });
    }

    // Of the only thread that writes the word: part of the plain work between two accesses.
    T own() const { return word_; }
    void set_own(T value, Order) { word_ = value; }

private:
    template <class F>
    T change(F next) {
        sim::charge_change(&word_);
        const T old = word_;
        word_ = next(old);
        return old;
    }

    T word_{};
};

} // namespace heddle::platform

#include "platform/own_means.hpp"

namespace heddle::platform {

void relax();
void yield();
inline void prefetch_for_write(const void* address) { sim::charge_prefetch_for_write(address); }
inline void prefetch_for_read(const void* address) { sim::charge_prefetch_for_read(address); }
int current_cpu();
void leave_cpu();
inline void compiler_fence() {}
inline void fence() { sim::charge_fence(); }
inline bool fence_all_threads() { return true; } // no buffers here; and rare enough to be free
bool get_affinity(uint64_t* words, size_t count);
bool set_affinity(const uint64_t* words, size_t count);
inline bool set_affinity_of(int, const uint64_t*, size_t) { return false; } // one host, no masks

struct Stops {
    uint64_t waiting = 0, preempted = 0;
};
Stops stops();
uint64_t now_ns();
inline uint64_t process_cpu_ns() { return now_ns(); } // no other programs: a CPU runs us or nobody
inline int runnable_threads(int, int = 0) { return -1; }
void* self();
void set_self(void* pointer);

inline uint64_t float_control() { return 0; }
inline void set_float_control(uint64_t, uint64_t) {}
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

// No region is on offer here: a simulated thread has a core.
inline constexpr bool has_side_stacks = false;
struct SideStack {
    char* low = nullptr;
    size_t size = 0;
};
struct Left {};
struct FirstCall {
    void (*entry)(void*);
    void* argument;
    uint64_t control;
};
inline void switch_stack(Left&, const Left&, const FirstCall* = nullptr) {}
[[noreturn]] inline void leave_stack(const Left&) { __builtin_unreachable(); }
struct LibraryState {};
struct LibraryPlace {};
inline LibraryState take_library_state(LibraryPlace&) { return {}; }
inline void put_library_state(const LibraryPlace&, const LibraryState&) {}
inline Left end(const SideStack&) { return {}; }
inline bool may_switch_stacks() { return false; }
inline SideStack map_stack(size_t) { return {}; }
inline void unmap_stack(const SideStack&) {}

void* allocate(size_t size, size_t alignment);
void deallocate(void* block);

inline constexpr int most_nodes = 1024;
size_t page_size();
void* map_pages(size_t size);
void unmap_pages(void* start, size_t size);
void use_small_pages(void* start, size_t size);
bool prefer_node_for(void* start, size_t size, int node);
bool interleave_on(void* start, size_t size, const uint64_t* nodes);

struct MemoryPolicy {
    int mode;
    uint64_t nodes[most_nodes / 64];
};
bool read_memory_policy(MemoryPolicy& policy);
bool set_memory_policy(const MemoryPolicy& policy);
MemoryPolicy preferring(int node);
int node_of_page(const void* address);

void on_thread_exit(void (*handler)(void*));
bool programs_keep_thread_data();
inline bool programs_tie_calls() { return false; }
bool ask_loader(int (*visit)(dl_phdr_info*, size_t, void*), void* data);
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
void set_warnings(bool on);
[[noreturn]] void die(const char* text);

} // namespace heddle::platform
