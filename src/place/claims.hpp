// SPDX-License-Identifier: Apache-2.0
// Notices that processes of a launcher on this machine bind threads to the same CPUs, and says so.
// Called by place/binding when a thread is bound to a place, on that thread; all share one file
// whose record locks are the claims. The kernel drops them when the last process with it ends.
#pragma once

#include "config/cpu_set.hpp"

namespace heddle::place {

/// Claims the CPUs of `place` for the process until it ends. Where another process has one of them:
/// one warning among all processes of the launcher. Does nothing in a process that no launcher has
/// started beside others, nor for a place of more than two CPUs, in which the system can part
/// threads. Silent where locks are not to be had.
void claim(int place, const config::CpuSet& cpus);

} // namespace heddle::place
