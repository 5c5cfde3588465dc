// SPDX-License-Identifier: Apache-2.0
// Parkers on real threads: one permit, and what was written before it was given is seen.
#include "concurrent/parker.hpp"

#include "threads.hpp"

#include <gtest/gtest.h>

namespace {

using heddle::concurrent::Parker;
namespace platform = heddle::platform;

TEST(Parker, keeps_one_permit) {
    Parker parker;
    parker.unpark();
    parker.unpark();
    parker.park(platform::forever);
    parker.park(1000); // a time limit, nobody signals
}

TEST(Parker, passes_what_was_written_before) {
    const int rounds = 5000 / test::slower;
    Parker parkers[2];
    platform::Atomic<int> turn{0};
    int plain = 0;
    test::on_threads(2, [&](int me) {
        for (int i = me; i < 2 * rounds; i += 2) {
            while (turn.load(platform::acquire) != i)
                parkers[me].park(platform::forever);
            EXPECT_EQ(plain, i);
            plain = i + 1;
            turn.store(i + 1, platform::release);
            parkers[1 - me].unpark();
        }
    });
}

} // namespace
