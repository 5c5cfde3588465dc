// SPDX-License-Identifier: Apache-2.0
// The fence that one thread has all others pass is ready once the library is loaded: to register
// for it when there are more threads takes the system some 10 ms.
#include "platform.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

TEST(FenceAllThreads, IsRegisteredAtLoad) {
    if (!__libc_single_threaded)
        GTEST_SKIP() << "a sanitizer has started a thread before";
    const long done = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    if (done != 0 && errno != EPERM)
        GTEST_SKIP() << "the system has no membarrier";
    EXPECT_EQ(done, 0);
    EXPECT_TRUE(heddle::platform::fence_all_threads());
}

} // namespace
