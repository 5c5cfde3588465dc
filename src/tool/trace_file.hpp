// SPDX-License-Identifier: Apache-2.0
// The file of HEDDLE_TRACE: made at the first event, mapped into the process chunk by chunk, so
// that what was recorded is in the file whatever becomes of the process. Called by recorders, each
// on its own thread; the first one makes the file while others wait. Ordering: the state `open` is
// released with what it is about, and acquired by trace_began().
#pragma once

#include "tool/events.hpp"

namespace heddle::tool {

/// A new chunk for `worker`, whose `number`th it is, with room on the disk behind it; nullptr when
/// there is none, or no file. The first time that happens is told.
Chunk* take_chunk(int32_t worker, uint64_t number);

/// platform::now_ns() when the trace began, for those who have a chunk.
uint64_t trace_began();

/// How many chunks a worker may have, at least 1.
uint64_t chunks_per_worker();

/// The table of modules has grown.
void write_modules();

/// In a forked child: it records to a file of its own, from its next event on.
void leave_trace_after_fork();

} // namespace heddle::tool
