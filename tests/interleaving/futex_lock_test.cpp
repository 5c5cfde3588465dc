// SPDX-License-Identifier: Apache-2.0
// The futex lock: exclusion, and nobody sleeps for ever. docs/protocols/futex-lock.md.
#include "concurrent/futex_lock.hpp"

#include "explorer.hpp"

#include <memory>

using heddle::concurrent::FutexLock;
namespace platform = heddle::platform;

namespace {

struct Shared {
    FutexLock lock;
    int inside = 0, entries = 0;
    platform::Atomic<uint32_t> work{0};

    void enter(int times, heddle::concurrent::WaitLimits limits) {
        while (times-- > 0) {
            lock.lock(limits);
            explore::expect(++inside == 1, "two holders");
            ++entries;
            work.store(1, platform::relaxed); // a scheduling point inside
            --inside;
            lock.unlock();
        }
    }
};

void add(explore::World& world, int threads, int times, heddle::concurrent::WaitLimits limits) {
    auto shared = std::make_shared<Shared>();
    for (int i = 0; i < threads; ++i)
        world.thread([=] { shared->enter(times, limits); });
    world.at_end([=] {
        explore::expect(shared->entries == threads * times, "an entry is missing");
        explore::expect(!shared->lock.is_held(), "still held");
    });
}

void two(explore::World& world) { add(world, 2, 2, {0, 0}); }
void two_spinning(explore::World& world) { add(world, 2, 1, {2, 1}); }
void three(explore::World& world) { add(world, 3, 2, {0, 0}); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"two", two}, {"two_spinning", two_spinning}, {"three", three}});
}
