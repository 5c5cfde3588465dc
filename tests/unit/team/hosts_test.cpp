// SPDX-License-Identifier: Apache-2.0
// How many hosts are in regions at the same time: what is made of the samples, and what is left of
// hosts that have ended.
#include "construct/parallel.hpp"
#include "team/cpu_pressure.hpp"
#include "team/hosts.hpp"
#include "team/pool.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <thread>

namespace {

using namespace heddle;
using team::HostsAtOnce;

void add(HostsAtOnce& hosts, int32_t in_regions, int times) {
    for (int i = 0; i < times; ++i)
        hosts.add(in_regions);
}

TEST(HostsAtOnce, OneThatIsAlone) {
    HostsAtOnce hosts;
    EXPECT_EQ(hosts.value(), 1);
    add(hosts, 1, 1000);
    EXPECT_EQ(hosts.value(), 1);
}

TEST(HostsAtOnce, AsManyAsAreSampledInARow) {
    HostsAtOnce hosts;
    for (const int32_t count : {2, 3, 8, 100, 7, 2, 1, 5, 1}) {
        add(hosts, count, 100);
        EXPECT_EQ(hosts.value(), count);
    }
}

TEST(HostsAtOnce, AnotherOneNowAndThenIsNone) {
    HostsAtOnce hosts;
    for (int i = 0; i < 1000; ++i) {
        hosts.add(i % 4 == 0 ? 2 : 1);
        ASSERT_EQ(hosts.value(), 1) << "sample " << i;
    }
    EXPECT_FALSE(hosts.in_turn());
}

TEST(HostsAtOnce, TurnsAreToBeStrict) {
    HostsAtOnce hosts;
    add(hosts, 1, 100);
    EXPECT_TRUE(hosts.in_turn());
    hosts.add(2); // one that was interrupted at its end
    EXPECT_FALSE(hosts.in_turn());
    add(hosts, 1, 8);
    EXPECT_TRUE(hosts.in_turn());
    add(hosts, 2, 100);
    EXPECT_FALSE(hosts.in_turn());
}

TEST(HostsAtOnce, DoesNotComeAndGo) {
    HostsAtOnce hosts;
    add(hosts, 2, 100);
    for (int i = 0; i < 1000; ++i) {
        hosts.add(i % 2 == 0 ? 1 : 2);
        ASSERT_EQ(hosts.value(), 2) << "sample " << i;
    }
    add(hosts, 1, 100);
    EXPECT_EQ(hosts.value(), 1);
}

TEST(ShareOfHost, WholeCpusToTheNearest) {
    const auto share = [](int32_t at_once, int32_t cpus) {
        team::cpu_pressure.hosts_at_once.store(at_once, platform::relaxed);
        const int32_t result = team::share_of_host(cpus);
        team::cpu_pressure.hosts_at_once.store(1, platform::relaxed);
        return result;
    };
    EXPECT_EQ(share(1, 16), 16);
    EXPECT_EQ(share(2, 16), 8);
    EXPECT_EQ(share(3, 16), 5);
    EXPECT_EQ(share(3, 2), 1);
    EXPECT_EQ(share(2, 3), 2);
    EXPECT_EQ(share(100, 2), 1);
}

uint32_t several() { return team::cpu_pressure.several_hosts.load(platform::relaxed); }

/// Hosts whose regions the test begins and ends, all from one thread.
class ScriptedHosts : public testing::Test {
protected:
    ScriptedHosts() {
        for (const auto& host : hosts_) {
            host->size = 3;
            team::add_host(*host);
        }
    }
    ~ScriptedHosts() override {
        for (const auto& host : hosts_)
            team::remove_host(*host);
        EXPECT_EQ(team::cpu_pressure.borrowed.load(platform::relaxed), borrowed_before_);
    }
    team::Team& host(int number) { return *hosts_[number]; }
    /// After longer than there is between two samples, so that this one begins with one.
    void begin(int number) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        team::begin_among_hosts(host(number));
    }
    void end(int number) { team::end_among_hosts(host(number)); }
    static int32_t at_once() { return team::cpu_pressure.hosts_at_once.load(platform::relaxed); }
    static int32_t rivals() { return team::cpu_pressure.rivals.load(platform::relaxed); }
    static bool in_turn() { return team::cpu_pressure.hosts_in_turn.load(platform::relaxed) != 0; }

private:
    const int32_t borrowed_before_ = team::cpu_pressure.borrowed.load(platform::relaxed);
    const std::unique_ptr<team::Team> hosts_[2] = {std::make_unique<team::Team>(),
                                                   std::make_unique<team::Team>()};
};

