// SPDX-License-Identifier: Apache-2.0
// Calling an outlined region whose captured variables are separate arguments, as many as there are.
// Called by fork and teams on each thread of the team. The arguments are words: pointers, or small
// values in the bits of a word, so the integer registers and the stack take them all.
#pragma once

#include "abi/kmp/ident.hpp"

#include <stdarg.h>

namespace heddle::abi::kmp {

/// The outlined region: void(Gtid* global, Gtid* bound, captured variables...).
using Microtask = void (*)(Gtid* global, Gtid* bound, ...);

/// An outlined region with its arguments, in the frame of the encountering thread.
struct Outlined {
    Microtask function;
    int32_t count;
    void* const* arguments;
};

/// The `count` words of `list`, a variadic entry point's, put into `words`, which lies in its
/// frame.
inline Outlined gather(Microtask function, int32_t count, void** words, va_list list) {
    for (int32_t i = 0; i < count; ++i)
        words[i] = va_arg(list, void*);
    return {function, count, words};
}

/// Its code, for tool::add_detour().
inline const void* outlined_code(const void* outlined) {
    return reinterpret_cast<const void*>(static_cast<const Outlined*>(outlined)->function);
}

/// Calls outlined.function(&global, &bound, arguments...).
void invoke(const Outlined& outlined, Gtid global, Gtid bound);

/// The same; `exit_frame` is meanwhile the frame of what calls the function.
void invoke_told(const Outlined& outlined, Gtid global, Gtid bound, void*& exit_frame);

} // namespace heddle::abi::kmp
