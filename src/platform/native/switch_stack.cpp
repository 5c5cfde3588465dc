// SPDX-License-Identifier: Apache-2.0
// The few instructions that leave one stack for another, x86-64 System V: what a call preserves is
// kept on the stack that is left, 64 bytes. A debugger's walk ends where a side stack begins.
// Called through side_stack.hpp.
#include "platform/native/side_stack.hpp"

#if defined(__x86_64__)
using heddle::platform::FirstCall;
static_assert(offsetof(FirstCall, entry) == 0 && offsetof(FirstCall, argument) == 8 &&
              offsetof(FirstCall, control) == 16); // in heddle_begin_stack
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
#else
#include <cstdlib>
void heddle_switch_stack(void**, void*, const heddle::platform::FirstCall*) { abort(); }
#endif
