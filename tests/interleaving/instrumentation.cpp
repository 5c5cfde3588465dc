// SPDX-License-Identifier: Apache-2.0
// What code compiled with -fsanitize=thread calls: the tests and the sources that they include are,
// the explorer itself is not, and ThreadSanitizer's own runtime is not linked. Plain accesses go to
// races.cpp. Atomic builtins of the C++ library act at once: those of the runtime are Atomic<T>.
#include "engine.hpp"

#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>

using explore::Access;
using explore::engine;

namespace {

void access(const void* address, size_t size, Access kind, const void* code) {
    if (engine.races.are_looked_for())
        engine.races.access(address, size, kind, code);
}

} // namespace

// Freed memory goes to its next owner by the allocator's locks, which nobody sees here.
void operator delete(void* block) noexcept {
    if (block)
        engine.races.forget(block, malloc_usable_size(block));
    free(block);
}
void operator delete(void* block, size_t) noexcept { operator delete(block); }
void operator delete(void* block, std::align_val_t) noexcept { operator delete(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { operator delete(block); }

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define ACCESS(size)                                                                               \
    void __tsan_read##size(void* p) {                                                              \
        access(p, size, Access::read, __builtin_return_address(0));                                \
    }                                                                                              \
    void __tsan_write##size(void* p) {                                                             \
        access(p, size, Access::write, __builtin_return_address(0));                               \
    }                                                                                              \
    void __tsan_unaligned_read##size(void* p) {                                                    \
        access(p, size, Access::read, __builtin_return_address(0));                                \
    }                                                                                              \
    void __tsan_unaligned_write##size(void* p) {                                                   \
        access(p, size, Access::write, __builtin_return_address(0));                               \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
#undef ACCESS

void __tsan_read_range(void* p, size_t size) {
    access(p, size, Access::read, __builtin_return_address(0));
}
void __tsan_write_range(void* p, size_t size) {
    access(p, size, Access::write, __builtin_return_address(0));
}
void __tsan_vptr_update(void** p, void*) {
    access(p, sizeof *p, Access::write, __builtin_return_address(0));
}
void __tsan_vptr_read(void** p) { access(p, sizeof *p, Access::read, __builtin_return_address(0)); }

// What instrumented_memory.hpp puts in the place of memcpy() and the like, and clang by itself.
void* explore_memcpy(void* to, const void* from, size_t size) {
    access(from, size, Access::read, __builtin_return_address(0));
    access(to, size, Access::write, __builtin_return_address(0));
    return memcpy(to, from, size);
}
void* explore_memmove(void* to, const void* from, size_t size) {
    access(from, size, Access::read, __builtin_return_address(0));
    access(to, size, Access::write, __builtin_return_address(0));
    return memmove(to, from, size);
}
void* explore_memset(void* to, int byte, size_t size) {
    access(to, size, Access::write, __builtin_return_address(0));
    return memset(to, byte, size);
}
void* __tsan_memcpy(void* to, const void* from, size_t size) {
    return explore_memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, size_t size) {
    return explore_memmove(to, from, size);
}
void* __tsan_memset(void* to, int byte, size_t size) { return explore_memset(to, byte, size); }

#define ATOMIC(bits, type)                                                                         \
    type __tsan_atomic##bits##_load(const volatile type* p, int) {                                 \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type* p, type value, int) {                          \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    type __tsan_atomic##bits##_exchange(volatile type* p, type value, int) {                       \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                    \
    }                                                                                              \
    type __tsan_atomic##bits##_fetch_add(volatile type* p, type value, int) {                      \
        return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);                                     \
    }                                                                                              \
    type __tsan_atomic##bits##_fetch_sub(volatile type* p, type value, int) {                      \
        return __atomic_fetch_sub(p, value, __ATOMIC_SEQ_CST);                                     \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* expected,            \
                                                      type desired, int, int) {                    \
        return __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST,          \
                                           __ATOMIC_SEQ_CST);                                      \
    }
ATOMIC(8, uint8_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
#undef ATOMIC

} // extern "C"