TEST_F(ScriptedHosts, ThatAreInRegionsAtOnceLeaveEachOtherHalf) {
    for (int i = 0; i < 40; ++i) {
        begin(0);
        begin(1);
        end(0);
        begin(0);
        end(1);
        end(0);
    }
    EXPECT_EQ(at_once(), 2);
    EXPECT_EQ(rivals(), 3);
    EXPECT_FALSE(in_turn());
}

// On a busy machine some naps last so long that the other one has been away.
TEST_F(ScriptedHosts, ThatTakeTurnsHaveAllCpus) {
    bool have_been_in_turn = false;
    for (int i = 0; i < 40; ++i)
        for (const int number : {0, 1}) {
            begin(number);
            EXPECT_EQ(at_once(), 1);
            EXPECT_EQ(in_turn(), rivals() != 0);
            have_been_in_turn |= in_turn() && rivals() == 3;
            end(number);
        }
    EXPECT_TRUE(have_been_in_turn);
}

TEST_F(ScriptedHosts, ThatHaveBeenAwayAreNoRivals) {
    begin(0);
    begin(1);
    end(0);
    end(1);
    EXPECT_EQ(rivals(), 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(6)); // longer than threads spin
    begin(0);
    EXPECT_EQ(rivals(), 0);
    end(0);
}

TEST_F(ScriptedHosts, OfShortRegionsAreKnownByTheirMedian) {
    EXPECT_FALSE(team::has_short_regions(host(0))) << "before any";
    EXPECT_TRUE(team::has_long_regions(host(0)));
    for (int i = 0; i < 100; ++i) {
        team::begin_among_hosts(host(0));
        if (i % 10 == 0) // as one that has to wait for a CPU
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        end(0);
    }
    EXPECT_TRUE(team::has_short_regions(host(0)));
    EXPECT_FALSE(team::has_long_regions(host(0)));
}

TEST_F(ScriptedHosts, GiveTheirThreadsBackAsThereAreMoreAndMore) {
    if (!team::may_lend_outermost_teams())
        GTEST_SKIP() << "this program has data with its threads";
    const auto gives_back = [this](team::Shares shares, int32_t at_once, uint64_t usual_ns) {
        host(0).host.usual_ns = usual_ns;
        team::cpu_pressure.shares.store(shares, platform::relaxed);
        team::cpu_pressure.hosts_at_once.store(at_once, platform::relaxed);
        team::begin_among_hosts(host(0));
        const bool gives = host(0).lends;
        end(0);
        team::cpu_pressure.shares.store(team::Shares::nobody, platform::relaxed);
        team::cpu_pressure.hosts_at_once.store(1, platform::relaxed);
        return gives;
    };
    using team::Shares;
    constexpr uint64_t brief = 1000, lasting = 1'000'000'000;
    EXPECT_FALSE(gives_back(Shares::nobody, 1, lasting));
    EXPECT_TRUE(gives_back(Shares::in_turn, 1, lasting));
    EXPECT_FALSE(gives_back(Shares::in_turn, 1, brief));
    EXPECT_FALSE(gives_back(Shares::in_turn, 2, lasting)) << "each keeps its own";
    EXPECT_TRUE(gives_back(Shares::long_regions, 2, lasting));
    EXPECT_FALSE(gives_back(Shares::long_regions, 2, brief));
    EXPECT_TRUE(gives_back(Shares::all_regions, 2, brief));
}

