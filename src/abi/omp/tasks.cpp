// SPDX-License-Identifier: Apache-2.0
// Routines on the calling task, on free agents and on tools (OpenMP 5.2 sections 18.5, 18.14 and
// 6.0 chapter 21). Called by users' programs on any thread; they read the thread's own frame.
// There are neither free-agent threads nor a tool interface.
#include "abi/export.hpp"
#include "team/team.hpp"

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

/// -2: no tool is there to take the command.
HEDDLE_EXPORT int omp_control_tool(int /*command*/, int /*modifier*/, void* /*argument*/) {
    return -2;
}

// Fortran: arguments by reference; `_8_` for programs compiled with 8-byte integers.
HEDDLE_EXPORT int32_t omp_is_free_agent_() { return 0; }
HEDDLE_EXPORT int32_t omp_ancestor_is_free_agent_(const int32_t*) { return 0; }
HEDDLE_EXPORT int32_t omp_in_explicit_task_() { return omp_in_explicit_task(); }
HEDDLE_EXPORT int32_t omp_control_tool_(const int32_t*, const int32_t*, void*) {
    return omp_control_tool(0, 0, nullptr);
}
HEDDLE_EXPORT int64_t omp_control_tool_8_(const int64_t*, const int64_t*, void*) {
    return omp_control_tool(0, 0, nullptr);
}
