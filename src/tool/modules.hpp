// SPDX-License-Identifier: Apache-2.0
// The object files whose code the runtime was told to run, so that an address can be named later:
// by the hang report in a signal handler, and by whoever reads a trace. Called by whoever notes an
// address, on any thread. The table only grows. Ordering: the count is released after the entry
// that it covers; find_module() acquires it.
#pragma once

#include "tool/events.hpp"

namespace heddle::tool {

/// The module of `address`; nullptr when it is not known. Safe in signal handlers.
const Module* find_module(uint64_t address);

/// Looks at what is loaded if the module of `address` is not known; nullptr when there is none, as
/// for code made at run time. Takes the loader's lock.
const Module* learn_module(uint64_t address);

/// The table, and in `count` how many entries it has.
const Module* known_modules(uint32_t& count);

void forget_modules_lock_after_fork();

// Functions of ours that only pass on: the code that they will run is told by their argument.

using CodeOf = const void* (*)(const void* data);

/// `function`, called with `data`, runs the code at code_of(data). When the library is loaded.
void add_detour(void (*function)(void*), CodeOf code_of);

/// The address of what function(data) is about.
uint64_t code_address(void (*function)(void*), const void* data);

} // namespace heddle::tool
