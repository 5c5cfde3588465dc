// SPDX-License-Identifier: Apache-2.0
// Affinity formats: every field by both names, widths, zeros, what is cut off, and what is no
// specifier. Expected texts are those that gcc 12's libgomp prints, where it does not stop.
#include "construct/affinity_format.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace heddle::construct {
namespace {

const uint64_t two_words[] = {0x8000000000000f01, 0x3};

AffinityFields sample() {
    return {.team_num = 1,
            .num_teams = 2,
            .nesting_level = 3,
            .thread_num = 4,
            .num_threads = 50,
            .ancestor_tnum = -1,
            .process_id = 7000,
            .native_thread_id = 7001,
            .host = "loom",
            .cpus = two_words,
            .cpu_words = 2};
}

std::string expand(std::string_view format) {
    char buffer[512];
    const size_t length = expand_affinity(format, sample(), buffer, sizeof buffer);
    EXPECT_LE(length, sizeof buffer);
    return {buffer, length};
}

TEST(AffinityFormat, FieldsByLetter) {
    EXPECT_EQ(expand("%t %T %L %n %N %a %H %P %i %A"), "1 2 3 4 50 -1 loom 7000 7001 0,8-11,63-65");
}

TEST(AffinityFormat, FieldsByName) {
    EXPECT_EQ(expand("%{team_num} %{num_teams} %{nesting_level} %{thread_num} %{num_threads} "
                     "%{ancestor_tnum} %{host} %{process_id} %{native_thread_id} "
                     "%{thread_affinity}"),
              "1 2 3 4 50 -1 loom 7000 7001 0,8-11,63-65");
}

TEST(AffinityFormat, WidthFillsOnTheRightAndADotOnTheLeft) {
    EXPECT_EQ(expand("%5n|%.5n|%0.5n|"), "4    |    4|00004|");
    EXPECT_EQ(expand("%05n|"), "4    |");
    EXPECT_EQ(expand("%6H|%.6H|%0.6H|"), "loom  |  loom|  loom|");
    EXPECT_EQ(expand("%1N|%.1N|%0.1N|"), "50|50|50|");
    EXPECT_EQ(expand("%.15A|%15{thread_affinity}|"), "   0,8-11,63-65|0,8-11,63-65   |");
}

TEST(AffinityFormat, TheSignComesBeforeZeros) {
    EXPECT_EQ(expand("%5a|%.5a|%0.5a|%0.1a|"), "-1   |   -1|-0001|-1|");
}

TEST(AffinityFormat, OtherTextStandsForItself) {
    EXPECT_EQ(expand(""), "");
    EXPECT_EQ(expand("no fields}"), "no fields}");
    EXPECT_EQ(expand("100%% of %%n"), "100% of %n");
}

TEST(AffinityFormat, UnknownFieldsAreUndefined) {
    EXPECT_EQ(expand("%z|%{foo}|%{}|%{n}|%0.12z|"),
              "undefined|undefined|undefined|undefined|   undefined|");
}

TEST(AffinityFormat, WhatIsNoSpecifierStandsForItself) {
    for (const char* text : {"%", "a%", "%5", "%0n", "%.n", "%0.n", "%.05n", "%{thread_num", "%0."})
        EXPECT_EQ(expand(text), text);
}

TEST(AffinityFormat, LengthCountsWhatIsCutOff) {
    char buffer[8];
    for (size_t room = 0; room <= sizeof buffer; ++room) {
        memset(buffer, '#', sizeof buffer);
        EXPECT_EQ(expand_affinity("ab%.10nc", sample(), buffer, room), 13u);
        EXPECT_EQ(std::string(buffer, sizeof buffer),
                  std::string("ab      ").substr(0, room) + std::string(sizeof buffer - room, '#'));
    }
    EXPECT_EQ(expand_affinity("%99999999999999999999n", sample(), nullptr, 0), size_t{1} << 30);
}

TEST(AffinityFormat, NoCpusAreAnEmptyList) {
    AffinityFields fields = sample();
    fields.cpu_words = 0;
    char buffer[8];
    EXPECT_EQ(expand_affinity("%A", fields, buffer, sizeof buffer), 0u);
}

TEST(AffinityFormat, TheCallingThread) {
    char buffer[512];
    const size_t length = capture_affinity("%P %i %L %n %N %a %t %T", buffer, sizeof buffer);
    const std::string expected = std::to_string(getpid()) + " " + std::to_string(gettid());
    EXPECT_EQ(std::string(buffer, length), expected + " 0 0 1 -1 0 1");
    EXPECT_GT(capture_affinity("%A", nullptr, 0), 0u);
}

TEST(AffinityFormat, TheVariableIsSetAndUsed) {
    char buffer[64];
    size_t length = get_affinity_format(buffer, sizeof buffer);
    EXPECT_EQ(std::string(buffer, length), "level %L thread %i affinity %A");
    set_affinity_format("x%nyz");
    EXPECT_EQ(get_affinity_format(buffer, 2), 5u);
    EXPECT_EQ(std::string(buffer, 2), "x%");
    length = capture_affinity("", buffer, sizeof buffer);
    EXPECT_EQ(std::string(buffer, length), "x0yz");
    testing::internal::CaptureStderr();
    display_affinity("");
    display_affinity("%0.600n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "x0yz\n" + std::string(600, '0') + "\n");
    set_affinity_format("");
    EXPECT_EQ(get_affinity_format(buffer, sizeof buffer), 0u);
}

TEST(AffinityFormat, ThreadsSetAndReadAtOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([i] {
            const std::string mine(static_cast<size_t>(10 * (i + 1)), static_cast<char>('a' + i));
            for (int turn = 0; turn < 2000; ++turn) {
                set_affinity_format(mine);
                char buffer[64];
                const size_t length = get_affinity_format(buffer, sizeof buffer);
                ASSERT_EQ(length % 10, 0u);
                for (size_t at = 0; at < length; ++at)
                    ASSERT_EQ(buffer[at], static_cast<char>('a' + length / 10 - 1));
            }
        });
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace
} // namespace heddle::construct
