// SPDX-License-Identifier: Apache-2.0
// Each construct's items are put into a reduction block, for the search through nested taskgroups.
// Whether a thread has begun its copies is a byte of its own: relaxed, for the thread alone writes
// it, and who combines has waited for the thread's tasks. With copies that a team shares, the count
// of ended taskgroups (acq_rel) makes the last member see what the others waited for.
#include "construct/task_reduction.hpp"

#include "construct/reduction_block.hpp"
#include "construct/taskgroup.hpp"
#include "construct/worksharing.hpp"

#include <cstring>

namespace heddle::construct {

using team::Group;
using team::Member;

/// In one piece of memory with its items and its block.
struct TaskReductions {
    size_t count;
    platform::Atomic<uint8_t>* begun; ///< by thread number; the copies follow
    team::Workshare* node;            ///< has the copies that the team shares; nullptr: ours alone

    ReductionItem* items() { return reinterpret_cast<ReductionItem*>(this + 1); }
    ReductionBlock& block() { return *reinterpret_cast<ReductionBlock*>(items() + count); }
    /// Item `i` as thread `number` has it.
    void* copy(int32_t number, size_t i) {
        const ReductionBlock& all = block();
        return reinterpret_cast<void*>(all.base + static_cast<uintptr_t>(number) * all.bytes +
                                       block().items()[i].offset);
    }
};

namespace {

constexpr size_t line = concurrent::cache_line;

size_t rounded_up(size_t size, size_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

/// The size of a type is a multiple of its alignment, so the largest power of two in it will do.
size_t alignment_for(size_t size) {
    const size_t power = size & (~size + 1);
    return power < line ? power : line;
}

/// Describes the items to those who search: all but the addresses of the copies.
void lay_out(TaskReductions& reductions) {
    ReductionBlock& block = reductions.block();
    size_t end = 0;
    for (size_t i = 0; i < reductions.count; ++i) {
        const ReductionItem& item = reductions.items()[i];
        // An array section may be empty: its copies have addresses of their own all the same.
        const size_t size = item.size ? item.size : 1;
        const size_t offset = rounded_up(end, alignment_for(size));
        block.items()[i] = {reinterpret_cast<uintptr_t>(item.original), offset, 0};
        end = offset + size;
    }
    block.count = reductions.count;
    block.bytes = rounded_up(end, line);
    block.made_by = reinterpret_cast<uintptr_t>(&reductions);
}

size_t room_for_begun(int32_t threads) { return rounded_up(static_cast<size_t>(threads), line); }

/// Memory for `threads` threads' copies, of which none has begun.
void* allocate_copies(TaskReductions& reductions, int32_t threads) {
    const size_t begun = room_for_begun(threads);
    size_t size;
    void* memory = nullptr;
    if (!__builtin_mul_overflow(reductions.block().bytes, static_cast<size_t>(threads), &size) &&
        !__builtin_add_overflow(size, begun, &size))
        memory = platform::allocate(size, line);
    if (!memory)
        platform::die("no memory for the copies of reduction variables");
    memset(memory, 0, begun);
    return memory;
}

/// Makes the reductions, with their copies at `memory`, the group's innermost.
void enter(TaskReductions& reductions, void* memory, int32_t threads, Group& group) {
    reductions.begun = static_cast<platform::Atomic<uint8_t>*>(memory);
    void* const copies = static_cast<char*>(memory) + room_for_begun(threads);
    complete(reductions.block(), copies, threads, group.reductions);
    group.reductions = reductions.block().words();
}

/// Begins the copies of thread `number`, the caller, unless it has them already.
void prepare_copies(TaskReductions& reductions, int32_t number) {
    platform::Atomic<uint8_t>& begun = reductions.begun[number];
    if (HEDDLE_LIKELY(begun.load(platform::relaxed) != 0))
        return;
    begun.store(1, platform::relaxed);
    for (size_t i = 0; i < reductions.count; ++i) {
        const ReductionItem& item = reductions.items()[i];
        void* const copy = reductions.copy(number, i);
        memset(copy, 0, item.size);
        if (item.initialize)
            item.initialize(copy, item.source);
    }
}

/// Into the originals, in the order of the threads. Their tasks have ended.
void combine(TaskReductions& reductions, int32_t threads) {
    for (int32_t number = 0; number < threads; ++number) {
        if (!reductions.begun[number].load(platform::relaxed))
            continue;
        for (size_t i = 0; i < reductions.count; ++i) {
            const ReductionItem& item = reductions.items()[i];
            void* const copy = reductions.copy(number, i);
            item.combine(item.original, copy);
            if (item.finalize)
                item.finalize(copy);
        }
    }
}

void end_reductions(Member& member, TaskReductions& reductions) {
    const int32_t threads = member.team_size;
    team::Workshare* const node = reductions.node;
    if (!node) {
        combine(reductions, threads);
        platform::deallocate(reductions.begun);
    } else {
        // acq_rel: the last to end sees the copies as each of the others saw them
        if (node->next_chunk.fetch_add(1, platform::acq_rel) + 1 == static_cast<uint64_t>(threads))
            combine(reductions, threads);
        if (node->release())
            recycle_workshare(member, *node);
    }
    platform::deallocate(&reductions);
}

uintptr_t* inherited_reductions(const Group& group) {
    const Group* outer = group.outer_context()->group;
    return outer ? outer->reductions : nullptr;
}

} // namespace

TaskReductions& make_task_reductions(size_t count) {
    const size_t size = sizeof(TaskReductions) + count * sizeof(ReductionItem) +
                        sizeof(ReductionBlock) + count * sizeof(ReductionBlock::Item);
    auto* reductions = static_cast<TaskReductions*>(platform::allocate(size, line));
    if (!reductions)
        platform::die("no memory for task reductions");
    reductions->count = count;
    reductions->node = nullptr;
    return *reductions;
}

ReductionItem* items_of(TaskReductions& reductions) { return reductions.items(); }

void begin_task_reductions(Member& member, TaskReductions& reductions) {
    lay_out(reductions);
    enter(reductions, allocate_copies(reductions, member.team_size), member.team_size,
          *member.current->context()->group);
}

void begin_team_task_reductions(Member& member, TaskReductions& reductions) {
    lay_out(reductions);
    enter_workshare(member, [](team::Workshare& node) {
        node.next_chunk.store(0, platform::relaxed); // released by the append
    });
    begin_taskgroup(member);
    Group& group = *member.current->context()->group;
    group.implicit = true;
    team::Workshare& node = *member.workshare.node;
    // The construct may contain regions to which the member goes on; see begin_workshare_reductions
    node.hold();
    reductions.node = &node;
    void* memory =
        shared_copies(node, [&] { return allocate_copies(reductions, member.team_size); });
    enter(reductions, memory, member.team_size, group);
}

void end_reducing_taskgroup(Member& member) {
    const Group* group = member.current->context()->group;
    uintptr_t* words = group ? group->reductions : nullptr;
    uintptr_t* const outer = words ? inherited_reductions(*group) : nullptr;
    end_taskgroup(member);
    while (words != outer) {
        auto& block = *reinterpret_cast<ReductionBlock*>(words);
        words = reinterpret_cast<uintptr_t*>(block.outer);
        end_reductions(member, *reinterpret_cast<TaskReductions*>(block.made_by));
    }
}

void* find_task_copy(const Member& member, const Group* group, void* address) {
    if (!group)
        group = member.current->context()->group;
    if (group) {
        const auto [block, offset] =
            find_reduction(group->reductions, reinterpret_cast<uintptr_t>(address), true);
        if (block) {
            const int32_t number = member.number;
            prepare_copies(*reinterpret_cast<TaskReductions*>(block->made_by), number);
            return reinterpret_cast<void*>(block->base +
                                           static_cast<uintptr_t>(number) * block->bytes + offset);
        }
    }
    if (member.team_size == 1)
        return address;
    no_such_reduction();
}

} // namespace heddle::construct
