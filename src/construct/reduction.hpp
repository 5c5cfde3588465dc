// SPDX-License-Identifier: Apache-2.0
// Reductions that tasks take part in (OpenMP 5.2 sections 5.5.9 to 5.5.11): each thread has a copy
// of every list item, a task finds its thread's copy by the original's address, generated code adds
// the copies up after the taskgroup. Called by the ABI layers and by taskloop. A block is written
// by the thread that registers it, before a task can refer to it, and constant until they ended.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

// A block is an array of words that generated code has filled in; registering it completes it.
// Word  0  number of list items
//       1  bytes that one thread's copies take, a multiple of their alignment
//       2  before: their alignment; after: address of thread 0's copies
//       3  before: allocator, ignored, for the memory is ours; after: 0, or the TaskReductions
//          (construct/task_reduction.hpp) that the block is part of
//       4  before: 0; after: the block that was registered before it, outside of this one
//       5  after: the memory of the copies; worksharing: the region's node, which has them
//       6  after: the end of the last thread's copies
//       7+ three for each item: address of the original, offset of its copy (ascending), index

/// task_reduction: gives each thread of the team zeroed copies of the block's items, and makes them
/// known to the tasks of the current task's innermost taskgroup, which must be there. `block` stays
/// valid until the taskgroup has ended. Dies without memory.
void register_reductions(team::Member& member, uintptr_t* block);

/// Frees the copies, after the taskgroup or the parallel region has ended and generated code has
/// read them. Any thread.
void unregister_reductions(uintptr_t* block);

/// in_reduction: pointers[i], for i below `count`, is the address of a list item's original, or of
/// any thread's copy; it is replaced by the address of the calling thread's copy. For i below
/// `originals`, pointers[count + i] becomes the original's address. The innermost reduction that
/// knows the item counts; dies when none does.
void find_reduction_copies(const team::Member& member, size_t count, size_t originals,
                           void** pointers);

/// reduction(task, ...) on loop, sections or scope, right after the member has entered the region:
/// begins a taskgroup, in which tasks know the block's items. The members' blocks are alike and
/// share the copies, which live until the last of them has ended them.
void begin_workshare_reductions(team::Member& member, uintptr_t* block);

/// After the region's own barrier, and after the primary has read the copies: ends that taskgroup.
/// Then another barrier, unless the parallel region was `cancelled`.
void end_workshare_reductions(team::Member& member, bool cancelled);

/// parallel reduction(task, ...): the whole construct, as parallel(); each implicit task is inside
/// a taskgroup that knows the block's items. Returns the number of threads. unregister_reductions()
/// is up to the caller.
unsigned parallel_with_reductions(team::TaskFunction function, void* data, unsigned requested,
                                  uintptr_t* block,
                                  config::ProcBind bind = config::ProcBind::false_);

} // namespace heddle::construct
