// SPDX-License-Identifier: Apache-2.0
// Memory that lives as long as a team's region: contexts of tasks that changed their ICVs.
// Blocks are pushed by any member; the primary frees them all when the region is over.
// Ordering: the closing barrier stands between every push and the free.
#include "team/team.hpp"

namespace heddle::team {

void* allocate_for_region(Team& team, size_t size) {
    constexpr size_t header = 16; // keeps the caller's block aligned
    static_assert(sizeof(Garbage) <= header);
    auto* block = static_cast<Garbage*>(platform::allocate(header + size, header));
    if (!block)
        platform::die("no memory for a task's control variables");
    block->next = team.garbage.load(platform::relaxed);
    while (!team.garbage.compare_exchange_strong(block->next, block, platform::release,
                                                 platform::relaxed)) {
    }
    return reinterpret_cast<char*>(block) + header;
}

void free_region_memory(Team& team) {
    Garbage* block = team.garbage.exchange(nullptr, platform::acquire); // pairs with the pushes
    while (block) {
        Garbage* next = block->next;
        platform::deallocate(block);
        block = next;
    }
}

} // namespace heddle::team
