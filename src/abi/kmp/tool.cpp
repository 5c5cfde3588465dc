// SPDX-License-Identifier: Apache-2.0
// The two functions of libomp by which tools are found (OpenMP 5.2 section 19.2). There is no tool
// interface yet: no tool is started, and libomptarget is told of none.
// Called by whoever looks for a tool, on any thread; nothing is kept.
// Source: OpenMP 5.2 section 19.2.1, the imports of LLVM's libomptarget 19.
#include "abi/export.hpp"

#include <dlfcn.h>

/// A tool's own definition comes before this one, or behind it in the order of libraries: then it
/// is called. nullptr when no tool is there, or the tool does not want to be active.
HEDDLE_EXPORT __attribute__((weak)) void* ompt_start_tool(unsigned version, const char* runtime) {
    using StartTool = void* (*)(unsigned, const char*);
    auto next = reinterpret_cast<StartTool>(dlsym(RTLD_NEXT, "ompt_start_tool"));
    return next ? next(version, runtime) : nullptr;
}

/// libomptarget offers its device events to the tool: there is none to call its initializer for.
HEDDLE_EXPORT void ompt_libomp_connect(void* /*offer*/) {}
