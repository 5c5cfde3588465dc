// SPDX-License-Identifier: Apache-2.0
// A made-up environment for the tests of config/: reads the table of control variables from it.
#pragma once

#include "config/load.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace heddle::test {

using Values = std::map<std::string, std::string>;

inline const Values* current_values;

struct Outcome {
    config::Reading reading;
    std::string errors; ///< what went to stderr
};

/// Reads `values` on a machine with `cpus` CPUs. They are kept, for settings may point into them.
inline Outcome read(const Values& values, int cpus = 8) {
    Outcome outcome;
    static std::deque<Values> kept;
    current_values = &kept.emplace_back(values);
    testing::internal::CaptureStderr();
    config::read_environment(
        [](const char* name) -> const char* {
            auto found = current_values->find(name);
            return found == current_values->end() ? nullptr : found->second.c_str();
        },
        cpus, outcome.reading);
    outcome.errors = testing::internal::GetCapturedStderr();
    return outcome;
}

} // namespace heddle::test
