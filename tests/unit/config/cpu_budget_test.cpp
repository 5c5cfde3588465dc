// SPDX-License-Identifier: Apache-2.0
// CPU quotas of control groups, on made-up file systems: v1, v2, nested groups, containers, and
// everything that must count as no quota.
#include "config/cpu_budget.hpp"

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <system_error>

namespace heddle::config {
namespace {

/// A directory in the place of the machine's root.
class Machine : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "/heddle-cgroup-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    void write(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
        std::ofstream(root_ + path) << text;
    }

    /// A machine with one cgroup v2 hierarchy; the process is in `group`.
    void v2(const std::string& group, const std::string& mount_root = "/") {
        write("/proc/self/cgroup", "0::" + group + "\n");
        write("/proc/self/mountinfo",
              "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
              "30 22 0:26 " +
                  mount_root +
                  " /sys/fs/cgroup rw,nosuid shared:4 master:2 - cgroup2 cgroup2 rw,nsdelegate\n");
    }

    /// A machine with cgroup v1, where cpu and cpuacct share a hierarchy.
    void v1(const std::string& group, const std::string& mount_root = "/") {
        write("/proc/self/cgroup", "12:pids:/elsewhere\n4:cpu,cpuacct:" + group +
                                       "\n3:cpuset:/elsewhere\n0::/unified\n");
        write("/proc/self/mountinfo",
              "31 23 0:28 / /sys/fs/cgroup ro shared:9 - tmpfs tmpfs ro,mode=755\n"
              "34 31 0:31 / /sys/fs/cgroup/cpuset rw shared:12 - cgroup cgroup rw,cpuset\n"
              "35 31 0:32 " +
                  mount_root +
                  " /sys/fs/cgroup/cpu,cpuacct rw shared:13 - cgroup cgroup rw,cpu,cpuacct\n");
    }

    int quota() { return quota_cpus(root_.c_str()); }

    std::string root_;
};

TEST_F(Machine, NothingThereIsNoQuota) { EXPECT_EQ(quota(), 0); }

TEST_F(Machine, QuotaIsRoundedUp) {
    v2("/job");
    auto with = [&](const char* cpu_max) {
        write("/sys/fs/cgroup/job/cpu.max", cpu_max);
        return quota();
    };
    EXPECT_EQ(with("200000 100000\n"), 2);
    EXPECT_EQ(with("200001 100000\n"), 3);
    EXPECT_EQ(with("150000 100000\n"), 2);
    EXPECT_EQ(with("1000 100000\n"), 1);
    EXPECT_EQ(with("0 100000\n"), 1);
    EXPECT_EQ(with("400000 50000\n"), 8);
    EXPECT_EQ(with("18446744073709551615 1\n"), INT_MAX);
    EXPECT_EQ(with("200000 100000"), 2); // no newline at the end
}

TEST_F(Machine, WhatIsNoNumberIsNoQuota) {
    v2("/job");
    for (const char* text :
         {"max 100000\n", "", "\n", "max", "100000", "100000 0\n", "-1 100000\n", "x y\n", " \n"}) {
        write("/sys/fs/cgroup/job/cpu.max", text);
        EXPECT_EQ(quota(), 0) << text;
    }
}

TEST_F(Machine, TheTightestGroupAboveCounts) {
    v2("/slice/service/leaf");
    write("/sys/fs/cgroup/slice/cpu.max", "300000 100000\n");
    EXPECT_EQ(quota(), 3);
    write("/sys/fs/cgroup/slice/service/leaf/cpu.max", "max 100000\n");
    EXPECT_EQ(quota(), 3);
    write("/sys/fs/cgroup/slice/service/cpu.max", "600000 100000\n");
    EXPECT_EQ(quota(), 3);
    write("/sys/fs/cgroup/slice/service/leaf/cpu.max", "150000 100000\n");
    EXPECT_EQ(quota(), 2);
    write("/sys/fs/cgroup/cpu.max", "100000 100000\n"); // a container's own top has one
    EXPECT_EQ(quota(), 1);
    write("/sys/fs/cgroup/other/cpu.max", "1 100000\n");
    write("/sys/fs/cpu.max", "1 100000\n"); // above the mount point: not a group
    EXPECT_EQ(quota(), 1);
}

TEST_F(Machine, WeightsAreIgnored) {
    v2("/job");
    write("/sys/fs/cgroup/job/cpu.weight", "1\n");
    EXPECT_EQ(quota(), 0);
    v1("/job");
    write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.shares", "2\n");
    EXPECT_EQ(quota(), 0);
}

TEST_F(Machine, V1Nested) {
    v1("/batch/job");
    std::string top = "/sys/fs/cgroup/cpu,cpuacct";
    write(top + "/batch/job/cpu.cfs_quota_us", "-1\n");
    write(top + "/batch/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 0);
    write(top + "/batch/cpu.cfs_quota_us", "250000\n");
    EXPECT_EQ(quota(), 0); // no period
    write(top + "/batch/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 3);
    write(top + "/batch/job/cpu.cfs_quota_us", "50000\n");
    EXPECT_EQ(quota(), 1);
}

TEST_F(Machine, ContainerWithoutCgroupNamespace) {
    // The mount shows the container's group; the paths are those of the host.
    v2("/docker/abc/worker", "/docker/abc");
    write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
    EXPECT_EQ(quota(), 4);
    write("/sys/fs/cgroup/worker/cpu.max", "200000 100000\n");
    EXPECT_EQ(quota(), 2);
    v1("/docker/abc", "/docker/abc");
    write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
    write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 3);
}

TEST_F(Machine, GroupOutsideTheMountUsesItsTop) {
    v2("/docker/abcdef", "/docker/abc");
    write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
    write("/sys/fs/cgroup/def/cpu.max", "100000 100000\n");
    EXPECT_EQ(quota(), 4);
    v2("/../sibling");
    write("/sys/fs/sibling/cpu.max", "100000 100000\n");
    EXPECT_EQ(quota(), 4);
}

TEST_F(Machine, BothGenerationsCount) {
    v1("/job");
    write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
    write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    std::ofstream(root_ + "/proc/self/mountinfo", std::ios::app)
        << "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    write("/sys/fs/cgroup/unified/unified/cpu.max", "200000 100000\n");
    EXPECT_EQ(quota(), 2);
}

TEST_F(Machine, OddMounts) {
    write("/proc/self/cgroup", "0::/job\n");
    write("/proc/self/mountinfo",
          "garbage\n1 2 3\n\n40 1 0:30 / /over rw - overlay overlay lower=" +
              std::string(10000, 'l') + "\n30 22 0:26 / /with\\040blank rw - cgroup2 cgroup2 rw\n");
    write("/with blank/job/cpu.max", "200000 100000\n");
    EXPECT_EQ(quota(), 2);
}

TEST(CpuBudget, TheSmallerOfMaskAndQuota) {
    EXPECT_EQ(available_cpus(8, 0), 8);
    EXPECT_EQ(available_cpus(8, 3), 3);
    EXPECT_EQ(available_cpus(2, 3), 2);
    EXPECT_EQ(available_cpus(0, 1), 1);
    EXPECT_GE(available_cpus(0, 0), 1);
}

TEST(CpuBudget, MaskOfThisThread) {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    EXPECT_EQ(affinity_cpus(), CPU_COUNT(&mask));
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &mask))
            CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(affinity_cpus(), 1);
    sched_setaffinity(0, sizeof mask, &mask);
}

} // namespace
} // namespace heddle::config
