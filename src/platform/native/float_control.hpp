// SPDX-License-Identifier: Apache-2.0
// The processor's floating-point control words, which a thread has and its parts of a region take
// along. Included by platform.hpp, and by the explorer's platform, for its fibers have them, too.
// Called by team/stand_in and schedule/stand_in through the contract, on any thread for itself.
#pragma once

#include <cstdint>

namespace heddle::platform {

/// How the calling thread rounds, traps and treats subnormal numbers, as the processor has it: what
/// a thread inherits and fesetenv() changes. Never 0 but where we do not know. Takes as long as
/// beginning a part of a region (stmxcsr: 5 ns), so it is read seldom.
inline uint64_t float_control() {
#if defined(__x86_64__)
    constexpr uint32_t status = 0x3f; // what has happened
    uint32_t vectors;
    uint16_t stack;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vectors), "=m"(stack));
    return uint64_t{stack} << 32 | (vectors & ~status);
#elif defined(__aarch64__)
    uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control | uint64_t{1} << 63;
#else
    return 0;
#endif
}

/// The calling thread has `now`, and is to have `control`. If they are the same, its exception
/// flags stay.
inline void set_float_control([[maybe_unused]] uint64_t control, uint64_t now) {
    if (control == now) [[likely]]
        return;
#if defined(__x86_64__)
    const auto vectors = static_cast<uint32_t>(control);
    const auto stack = static_cast<uint16_t>(control >> 32);
    asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(vectors), "m"(stack));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(control & ~(uint64_t{1} << 63)));
#endif
}

} // namespace heddle::platform
