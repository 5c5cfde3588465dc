// SPDX-License-Identifier: Apache-2.0
// What is noted of a worker while HEDDLE_TRACE or HEDDLE_HANG_SIGNAL asks for it: its part of the
// trace, and what it does just now; and the list of all workers, for the hang report.
// Written by the worker's own thread through team/watching; read by the signal handler on any.
// Ordering: the list's head is released with the entry, which is never freed; what a worker does
// now are relaxed words, each true of a recent moment.
#pragma once

#include "tool/recorder.hpp"

namespace heddle::tool {

/// What a worker does now, for others to read.
struct Activity {
    platform::Atomic<int32_t> thread_id{0}; ///< the kernel's; 0: the worker has no thread
    platform::Atomic<int32_t> number{0};    ///< in its team
    platform::Atomic<int32_t> team_size{1};
    platform::Atomic<uint64_t> region{0}; ///< address of the outlined region, 0 outside
    platform::Atomic<uint64_t> task{0};   ///< of the explicit task, 0 without one
    platform::Atomic<WaitKind> wait{WaitKind::none};
    platform::Atomic<uint64_t> object{0};     ///< the lock that it waits for
    platform::Atomic<uint64_t> wait_began{0}; ///< platform::now_ns()
};

struct Watch {
    Recorder recorder;
    Activity activity;
    int32_t number = 0; ///< the worker's
    Watch* older = nullptr;
};

/// Is anything noted at all? Constant after prepare_tools().
bool traces();

/// Before the first worker, on its thread: the handler of HEDDLE_HANG_SIGNAL.
void prepare_tools();

/// A worker was made.
void list_watch(Watch& watch, int32_t number);
/// The newest entry of the list; nullptr when it is empty.
const Watch* all_watches();

/// In a forked child: the list is empty, and the trace goes to a file of the child's.
void restart_watches();

} // namespace heddle::tool
