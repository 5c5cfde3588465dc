// SPDX-License-Identifier: Apache-2.0
// The words of a reduction block by name, and the search through a chain of them. construct/
// reduction.hpp describes the words, which generated code of gcc fills in; for other compilers
// construct/task_reduction.cpp does. Included by these two alone; the chain has blocks of both
// where their taskgroups are nested, but a task finds its compiler's only: gcc's tasks note beside
// a copy that they use it. A block is constant from its completion until the tasks that know it
// have ended.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

struct ReductionBlock {
    uintptr_t count;
    uintptr_t bytes;
    uintptr_t base;    ///< before registration: alignment
    uintptr_t made_by; ///< the TaskReductions that it is part of; 0: generated code made it
    uintptr_t outer;
    uintptr_t memory;
    uintptr_t end;

    struct Item {
        uintptr_t original;
        uintptr_t offset;
        uintptr_t sorted; ///< of entry k: index of the item with the k-th lowest original
    };
    Item* items() { return reinterpret_cast<Item*>(this + 1); }
    uintptr_t* words() { return reinterpret_cast<uintptr_t*>(this); }
};
static_assert(sizeof(ReductionBlock) == 7 * sizeof(uintptr_t));
static_assert(sizeof(ReductionBlock::Item) == 3 * sizeof(uintptr_t));

/// Completes a block whose copies are `threads` times at `copies`, inside of the block `outer`.
void complete(ReductionBlock& block, void* copies, int32_t threads, uintptr_t* outer);

struct FoundReduction {
    ReductionBlock* block; ///< nullptr: no block knows the address
    uintptr_t offset;      ///< of the address in each thread's copies
};

/// The innermost block that knows `address`, as an original or as some thread's copy, among those
/// that construct/task_reduction.cpp made (`by_runtime`) or generated code.
FoundReduction find_reduction(uintptr_t* innermost, uintptr_t address, bool by_runtime);

/// Ends the process: an in_reduction clause that no reduction answers.
[[noreturn]] void no_such_reduction();

/// The copies that the members of a worksharing region share, made by whichever comes first.
template <class Allocate>
void* shared_copies(team::Workshare& node, Allocate&& allocate) {
    void* copies = node.reductions.load(platform::acquire); // pairs with the release below
    if (copies)
        return copies;
    void* fresh = allocate();
    if (node.reductions.compare_exchange_strong(copies, fresh, platform::acq_rel,
                                                platform::acquire))
        return fresh;
    platform::deallocate(fresh);
    return copies;
}

} // namespace heddle::construct
