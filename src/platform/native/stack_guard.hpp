// SPDX-License-Identifier: Apache-2.0
// A line that names OMP_STACKSIZE when a thread of spawn() runs over the end of its stack, before
// the process ends as it would without it. Only where the program has left SIGSEGV at its default.
// Called by platform.cpp: decide once before the first thread, then on each thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::platform {

struct Thread;

/// Bytes below a stack that may not be touched. More than the page that glibc takes, because a
/// frame with a large array steps over a page; untouched, they are no memory.
inline constexpr size_t guard_bytes = 64 * 1024;

/// What a thread's stack must have in addition for the line to be printed, in bytes. 0: the program
/// handles SIGSEGV itself, or the system refuses, and everything stays as it is. The first call
/// decides, and changes the disposition.
size_t room_to_tell_overflow();

/// Executes the thread, the calling one, with thread.room bytes of its stack, not 0, kept for the
/// line.
void call_and_tell_overflow(const Thread& thread);

/// Of the side stack whose guard the address lies in, in bytes; 0: of none. Safe in signal
/// handlers.
size_t size_of_stack_above(uintptr_t address);

/// Where the process's addresses are limited (RLIMIT_AS): are there so many bytes, and some more
/// for the program's heap? A stack that we can do without must not take the last ones.
bool has_addresses_for(size_t bytes);

/// `heddle: `, the text and a newline on stderr; safe in signal handlers.
void print_line(const char* text);

} // namespace heddle::platform
