// SPDX-License-Identifier: Apache-2.0
// A pair of variables for each launcher; Slurm tells sizes of all machines in one list.
// Called by one thread while the settings are read.
// A value that is no number is not the user's mistake but another program's: it is no message.
#include "config/launcher.hpp"

#include "config/scanner.hpp"

#include <climits>

namespace heddle::config {

namespace {

/// Both numbers belong to this machine.
constexpr struct {
    const char* rank;
    const char* size;
} launchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"}, // Open MPI
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},                       // Intel MPI, MPICH
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},   // MVAPICH2
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},                         // Cray, and other PMI
    {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},                     // Cray PALS
    {"JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE"},     // IBM's jsrun
    {"LOCAL_RANK", "LOCAL_WORLD_SIZE"},                           // torchrun
};

bool number_in(const char* text, int& result) {
    if (text == nullptr)
        return false;
    Scanner scanner(text);
    uint64_t number;
    if (!scanner.number(number) || !scanner.at_end() || number > INT_MAX)
        return false;
    result = static_cast<int>(number);
    return true;
}

/// The element for machine `index` of Slurm's `4(x2),3`, which is 4, 4, 3.
bool element_in(const char* text, int index, int& result) {
    if (text == nullptr)
        return false;
    Scanner scanner(text);
    uint64_t left = static_cast<uint64_t>(index);
    do {
        uint64_t tasks, times = 1;
        if (!scanner.number(tasks) || tasks > INT_MAX)
            return false;
        if (scanner.take('(') &&
            (!scanner.take('x') || !scanner.number(times) || !scanner.take(')')))
            return false;
        if (left < times) {
            result = static_cast<int>(tasks);
            return true;
        }
        left -= times;
    } while (scanner.take(','));
    return false;
}

/// Only in a step, which srun has started: the script of a batch job has a SLURM_LOCALID too, but
/// no siblings.
bool read_slurm(Environment environment, LocalRank& local) {
    int node = 0;
    number_in(environment("SLURM_NODEID"), node);
    return environment("SLURM_STEP_ID") != nullptr &&
           number_in(environment("SLURM_LOCALID"), local.rank) &&
           (element_in(environment("SLURM_STEP_TASKS_PER_NODE"), node, local.size) ||
            number_in(environment("SLURM_NTASKS_PER_NODE"), local.size));
}

bool valid(const LocalRank& local) { return local.rank < local.size && local.size > 1; }

} // namespace

LocalRank read_local_rank(Environment environment) {
    LocalRank local;
    for (const auto& launcher : launchers)
        if (number_in(environment(launcher.rank), local.rank) &&
            number_in(environment(launcher.size), local.size) && valid(local))
            return local;
    if (read_slurm(environment, local) && valid(local))
        return local;
    return {};
}

} // namespace heddle::config
