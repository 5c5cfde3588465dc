// SPDX-License-Identifier: Apache-2.0
// Reduction blocks form a chain from the innermost taskgroup outwards; a group starts with its
// enclosing group's chain. Registration and the chain are plain memory: the deque that passes a
// task to another thread passes them too. A region's shared copies are published by a
// compare-and-swap on its node: release by the winner, acquire by the others.
#include "construct/reduction.hpp"

#include "construct/parallel.hpp"
#include "construct/reduction_block.hpp"
#include "construct/taskgroup.hpp"
#include "construct/worksharing.hpp"
#include "schedule/wait.hpp"

#include <cstring>

namespace heddle::construct {

namespace {

using team::Group;
using team::Member;
using Block = ReductionBlock;
using Item = ReductionBlock::Item;

/// Up to this many items are searched one by one, more are sorted first.
constexpr uintptr_t few_items = 8;

Block& block_at(uintptr_t* words) { return *reinterpret_cast<Block*>(words); }

/// Zeroed copies for `threads` threads.
void* allocate_copies(const Block& block, int32_t threads) {
    size_t size;
    const bool too_large = __builtin_mul_overflow(block.bytes, static_cast<size_t>(threads), &size);
    const size_t alignment =
        block.base > concurrent::cache_line ? block.base : concurrent::cache_line;
    void* memory = too_large ? nullptr : platform::allocate(size, alignment);
    if (!memory)
        platform::die("no memory for the copies of reduction variables");
    memset(memory, 0, size);
    return memory;
}

/// Insertion: a clause lists a handful of items, most often in the order of their addresses.
void sort_items(Block& block) {
    Item* items = block.items();
    for (uintptr_t i = 0; i < block.count; ++i) {
        uintptr_t place = i;
        for (; place > 0 && items[items[place - 1].sorted].original > items[i].original; --place)
            items[place].sorted = items[place - 1].sorted;
        items[place].sorted = i;
    }
}

/// The item whose original is at `address`, nullptr when the block has none.
const Item* item_of(Block& block, uintptr_t address) {
    const Item* items = block.items();
    if (HEDDLE_LIKELY(block.count <= few_items)) {
        for (const Item* item = items; item != items + block.count; ++item)
            if (item->original == address)
                return item;
        return nullptr;
    }
    uintptr_t low = 0, high = block.count;
    while (low < high) {
        const uintptr_t middle = (low + high) / 2;
        if (items[items[middle].sorted].original < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == block.count || items[items[low].sorted].original != address)
        return nullptr;
    return &items[items[low].sorted];
}

/// The original of the item whose copies lie at `offset`.
uintptr_t original_at(Block& block, uintptr_t offset) {
    for (const Item* item = block.items(); item != block.items() + block.count; ++item)
        if (item->offset == offset)
            return item->original;
    platform::die("in_reduction: the address is within a reduction variable, not its beginning");
}

/// A parallel region with its block, in the primary's frame.
struct ReducingRegion {
    team::TaskFunction function;
    void* data;
    uintptr_t* block;
};

/// The implicit task: the region's function inside a taskgroup.
void run_in_taskgroup(void* raw) {
    const auto& region = *static_cast<const ReducingRegion*>(raw);
    Member& member = team::self();
    begin_taskgroup(member);
    member.current->context()->group->reductions = region.block;
    member.current->context()->group->implicit = true;
    region.function(region.data);
    end_taskgroup(member);
}

/// What generated code has filled in, completed.
void complete_generated(Block& block, void* copies, int32_t threads, uintptr_t* outer) {
    if (HEDDLE_UNLIKELY(block.outer != 0))
        platform::die("reduction variables are described in a way that this runtime does not know");
    complete(block, copies, threads, outer);
    block.made_by = 0;
}

} // namespace

void complete(Block& block, void* copies, int32_t threads, uintptr_t* outer) {
    block.base = reinterpret_cast<uintptr_t>(copies);
    block.end = block.base + block.bytes * static_cast<uintptr_t>(threads);
    block.outer = reinterpret_cast<uintptr_t>(outer);
    block.memory = 0;
    if (block.count > few_items)
        sort_items(block);
}

FoundReduction find_reduction(uintptr_t* innermost, uintptr_t address, bool by_runtime) {
    for (uintptr_t* words = innermost; words;) {
        Block& block = block_at(words);
        words = reinterpret_cast<uintptr_t*>(block.outer);
        if (HEDDLE_UNLIKELY((block.made_by != 0) != by_runtime))
            continue;
        if (address >= block.base && address < block.end)
            return {&block, (address - block.base) % block.bytes};
        if (const Item* item = item_of(block, address))
            return {&block, item->offset};
    }
    return {nullptr, 0};
}

void no_such_reduction() {
    platform::die("in_reduction: no enclosing task_reduction, or reduction with the task modifier, "
                  "has the list item");
}

void register_reductions(Member& member, uintptr_t* words) {
    Group& group = *member.current->context()->group;
    Block& block = block_at(words);
    void* copies = allocate_copies(block, member.team_size);
    complete_generated(block, copies, member.team_size, group.reductions);
    block.memory = block.base;
    group.reductions = words;
}

void unregister_reductions(uintptr_t* words) {
    platform::deallocate(reinterpret_cast<void*>(block_at(words).memory));
}

void find_reduction_copies(const Member& member, size_t count, size_t originals, void** pointers) {
    const Group* group = member.current->context()->group;
    uintptr_t* innermost = group ? group->reductions : nullptr;
    const auto number = static_cast<uintptr_t>(member.number);
    for (size_t i = 0; i < count; ++i) {
        const auto [block, offset] =
            find_reduction(innermost, reinterpret_cast<uintptr_t>(pointers[i]), false);
        if (HEDDLE_UNLIKELY(!block))
            no_such_reduction();
        pointers[i] = reinterpret_cast<void*>(block->base + number * block->bytes + offset);
        if (i < originals)
            pointers[count + i] = reinterpret_cast<void*>(original_at(*block, offset));
    }
}

void begin_workshare_reductions(Member& member, uintptr_t* words) {
    begin_taskgroup(member);
    Group& group = *member.current->context()->group;
    group.implicit = true;
    Block& block = block_at(words);
    team::Workshare& node = *member.workshare.node;
    void* copies = shared_copies(node, [&] { return allocate_copies(block, member.team_size); });
    complete_generated(block, copies, member.team_size, group.reductions);
    // A scope may contain other regions, so the node must stay when the member goes on to those.
    node.hold();
    block.memory = reinterpret_cast<uintptr_t>(&node);
    group.reductions = words;
}

void end_workshare_reductions(Member& member, bool cancelled) {
    const Block& block = block_at(member.current->context()->group->reductions);
    auto& node = *reinterpret_cast<team::Workshare*>(block.memory);
    end_taskgroup(member);
    if (node.release())
        recycle_workshare(member, node);
    if (!cancelled)
        schedule::wait_at_cancellable_barrier(member);
}

unsigned parallel_with_reductions(team::TaskFunction function, void* data, unsigned requested,
                                  uintptr_t* words, config::ProcBind bind) {
    Member& primary = begin_parallel(requested, bind);
    const int32_t size = primary.team_size;
    Block& block = block_at(words);
    void* copies = allocate_copies(block, size);
    complete_generated(block, copies, size, nullptr);
    block.memory = block.base;
    ReducingRegion region{function, data, words};
    start_parallel(primary, run_in_taskgroup, &region);
    run_in_taskgroup(&region);
    end_parallel();
    return static_cast<unsigned>(size);
}

} // namespace heddle::construct