TEST(Hosts, ShareTheirThreadsOnceTheseAreMany) {
    const auto shares = [] { return team::cpu_pressure.shares.load(platform::relaxed); };
    const int cpus = team::cpu_pressure.cpus.load(platform::relaxed);
    /// So many hosts, each with a team of `size`; then `look`.
    const auto hosts = [](int count, int size, auto&& look, auto&& self) -> void {
        if (count == 0)
            return look();
        std::thread([&] {
            construct::parallel([](void*) {}, nullptr, size);
            self(count - 1, size, look, self);
        }).join();
    };
    const auto expect = [&](int count, int size, team::Shares expected) {
        hosts(count, size, [&] { EXPECT_EQ(shares(), expected) << count << " x " << size; }, hosts);
        EXPECT_EQ(shares(), team::Shares::nobody) << "when they have ended";
    };
    expect(2, cpus + 1, team::Shares::nobody);
    expect(3, cpus + 1, team::Shares::in_turn);
    expect(3, 2 * cpus + 22, team::Shares::long_regions);
}

// Rivals come when samples do, so only the end is certain: nothing is left of them.
TEST(Hosts, AreForgottenWhenTheyEnd) {
    const int32_t borrowed = team::cpu_pressure.borrowed.load(platform::relaxed);
    const auto regions = [](int count) {
        for (int i = 0; i < count; ++i)
            construct::parallel([](void*) {}, nullptr, 3);
    };
    std::thread([&] {
        regions(1);
        EXPECT_EQ(several(), 0u);
        std::thread([&] {
            regions(1);
            EXPECT_EQ(several(), 1u);
            std::thread beside(regions, 5000);
            regions(5000);
            beside.join();
            EXPECT_EQ(several(), 1u);
        }).join();
        EXPECT_EQ(several(), 0u);
        EXPECT_EQ(team::cpu_pressure.hosts_at_once.load(platform::relaxed), 1);
        EXPECT_EQ(team::cpu_pressure.rivals.load(platform::relaxed), 0);
        EXPECT_EQ(team::cpu_pressure.borrowed.load(platform::relaxed), borrowed);
        regions(10);
    }).join();
    EXPECT_EQ(several(), 0u);
}

// On a busy machine some of them are forgotten before the test looks.
TEST(Hosts, ThatComeAndGoAreKnownToThoseWhoSpin) {
    concurrent::CpuShare& share = team::cpu_pressure.cpu_share;
    const auto region = [] { construct::parallel([](void*) {}, nullptr, 2); };
    std::thread([&] {
        region();
        share.forget();
        region();
        EXPECT_FALSE(share.passers.any()) << "one that stays is none";
        bool have_come = false, have_gone = false;
        for (int i = 0; i < 100; ++i) {
            std::thread([&] {
                region();
                have_come |= share.passers.any();
                share.forget();
            }).join();
            have_gone |= share.passers.any();
            share.forget();
        }
        EXPECT_TRUE(have_come);
        EXPECT_TRUE(have_gone);
    }).join();
}

// It takes its team's threads with it, which wait for it.
TEST(Hosts, AreForgottenWhenTheyEndInsideARegion) {
    std::thread([] {
        construct::parallel([](void*) {}, nullptr, 2);
        pthread_t host;
        const auto run = [](void*) -> void* {
            construct::parallel(
                [](void*) {
                    if (team::self().number != 0)
                        return;
                    EXPECT_EQ(several(), 1u);
                    pthread_exit(nullptr);
                },
                nullptr, 2);
            return nullptr;
        };
        ASSERT_EQ(pthread_create(&host, nullptr, run, nullptr), 0);
        pthread_join(host, nullptr);
        EXPECT_EQ(several(), 0u);
        EXPECT_EQ(team::cpu_pressure.rivals.load(platform::relaxed), 0);
    }).join();
}

TEST(Hosts, AreForgottenWhenTheyEndInARegionOfOneThread) {
    std::thread([] {
        construct::parallel([](void*) {}, nullptr, 2);
        pthread_t host;
        const auto run = [](void*) -> void* {
            construct::parallel([](void*) {}, nullptr, 2);
            EXPECT_EQ(several(), 1u);
            construct::parallel([](void*) { pthread_exit(nullptr); }, nullptr, 1);
            return nullptr;
        };
        ASSERT_EQ(pthread_create(&host, nullptr, run, nullptr), 0);
        pthread_join(host, nullptr);
        EXPECT_EQ(several(), 0u);
    }).join();
}

} // namespace
