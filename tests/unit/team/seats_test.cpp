// SPDX-License-Identifier: Apache-2.0
// Seats at a barrier: one on each CPU, the team's CPUs in all, and anew in each epoch.
#include "team/seats.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace {

using heddle::team::Seats;
using heddle::team::take_seat;

/// Keeps the test's thread on the CPU where it is.
class OneCpu {
public:
    OneCpu() {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    ~OneCpu() { sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t before_;
};

TEST(Seats, OneThreadOfACpuHasOne) {
    const OneCpu here;
    Seats seats = {};
    EXPECT_TRUE(take_seat(seats, 2, 7, 5, false));
    EXPECT_FALSE(take_seat(seats, 2, 7, 6, false));
    EXPECT_TRUE(take_seat(seats, 2, 7, 5, false)) << "its own";
}

TEST(Seats, AfterANapOnAnyCpuAsLongAsThereAreSome) {
    const OneCpu here;
    Seats seats = {};
    EXPECT_TRUE(take_seat(seats, 2, 7, 0, false));
    EXPECT_TRUE(take_seat(seats, 2, 7, 1, true));
    EXPECT_FALSE(take_seat(seats, 2, 7, 2, true)) << "all are taken";
    EXPECT_TRUE(take_seat(seats, 2, 7, 0, true));
    EXPECT_TRUE(take_seat(seats, 2, 7, 1, false));
}

TEST(Seats, AreFreeInTheNextEpoch) {
    const OneCpu here;
    Seats seats = {};
    EXPECT_TRUE(take_seat(seats, 1, 7, 0, false));
    EXPECT_FALSE(take_seat(seats, 1, 7, 1, true));
    EXPECT_TRUE(take_seat(seats, 1, 8, 1, false));
    EXPECT_FALSE(take_seat(seats, 1, 8, 0, true));
}

TEST(Seats, HighThreadNumbersAreTold) {
    const OneCpu here;
    Seats seats = {};
    const int last = heddle::team::most_seated_threads - 1;
    EXPECT_TRUE(take_seat(seats, 1, 0xffffffff, last, false));
    EXPECT_FALSE(take_seat(seats, 1, 0xffffffff, 0, true));
    EXPECT_TRUE(take_seat(seats, 1, 0xffffffff, last, false));
}

} // namespace
