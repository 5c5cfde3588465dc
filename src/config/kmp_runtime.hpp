// SPDX-License-Identifier: Apache-2.0
// What libomp's kmp_set_* routines may change while the program runs, beyond its tasks' ICVs.
// Called by those routines, by the pool and by whoever waits, from any thread. A relaxed word each:
// whoever changes one while another thread reads it gets one or the other.
#pragma once

#include "config/control_variables.hpp"

namespace heddle::config {

/// How many polls of a waiting thread take `microseconds`; INT64_MAX for ever.
int64_t spins_of(int64_t microseconds);

/// KMP_BLOCKTIME in milliseconds, INT_MAX for that and more.
int milliseconds_of(int64_t microseconds);

/// How waiting threads behave; unset: they adapt, unless spin_count() says for how long they spin.
WaitPolicy wait_policy(const Settings& settings);
/// From now on, in place of all that environment and set_blocktime() have said. The same as there
/// holds for waits.
void set_wait_policy(WaitPolicy policy);

/// How long threads spin before they sleep, as spin_count of the settings; -1: they adapt.
int64_t spin_count(const Settings& settings);

/// kmp_get_blocktime(): milliseconds, INT_MAX for ever.
int blocktime(const Settings& settings);
/// From now on. `milliseconds` of INT_MAX is for ever, a negative one counts as 0. Waits that begin
/// later follow when team::set_up_cpu_pressure() has been called.
void set_blocktime(int milliseconds);

/// Bytes of the stacks of threads that are yet to be made, 0: the system's default.
size_t stack_size(const Settings& settings);
void set_stack_size(size_t bytes);
/// The name of the variable or routine that asks for that size.
const char* stack_size_source(const Settings& settings);

/// kmp_get_library() gives `throughput` where nothing else has been asked for.
KmpLibrary library(const Settings& settings);
void set_library(KmpLibrary library);

/// target-offload-var, which kmp_set_defaults() may change.
TargetOffload target_offload(const Settings& settings);
void set_target_offload(TargetOffload offload);

} // namespace heddle::config
