// SPDX-License-Identifier: Apache-2.0
// Heddle's own variables: their grammars, how they are shown, and names that nobody knows.
#include "config/heddle_table.hpp"
#include "environment.hpp"

#include <algorithm>
#include <csignal>
#include <vector>

namespace heddle::config {
namespace {

HeddleVariables ours(const test::Values& values) {
    auto [reading, errors] = test::read(values);
    EXPECT_EQ(errors, "");
    return reading.settings.heddle;
}

std::string shown(const std::string& value) {
    const Settings settings = test::read({{"HEDDLE_STATS", value}}).reading.settings;
    char buffer[1024];
    Text out(buffer, sizeof buffer);
    heddle_variables()[0].print(out, settings, settings.initial);
    return std::string(out.view());
}

TEST(HeddleVariables, StatsAreOffUnlessAskedFor) {
    EXPECT_EQ(ours({}).stats, StatsTarget::nowhere);
    EXPECT_EQ(ours({{"HEDDLE_STATS", "0"}}).stats, StatsTarget::nowhere);
    EXPECT_EQ(ours({{"HEDDLE_STATS", "False"}}).stats, StatsTarget::nowhere);
    EXPECT_EQ(ours({{"HEDDLE_STATS", "1"}}).stats, StatsTarget::standard_error);
    EXPECT_EQ(ours({{"HEDDLE_STATS", "TRUE"}}).stats, StatsTarget::standard_error);
    const HeddleVariables file = ours({{"HEDDLE_STATS", "run.%p"}});
    EXPECT_EQ(file.stats, StatsTarget::file);
    EXPECT_STREQ(file.stats_file, "run.%p");
}

TEST(HeddleVariables, StatsRefuseWhatIsNoFile) {
    for (const std::string& value :
         {std::string("on"), std::string("2"), std::string(""), std::string("a.%d"),
          std::string("a.%"), std::string(512, '/')}) {
        auto [reading, errors] = test::read({{"HEDDLE_STATS", value}});
        EXPECT_EQ(reading.settings.heddle.stats, StatsTarget::nowhere) << value;
        EXPECT_EQ(errors.find("heddle: HEDDLE_STATS: bad value '" + value.substr(0, 100)), 0u)
            << errors;
        EXPECT_NE(errors.find("; using false\n"), errors.npos) << errors;
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    }
}

TEST(HeddleVariables, AreShown) {
    EXPECT_EQ(shown("0"), "FALSE");
    EXPECT_EQ(shown("true"), "TRUE");
    EXPECT_EQ(shown("./a%%b"), "./a%%b");
}

TEST(HeddleVariables, TraceIsOffUnlessAskedFor) {
    EXPECT_FALSE(ours({}).trace);
    EXPECT_FALSE(ours({{"HEDDLE_TRACE", "False"}}).trace);
    EXPECT_STREQ(ours({{"HEDDLE_TRACE", "1"}}).trace_file, "heddle.%p.trace");
    const HeddleVariables file = ours({{"HEDDLE_TRACE", "./a.%p"}, {"HEDDLE_TRACE_SIZE", "3M"}});
    EXPECT_TRUE(file.trace);
    EXPECT_STREQ(file.trace_file, "./a.%p");
    EXPECT_EQ(file.trace_size, 3u << 20);
    EXPECT_EQ(ours({{"HEDDLE_HANG_SIGNAL", "usr2"}}).hang_signal, SIGUSR2);
    EXPECT_EQ(ours({{"HEDDLE_HANG_SIGNAL", "none"}}).hang_signal, 0);
}

TEST(HeddleVariables, TraceRefusesWhatIsNoFile) {
    const std::pair<std::string, std::string> wrong[] = {
        {"HEDDLE_TRACE", "on"},         {"HEDDLE_TRACE", "a.%d"},
        {"HEDDLE_TRACE_SIZE", "1K"},    {"HEDDLE_TRACE_SIZE", "much"},
        {"HEDDLE_HANG_SIGNAL", "KILL"}, {"HEDDLE_HANG_SIGNAL", "10"}};
    for (const auto& [name, value] : wrong) {
        auto [reading, errors] = test::read({{name, value}});
        EXPECT_FALSE(reading.settings.heddle.trace);
        EXPECT_EQ(reading.settings.heddle.trace_size, 32u << 20);
        EXPECT_EQ(reading.settings.heddle.hang_signal, 0);
        EXPECT_EQ(errors.find("heddle: " + name + ": bad value '"), 0u) << errors;
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    }
}

std::string warnings(std::initializer_list<const char*> entries) {
    std::vector<const char*> list(entries);
    list.push_back(nullptr);
    testing::internal::CaptureStderr();
    warn_about_unknown_names(list.data());
    return testing::internal::GetCapturedStderr();
}

TEST(HeddleVariables, AnUnknownNameIsOneWarning) {
    EXPECT_EQ(warnings({"HEDDLE_STATS=1", "HEDDLE=1", "HEDDLE_LIBRARY=x", "PATH=HEDDLE_X"}), "");
    EXPECT_EQ(warnings({"HEDDLE_SIM=x", "HEDDLE_PASS=x", "HEDDLE_TARGET=x"}), "");
    EXPECT_EQ(warnings({"HEDDLE_STAT=1"}),
              "heddle: HEDDLE_STAT: unknown variable; the nearest known one is HEDDLE_STATS\n");
    EXPECT_EQ(warnings({"HEDDLE_STATISTICS"}),
              "heddle: HEDDLE_STATISTICS: unknown variable; the nearest known one is "
              "HEDDLE_STATS\n");
    const std::string longer = "HEDDLE_" + std::string(1000, 'X') + "=1";
    EXPECT_EQ(warnings({longer.c_str()}).find("heddle: HEDDLE_XXX"), 0u);
}

} // namespace
} // namespace heddle::config
