// SPDX-License-Identifier: Apache-2.0
// What launchers tell a process about its siblings on the machine.
#include "config/launcher.hpp"
#include "environment.hpp"

namespace heddle {
namespace {

/// `rank/size` as the settings have them, and whatever went to stderr.
std::string local(const test::Values& values) {
    const test::Outcome outcome = test::read(values);
    const config::LocalRank local = outcome.reading.settings.local;
    return std::to_string(local.rank) + "/" + std::to_string(local.size) + outcome.errors;
}

TEST(Launcher, NoneIsOneProcess) {
    EXPECT_EQ(local({}), "0/1");
    EXPECT_EQ(local({{"OMPI_COMM_WORLD_LOCAL_RANK", "3"}}), "0/1");
    EXPECT_EQ(local({{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}), "0/1");
}

TEST(Launcher, Pairs) {
    for (const auto& [rank, size] :
         {std::pair("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
          {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
          {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
          {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
          {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},
          {"JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE"},
          {"LOCAL_RANK", "LOCAL_WORLD_SIZE"}})
        EXPECT_EQ(local({{rank, "3"}, {size, "4"}}), "3/4") << rank;
}

TEST(Launcher, NonsenseIsNoMessage) {
    for (const auto& [rank, size] : {std::pair("4", "4"),
                                     {"-1", "4"},
                                     {"0", "1"},
                                     {"0", "0"},
                                     {"", ""},
                                     {"1x", "4"},
                                     {"1", "99999999999"}})
        EXPECT_EQ(local({{"MPI_LOCALRANKID", rank}, {"MPI_LOCALNRANKS", size}}), "0/1") << rank;
    EXPECT_EQ(local({{"OMPI_COMM_WORLD_LOCAL_RANK", "7"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "nonsense"},
                     {"MPI_LOCALRANKID", "1"},
                     {"MPI_LOCALNRANKS", "2"}}),
              "1/2");
}

TEST(Launcher, Slurm) {
    const auto step = [](const char* node, const char* sizes) {
        return local({{"SLURM_STEP_ID", "0"},
                      {"SLURM_LOCALID", "2"},
                      {"SLURM_NODEID", node},
                      {"SLURM_STEP_TASKS_PER_NODE", sizes}});
    };
    EXPECT_EQ(step("0", "8"), "2/8");
    EXPECT_EQ(step("1", "8(x2),3"), "2/8");
    EXPECT_EQ(step("2", "8(x2),3"), "2/3");
    EXPECT_EQ(step("3", "8(x2),3"), "0/1");
    EXPECT_EQ(step("0", "8(x"), "0/1");
    EXPECT_EQ(
        local({{"SLURM_STEP_ID", "0"}, {"SLURM_LOCALID", "2"}, {"SLURM_NTASKS_PER_NODE", "4"}}),
        "2/4");
    // the script of a batch job is one process, not one of four
    EXPECT_EQ(local({{"SLURM_LOCALID", "0"}, {"SLURM_NTASKS_PER_NODE", "4"}}), "0/1");
}

} // namespace
} // namespace heddle
