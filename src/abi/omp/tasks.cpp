// SPDX-License-Identifier: Apache-2.0
// Routines on the calling task, on free agents and on tools (OpenMP 5.2 sections 18.5, 18.14 and
// 6.0 chapter 21). Called by users' programs on any thread; they read the thread's own frame.
// There are no free-agent threads.
#include "abi/export.hpp"
#include "team/tool_events.hpp"

#include <cstdint>

using namespace heddle;

/// Whether the calling task was made by a task generating construct.
HEDDLE_EXPORT int omp_in_explicit_task() {
    const team::Member* member = team::self_or_null();
    return member != nullptr && member->current != &member->implicit_task;
}

/// Every thread that executes a task is a member of the task's team.
HEDDLE_EXPORT int omp_is_free_agent() { return 0; }
HEDDLE_EXPORT int omp_ancestor_is_free_agent(int /*level*/) { return 0; }

namespace {

/// -2: no tool is there to take the command; -1: it has no callback for it; else its answer.
int control(uint64_t command, uint64_t modifier, void* argument, team::Caller caller) {
    if (!team::self_or_null() && tool::start_tool)
        tool::start_tool(); // this may be the first that the program wants of us
    if (!tool::has_tool())
        return -2;
    const auto function = tool::callback<ompt_callback_control_tool>();
    if (!function)
        return -1;
    const team::ToldEntry entry(team::self(), caller);
    return function(command, modifier, argument, caller.code);
}

} // namespace

HEDDLE_EXPORT int omp_control_tool(int command, int modifier, void* argument) {
    return control(static_cast<uint64_t>(command), static_cast<uint64_t>(modifier), argument,
                   HEDDLE_CALLER);
}

// Fortran: arguments by reference; `_8_` for programs compiled with 8-byte integers.
HEDDLE_EXPORT int32_t omp_is_free_agent_() { return 0; }
HEDDLE_EXPORT int32_t omp_ancestor_is_free_agent_(const int32_t*) { return 0; }
HEDDLE_EXPORT int32_t omp_in_explicit_task_() { return omp_in_explicit_task(); }
HEDDLE_EXPORT int32_t omp_control_tool_(const int32_t* command, const int32_t* modifier,
                                        void* argument) {
    return control(static_cast<uint64_t>(*command), static_cast<uint64_t>(*modifier), argument,
                   HEDDLE_CALLER);
}
HEDDLE_EXPORT int64_t omp_control_tool_8_(const int64_t* command, const int64_t* modifier,
                                          void* argument) {
    return control(static_cast<uint64_t>(*command), static_cast<uint64_t>(*modifier), argument,
                   HEDDLE_CALLER);
}
