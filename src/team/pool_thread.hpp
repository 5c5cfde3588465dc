// SPDX-License-Identifier: Apache-2.0
// What a thread of the pool does: it waits at its mailbox for a region, begins it, and waits again.
// Called by the pool, which starts the thread; executed by that thread alone.
// Ordering: who posts a region releases the mailbox's fields, see docs/protocols/mailbox.md.
#pragma once

namespace heddle::team {

/// `worker`: a Worker, whose thread this is. Until the process or omp_pause_resource ends it.
void run_pool_thread(void* worker);

} // namespace heddle::team
