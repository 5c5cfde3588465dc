// SPDX-License-Identifier: Apache-2.0
// The futex lock: exclusion, nobody sleeps for ever, and nobody overtakes those who sleep while one
// of them is late. docs/protocols/futex-lock.md.
#include "concurrent/futex_lock.hpp"

#include "explorer.hpp"

#include <memory>

using heddle::concurrent::FutexLock;
using heddle::concurrent::WaitLimits;
namespace platform = heddle::platform;

namespace {

constexpr WaitLimits at_once{0, 0}, never_sleeps{~0u, 0};

struct Shared {
    FutexLock lock;
    int inside = 0, entries = 0;
    int sleepers_turns = 0; ///< of those who enter to sleep
    platform::Atomic<uint32_t> work{0};

    Shared() {
        heddle::concurrent::lock_slots.open_all();
        explore::unwatch(sleepers_turns); // poll() looks at it from outside
    }

    void stay(bool sleeper) {
        explore::expect(++inside == 1, "two holders");
        ++entries;
        sleepers_turns += sleeper;
        work.store(1, platform::relaxed); // a scheduling point inside
        --inside;
        lock.unlock();
    }
    void enter(int times, WaitLimits limits) {
        while (times-- > 0) {
            lock.lock(limits);
            stay(true);
        }
    }
    /// Comes again and again and never sleeps.
    void poll(int times) {
        while (times-- > 0) {
            const int turns = sleepers_turns;
            const bool promised = lock.is_promised();
            if (explore::choose(2))
                lock.lock(never_sleeps);
            else if (!lock.try_lock())
                continue;
            // An old value says nothing of now.
            explore::expect(!promised || sleepers_turns != turns || explore::memory_is_weak(),
                            "a newcomer took what was promised to those who sleep");
            stay(false);
        }
    }
};

void check_at_end(explore::World& world, const std::shared_ptr<Shared>& shared) {
    world.at_end([=] {
        explore::expect(!shared->lock.is_held(), "still held, or promised");
        explore::expect(shared->inside == 0, "somebody is inside");
    });
}

void add(explore::World& world, int threads, int times, WaitLimits limits) {
    auto shared = std::make_shared<Shared>();
    for (int i = 0; i < threads; ++i)
        world.thread([=] { shared->enter(times, limits); });
    world.at_end(
        [=] { explore::expect(shared->entries == threads * times, "an entry is missing"); });
    check_at_end(world, shared);
}

void add_pollers(explore::World& world, int sleepers, int pollers) {
    auto shared = std::make_shared<Shared>();
    for (int i = 0; i < sleepers; ++i)
        world.thread([=] { shared->enter(1, at_once); });
    for (int i = 0; i < pollers; ++i)
        world.thread([=] { shared->poll(4); });
    world.at_end([=] {
        explore::expect(shared->sleepers_turns == sleepers, "a sleeper's turn is missing");
    });
    check_at_end(world, shared);
}

void two(explore::World& world) { add(world, 2, 2, at_once); }
void two_spinning(explore::World& world) { add(world, 2, 1, {2, 1}); }
void three(explore::World& world) { add(world, 3, 2, at_once); }
void poller(explore::World& world) { add_pollers(world, 1, 1); }
void sleepers_and_poller(explore::World& world) { add_pollers(world, 2, 1); }
void sleepers_and_pollers(explore::World& world) { add_pollers(world, 2, 2); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"two", two},
                         {"two_spinning", two_spinning},
                         {"three", three},
                         {"poller", poller},
                         {"sleepers_and_poller", sleepers_and_poller},
                         {"sleepers_and_pollers", sleepers_and_pollers}});
}
