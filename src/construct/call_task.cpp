// SPDX-License-Identifier: Apache-2.0
// The function of all tasks that a call of the program is, and what tells their code to traces and
// hang reports. Made by the entry points of target constructs and routines on the encountering
// thread, run by any thread of the team.
#include "construct/call_task.hpp"

#include "tool/modules.hpp"

namespace heddle::construct {

namespace {

void run(void* data) {
    Call& call = *static_cast<Call*>(data);
    if (call.work)
        call.work(call);
}

__attribute__((constructor)) void tell_detour() {
    tool::add_detour(run, [](const void* data) { return static_cast<const Call*>(data)->code; });
}

} // namespace

schedule::NewTask call_task(Call& call, size_t size) {
    return {run, &call, nullptr, size, alignof(Call), false, false};
}

} // namespace heddle::construct
