// SPDX-License-Identifier: Apache-2.0
// How many threads want a CPU: those that compute do, those that sleep do not.
#include "platform.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using heddle::platform::runnable_threads;

TEST(RunnableThreads, CountsThoseThatComputeAndNotThoseThatSleep) {
    std::atomic<bool> ends{false};
    std::atomic<int> begun{0};
    int ways[2];
    ASSERT_EQ(pipe(ways), 0);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            ++begun;
            while (!ends)
                ;
        });
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            prctl(PR_SET_NAME, "a) R (b"); // the name is in the line that is read
            pollfd until{ways[0], POLLIN, 0};
            ++begun;
            poll(&until, 1, -1);
        });
    while (begun < 7)
        std::this_thread::yield();
    int found;
    do // those that sleep have begun, and are on their way there
        found = runnable_threads(100);
    while (found > 4);
    EXPECT_EQ(found, 4) << "three and this one";
    EXPECT_EQ(runnable_threads(2), 2) << "no more are asked for";
    ends = true;
    EXPECT_EQ(write(ways[1], "x", 1), 1);
    for (std::thread& thread : threads)
        thread.join();
    close(ways[0]);
    close(ways[1]);
}

} // namespace
