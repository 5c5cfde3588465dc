// SPDX-License-Identifier: Apache-2.0
// What a thread of the user leaves behind when it ends.
#include "construct/parallel.hpp"
#include "team/cpu_pressure.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace {

using namespace heddle;

int32_t borrowed() { return team::cpu_pressure.borrowed.load(platform::relaxed); }

// Three threads at one place of one CPU deny it to the rest of the process, but not for ever.
TEST(EndedThread, NoLongerCrowdsItsPlace) {
    setenv("OMP_PROC_BIND", "primary", 1);
    setenv("OMP_PLACES", "threads", 1);
    int32_t during = 0;
    std::thread user([&during] {
        construct::parallel([](void*) {}, nullptr, 3);
        during = borrowed();
    });
    user.join();
    EXPECT_GT(during, 0) << "the region has not been counted at all";
    EXPECT_EQ(borrowed(), 0);
}

// A later thread inherits its worker, and perhaps its thread-local storage, but what the C++
// library keeps with a thread may lie elsewhere.
TEST(EndedThread, LeavesNoPlaceOfItsLibraries) {
    const team::Worker* first = nullptr;
    std::thread([&first] {
        team::Worker& worker = *team::self().worker;
        platform::take_library_state(worker.carrier.library);
        EXPECT_EQ(worker.carrier.library.thread, platform::calling_thread());
        first = &worker;
    }).join();
    std::thread([first] {
        const team::Worker& worker = *team::self().worker;
        ASSERT_EQ(&worker, first);
        EXPECT_EQ(worker.carrier.library.thread, nullptr);
    }).join();
}

} // namespace
