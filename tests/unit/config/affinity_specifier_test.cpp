// SPDX-License-Identifier: Apache-2.0
// Which affinity formats tell threads from each other, so that others want a display of their own.
#include "config/affinity_specifier.hpp"

#include <gtest/gtest.h>

namespace heddle::config {
namespace {

TEST(AffinitySpecifier, NamesThreads) {
    for (const char* format : {"%i", "level %L thread %i affinity %A", "%0.8i", "%05i", "%%%i",
                               "%{native_thread_id}", "%n %.9{native_thread_id}"})
        EXPECT_TRUE(names_threads(format)) << format;
}

TEST(AffinitySpecifier, NamesNoThreads) {
    for (const char* format : {"", "i", "%", "%%i", "%n i", "%0i", "%5%i", "tl:%L tn:%n nt:%N",
                               "%{thread_num}", "%{native_thread_id", "%{i}"})
        EXPECT_FALSE(names_threads(format)) << format;
}

} // namespace
} // namespace heddle::config
