// SPDX-License-Identifier: Apache-2.0
// Stacks beside a thread's own, and going from one to another: one thread can leave a function in
// the middle and come back to it. Included by platform.hpp, and by the explorer's platform.
// Called by schedule/stand_in through the contract, on any thread. A context that one has left may
// be gone on with by another, which acquires what the first has released.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::platform {

#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool has_side_stacks = true;
#else
inline constexpr bool has_side_stacks = false; // nobody calls the rest
#endif

/// What begins on a side stack: entry(argument), which never returns, with `control` as its
/// float_control().
struct FirstCall {
    void (*entry)(void*);
    void* argument;
    uint64_t control;
};

extern "C" {
/// Leaves the calling context, whose stack pointer goes to *from, and goes on with the one that was
/// left at `to`, or begins another on the stack whose end is `to`. Registers that calls preserve,
/// rounding and the like are a context's own.
void heddle_switch_stack(void** from, void* to, const FirstCall* start)
    __attribute__((visibility("hidden")));
}

/// A stack that is not in use, and, of ThreadSanitizer where it watches, what knows it by name.
struct SideStack {
    char* low = nullptr; ///< its lowest address, above a guard
    size_t size = 0;     ///< in bytes; 0: none
    void* fiber = nullptr;
};

/// Where a context was left.
struct Left {
    void* pointer = nullptr;
    void* fiber = nullptr;
};

// ThreadSanitizer's, where the program has it.
extern "C" {
void* __tsan_get_current_fiber() __attribute__((weak));
void* __tsan_create_fiber(unsigned flags) __attribute__((weak));
void __tsan_destroy_fiber(void* fiber) __attribute__((weak));
void __tsan_switch_to_fiber(void* fiber, unsigned flags) __attribute__((weak));
}
inline bool names_stacks() { return __tsan_switch_to_fiber != nullptr; }

/// Leaves the calling context, at `from`, for the one that was left at `to`, or, at the end() of a
/// stack, for what begins there. Whoever goes from one to another and back by the same call of this
/// returns to where the processor expects it.
inline void switch_stack(Left& from, const Left& to, const FirstCall* start = nullptr) {
    if (names_stacks()) [[unlikely]] {
        from.fiber = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(to.fiber, 0);
    }
    heddle_switch_stack(&from.pointer, to.pointer, start);
}

/// Where a context begins on that stack.
inline Left end(const SideStack& stack) { return {stack.low + stack.size, stack.fiber}; }

/// switch_stack() from a context that is over. It jumps: the processor takes the last call that has
/// not returned for the one that it comes back from, and that is the one that began this context.
[[noreturn]] inline void leave_stack(const Left& to) {
    if (names_stacks()) [[unlikely]]
        __tsan_switch_to_fiber(to.fiber, 0);
#if defined(__x86_64__)
    asm volatile("jmp heddle_leave_stack" : : "S"(to.pointer));
#elif defined(__aarch64__)
    register void* pointer asm("x1") = to.pointer;
    asm volatile("b heddle_leave_stack" : : "r"(pointer));
#endif
    __builtin_unreachable();
}

/// What the C++ ABI has for each thread: the exceptions that are being handled.
struct ExceptionGlobals {
    void* caught = nullptr;
    unsigned uncaught = 0;
};

/// What the libraries of C and C++ keep with a thread for the code that it executes.
struct LibraryState {
    int error = 0; ///< errno
    ExceptionGlobals exceptions;
};

/// Where a thread has that: kept by who executes parts, and asked for when a C++ library has come
/// or it is another thread's, for that takes two calls. A thread that begins forgets it: it may
/// have the storage of one that has ended, but not where a library that was loaded later keeps its
/// own.
struct LibraryPlace {
    void* thread = nullptr;
    int* error = nullptr;
    ExceptionGlobals* exceptions = nullptr; ///< nullptr: there was no C++ library
};
/// The calling thread's.
LibraryPlace library_place();

/// Looks for the C++ library, if there is one. False where the loader cannot be asked. By
/// programs_keep_thread_data().
bool find_exceptions();
using GetGlobals = ExceptionGlobals* (*)();
extern std::atomic<GetGlobals> exception_globals; // relaxed: found before the first switch, stays

/// Whose thread-local storage it is. Not kept over a switch, as what the compiler knows might be.
inline void* calling_thread() {
    void* thread = nullptr;
#if defined(__x86_64__)
    asm volatile("movq %%fs:0, %0" : "=r"(thread));
#elif defined(__aarch64__)
    asm volatile("mrs %0, tpidr_el0" : "=r"(thread));
#endif
    return thread;
}

/// Before the calling thread leaves a context: what is the context's. The next one begins without
/// exceptions.
inline LibraryState take_library_state(LibraryPlace& place) {
    if (place.thread != calling_thread() ||
        (!place.exceptions && exception_globals.load(std::memory_order_relaxed))) [[unlikely]]
        place = library_place();
    LibraryState state{.error = *place.error, .exceptions = {}};
    if (place.exceptions) {
        state.exceptions = *place.exceptions;
        *place.exceptions = {};
    }
    return state;
}
/// When a thread, the same or another, goes on with it, after it has left something itself.
inline void put_library_state(const LibraryPlace& place, const LibraryState& state) {
    *place.error = state.error;
    if (place.exceptions)
        *place.exceptions = state.exceptions;
}

} // namespace heddle::platform
