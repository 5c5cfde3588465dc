// SPDX-License-Identifier: Apache-2.0
// Tasks that have no code in the program, but are made by a call of it: an asynchronous copy, or
// nothing but what comes before and after it. To who watches their code is where it made that call.
// Made by the ABI layers on the encountering thread; any thread of the team executes them.
#pragma once

#include "schedule/throttle.hpp"

namespace heddle::construct {

/// The captured data of such a task, or what they begin with.
struct Call {
    const void* code;              ///< where it returns to
    void (*work)(Call&) = nullptr; ///< nullptr: there is nothing to do
};

/// A task whose `size` bytes of captured data begin with `call`, which must live until the task has
/// been created.
schedule::NewTask call_task(Call& call, size_t size = sizeof(Call));

} // namespace heddle::construct
