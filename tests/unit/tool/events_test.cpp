// SPDX-License-Identifier: Apache-2.0
// Events are packed as the reader unpacks them, and addresses of code are found in their files.
#include "tool/modules.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace heddle::tool {
namespace {

TEST(Event, HoldsWhatItIsGiven) {
    const Event event = make_event(EventKind::steal, 123456789, 77, 3);
    EXPECT_EQ(event.when >> time_bits, static_cast<uint64_t>(EventKind::steal));
    EXPECT_EQ(event.when & ((uint64_t{1} << time_bits) - 1), 123456789u);
    EXPECT_EQ(event.what & ((uint64_t{1} << value_bits) - 1), 77u);
    EXPECT_EQ(event.what >> value_bits, 3u);
}

TEST(Event, LargeNumbersCountAsTheLargest) {
    const Event event = make_event(EventKind::region_begin, 0, ~uint64_t{0}, 1u << 20);
    EXPECT_EQ(event.what, ~uint64_t{0});
    EXPECT_EQ(event.when, static_cast<uint64_t>(EventKind::region_begin) << time_bits);
}

int here;

TEST(Modules, AnAddressIsFoundOnceItWasLearnt) {
    const auto code = reinterpret_cast<uint64_t>(&make_event);
    const auto data = reinterpret_cast<uint64_t>(&here);
    EXPECT_EQ(find_module(code), nullptr);
    const Module* module = learn_module(code);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(find_module(code), module);
    EXPECT_EQ(learn_module(data), module); // of the same program
    EXPECT_NE(std::string(module->path).find("unit.tool.events"), std::string::npos);
    uint32_t count;
    EXPECT_EQ(known_modules(count), module);
    EXPECT_EQ(count, 1u);
    const auto libc = reinterpret_cast<uint64_t>(&abort);
    const Module* other = learn_module(libc);
    ASSERT_NE(other, nullptr);
    EXPECT_LE(other->low, libc); // libc's, or a sanitizer's in its place
    EXPECT_LT(libc, other->high);
}

TEST(Modules, NobodyKnowsMemoryThatIsNoFile) {
    int local = 0;
    EXPECT_EQ(learn_module(reinterpret_cast<uint64_t>(&local)), nullptr);
    EXPECT_EQ(learn_module(0), nullptr);
    EXPECT_EQ(learn_module(~uint64_t{0}), nullptr);
}

void passes_on(void*) {}

TEST(Modules, ADetourTellsWhatItIsAbout) {
    int body = 0;
    EXPECT_EQ(code_address(passes_on, &body), reinterpret_cast<uint64_t>(&passes_on));
    add_detour(passes_on, [](const void* data) { return data; });
    EXPECT_EQ(code_address(passes_on, &body), reinterpret_cast<uint64_t>(&body));
}

} // namespace
} // namespace heddle::tool
