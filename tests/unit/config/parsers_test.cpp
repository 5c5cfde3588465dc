// SPDX-License-Identifier: Apache-2.0
// The parsers of environment variables: what they take, what they refuse, and that a refused value
// leaves the result alone. The accepted spellings are those that gcc 12's libgomp accepts.
#include "config/parsers.hpp"

#include <climits>
#include <gtest/gtest.h>
#include <string>

namespace heddle::config {
namespace {

TEST(Parsers, Boolean) {
    bool value = false;
    EXPECT_TRUE(parse_boolean("true", value));
    EXPECT_TRUE(value);
    EXPECT_TRUE(parse_boolean(" \tFALSE\n", value));
    EXPECT_FALSE(value);
    for (const char* truth : {"1", "yes", "On ", "enabled", ".TRUE."}) { // as libomp has it
        value = false;
        EXPECT_TRUE(parse_boolean(truth, value)) << truth;
        EXPECT_TRUE(value) << truth;
    }
    for (const char* untruth : {"0", "no", " off", "disabled", ".f."}) {
        value = true;
        EXPECT_TRUE(parse_boolean(untruth, value)) << untruth;
        EXPECT_FALSE(value) << untruth;
    }
    for (const char* bad : {"", " ", "2", "yess", "true x", "truefalse", "tru", "true,"})
        EXPECT_FALSE(parse_boolean(bad, value)) << bad;
}

TEST(Parsers, IntegerKeepsToItsRange) {
    int value = -7;
    EXPECT_TRUE(parse_integer("2147483647", 0, INT_MAX, value));
    EXPECT_EQ(value, INT_MAX);
    EXPECT_TRUE(parse_integer(" +12 ", 1, 12, value));
    EXPECT_EQ(value, 12);
    for (const char* bad : {"0", "13", "-1", "2147483648", "4294967297", "99999999999999999999", "",
                            "+", "+-1", "0x4", "4x", "4 4", "4.0", "four"})
        EXPECT_FALSE(parse_integer(bad, 1, 12, value)) << bad;
    EXPECT_EQ(value, 12);
}

TEST(Parsers, SaturatingTakesAnyNumber) {
    int value = 0;
    EXPECT_TRUE(parse_saturating("99999999999999999999", 255, value));
    EXPECT_EQ(value, 255);
    EXPECT_TRUE(parse_saturating("0", 255, value));
    EXPECT_EQ(value, 0);
    EXPECT_FALSE(parse_saturating("-1", 255, value));
}

TEST(Parsers, PositiveList) {
    int list[max_list_length] = {};
    int length = 0;
    EXPECT_TRUE(parse_positive_list(" 4 ,3, 2 ", list, length));
    EXPECT_EQ(length, 3);
    EXPECT_EQ(list[0], 4);
    EXPECT_EQ(list[1], 3);
    EXPECT_EQ(list[2], 2);
    for (const char* bad : {"", ",", "4,", ",4", "4,,3", "4 3", "4,0", "0", "-1", "4,x",
                            "3000000000", "1,99999999999999999999"})
        EXPECT_FALSE(parse_positive_list(bad, list, length)) << bad;
    EXPECT_EQ(length, 3);
    EXPECT_EQ(list[0], 4);
}

TEST(Parsers, LongListIsCutButChecked) {
    std::string text = "1";
    for (int i = 2; i <= 100; i++)
        text += "," + std::to_string(i);
    int list[max_list_length];
    int length = 0;
    EXPECT_TRUE(parse_positive_list(text, list, length));
    EXPECT_EQ(length, max_list_length);
    EXPECT_EQ(list[max_list_length - 1], max_list_length);
    EXPECT_FALSE(parse_positive_list(text + ",0", list, length));
}

struct ScheduleCase {
    const char* text;
    ScheduleKind kind;
    bool monotonic;
    int chunk;
};

TEST(Parsers, Schedule) {
    const ScheduleCase cases[] = {
        {"static", ScheduleKind::static_, true, 0},
        {" STATIC , 7 ", ScheduleKind::static_, true, 7},
        {"static,0", ScheduleKind::static_, true, 0},
        {"dynamic", ScheduleKind::dynamic, false, 1},
        {"dynamic,0", ScheduleKind::dynamic, false, 1},
        {"Guided,4", ScheduleKind::guided, false, 4},
        {"auto", ScheduleKind::auto_, false, 1},
        {"auto,3", ScheduleKind::auto_, false, 3},
        {"adaptive", ScheduleKind::adaptive, false, 1},
        {"Adaptive, 64", ScheduleKind::adaptive, false, 64},
        {"monotonic:dynamic", ScheduleKind::dynamic, true, 1},
        {"nonmonotonic:static,2", ScheduleKind::static_, false, 2},
        {"monotonic : guided , 5", ScheduleKind::guided, true, 5},
        {"dynamic,2147483647", ScheduleKind::dynamic, false, INT_MAX},
    };
    for (const ScheduleCase& expected : cases) {
        Schedule schedule{};
        EXPECT_TRUE(parse_schedule(expected.text, schedule)) << expected.text;
        EXPECT_EQ(schedule.kind, expected.kind) << expected.text;
        EXPECT_EQ(schedule.monotonic, expected.monotonic) << expected.text;
        EXPECT_EQ(schedule.chunk, expected.chunk) << expected.text;
    }
    Schedule schedule{ScheduleKind::guided, false, 9};
    for (const char* bad :
         {"", "foo", "runtime", "static,", "static,-1", "static,2147483648", "static,4 x",
          "static 4", "adaptive,", "adaptive,x", ":static", "monotonic:", "monotonic", "foo:static",
          "monotonic:nonmonotonic:static", "static:4"})
        EXPECT_FALSE(parse_schedule(bad, schedule)) << bad;
    EXPECT_EQ(schedule.kind, ScheduleKind::guided);
    EXPECT_EQ(schedule.chunk, 9);
}

TEST(Parsers, Size) {
    size_t size = 0;
    auto bytes = [&](const char* text) { return parse_size(text, 16384, size) ? size : 0; };
    EXPECT_EQ(bytes("16"), 16384u);
    EXPECT_EQ(bytes("16384B"), 16384u);
    EXPECT_EQ(bytes("64 k"), 65536u);
    EXPECT_EQ(bytes(" 1M "), 1048576u);
    EXPECT_EQ(bytes("2g"), 2147483648u);
    EXPECT_EQ(bytes("4MB"), 4u << 20);
    EXPECT_EQ(bytes("16kb"), 16384u);
    EXPECT_EQ(bytes("2T"), size_t{2} << 40);
    for (const char* bad : {"", "K", "15", "16383B", "0", "-1", "16 M x", "2P", "1.5M", "16MiB",
                            "4BB", "99999999999G", "18446744073709551616", "9223372036854775808B"})
        EXPECT_EQ(bytes(bad), 0u) << bad;
}

TEST(Parsers, SpinCount) {
    int64_t count = -1;
    auto spins = [&](const char* text) { return parse_spin_count(text, count) ? count : -2; };
    EXPECT_EQ(spins("0"), 0);
    EXPECT_EQ(spins("100"), 100);
    EXPECT_EQ(spins("1 k"), 1000);
    EXPECT_EQ(spins("3M"), 3000000);
    EXPECT_EQ(spins("1G"), 1000000000);
    EXPECT_EQ(spins("9223372T"), 9223372000000000000);
    EXPECT_EQ(spins("INFINITE"), INT64_MAX);
    EXPECT_EQ(spins(" infinity "), INT64_MAX);
    for (const char* bad : {"", "foo", "-1", "1x", "10000000T", "99999999999999999999", "k"})
        EXPECT_EQ(spins(bad), -2) << bad;
}

TEST(Parsers, ProcBind) {
    ProcBind list[max_list_length] = {};
    int length = 0;
    EXPECT_TRUE(parse_proc_bind("TRUE", list, length));
    EXPECT_EQ(list[0], ProcBind::true_);
    EXPECT_EQ(length, 1);
    EXPECT_TRUE(parse_proc_bind("spread , close,master, primary", list, length));
    EXPECT_EQ(length, 4);
    EXPECT_EQ(list[0], ProcBind::spread);
    EXPECT_EQ(list[1], ProcBind::close);
    EXPECT_EQ(list[2], ProcBind::primary);
    EXPECT_EQ(list[3], ProcBind::primary);
    for (const char* bad : {"", "foo", "true,close", "close,true", "close,", "close spread", "1"})
        EXPECT_FALSE(parse_proc_bind(bad, list, length)) << bad;
    EXPECT_EQ(length, 4);
    EXPECT_EQ(list[0], ProcBind::spread);
}

TEST(Parsers, WordsOfOneVariableEach) {
    WaitPolicy policy = WaitPolicy::unset;
    EXPECT_TRUE(parse_wait_policy(" Active ", policy));
    EXPECT_EQ(policy, WaitPolicy::active);
    EXPECT_FALSE(parse_wait_policy("spin", policy));
    TargetOffload offload = TargetOffload::default_;
    EXPECT_TRUE(parse_target_offload("MANDATORY", offload));
    EXPECT_EQ(offload, TargetOffload::mandatory);
    EXPECT_FALSE(parse_target_offload("", offload));
    Display display = Display::nothing;
    EXPECT_TRUE(parse_display("Verbose", display));
    EXPECT_EQ(display, Display::verbose);
    for (const char* yes : {"1", "yes", "on"})
        EXPECT_TRUE(parse_display(yes, display) && display == Display::standard) << yes;
    EXPECT_TRUE(parse_display("0", display));
    EXPECT_EQ(display, Display::nothing);
    EXPECT_FALSE(parse_display("2", display));
}

TEST(Parsers, FormatMustFit) {
    char format[8] = "before";
    EXPECT_TRUE(parse_format("a'b  ", format, sizeof format));
    EXPECT_STREQ(format, "a'b  ");
    EXPECT_FALSE(parse_format("12345678", format, sizeof format));
    EXPECT_STREQ(format, "a'b  ");
    EXPECT_TRUE(parse_format("", format, sizeof format));
    EXPECT_STREQ(format, "");
}

} // namespace
} // namespace heddle::config
