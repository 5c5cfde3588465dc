// SPDX-License-Identifier: Apache-2.0
// libomp's variables: their grammars, what they carry over to OpenMP's settings, and who wins.
#include "config/kmp_affinity.hpp"
#include "config/kmp_runtime.hpp"
#include "environment.hpp"

#include <algorithm>
#include <climits>

namespace heddle::config {
namespace {

using test::read;

Settings settings_of(const test::Values& values) {
    auto [reading, errors] = read(values);
    EXPECT_EQ(errors, "");
    return reading.settings;
}

/// How many lines `values` cost.
auto complaints(const test::Values& values) {
    const std::string errors = read(values).errors;
    return std::count(errors.begin(), errors.end(), '\n');
}

/// The value of KMP_AFFINITY in full; "bad" for one that is not valid.
std::string affinity_of(const std::string& text) {
    KmpAffinity affinity;
    std::string_view list;
    const bool valid = parse_kmp_affinity(text, affinity, list);
    if (!affinity.given)
        return "bad";
    std::string shown = valid ? "" : "in part: ";
    shown += type_name(affinity.type);
    shown += " " + std::string(unit_name(affinity.granularity)) + " " +
             std::to_string(affinity.permute) + " " + std::to_string(affinity.offset);
    for (auto [flag, name] :
         {std::pair(affinity.verbose, " verbose"), std::pair(!affinity.respect, " norespect"),
          std::pair(affinity.reset, " reset")})
        shown += flag ? name : "";
    return shown + (list.empty() ? "" : " " + std::string(list));
}

TEST(KmpAffinityText, TypesModifiersAndNumbers) {
    EXPECT_EQ(affinity_of("compact"), "compact core 0 0");
    EXPECT_EQ(affinity_of("granularity=fine,compact,1,0"), "compact thread 1 0");
    EXPECT_EQ(affinity_of(" Verbose , GRANULARITY=Socket , Scatter , 2 "),
              "scatter socket 2 0 verbose");
    EXPECT_EQ(affinity_of("norespect,reset,nowarnings,balanced,0,3"),
              "balanced core 0 3 norespect reset");
    EXPECT_EQ(affinity_of("verbose"), "none core 0 0 verbose");
    EXPECT_EQ(affinity_of("verbose,noverbose,disabled"), "disabled core 0 0");
    EXPECT_EQ(affinity_of("logical,2"), "logical core 0 2");
    EXPECT_EQ(affinity_of("explicit,proclist=[3,0-2,{4,6-7},8-12:2]"),
              "explicit core 0 0 3,0-2,{4,6-7},8-12:2");
    EXPECT_EQ(affinity_of("proclist=[1],granularity=thread"), "explicit thread 0 0 1");
}

TEST(KmpAffinityText, WhatIsRefused) {
    for (const char* text :
         {"", ",", "rubbish", "granularity=", "verbose,rubbish", "granularity=fine compact",
          "explicit", "explicit,proclist=[", "proclist=[]", "proclist=[1",
          "proclist=[2-1],explicit", "proclist=[{1]", "proclist=[1-9:0]", "proclist=[8192]",
          "explicit,proclist=[0,x]"})
        EXPECT_EQ(affinity_of(text), "bad") << text;
}

TEST(KmpAffinityText, WhatIsLeftOutLeavesTheRest) {
    for (const char* text :
         {"compact,rubbish", "fine,compact", "compact,-1", "compact;1", "compact,scatter",
          "granularity=bogus,compact", "compact,proclist=[0]", "compact,99999999999", ",compact"})
        EXPECT_EQ(affinity_of(text), "in part: compact core 0 0") << text;
    EXPECT_EQ(affinity_of("compact,1,2,3"), "in part: compact core 1 2");
    for (const char* text : {"compact,", "duplicates,compact", "compact,noduplicates , "})
        EXPECT_EQ(affinity_of(text), "compact core 0 0") << text;
    const auto [reading, errors] = read({{"KMP_AFFINITY", "fine,compact"}});
    EXPECT_EQ(reading.settings.place_source, PlaceSource::kmp_affinity);
    EXPECT_EQ(errors.find("heddle: KMP_AFFINITY: bad value 'fine,compact': expected "), 0u);
    EXPECT_NE(errors.find("; using what is valid of it\n"), errors.npos) << errors;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

TEST(KmpAffinityText, ListsOfProcessors) {
    PlaceList list;
    ASSERT_TRUE(parse_proclist("3,0-1,{4,6-8:2},9-12:2", list));
    std::string shown;
    for (int i = 0; i < list.count(); ++i) {
        shown += i > 0 ? "|" : "";
        for (int cpu = list[i].next(0); cpu >= 0; cpu = list[i].next(cpu + 1))
            shown += std::to_string(cpu) + " ";
    }
    EXPECT_EQ(shown, "3 |0 |1 |4 6 8 |9 |11 ");
}

/// The value of KMP_HW_SUBSET as unit, count and offset of each layer.
std::string subset_of(const std::string& text) {
    HwSubset subset;
    if (!parse_hw_subset(text, subset))
        return "bad";
    std::string shown = subset.exact ? "exact" : "";
    for (int i = 0; i < subset.length; ++i)
        shown += " " + std::string(unit_name(subset.items[i].unit)) + " " +
                 std::to_string(subset.items[i].count) + " " +
                 std::to_string(subset.items[i].offset);
    return shown;
}

TEST(HwSubsetText, LayersCountsAndOffsets) {
    EXPECT_EQ(subset_of("1s,4c,2t"), " socket 1 0 core 4 0 thread 2 0");
    EXPECT_EQ(subset_of("2T , 2S@1,8C@2"), " thread 2 0 socket 2 1 core 8 2");
    EXPECT_EQ(subset_of(":1t@7"), "exact thread 1 7");
    EXPECT_EQ(subset_of("*c@3,n,2L3"), " core 0 3 numa_domain 0 0 ll_cache 2 0");
    EXPECT_EQ(subset_of("1Sockets,2numa_domains,*cores"), " socket 1 0 numa_domain 2 0 core 0 0");
    EXPECT_EQ(subset_of("1l3_caches,1threads"), " ll_cache 1 0 thread 1 0");
    EXPECT_EQ(subset_of("1sx4cX2t@1"), " socket 1 0 core 4 0 thread 2 1");
    for (const char* text : {"", ":", "4", "1cs", "1ss", "1x", "x1c", "1s1c", "1c@1@2", "c4", "0c",
                             "1c,2c", "1c,", "1c@", "1d", "1c:eff0", "-1c", "99999999999c"})
        EXPECT_EQ(subset_of(text), "bad") << text;
}

TEST(KmpVariables, TruthHasManyWords) {
    for (const char* yes : {"1", "TRUE", ".true.", ".T.", "on", " yes "})
        EXPECT_TRUE(settings_of({{"KMP_VERSION", yes}}).kmp_version) << yes;
    for (const char* no : {"0", "False", ".false.", ".F.", "off", "no"})
        EXPECT_FALSE(settings_of({{"KMP_VERSION", no}}).kmp_version) << no;
    EXPECT_EQ(complaints({{"KMP_VERSION", "maybe"}}), 1);
}

TEST(KmpVariables, BlocktimeIsACountOfPolls) {
    const auto spins = [](const char* text) {
        return settings_of({{"KMP_BLOCKTIME", text}}).spin_count;
    };
    EXPECT_EQ(spins("0"), 0);
    EXPECT_EQ(spins("200"), spins_of(200'000));
    EXPECT_EQ(spins("200ms"), spins_of(200'000));
    EXPECT_EQ(spins(" 50 us "), spins_of(50));
    EXPECT_EQ(spins("2S"), spins_of(2'000'000));
    EXPECT_EQ(spins("infinite"), INT64_MAX);
    EXPECT_EQ(spins("2147483647"), INT64_MAX);
    EXPECT_GT(spins_of(2), spins_of(1));
    EXPECT_EQ(settings_of({{"KMP_BLOCKTIME", "5"}, {"GOMP_SPINCOUNT", "7"}}).spin_count, 7);
    for (const char* text : {"-5", "foo", "5 min", "1.5", "", "infinite 1"})
        EXPECT_EQ(complaints({{"KMP_BLOCKTIME", text}}), 1) << text;
}

TEST(KmpVariables, BlocktimeThatProgramsSee) {
    EXPECT_EQ(blocktime(settings_of({{"KMP_BLOCKTIME", "30"}})), 30);
    EXPECT_EQ(blocktime(settings_of({{"OMP_WAIT_POLICY", "active"}})), INT_MAX);
    EXPECT_EQ(blocktime(settings_of({{"OMP_WAIT_POLICY", "passive"}})), 0);
    EXPECT_EQ(blocktime(settings_of({{"KMP_BLOCKTIME", "0"}, {"OMP_WAIT_POLICY", "active"}})), 0);
    EXPECT_GT(blocktime(settings_of({})), 0);
    for (const char* text : {"2147483646s", "2147484s", "infinite"})
        EXPECT_EQ(blocktime(settings_of({{"KMP_BLOCKTIME", text}})), INT_MAX) << text;
}

TEST(KmpVariables, StackSizeCountsInBytesAndWins) {
    EXPECT_EQ(settings_of({{"KMP_STACKSIZE", "100000"}}).stack_size, 100'000u);
    EXPECT_EQ(settings_of({{"KMP_STACKSIZE", "1m"}}).stack_size, 1024u * 1024);
    EXPECT_EQ(complaints({{"KMP_STACKSIZE", "100"}}), 1);
    auto [reading, errors] = read({{"KMP_STACKSIZE", "1M"}, {"OMP_STACKSIZE", "2M"}});
    EXPECT_EQ(reading.settings.stack_size, 1024u * 1024);
    EXPECT_EQ(errors,
              "heddle: OMP_STACKSIZE or GOMP_STACKSIZE: ignored, for KMP_STACKSIZE is set\n");
}

TEST(KmpVariables, LimitsAndLibrary) {
    EXPECT_EQ(settings_of({{"KMP_DEVICE_THREAD_LIMIT", "5"}}).initial.thread_limit, 5);
    EXPECT_EQ(settings_of({{"KMP_ALL_THREADS", "6"}}).initial.thread_limit, 6);
    EXPECT_EQ(
        settings_of(
            {{"KMP_ALL_THREADS", "6"}, {"KMP_DEVICE_THREAD_LIMIT", "5"}, {"OMP_THREAD_LIMIT", "9"}})
            .initial.thread_limit,
        5);
    EXPECT_EQ(settings_of({{"KMP_TEAMS_THREAD_LIMIT", "4"}}).kmp_most_teams, 4);
    EXPECT_EQ(settings_of({{"KMP_LIBRARY", "serial"}}).initial.thread_limit, 1);
    EXPECT_EQ(settings_of({{"KMP_LIBRARY", "Turnaround"}}).wait_policy, WaitPolicy::active);
    EXPECT_EQ(
        settings_of({{"KMP_LIBRARY", "turnaround"}, {"OMP_WAIT_POLICY", "passive"}}).wait_policy,
        WaitPolicy::passive);
    EXPECT_EQ(complaints({{"KMP_LIBRARY", "fast"}, {"KMP_DEVICE_THREAD_LIMIT", "0"}}), 2);
}

TEST(KmpVariables, Loops) {
    EXPECT_FALSE(settings_of({}).kmp_monotonic_loops);
    EXPECT_TRUE(settings_of({{"KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE", "1"}}).kmp_monotonic_loops);
    EXPECT_EQ(complaints({{"KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE", "often"}}), 1);
}

TEST(KmpVariables, Reductions) {
    EXPECT_EQ(settings_of({}).kmp_reduction, ReductionMethod::automatic);
    EXPECT_EQ(settings_of({{"KMP_FORCE_REDUCTION", "critical"}}).kmp_reduction,
              ReductionMethod::critical);
    EXPECT_EQ(settings_of({{"KMP_DETERMINISTIC_REDUCTION", "1"}}).kmp_reduction,
              ReductionMethod::tree);
    EXPECT_EQ(settings_of({{"KMP_DETERMINISTIC_REDUCTION", "1"}, {"KMP_FORCE_REDUCTION", "atomic"}})
                  .kmp_reduction,
              ReductionMethod::atomic);
    EXPECT_EQ(complaints({{"KMP_FORCE_REDUCTION", "foo"}}), 1);
}

TEST(KmpVariables, WhatSaysWhereThreadsGo) {
    const Settings alone = settings_of({{"KMP_AFFINITY", "scatter"}});
    EXPECT_EQ(alone.place_source, PlaceSource::kmp_affinity);
    EXPECT_EQ(alone.initial.bind, ProcBind::true_);
    EXPECT_TRUE(alone.places_or_display);
    for (const char* text : {"none", "disabled", "reset", "respect"})
        EXPECT_EQ(settings_of({{"KMP_AFFINITY", text}}).initial.bind, ProcBind::false_) << text;
    EXPECT_TRUE(settings_of({{"KMP_AFFINITY", "verbose"}}).places_or_display);
    for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
        const char* value = *name == 'G' ? "0" : name[4] == 'P' && name[5] == 'R' ? "false" : "{0}";
        for (const char* type : {"compact", "none", "disabled", "explicit,proclist=[1,0]"}) {
            const Settings kmp = settings_of({{"KMP_AFFINITY", type}});
            auto [reading, errors] = read({{"KMP_AFFINITY", type}, {name, value}});
            EXPECT_EQ(errors,
                      "heddle: " + std::string(name) + ": ignored, for KMP_AFFINITY is set\n");
            EXPECT_EQ(reading.settings.place_source, kmp.place_source) << name << type;
            EXPECT_EQ(reading.settings.initial.bind, kmp.initial.bind) << name << type;
            EXPECT_EQ(reading.settings.places_text, kmp.places_text) << name << type;
        }
        EXPECT_EQ(complaints({{"KMP_AFFINITY", "reset"}, {name, value}}), 0) << name;
        EXPECT_EQ(settings_of({{"KMP_AFFINITY", "reset"}, {name, value}}).place_source,
                  settings_of({{name, value}}).place_source)
            << name;
    }
    auto [reading, errors] = read(
        {{"KMP_AFFINITY", "none"}, {"OMP_PROC_BIND", "close,spread"}, {"OMP_PLACES", "cores"}});
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 2) << errors;
    EXPECT_EQ(reading.settings.initial.max_active_levels, 1); // two items would ask for nesting
    EXPECT_EQ(settings_of({{"KMP_HW_SUBSET", "1c"}}).place_source, PlaceSource::kmp_hw_subset);
    EXPECT_EQ(settings_of({{"KMP_HW_SUBSET", "1c"}, {"OMP_PLACES", "cores"}}).place_source,
              PlaceSource::omp_places);
    EXPECT_EQ(complaints({{"KMP_AFFINITY", "rubbish"}, {"KMP_HW_SUBSET", "rubbish"}}), 2);
}

TEST(KmpVariables, WarningsCanBeSwitchedOff) {
    EXPECT_EQ(complaints({{"KMP_WARNINGS", "0"}, {"KMP_BLOCKTIME", "foo"}, {"OMP_DYNAMIC", "2"}}),
              0);
    EXPECT_EQ(complaints({{"KMP_BLOCKTIME", "foo"}}), 1);
}

TEST(KmpVariables, OthersAreAcceptedSilently) {
    EXPECT_EQ(complaints({{"KMP_DUPLICATE_LIB_OK", "TRUE"},
                          {"KMP_INIT_AT_FORK", "FALSE"},
                          {"KMP_TASKING", "x"},
                          {"KMP_LOCK_KIND", "futex"},
                          {"LIBOMP_NUM_HIDDEN_HELPER_THREADS", "0"}}),
              0);
}

TEST(KmpVariables, StackSizeIsFromOneVariable) {
    const auto source = [](const test::Values& values) {
        return std::string(stack_size_source(read(values).reading.settings));
    };
    EXPECT_EQ(source({{"OMP_STACKSIZE", "4TB"}, {"GOMP_STACKSIZE", "1M"}}), "OMP_STACKSIZE");
    EXPECT_EQ(source({{"GOMP_STACKSIZE", "1M"}}), "GOMP_STACKSIZE");
    EXPECT_EQ(source({{"GOMP_STACKSIZE", "1M"}, {"KMP_STACKSIZE", "100G"}}), "KMP_STACKSIZE");
}

TEST(OmpPlaces, BadCountsAreNoneAndOtherBadValuesAskForCores) {
    const auto of = [](const char* text) {
        auto [reading, errors] = read({{"OMP_PLACES", text}});
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
        EXPECT_EQ(reading.settings.initial.bind, ProcBind::true_) << text;
        return errors.substr(errors.rfind("using "));
    };
    const char* const cores = "using GOMP_CPU_AFFINITY, or cores where threads are bound\n";
    EXPECT_EQ(of("invalid"), cores);
    EXPECT_EQ(of("{0:,1}"), cores);
    EXPECT_EQ(of("sockets("), "using sockets\n");
    EXPECT_EQ(of("threads()"), "using threads\n");
    EXPECT_EQ(
        read({{"OMP_PLACES", "{0}}"}, {"OMP_PROC_BIND", "spread"}}).reading.settings.initial.bind,
        ProcBind::spread);
    EXPECT_EQ(
        read({{"OMP_PLACES", "core"}, {"OMP_PROC_BIND", "false"}}).reading.settings.initial.bind,
        ProcBind::false_);
}

TEST(OmpPlaces, OneMessageWhereKmpAffinityWins) {
    EXPECT_EQ(read({{"OMP_PLACES", "core"}, {"KMP_AFFINITY", "compact"}}).errors,
              "heddle: OMP_PLACES: ignored, for KMP_AFFINITY is set\n");
    EXPECT_EQ(read({{"GOMP_CPU_AFFINITY", "x"}, {"KMP_AFFINITY", "none"}}).errors,
              "heddle: GOMP_CPU_AFFINITY: ignored, for KMP_AFFINITY is set\n");
}

} // namespace
} // namespace heddle::config
