// SPDX-License-Identifier: Apache-2.0
// Atomics of workloads: compiled with -fno-inline-atomics, `omp atomic`, reductions and __atomic
// operations call the functions of libatomic, which charge the model here. Any thread of the model.
#include "engine/charge.hpp"

#include <cstdint>

namespace heddle::sim {

namespace {

template <class T>
T load(const void* word) {
    charge_load(word);
    return *static_cast<const volatile T*>(word);
}

template <class T>
void store(void* word, T value, int order) {
    charge_store(word, order == __ATOMIC_SEQ_CST);
    *static_cast<volatile T*>(word) = value;
}

template <class T, class F>
T change(void* word, F next) {
    charge_change(word);
    T& at = *static_cast<T*>(word);
    const T old = at;
    at = next(old);
    return old;
}

template <class T>
bool compare_exchange(void* word, void* expected, T desired) {
    charge_change(word);
    T& at = *static_cast<T*>(word);
    T& wanted = *static_cast<T*>(expected);
    if (at == wanted) {
        at = desired;
        return true;
    }
    wanted = at;
    return false;
}

} // namespace

// The names are built in: their declarations would be in conflict, so the symbols are given.
#define NAMED(name, bytes) __asm__("__atomic_" #name "_" #bytes)
#define CHANGE(type, bytes, name, expression)                                                      \
    type name##_##bytes(void* word, type value, int) NAMED(name, bytes);                           \
    type name##_##bytes(void* word, type value, int) {                                             \
        return change<type>(word, [value](type old) { return static_cast<type>(expression); });    \
    }
#define OPERATIONS(type, bytes)                                                                    \
    type load_##bytes(const void* word, int) NAMED(load, bytes);                                   \
    type load_##bytes(const void* word, int) { return load<type>(word); }                          \
    void store_##bytes(void* word, type value, int order) NAMED(store, bytes);                     \
    void store_##bytes(void* word, type value, int order) { store<type>(word, value, order); }     \
    bool compare_##bytes(void* word, void* expected, type desired, bool, int, int)                 \
        NAMED(compare_exchange, bytes);                                                            \
    bool compare_##bytes(void* word, void* expected, type desired, bool, int, int) {               \
        return compare_exchange<type>(word, expected, desired);                                    \
    }                                                                                              \
    CHANGE(type, bytes, exchange, (static_cast<void>(old), value))                                 \
    CHANGE(type, bytes, fetch_add, old + value)                                                    \
    CHANGE(type, bytes, fetch_sub, old - value)                                                    \
    CHANGE(type, bytes, fetch_or, old | value)                                                     \
    CHANGE(type, bytes, fetch_and, old& value)                                                     \
    CHANGE(type, bytes, fetch_xor, old ^ value)

OPERATIONS(uint8_t, 1)
OPERATIONS(uint16_t, 2)
OPERATIONS(uint32_t, 4)
OPERATIONS(uint64_t, 8)

} // namespace heddle::sim
