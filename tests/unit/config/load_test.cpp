// SPDX-License-Identifier: Apache-2.0
// From an environment to settings: defaults, what variables imply together, and the one line that
// each bad value costs. The fuzz test feeds every variable with random text.
#include "environment.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <random>

namespace heddle::config {
namespace {

using test::read;
using test::Values;

TEST(Load, Defaults) {
    auto [reading, errors] = read({}, 6);
    const Settings& settings = reading.settings;
    EXPECT_EQ(errors, "");
    EXPECT_EQ(settings.initial.nthreads, 6);
    EXPECT_EQ(settings.initial.thread_limit, INT_MAX);
    EXPECT_EQ(settings.initial.max_active_levels, 1);
    EXPECT_EQ(settings.initial.default_device, 0);
    EXPECT_EQ(settings.initial.run_sched.kind, ScheduleKind::dynamic);
    EXPECT_EQ(settings.initial.run_sched.chunk, 1);
    EXPECT_FALSE(settings.initial.run_sched.monotonic);
    EXPECT_FALSE(settings.initial.dynamic);
    EXPECT_EQ(settings.initial.bind, ProcBind::false_);
    EXPECT_EQ(settings.initial.default_allocator, 1u);
    EXPECT_EQ(settings.nthreads_list_length, 0);
    EXPECT_EQ(settings.bind_list_length, 0);
    EXPECT_EQ(settings.available_cpus, 6);
    EXPECT_EQ(settings.wait_policy, WaitPolicy::unset);
    EXPECT_EQ(settings.spin_count, -1);
    EXPECT_EQ(settings.stack_size, 0u);
    EXPECT_FALSE(settings.cancellation);
    EXPECT_EQ(settings.max_task_priority, 0);
    EXPECT_EQ(settings.num_teams, 0);
    EXPECT_EQ(settings.teams_thread_limit, 0);
    EXPECT_EQ(settings.target_offload, TargetOffload::default_);
    EXPECT_FALSE(settings.display_affinity);
    EXPECT_STREQ(settings.affinity_format, "level %L thread %i affinity %A");
    EXPECT_EQ(reading.display, Display::nothing);
}

TEST(Load, EveryVariableReachesItsSetting) {
    auto [reading, errors] = read({{"OMP_NUM_THREADS", "3"},
                                   {"OMP_SCHEDULE", "guided,5"},
                                   {"OMP_DYNAMIC", "true"},
                                   {"OMP_THREAD_LIMIT", "12"},
                                   {"OMP_STACKSIZE", "1M"},
                                   {"OMP_WAIT_POLICY", "passive"},
                                   {"GOMP_SPINCOUNT", "2k"},
                                   {"OMP_DISPLAY_ENV", "verbose"},
                                   {"OMP_CANCELLATION", "true"},
                                   {"OMP_MAX_TASK_PRIORITY", "9"},
                                   {"OMP_DEFAULT_DEVICE", "1"},
                                   {"OMP_NUM_TEAMS", "4"},
                                   {"OMP_TEAMS_THREAD_LIMIT", "5"},
                                   {"OMP_TARGET_OFFLOAD", "disabled"},
                                   {"OMP_DISPLAY_AFFINITY", "true"},
                                   {"OMP_AFFINITY_FORMAT", "%n"},
                                   {"OMP_ALLOCATOR", "omp_thread_mem_alloc"},
                                   {"OMP_PROC_BIND", "close"}});
    const Settings& settings = reading.settings;
    EXPECT_EQ(errors, "");
    EXPECT_EQ(settings.initial.nthreads, 3);
    EXPECT_EQ(settings.initial.run_sched.kind, ScheduleKind::guided);
    EXPECT_EQ(settings.initial.run_sched.chunk, 5);
    EXPECT_TRUE(settings.initial.dynamic);
    EXPECT_EQ(settings.initial.thread_limit, 12);
    EXPECT_EQ(settings.stack_size, 1048576u);
    EXPECT_EQ(settings.wait_policy, WaitPolicy::passive);
    EXPECT_EQ(settings.spin_count, 2000);
    EXPECT_EQ(reading.display, Display::verbose);
    EXPECT_TRUE(settings.cancellation);
    EXPECT_EQ(settings.max_task_priority, 9);
    EXPECT_EQ(settings.initial.default_device, 1);
    EXPECT_EQ(settings.num_teams, 4);
    EXPECT_EQ(settings.teams_thread_limit, 5);
    EXPECT_EQ(settings.target_offload, TargetOffload::disabled);
    EXPECT_TRUE(settings.display_affinity);
    EXPECT_STREQ(settings.affinity_format, "%n");
    EXPECT_EQ(settings.initial.default_allocator, 8u);
    EXPECT_EQ(settings.initial.bind, ProcBind::close);
}

TEST(Load, BadValueIsOneLineAndTheDefault) {
    auto [reading, errors] = read({{"OMP_SCHEDULE", "foo"}});
    EXPECT_EQ(errors, "heddle: OMP_SCHEDULE: bad value 'foo': expected "
                      "[monotonic:|nonmonotonic:]kind[,chunk] with the kind static, dynamic, "
                      "guided, auto or adaptive; using dynamic,1\n");
    EXPECT_EQ(reading.settings.initial.run_sched.kind, ScheduleKind::dynamic);
}

TEST(Load, BadValueOfEachVariableIsOneLineThatNamesIt) {
    for (const Variable& variable : variables()) {
        if (variable.parse == nullptr)
            continue;
        std::string bad(300, '?'); // too long for the affinity format too
        auto [reading, errors] = read({{variable.name, bad}});
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
        EXPECT_TRUE(errors.ends_with(std::string("; using ") + variable.fallback + "\n")) << errors;
        EXPECT_TRUE(errors.starts_with(std::string("heddle: ") + variable.name + ": bad value '"))
            << errors;
    }
}

TEST(Load, WhatIsSaidForAllDevicesCountsForTheHost) {
    auto [reading, errors] = read({{"OMP_NUM_THREADS_ALL", "3,2"},
                                   {"OMP_SCHEDULE_ALL", "guided,5"},
                                   {"OMP_DYNAMIC_ALL", "true"},
                                   {"OMP_THREAD_LIMIT_ALL", "12"},
                                   {"OMP_STACKSIZE_ALL", "1M"},
                                   {"OMP_WAIT_POLICY_ALL", "passive"},
                                   {"OMP_MAX_ACTIVE_LEVELS_ALL", "7"},
                                   {"OMP_DEFAULT_DEVICE_ALL", "1"},
                                   {"OMP_NUM_TEAMS_ALL", "4"},
                                   {"OMP_TEAMS_THREAD_LIMIT_ALL", "5"},
                                   {"OMP_PROC_BIND_ALL", "close"},
                                   {"OMP_PLACES_ALL", "sockets"},
                                   {"OMP_ALLOCATOR_ALL", "omp_thread_mem_alloc"},
                                   {"OMP_AFFINITY_FORMAT_ALL", "%n"},
                                   {"OMP_CANCELLATION_ALL", "true"}}); // no such variable
    const Settings& settings = reading.settings;
    EXPECT_EQ(errors, "");
    EXPECT_EQ(settings.initial.nthreads, 3);
    EXPECT_EQ(settings.nthreads_list_length, 2);
    EXPECT_EQ(settings.initial.run_sched.kind, ScheduleKind::guided);
    EXPECT_TRUE(settings.initial.dynamic);
    EXPECT_EQ(settings.initial.thread_limit, 12);
    EXPECT_EQ(settings.stack_size, 1048576u);
    EXPECT_EQ(settings.wait_policy, WaitPolicy::passive);
    EXPECT_EQ(settings.initial.max_active_levels, 7);
    EXPECT_EQ(settings.initial.default_device, 1);
    EXPECT_EQ(settings.num_teams, 4);
    EXPECT_EQ(settings.places_text, "sockets");
    EXPECT_EQ(settings.initial.default_allocator, 8u);
    EXPECT_STREQ(settings.affinity_format, "%n");
    EXPECT_EQ(settings.teams_thread_limit, 5);
    EXPECT_EQ(settings.initial.bind, ProcBind::close);
    EXPECT_FALSE(settings.cancellation);
}

TEST(Load, TheHostsOwnVariableWinsOverTheOneForAllDevices) {
    auto [reading, errors] = read({{"OMP_NUM_THREADS_ALL", "3"},
                                   {"OMP_NUM_THREADS", "4"},
                                   {"OMP_NUM_TEAMS_ALL", "x"},
                                   {"OMP_NUM_TEAMS_DEV", "y"},
                                   {"OMP_NUM_TEAMS_DEV_1", "z"}});
    EXPECT_EQ(reading.settings.initial.nthreads, 4);
    EXPECT_EQ(errors, "heddle: OMP_NUM_TEAMS_ALL: bad value 'x': expected an integer from 1 to "
                      "2147483647; using as many teams as the construct asks for\n");
}

TEST(Load, ALongBadValueIsCutBetweenCharacters) {
    const auto shown = [](const std::string& value) {
        const std::string errors = read({{"OMP_DYNAMIC", value}}).errors;
        const size_t from = errors.find('\'') + 1;
        return errors.substr(from, errors.find("...'") - from);
    };
    const std::string x(97, 'x'), euro = "\u20ac", more(50, 'x');
    EXPECT_EQ(shown(x + euro + more), x + euro);          // ends at the cut
    EXPECT_EQ(shown(x + "x" + euro + more), x + "x");     // one byte would be left out
    EXPECT_EQ(shown(x + "xx" + euro + more), x + "xx");   // two
    EXPECT_EQ(shown(x + "xxx" + euro + more), x + "xxx"); // the cut is before it
    EXPECT_EQ(shown(std::string(200, '\x80')), std::string(100, '\x80')); // no UTF-8
}

TEST(Load, BadValueWithControlCharactersStaysOneLine) {
    auto [reading, errors] = read({{"OMP_DYNAMIC", "a\nb\x1b[1m\x7f"}});
    EXPECT_EQ(errors, "heddle: OMP_DYNAMIC: bad value 'a?b?[1m?': expected true or false; "
                      "using false\n");
}

TEST(Load, NestingLevels) {
    auto levels = [](const Values& values) {
        return read(values).reading.settings.initial.max_active_levels;
    };
    EXPECT_EQ(levels({{"OMP_MAX_ACTIVE_LEVELS", "0"}}), 0);
    EXPECT_EQ(levels({{"OMP_MAX_ACTIVE_LEVELS", "5"}}), 5);
    EXPECT_EQ(levels({{"OMP_MAX_ACTIVE_LEVELS", "2147483648"}}), max_supported_levels);
    EXPECT_EQ(levels({{"OMP_NESTED", "true"}}), max_supported_levels);
    EXPECT_EQ(levels({{"OMP_NESTED", "false"}}), 1);
    EXPECT_EQ(levels({{"OMP_NESTED", "true"}, {"OMP_MAX_ACTIVE_LEVELS", "3"}}), 3);
    EXPECT_EQ(levels({{"OMP_NESTED", "true"}, {"OMP_MAX_ACTIVE_LEVELS", "x"}}), 255);
    EXPECT_EQ(levels({{"OMP_NUM_THREADS", "2,3"}}), max_supported_levels);
    EXPECT_EQ(levels({{"OMP_NUM_THREADS", "2"}}), 1);
    EXPECT_EQ(levels({{"OMP_PROC_BIND", "spread,close"}}), max_supported_levels);
    EXPECT_EQ(levels({{"OMP_PROC_BIND", "spread"}}), 1);
    EXPECT_EQ(levels({{"OMP_NUM_THREADS", "2,3"}, {"OMP_NESTED", "false"}}), 1);
    EXPECT_EQ(levels({{"OMP_NUM_THREADS", "2,3"}, {"OMP_MAX_ACTIVE_LEVELS", "1"}}), 1);
}

TEST(Load, ThreadsByDefaultKeepToTheThreadLimit) {
    EXPECT_EQ(read({{"OMP_THREAD_LIMIT", "3"}}, 8).reading.settings.initial.nthreads, 3);
    EXPECT_EQ(read({{"OMP_THREAD_LIMIT", "30"}}, 8).reading.settings.initial.nthreads, 8);
    EXPECT_EQ(read({{"OMP_NUM_THREADS", "4,3"}}, 8).reading.settings.initial.nthreads, 4);
}

TEST(Load, StackSizeOfTheStandardWins) {
    auto stack = [](const Values& values) { return read(values).reading.settings.stack_size; };
    EXPECT_EQ(stack({{"OMP_STACKSIZE", "32M"}, {"GOMP_STACKSIZE", "64M"}}), 32u << 20);
    EXPECT_EQ(stack({{"GOMP_STACKSIZE", "64M"}}), 64u << 20);
    EXPECT_EQ(stack({{"OMP_STACKSIZE", "big"}, {"GOMP_STACKSIZE", "64M"}}), 64u << 20);
    EXPECT_EQ(stack({{"OMP_STACKSIZE", "15K"}}), 0u);
}

TEST(Load, SettingsAreReadOnceFromTheProcess) {
    const Settings& settings = config::settings();
    EXPECT_GE(settings.available_cpus, 1);
    setenv("OMP_NUM_THREADS", "61", 1);
    EXPECT_EQ(&config::settings(), &settings);
    restart_in_forked_child(); // already read: nothing changes
    EXPECT_NE(config::settings().initial.nthreads, 61);
}

void expect_in_range(const Reading& reading) {
    const Settings& settings = reading.settings;
    const Icvs& initial = settings.initial;
    EXPECT_GE(initial.nthreads, 1);
    EXPECT_GE(initial.thread_limit, 1);
    EXPECT_GE(initial.max_active_levels, 0);
    EXPECT_LE(initial.max_active_levels, max_supported_levels);
    EXPECT_GE(initial.default_device, 0);
    EXPECT_GE(initial.run_sched.kind, ScheduleKind::static_);
    EXPECT_LE(initial.run_sched.kind, ScheduleKind::auto_);
    EXPECT_GE(initial.run_sched.chunk, 0);
    EXPECT_LE(initial.bind, ProcBind::spread);
    EXPECT_GE(initial.default_allocator, 1u);
    EXPECT_LE(initial.default_allocator, 8u);
    EXPECT_GE(settings.nthreads_list_length, 0);
    EXPECT_LE(settings.nthreads_list_length, max_list_length);
    for (int i = 0; i < settings.nthreads_list_length; i++)
        EXPECT_GE(settings.nthreads_list[i], 1);
    EXPECT_GE(settings.bind_list_length, 0);
    EXPECT_LE(settings.bind_list_length, max_list_length);
    for (int i = 0; i < settings.bind_list_length; i++)
        EXPECT_LE(settings.bind_list[i], ProcBind::spread);
    EXPECT_LE(settings.wait_policy, WaitPolicy::passive);
    EXPECT_GE(settings.spin_count, -1);
    EXPECT_TRUE(settings.stack_size == 0 || settings.stack_size >= 16384);
    EXPECT_LE(settings.stack_size, size_t{PTRDIFF_MAX});
    EXPECT_GE(settings.max_task_priority, 0);
    EXPECT_GE(settings.num_teams, 0);
    EXPECT_GE(settings.teams_thread_limit, 0);
    EXPECT_LE(settings.target_offload, TargetOffload::disabled);
    EXPECT_LT(std::string_view(settings.affinity_format).size(), sizeof settings.affinity_format);
    EXPECT_LE(reading.display, Display::verbose);
}

TEST(Load, RandomTextNeverLeavesTheRanges) {
    constexpr unsigned seed = 20241105;
    constexpr int rounds = 2000;
    const char* pieces[] = {"true",
                            "false",
                            "static",
                            "dynamic",
                            "monotonic",
                            ":",
                            ",",
                            " ",
                            "\t",
                            "-",
                            "+",
                            "0",
                            "1",
                            "7",
                            "255",
                            "256",
                            "65536",
                            "2147483647",
                            "2147483648",
                            "k",
                            "M",
                            "G",
                            "T",
                            "B",
                            "infinite",
                            "close",
                            "spread",
                            "{",
                            "}",
                            "active",
                            "omp_",
                            "alloc",
                            "verbose",
                            "\xff",
                            "'",
                            "99999999999999999999",
                            "18446744073709551615",
                            "9223372036854775808"};
    std::mt19937 random(seed);
    for (int round = 0; round < rounds; round++) {
        Values values;
        for (const Variable& variable : variables()) {
            std::string text;
            for (unsigned n = random() % 6; n > 0; n--)
                if (random() % 4 == 0)
                    text += static_cast<char>(random() % 255 + 1);
                else
                    text += pieces[random() % std::size(pieces)];
            if (random() % 64 == 0)
                text += std::string(random() % 5000, text.empty() ? '1' : text.back());
            values[variable.name] = text;
        }
        auto [reading, errors] = read(values);
        expect_in_range(reading);
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", round " << round;
    }
}

} // namespace
} // namespace heddle::config
