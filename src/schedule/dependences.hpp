// SPDX-License-Identifier: Apache-2.0
// The depend clause (OpenMP 5.2 section 15.9): which unfinished siblings must be complete before a
// task may begin. One table for each task that creates dependent children, from storage location to
// the children that last used it; entries of finished children are dropped as they are met and when
// the table would grow, so its memory follows the live tasks. Only the creating thread touches the
// table; it meets the others in SuccessorList. docs/protocols/successor-list.md.
#pragma once

#include "schedule/record.hpp"

namespace heddle::schedule {

/// mutexinoutset counts as `out`: exclusion by an order, as in libgomp.
enum class DependenceKind : uint8_t { in, out, inoutset };

struct Dependence {
    const void* address; ///< nullptr with `out`: omp_all_memory
    DependenceKind kind;
    uint8_t told_as = 0; ///< what a tool is told: an ompt_dependence_type_t
};

struct Dependences {
    const Dependence* list = nullptr;
    size_t count = 0;
};

/// A child in the list of those that use one location. Lies behind its TaskRecord.
struct DependenceUse {
    DependenceUse* next;
    TaskRecord* task;
};

/// Upper bound of the unfinished siblings that a child with `dependences` has to wait for, counted
/// once per location; 0: it may begin now, and everything they did is visible.
size_t count_predecessors(Member& member, const Dependences& dependences);

/// Room in the table for one more child with `dependences`, whose family is there as well; false
/// without memory.
bool prepare_table(Member& member, const Dependences& dependences);

/// Enters `record`, made with room for that many links and for dependences.count uses, into the
/// prepared table. True: it is ready. It may run on another thread before this returns false.
bool enter(Member& member, TaskRecord& record, const Dependences& dependences);

/// Lets `waiter` count the predecessors that such a child would have, without entering it: true,
/// there is none. The table exists, for count_predecessors() was not 0.
bool await_predecessors(Member& member, TaskRecord& waiter, const Dependences& dependences);

/// The task whose children `family` counts has ended, or the taskgroup has.
void release_dependences(Member& member, Family& family);

} // namespace heddle::schedule
