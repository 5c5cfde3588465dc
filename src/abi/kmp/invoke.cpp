// SPDX-License-Identifier: Apache-2.0
// The call with any number of word arguments: after the two thread numbers the first four (AArch64:
// six) go to registers. A few lines of assembly put any number of others on the stack, with a frame
// that debuggers and profilers can unwind; elsewhere a table of calls goes up to its length. Called
// by each thread of a team, on its own stack. Sources: System V ABI, AMD64 supplement, 3.2;
// AAPCS64.
#include "abi/kmp/invoke.hpp"

namespace heddle::abi::kmp {

#if defined(__x86_64__)

// void heddle_invoke_with_stack(function, words, count > 4, global, bound, exit frame or nullptr)
asm(R"(
    .pushsection .text
    .hidden heddle_invoke_with_stack
    .globl heddle_invoke_with_stack
    .type heddle_invoke_with_stack, @function
heddle_invoke_with_stack:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    testq %r9, %r9              # a tool wants to know this frame
    jz 2f
    movq %rbp, (%r9)
2:
    movq %rdi, %r11             # function
    movq %rsi, %r10             # words
    movq %rcx, %rdi             # global
    movq %r8, %rsi              # bound
    movq %rdx, %rax             # count
    testb $1, %al               # the words that go to the stack keep it aligned to 16
    jz 1f
    pushq $0
1:  pushq -8(%r10,%rax,8)       # the last word first
    decq %rax
    cmpq $4, %rax
    ja 1b
    movq 0(%r10), %rdx
    movq 8(%r10), %rcx
    movq 16(%r10), %r8
    movq 24(%r10), %r9
    xorl %eax, %eax             # no argument is in a vector register
    call *%r11
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size heddle_invoke_with_stack, . - heddle_invoke_with_stack
    .popsection
)");

#elif defined(__aarch64__)

// The same with count > 6.
asm(R"(
    .pushsection .text
    .hidden heddle_invoke_with_stack
    .globl heddle_invoke_with_stack
    .type heddle_invoke_with_stack, %function
heddle_invoke_with_stack:
    .cfi_startproc
    hint #34                    // bti c
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    cbz x5, 1f                  // a tool wants to know this frame
    str x29, [x5]
1:  mov x16, x0                 // function
    mov x17, x1                 // words
    mov x0, x3                  // global
    mov x1, x4                  // bound
    sub x9, x2, #6              // words that go to the stack, which stays aligned to 16
    add x10, x9, #1
    and x10, x10, #-2
    sub sp, sp, x10, lsl #3
    add x11, x17, #48
    mov x12, sp                 // may be no base register while it is not aligned
2:  ldr x13, [x11], #8
    str x13, [x12], #8
    subs x9, x9, #1
    b.ne 2b
    ldp x2, x3, [x17]
    ldp x4, x5, [x17, #16]
    ldp x6, x7, [x17, #32]
    blr x16
    mov sp, x29
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #16
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size heddle_invoke_with_stack, . - heddle_invoke_with_stack
    .popsection
)");

#endif

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" void heddle_invoke_with_stack(Microtask function, void* const* words, int64_t count,
                                         Gtid* global, Gtid* bound, void** exit_frame);

#endif

namespace {

template <class... Words>
[[gnu::always_inline]] inline void call(Microtask function, Gtid* global, Gtid* bound,
                                        Words... words) {
    // Not as the variadic function of the type: conventions may pass those words elsewhere.
    reinterpret_cast<void (*)(Gtid*, Gtid*, Words...)>(function)(global, bound, words...);
}

#if !defined(__x86_64__) && !defined(__aarch64__)

constexpr int most_words = 64;

/// Peels one word a step off the count, until it is known to the compiler.
template <int known = 0, class... Words>
void call_with_words(const Outlined& outlined, Gtid* global, Gtid* bound, Words... words) {
    if (outlined.count == known)
        call(outlined.function, global, bound, words...);
    else if constexpr (known < most_words)
        call_with_words<known + 1>(outlined, global, bound, words..., outlined.arguments[known]);
    else
        platform::die("a parallel region that captures more than 64 variables");
}

#endif

} // namespace

namespace {

[[gnu::always_inline]] inline void invoke_from(const Outlined& outlined, Gtid global, Gtid bound,
                                               [[maybe_unused]] void** exit_frame) {
    void* const* const words = outlined.arguments;
    switch (outlined.count) {
    case 0:
        return call(outlined.function, &global, &bound);
    case 1:
        return call(outlined.function, &global, &bound, words[0]);
    case 2:
        return call(outlined.function, &global, &bound, words[0], words[1]);
    case 3:
        return call(outlined.function, &global, &bound, words[0], words[1], words[2]);
    case 4:
        return call(outlined.function, &global, &bound, words[0], words[1], words[2], words[3]);
#if defined(__aarch64__)
    case 5:
        return call(outlined.function, &global, &bound, words[0], words[1], words[2], words[3],
                    words[4]);
    case 6:
        return call(outlined.function, &global, &bound, words[0], words[1], words[2], words[3],
                    words[4], words[5]);
#endif
    }
#if defined(__x86_64__) || defined(__aarch64__)
    heddle_invoke_with_stack(outlined.function, words, outlined.count, &global, &bound, exit_frame);
#else
    call_with_words(outlined, &global, &bound);
#endif
}

} // namespace

void invoke(const Outlined& outlined, Gtid global, Gtid bound) {
    invoke_from(outlined, global, bound, nullptr);
}

void invoke_told(const Outlined& outlined, Gtid global, Gtid bound, void*& exit_frame) {
    exit_frame = __builtin_frame_address(0);
    invoke_from(outlined, global, bound, &exit_frame);
    exit_frame = nullptr;
}

} // namespace heddle::abi::kmp
