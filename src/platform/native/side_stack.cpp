// SPDX-License-Identifier: Apache-2.0
// Memory for side stacks: pages that are no memory until they are touched, above a guard. A list of
// all tells the handler of stack_guard.cpp which guard it is that somebody has touched; Valgrind,
// where it watches, knows them, too.
// Called by any thread; entries are only added, by compare-and-swap, and used again.
#include "platform/contract.hpp"

#include "platform/native/stack_guard.hpp"
#include "platform/native/valgrind.hpp"

#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

extern "C" void __asan_init() __attribute__((weak));

namespace heddle::platform {

namespace {

/// One for each stack that was ever there at the same time as the others.
struct Known {
    Atomic<uintptr_t> low{0}; ///< of the stack; 0: the entry is free
    Atomic<size_t> size{0};
    uint64_t number = 0; ///< Valgrind's; by who has the stack
    Known* next = nullptr;

    void describe(uintptr_t address, size_t bytes) {
        size.store(bytes, relaxed);
        number = valgrind::ask(valgrind::register_stack, address, address + bytes);
    }
};
Atomic<Known*> all{nullptr};

/// Remembers a stack. Without memory for that its overflow is told without a line.
void remember(uintptr_t low, size_t size) {
    for (Known* known = all.load(acquire); known; known = known->next) { // pairs with the push
        uintptr_t none = 0;
        if (known->low.load(relaxed) == 0 &&
            known->low.compare_exchange_strong(none, low, relaxed, relaxed)) {
            known->describe(low, size);
            return;
        }
    }
    void* memory = allocate(sizeof(Known), alignof(Known));
    if (!memory)
        return;
    auto* known = ::new (memory) Known;
    known->low.store(low, relaxed);
    known->describe(low, size);
    Known* first = all.load(relaxed);
    do
        known->next = first;
    while (!all.compare_exchange_strong(first, known, release, relaxed));
}

void forget(uintptr_t low) {
    for (Known* known = all.load(acquire); known; known = known->next)
        if (known->low.load(relaxed) == low) {
            valgrind::ask(valgrind::forget_stack, known->number);
            known->low.store(0, relaxed);
        }
}

/// Does the processor check returns against a stack of its own, which we do not switch?
bool has_shadow_stack() {
#if defined(__x86_64__)
    uint64_t pointer = 0;
    asm volatile("rdsspq %0" : "+r"(pointer)); // does nothing where there is none
    return pointer != 0;
#elif defined(__aarch64__)
    register uint64_t guarded asm("x16") = 1;
    asm volatile("hint #40" : "+r"(guarded)); // chkfeat: clears the bit where there is one
    return guarded == 0;
#else
    return false;
#endif
}

} // namespace

size_t size_of_stack_above(uintptr_t address) {
    for (Known* known = all.load(acquire); known; known = known->next) {
        const uintptr_t low = known->low.load(relaxed);
        if (low != 0 && address < low && address >= low - guard_bytes)
            return known->size.load(relaxed);
    }
    return 0;
}

bool may_switch_stacks() { return has_side_stacks && !__asan_init && !has_shadow_stack(); }

std::atomic<GetGlobals> exception_globals{nullptr};

bool find_exceptions() {
    void* function = reinterpret_cast<void*>(exception_globals.load(relaxed));
    for (const char* library : {"libstdc++.so.", "libc++abi.so."})
        if (!function && !find_function("__cxa_get_globals", library, nullptr, function))
            return false;
    exception_globals.store(reinterpret_cast<GetGlobals>(function), relaxed);
    return true;
}

LibraryPlace library_place() {
    const GetGlobals get = exception_globals.load(relaxed);
    return {calling_thread(), &errno, get ? get() : nullptr};
}

namespace {

/// How many bytes a stack stays away from the end of its last page, each another number: what lies
/// at the same place in its page shares the few lines of one set of the first-level cache, and all
/// parts of a region use as much of their stacks.
size_t colour() {
    constexpr size_t step = 9 * 64; // nine lines; seven steps are a page
    static Atomic<size_t> stacks{0};
    return stacks.fetch_add(1, relaxed) % 7 * step;
}

} // namespace

SideStack map_stack(size_t bytes) {
    const int saved = errno;
    if (bytes == 0) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes); // with the system's stack size
        pthread_attr_getstacksize(&attributes, &bytes);
        pthread_attr_destroy(&attributes);
    }
    const auto minimum = static_cast<size_t>(PTHREAD_STACK_MIN);
    const size_t page = page_size();
    bytes = ((bytes < minimum ? minimum : bytes) + page - 1) / page * page;
    SideStack stack;
    void* start = MAP_FAILED;
    if (has_addresses_for(bytes + guard_bytes))
        start = mmap(nullptr, bytes + guard_bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED) {
        char* low = static_cast<char*>(start) + guard_bytes;
        if (mprotect(low, bytes, PROT_READ | PROT_WRITE) == 0) {
            use_small_pages(low, bytes); // a part that uses little of it takes little
            stack = {low, bytes - colour(), names_stacks() ? __tsan_create_fiber(0) : nullptr};
            remember(reinterpret_cast<uintptr_t>(low), bytes);
        } else {
            munmap(start, bytes + guard_bytes);
        }
    }
    errno = saved;
    return stack;
}

void unmap_stack(const SideStack& stack) {
    forget(reinterpret_cast<uintptr_t>(stack.low));
    if (stack.fiber)
        __tsan_destroy_fiber(stack.fiber);
    const size_t page = page_size(), bytes = (stack.size + page - 1) / page * page;
    unmap_pages(stack.low - guard_bytes, bytes + guard_bytes);
}

} // namespace heddle::platform
