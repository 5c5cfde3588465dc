// SPDX-License-Identifier: Apache-2.0
// What a program says of the data of its next loop (heddle_loop_data), and who begins with which
// iterations: a thread with those whose data lie in its locality domain.
// Called by heddle.h's routine and, once a loop, by the thread that describes it to the others:
// all shares come from one thread's view, so that they always make up the whole loop.
// The words of LoopData are relaxed: they are hints, and any mixture of two is one.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

/// Notes that iteration i of the next loop works on the `element` bytes at `first` + i * `element`.
/// For `own`, the calling thread's member: its next worksharing region, or the first one of all
/// parallel regions that it encounters before that, until it notes something else.
void note_loop_data(const Member& own, const void* first, size_t element);

/// Thread `number` is to begin with the units [first, end), which may be none.
using DealShare = void (*)(void* context, int32_t number, uint64_t first, uint64_t end);

/// For a loop of `loop.chunks` units of `loop.chunk` iterations each: calls `deal` once for each
/// thread of the team, when it is known where the data of the loop lie and where the threads are.
/// The shares are the units 0 to `loop.chunks`-1, each once. False, with nothing dealt, in all
/// other cases. By the thread that describes the loop, before it enters it. It takes a while, and a
/// lock: if another member has begun to, this one waits for a moment, and deals nothing if the
/// other's description has come. On a machine of one domain this is a load.
bool deal_by_data(const Member& creator, const Workshare& loop, DealShare deal, void* context);

} // namespace heddle::team
