// SPDX-License-Identifier: Apache-2.0
// What Valgrind is told: which memory is a stack. It takes a far jump of the stack pointer for a
// change of stacks, a near one for a stack that grows, and without this what lies on a side stack
// for garbage. A few instructions that change nothing, and that Valgrind knows: a client request.
// Called by side_stack.cpp, on any thread. Its numbers do not change: programs have them built in.
#pragma once

#include <cstdint>

namespace heddle::platform::valgrind {

enum Request : uint64_t { register_stack = 0x1501, forget_stack = 0x1502 };

/// What Valgrind answers; 0 without it.
inline uint64_t ask(Request request, uint64_t first, uint64_t second = 0) {
    uint64_t arguments[6] = {request, first, second, 0, 0, 0};
#if defined(__x86_64__)
    uint64_t answer = 0;
    asm volatile("rolq $3, %%rdi\n rolq $13, %%rdi\n rolq $61, %%rdi\n rolq $51, %%rdi\n"
                 "xchgq %%rbx, %%rbx"
                 : "+d"(answer)
                 : "a"(arguments)
                 : "cc", "memory");
    return answer;
#elif defined(__aarch64__)
    register uint64_t answer asm("x3") = 0;
    register uint64_t* place asm("x4") = arguments;
    asm volatile("ror x12, x12, #3\n ror x12, x12, #13\n ror x12, x12, #51\n ror x12, x12, #61\n"
                 "orr x10, x10, x10"
                 : "+r"(answer)
                 : "r"(place)
                 : "cc", "memory");
    return answer;
#else
    return arguments[0] * 0;
#endif
}

} // namespace heddle::platform::valgrind
