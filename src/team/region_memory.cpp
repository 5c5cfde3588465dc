// SPDX-License-Identifier: Apache-2.0
// Memory that lives as long as a team's region: contexts of tasks that changed their ICVs.
// Blocks are pushed by any member; the primary frees them all when the region is over.
// Ordering: the closing barrier stands between every push and the free.
#include "team/team.hpp"

namespace heddle::team {

void keep_for_region(Team& team, Garbage& garbage) {
    garbage.next = team.garbage.load(platform::relaxed);
    while (!team.garbage.compare_exchange_strong(garbage.next, &garbage, platform::release,
                                                 platform::relaxed)) {
    }
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
