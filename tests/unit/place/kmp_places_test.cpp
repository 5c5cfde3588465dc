// SPDX-License-Identifier: Apache-2.0
// KMP_AFFINITY and KMP_HW_SUBSET on a made-up machine: two sockets with two cores of two threads
// each, whose numbers are spread as on common servers: cpu n and n+4 share a core.
#include "place/binding.hpp"
#include "place/kmp_places.hpp"
#include "place/places.hpp"

#include "config/kmp_affinity.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace heddle::place {
namespace {

using config::CpuSet;
using config::PlaceList;
using config::Settings;

class KmpPlaces : public testing::Test {
protected:
    KmpPlaces() {
        char name[] = "/tmp/heddle-topology-XXXXXX";
        root_ = mkdtemp(name);
        for (int cpu = 0; cpu < 8; ++cpu) {
            const std::string core = std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4);
            const bool second = cpu % 4 >= 2;
            file(cpu, "topology/core_cpus_list", core);
            file(cpu, "topology/package_cpus_list", second ? "2-3,6-7" : "0-1,4-5");
            all_.add(cpu);
        }
        file(-1, "online", "0-7");
    }
    ~KmpPlaces() override { std::filesystem::remove_all(root_); }

    void file(int cpu, const std::string& name, const std::string& text) {
        std::filesystem::path path = root_ + "/sys/devices/system/cpu";
        if (cpu >= 0)
            path /= "cpu" + std::to_string(cpu);
        path /= name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << "\n";
    }

    static std::string shown(const CpuSet& set) {
        std::string text;
        for (int cpu = set.next(0); cpu >= 0; cpu = set.next(cpu + 1))
            text += std::to_string(cpu);
        return text;
    }

    /// The places of KMP_AFFINITY, each CPU a digit.
    std::string places(const char* text) {
        Settings settings{};
        EXPECT_TRUE(config::parse_kmp_affinity(text, settings.kmp_affinity, settings.places_text))
            << text;
        settings.place_source = config::PlaceSource::kmp_affinity;
        settings.initial.bind = config::ProcBind::true_;
        PlaceList found;
        determine_places(settings, usable_cpus(settings, all_, root_.c_str()), root_.c_str(),
                         found);
        std::string result;
        for (int i = 0; i < found.count(); ++i)
            result += (i > 0 ? " " : "") + shown(found[i]);
        return result;
    }

    /// The CPUs that KMP_HW_SUBSET leaves.
    std::string subset(const char* text) {
        Settings settings{};
        EXPECT_TRUE(config::parse_hw_subset(text, settings.kmp_hw_subset)) << text;
        return shown(usable_cpus(settings, all_, root_.c_str()));
    }

    CpuSet all_;
    std::string root_;
};

TEST_F(KmpPlaces, CompactFillsACoreAndASocketFirst) {
    EXPECT_EQ(places("compact,granularity=fine"), "0 4 1 5 2 6 3 7");
    EXPECT_EQ(places("compact"), "04 04 15 15 26 26 37 37");
    EXPECT_EQ(places("compact,granularity=socket"), "0145 0145 0145 0145 2367 2367 2367 2367");
}

TEST_F(KmpPlaces, ScatterGoesRoundTheSockets) {
    EXPECT_EQ(places("scatter,granularity=fine"), "0 2 1 3 4 6 5 7");
    EXPECT_EQ(places("scatter"), "04 26 15 37 04 26 15 37");
}

TEST_F(KmpPlaces, PermuteMakesInnerLevelsDecide) {
    EXPECT_EQ(places("granularity=fine,compact,1,0"), "0 1 2 3 4 5 6 7");
    EXPECT_EQ(places("granularity=fine,compact,2"), places("granularity=fine,scatter"));
    EXPECT_EQ(places("granularity=fine,scatter,2"), places("granularity=fine,compact"));
    EXPECT_EQ(places("granularity=fine,compact,7"), places("granularity=fine,compact"));
}

TEST_F(KmpPlaces, OffsetSkipsPlaces) {
    EXPECT_EQ(places("granularity=fine,compact,0,3"), "5 2 6 3 7 0 4 1");
    EXPECT_EQ(places("granularity=fine,compact,0,11"), "5 2 6 3 7 0 4 1");
    EXPECT_EQ(places("granularity=fine,logical,1"), "1 5 2 6 3 7 0 4"); // cores
    EXPECT_EQ(places("granularity=fine,physical,1"), "2 3 4 5 6 7 0 1");
}

