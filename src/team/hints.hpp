// SPDX-License-Identifier: Apache-2.0
// Where the program would like tasks to run: what a thread keeps of the hints that it was given,
// and what a task and its children are told. Data only; schedule/hints.hpp has the rules. Read and
// written by the member's own thread, but in TaskRecord, which goes with the task. Source: the task
// affinity paper, sections 4 and 5.3.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::team {

struct Frame;

enum class HintKind : uint8_t {
    none,
    thread,  ///< the thread with a number
    data,    ///< near a location
    close,   ///< a group: from the encountering thread on, one thread after another
    spread,  ///< a group: as far apart as possible, each task with a share of the threads
    primary, ///< a group: all by the team's primary thread
};

/// A hint as the program gave it.
struct Hint {
    HintKind kind = HintKind::none;
    int32_t number = 0; ///< the thread, or how many tasks a group will have; 0: not told
    const void* location = nullptr;
    size_t size = 0; ///< bytes there
};

/// Threads `first` to `first + count - 1` of the team; `count` 0: all of them.
struct ThreadShare {
    int32_t first = 0, count = 0;
};

/// A hint that holds for the children which the task of `frame` creates, or the threads which they
/// are to be spread over. On the stack of the thread, or in a taskgroup.
struct HintScope {
    HintScope* outer = nullptr;
    const Frame* frame = nullptr;
    Hint hint;
    ThreadShare share;
    int32_t created = 0; ///< hinted tasks so far
};

} // namespace heddle::team
