// SPDX-License-Identifier: Apache-2.0
// Which seats are taken, by whom, and on which CPUs: a word for each seat, with the epoch of the
// barrier at which it was taken, so that nobody has to give one back.
// Called by threads that stand back, or share tasks out, each for itself. Everything is relaxed:
// who takes a seat that another one has just taken tries again later; no task depends on it.
#include "team/seats.hpp"

namespace heddle::team {

bool take_seat(Seats& seats, int32_t count, uint32_t epoch, int32_t number, bool anywhere) {
    constexpr uint64_t low_bits = 0xffff, unknown_cpu = low_bits << 16;
    const uint64_t cpu = (static_cast<uint32_t>(platform::current_cpu()) & low_bits) << 16;
    const uint64_t thread = static_cast<uint32_t>(number) + uint64_t{1};
    const uint64_t mine = uint64_t{epoch} << 32 | cpu | thread;
    int own = -1, free = -1;
    uint64_t in_free = 0;
    bool shares_cpu = false;
    for (int i = 0; i < count; ++i) {
        const uint64_t word = seats[i].load(platform::relaxed);
        if (word >> 32 != epoch) {
            free = i;
            in_free = word;
        } else if ((word & low_bits) == thread) {
            own = i;
        } else if (cpu != unknown_cpu) {
            shares_cpu |= (word & unknown_cpu) == cpu;
        }
    }
    if (own >= 0) {
        if (!shares_cpu && seats[own].load(platform::relaxed) != mine)
            seats[own].store(mine, platform::relaxed); // it has moved
        return true;
    }
    return free >= 0 && (!shares_cpu || anywhere) &&
           seats[free].compare_exchange_strong(in_free, mine, platform::relaxed, platform::relaxed);
}

} // namespace heddle::team