TEST_F(KmpPlaces, BalancedHasAPlaceForEachCore) {
    EXPECT_EQ(places("balanced"), "04 15 26 37");
    EXPECT_EQ(places("balanced,granularity=fine,0,1"), "15 26 37 04");
}

TEST_F(KmpPlaces, ExplicitIsInTheOrderOfTheList) {
    EXPECT_EQ(places("explicit,granularity=fine,proclist=[7,0-1,{2,6}]"), "7 0 1 26");
    EXPECT_EQ(places("explicit,proclist=[7,{0,1}]"), "37 0145");
    all_.remove(7);
    testing::internal::CaptureStderr();
    EXPECT_EQ(places("explicit,granularity=fine,proclist=[7,0]"), "0");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("left out"), std::string::npos);
}

TEST_F(KmpPlaces, ExplicitWithoutAUsableCpuMeansCores) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(places("explicit,proclist=[500]"), "04 15 26 37");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("using cores"), std::string::npos);
}

TEST_F(KmpPlaces, OnlyCpusOfTheProcessUnlessNorespect) {
    all_.remove(0);
    all_.remove(5);
    EXPECT_EQ(places("compact,granularity=fine"), "1 4 2 6 3 7");
    EXPECT_EQ(places("compact,granularity=fine,norespect"), "0 4 1 5 2 6 3 7");
}

TEST_F(KmpPlaces, SubsetCountsInTheUnitAround) {
    EXPECT_EQ(subset("1s"), "0145");
    EXPECT_EQ(subset("1s@1"), "2367");
    EXPECT_EQ(subset("1c"), "0246");
    EXPECT_EQ(subset("1c@1,1t"), "13");
    EXPECT_EQ(subset("1t@1"), "4567");
    EXPECT_EQ(subset("1t,1s,1c"), "0");
    EXPECT_EQ(subset("*s,*c@1,2t"), "1357");
}

TEST_F(KmpPlaces, ExactSubsetLeavesLayersOut) {
    EXPECT_EQ(subset(":3t@1"), "145"); // 0 4 1 5 2 6 3 7 is the order
    EXPECT_EQ(subset(":2s,3t"), "012346");
    EXPECT_EQ(subset(":3c,1t"), "012");
}

TEST_F(KmpPlaces, SubsetThatIsNotThereIsIgnored) {
    for (const char* text : {"3s", "2s@1", "3c", "1t@2", ":9t"}) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(subset(text), "01234567") << text;
        const std::string errors = testing::internal::GetCapturedStderr();
        EXPECT_EQ(errors.find("heddle: KMP_HW_SUBSET: ignored"), 0u) << text << errors;
    }
}

TEST_F(KmpPlaces, LargeMachine) {
    constexpr int cpus = 1024, cores = cpus / 2;
    for (int cpu = 0; cpu < cpus; ++cpu) {
        const int core = cpu % cores;
        file(cpu, "topology/core_cpus_list",
             std::to_string(core) + "," + std::to_string(core + cores));
        file(cpu, "topology/package_cpus_list",
             core < cores / 2 ? "0-255,512-767" : "256-511,768-1023");
        all_.add(cpu);
    }
    Settings settings{};
    settings.initial.bind = config::ProcBind::true_;
    settings.place_source = config::PlaceSource::kmp_affinity;
    settings.kmp_affinity.type = config::AffinityType::compact;
    ASSERT_TRUE(config::parse_hw_subset("*s,*c,2t", settings.kmp_hw_subset));
    PlaceList found;
    determine_places(settings, usable_cpus(settings, all_, root_.c_str()), root_.c_str(), found);
    ASSERT_EQ(found.count(), cpus);
    for (int i = 0; i < cpus; ++i) { // each thread's is its core, and cores are in order
        EXPECT_EQ(found[i].next(0), i / 2) << i;
        EXPECT_EQ(found[i].count(), 2) << i;
    }
}

TEST(KmpBinding, MoreThreadsThanPlacesTakeTurns) {
    Placement placement{config::ProcBind::true_, {0, {0, 3}}, true};
    std::string turns, groups;
    for (int number = 0; number < 6; ++number)
        turns += std::to_string(position_of(placement, 6, number).place);
    placement.in_turn = false;
    for (int number = 0; number < 6; ++number)
        groups += std::to_string(position_of(placement, 6, number).place);
    EXPECT_EQ(turns, "012012");
    EXPECT_EQ(groups, "001122");
}

} // namespace
} // namespace heddle::place
