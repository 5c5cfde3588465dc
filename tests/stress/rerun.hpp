// SPDX-License-Identifier: Apache-2.0
// Stress programs that need an environment variable start themselves again with it, for the
// runtime reads the environment once. Included by programs; main() calls it first.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace stress {

/// Returns when `name` has the value; otherwise the program begins anew with it.
inline void rerun_with(const char* name, const char* value, char** arguments) {
    const char* now = getenv(name);
    if (now && strcmp(now, value) == 0)
        return;
    setenv(name, value, 1);
    fflush(nullptr);
    execv("/proc/self/exe", arguments);
    perror("execv");
    exit(1);
}

} // namespace stress
