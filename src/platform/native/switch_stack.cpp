// SPDX-License-Identifier: Apache-2.0
// The few instructions that leave one stack for another: what a call preserves is kept on the stack
// that is left, 64 bytes on x86-64 (System V), 176 on AArch64 (AAPCS64). A debugger's walk ends
// where a side stack begins. Called through side_stack.hpp.
#include "platform/native/side_stack.hpp"

using heddle::platform::FirstCall;
static_assert(offsetof(FirstCall, entry) == 0 && offsetof(FirstCall, argument) == 8 &&
              offsetof(FirstCall, control) == 16); // in heddle_begin_stack
#if defined(__x86_64__)
asm(R"(
    .text
    .p2align 4
    .globl heddle_switch_stack
    .hidden heddle_switch_stack
    .type heddle_switch_stack, @function
heddle_switch_stack:
    .cfi_startproc
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    testq %rdx, %rdx
    jnz heddle_begin_stack
    .globl heddle_leave_stack
    .hidden heddle_leave_stack
heddle_leave_stack:
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size heddle_switch_stack, .-heddle_switch_stack

    .p2align 4
    .type heddle_begin_stack, @function
heddle_begin_stack:
    .cfi_startproc
    .cfi_undefined rip
    movq %rsi, %rsp
    ldmxcsr 16(%rdx)
    fldcw 20(%rdx)
    movq 8(%rdx), %rdi
    xorl %ebp, %ebp
    leaq 1f(%rip), %rax
    pushq %rax
    jmp *(%rdx)
1:
    ud2
    .cfi_endproc
    .size heddle_begin_stack, .-heddle_begin_stack
)");
#elif defined(__aarch64__)
// Of a vector register a call preserves the low 64 bits, of d8 to d15. FPCR is written only where
// the contexts differ in it: that is slow. The hint is `bti c`, a no-operation where there is none;
// a jump by x16 may end at one.
asm(R"(
    .text
    .p2align 4
    .globl heddle_switch_stack
    .hidden heddle_switch_stack
    .type heddle_switch_stack, %function
heddle_switch_stack:
    .cfi_startproc
    hint #34
    sub sp, sp, #176
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mrs x9, fpcr
    str x9, [sp, #160]
    mov x10, sp
    str x10, [x0]
    cbnz x2, heddle_begin_stack
    .globl heddle_leave_stack
    .hidden heddle_leave_stack
heddle_leave_stack:
    mov sp, x1
    mrs x9, fpcr
    ldr x10, [sp, #160]
    cmp x9, x10
    b.eq 1f
    msr fpcr, x10
1:
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #176
    ret
    .cfi_endproc
    .size heddle_switch_stack, .-heddle_switch_stack

    .p2align 4
    .type heddle_begin_stack, %function
heddle_begin_stack:
    .cfi_startproc
    .cfi_undefined x30
    mov sp, x1
    ldr x10, [x2, #16]
    and x10, x10, #0x7fffffffffffffff
    cmp x9, x10
    b.eq 1f
    msr fpcr, x10
1:
    ldp x16, x0, [x2]
    mov x29, xzr
    adr x30, 2f
    br x16
2:
    brk #1
    .cfi_endproc
    .size heddle_begin_stack, .-heddle_begin_stack
)");
#else
#include <cstdlib>
void heddle_switch_stack(void**, void*, const heddle::platform::FirstCall*) { abort(); }
#endif
