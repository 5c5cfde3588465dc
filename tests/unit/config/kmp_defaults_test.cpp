// SPDX-License-Identifier: Apache-2.0
// What kmp_set_defaults() collects before the environment is read.
#include "config/kmp_defaults.hpp"

#include "config/load.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace heddle::config {
namespace {

// Found by the fuzzer: an entry that just fitted let the next one overwrite what follows.
TEST(KmpDefaults, WhatDoesNotFitIsIgnored) {
    unsetenv("OMP_NUM_THREADS");
    set_defaults("OMP_NUM_THREADS=3");
    testing::internal::CaptureStderr();
    for (size_t size = 1000; size > 0; --size) // one of them fills it to the last byte
        set_defaults(std::string(size, 'x') + "=");
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("heddle: kmp_set_defaults: xxx"), said.npos);
    EXPECT_NE(said.find("is ignored, for there is no room\n"), said.npos);
    EXPECT_EQ(settings().initial.nthreads, 3);
}

} // namespace
} // namespace heddle::config
