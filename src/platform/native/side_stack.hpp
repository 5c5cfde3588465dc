// SPDX-License-Identifier: Apache-2.0
// Stacks beside a thread's own, and going from one to another: one thread can leave a function in
// the middle and come back to it. Included by platform.hpp, and by the explorer's platform.
// Called by schedule/stand_in through the contract, on any thread. A context that one has left may
// be gone on with by another, which acquires what the first has released.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::platform {

#if defined(__x86_64__)
inline constexpr bool has_side_stacks = true;
#else
inline constexpr bool has_side_stacks = false; // nobody calls the rest
#endif

extern "C" {
/// Leaves the calling context, whose stack pointer goes to *from, and goes on with the one that was
/// left at `to`; registers that calls preserve, rounding and the like are a context's own.
/// `argument` is for one that begins: see first_frame().
void heddle_switch_stack(void** from, void* to, void* argument)
    __attribute__((visibility("hidden")));
void heddle_begin_stack() __attribute__((visibility("hidden")));
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

inline void switch_stack(Left& from, const Left& to, void* argument) {
    if (names_stacks()) [[unlikely]] {
        from.fiber = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(to.fiber, 0);
    }
    heddle_switch_stack(&from.pointer, to.pointer, argument);
}

/// What the libraries of C and C++ keep with a thread for the code that it executes: errno, and the
/// exceptions that are being handled (two words of the C++ ABI).
struct LibraryState {
    int error = 0;
    unsigned uncaught = 0;
    void* caught = nullptr;
};

/// Looks for the C++ library, if there is one. By programs_keep_thread_data().
void find_exceptions();

/// Before the calling thread leaves a context: what is the context's. The next one begins without.
LibraryState take_library_state();
/// When a thread, the same or another, goes on with it.
void put_library_state(const LibraryState& state);

/// Where to switch to for entry(argument) to begin on that stack, with `control` as its
/// float_control(). `entry` never returns.
inline Left first_frame(const SideStack& stack, void (*entry)(void*), uint64_t control) {
    // As heddle_switch_stack() leaves a stack: control words, r15 to r12, rbx, rbp, return address.
    constexpr int words = 8, r12 = 4, address = 7;
    // Behind the address it is aligned to 16, and there is room for what entry() would return to.
    auto** frame = reinterpret_cast<void**>(stack.low + stack.size) - 2 - words;
    for (int i = 0; i < words; ++i)
        frame[i] = nullptr;
    frame[0] = reinterpret_cast<void*>(control);
    frame[r12] = reinterpret_cast<void*>(entry);
    frame[address] = reinterpret_cast<void*>(heddle_begin_stack);
    return {frame, stack.fiber};
}

} // namespace heddle::platform
