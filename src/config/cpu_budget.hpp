// SPDX-License-Identifier: Apache-2.0
// How many CPUs the process may use: its affinity mask and the CPU quota of its control groups.
// Called while the settings are read; no allocation, nothing is kept, any failure means no limit.
// Weights (cpu.weight, cpu.shares) are no limit and are not looked at.
#pragma once

namespace heddle::config {

/// CPUs in the calling thread's affinity mask, 0 when the kernel does not say.
int affinity_cpus();

/// The tightest CPU quota of the process's control group and the groups above it, in CPUs rounded
/// up, 0 when there is none. cgroup v1 and v2 count alike. `root` comes before every path that is
/// opened, "" for the machine's own file system.
int quota_cpus(const char* root);

/// The number to use, 1 or more: the smaller of `affinity` and `quota`, where 0 means unknown or
/// none; with neither, the CPUs that are online.
int available_cpus(int affinity, int quota);

} // namespace heddle::config
