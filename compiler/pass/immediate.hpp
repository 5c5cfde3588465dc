// SPDX-License-Identifier: Apache-2.0
// Emits the second form of a task construct, which runs the task at once on this stack, and of a
// taskwait, which does nothing where no child is outstanding. Called by the pass.
// What the emitted code does to the thread's state is what include/heddle.hpp does in spawn() and
// sync(); OpenMP 5.2 sections 12.5 and 15.5.
#pragma once

#include "site.hpp"
#include "thread_state.hpp"

namespace heddle::pass {

/// Emits the form that runs the task at once beside the one that is there, and the choice.
void run_inline(const Site& site, ThreadState& threads);

/// __kmpc_omp_taskwait(): only called if the current task has deferred a child.
void wait_inline(llvm::CallInst& taskwait, ThreadState& threads);

} // namespace heddle::pass
