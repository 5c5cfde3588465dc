// SPDX-License-Identifier: Apache-2.0
// Included before all else by what is compiled with -fsanitize=thread (CMakeLists.txt): gcc leaves
// the calls of these functions as they are, because ThreadSanitizer's runtime intercepts them.
#pragma once

#include <stddef.h>

#ifndef __clang__
extern "C" {
void* memcpy(void* __restrict to, const void* __restrict from, size_t size) noexcept
    __asm__("explore_memcpy");
void* memmove(void* to, const void* from, size_t size) noexcept __asm__("explore_memmove");
void* memset(void* to, int byte, size_t size) noexcept __asm__("explore_memset");
}
#endif
