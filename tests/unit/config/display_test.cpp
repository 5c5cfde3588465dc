// SPDX-License-Identifier: Apache-2.0
// What display_environment() prints: the lines of gcc 12's libgomp, from the table of variables.
#include "config/device_variables.hpp"
#include "environment.hpp"

#include <climits>

namespace heddle::config {
namespace {

/// How `name` is shown after `values` have been read.
std::string shown(const char* name, const test::Values& values) {
    Reading reading = test::read(values).reading;
    for (const Variable& variable : variables())
        if (std::string_view(variable.name) == name) {
            char buffer[1024];
            Text out(buffer, sizeof buffer);
            variable.print(out, reading.settings, reading.settings.initial);
            return std::string(out.view());
        }
    return "no such variable";
}

TEST(Display, ValuesAsLibgompPrintsThem) {
    auto schedule = [](const char* text) {
        return shown("OMP_SCHEDULE", {{"OMP_SCHEDULE", text}});
    };
    EXPECT_EQ(schedule("static"), "STATIC");
    EXPECT_EQ(schedule("static,4"), "STATIC,4");
    EXPECT_EQ(schedule("dynamic,1"), "DYNAMIC");
    EXPECT_EQ(schedule("guided,4"), "GUIDED,4");
    EXPECT_EQ(schedule("monotonic:guided,5"), "MONOTONIC:GUIDED,5");
    EXPECT_EQ(schedule("nonmonotonic:static"), "NONMONOTONIC:STATIC");
    EXPECT_EQ(schedule("auto"), "AUTO");
    EXPECT_EQ(schedule("adaptive"), "ADAPTIVE");
    EXPECT_EQ(schedule("adaptive,64"), "ADAPTIVE,64");
    EXPECT_EQ(shown("OMP_NUM_THREADS", {{"OMP_NUM_THREADS", "4,3,2"}}), "4,3,2");
    EXPECT_EQ(shown("OMP_NESTED", {{"OMP_NUM_THREADS", "4,3,2"}}), "TRUE");
    EXPECT_EQ(shown("OMP_PROC_BIND", {{"OMP_PROC_BIND", "close,spread"}}), "CLOSE,SPREAD");
    EXPECT_EQ(shown("OMP_PROC_BIND", {{"OMP_PROC_BIND", "primary"}}), "MASTER");
    EXPECT_EQ(shown("OMP_WAIT_POLICY", {}), "PASSIVE");
    EXPECT_EQ(shown("OMP_WAIT_POLICY", {{"OMP_WAIT_POLICY", "active"}}), "ACTIVE");
    EXPECT_EQ(shown("OMP_STACKSIZE", {{"GOMP_STACKSIZE", "1M"}}), "1048576");
    EXPECT_EQ(shown("OMP_ALLOCATOR", {}), "omp_default_mem_alloc");
    EXPECT_EQ(shown("OMP_TARGET_OFFLOAD", {{"OMP_TARGET_OFFLOAD", "mandatory"}}), "MANDATORY");
    EXPECT_EQ(shown("OMP_AFFINITY_FORMAT", {}), "level %L thread %i affinity %A");
    EXPECT_EQ(shown("GOMP_SPINCOUNT", {}), "");
    EXPECT_EQ(shown("GOMP_SPINCOUNT", {{"GOMP_SPINCOUNT", "1k"}}), "1000");
    EXPECT_EQ(shown("GOMP_SPINCOUNT", {{"GOMP_SPINCOUNT", "infinite"}}), "INFINITE");
    EXPECT_EQ(shown("OMP_PLACES", {}), "");
    EXPECT_EQ(shown("OMP_TOOL", {}), "ENABLED");
    EXPECT_EQ(shown("OMP_TOOL", {{"OMP_TOOL", "disabled"}}), "DISABLED");
}

TEST(Display, TheVariablesOfTools) {
    setenv("OMP_TOOL_LIBRARIES", "/a.so:/b.so", 1);
    EXPECT_EQ(shown("OMP_TOOL_LIBRARIES", {}), "/a.so:/b.so");
    unsetenv("OMP_TOOL_LIBRARIES");
    EXPECT_EQ(shown("OMP_TOOL_LIBRARIES", {}), "");
    EXPECT_EQ(shown("OMP_TOOL_VERBOSE_INIT", {}), "");
}

std::string display(const Icvs& icvs, bool verbose) {
    testing::internal::CaptureStderr();
    display_environment(settings(), icvs, verbose);
    return testing::internal::GetCapturedStderr();
}

TEST(Display, FrameAndVerbosity) {
    std::string plain = display(settings().initial, false);
    EXPECT_TRUE(plain.starts_with("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n"
                                  "  OMP_DYNAMIC = '"));
    EXPECT_TRUE(plain.ends_with("'\nOPENMP DISPLAY ENVIRONMENT END\n"));
    EXPECT_EQ(plain.find("GOMP_"), plain.npos);
    EXPECT_EQ(plain.find("OMP_DISPLAY_ENV"), plain.npos);
    std::string verbose = display(settings().initial, true);
    EXPECT_NE(verbose.find("\n  GOMP_SPINCOUNT = '"), verbose.npos);
    EXPECT_NE(verbose.find("\n  GOMP_STACKSIZE = '"), verbose.npos);
}

TEST(Display, ValuesAreThoseOfTheTaskAndTheDevice) {
    Icvs icvs = settings().initial;
    icvs.nthreads = 77;
    icvs.default_allocator = 12345;
    set_num_teams(5);
    set_num_teams(-1); // changes nothing
    std::string text = display(icvs, false);
    EXPECT_NE(text.find("  OMP_NUM_THREADS = '77"), text.npos);
    EXPECT_NE(text.find("  OMP_ALLOCATOR = '12345'\n"), text.npos);
    EXPECT_NE(text.find("  OMP_NUM_TEAMS = '5'\n"), text.npos);
    set_num_teams(0);
    EXPECT_EQ(num_teams(settings()), 0);
}

TEST(Text, CutsOffWhatDoesNotFit) {
    char buffer[6];
    Text out(buffer, sizeof buffer);
    out << "ab" << INT_MIN;
    EXPECT_EQ(out.view(), "ab-21");
    EXPECT_STREQ(out.c_str(), "ab-21");
    EXPECT_TRUE(out.truncated());
}

} // namespace
} // namespace heddle::config
