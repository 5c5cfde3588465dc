// SPDX-License-Identifier: Apache-2.0
// Nestable locks, the real construct/lock.cpp: exclusion between owners, the right nesting counts,
// and nobody sleeps for ever. Protocol: docs/protocols/nest-lock.md.
#include "construct/lock.cpp"

#include "team_stubs.hpp"

#include <memory>

using heddle::construct::NestLock;
namespace platform = heddle::platform;
namespace team = heddle::team;

namespace heddle::team {
Member& attach_thread() { explore::fail("no member"); }
} // namespace heddle::team

namespace {

struct Shared {
    NestLock lock;
    int inside = 0, entries = 0;
    team::Member members[3];
    alignas(16) char tasks[3][16];

    void enter(int me, int times) {
        members[me].team_size = 1;
        platform::set_self(&members[me]);
        while (times-- > 0) {
            if (explore::choose(3) == 0) {
                const int count = lock.try_lock(tasks[me]);
                if (count == 0)
                    continue;
                explore::expect(count == 1, "held before");
            } else {
                lock.lock(tasks[me]);
            }
            explore::expect(++inside == 1, "two owners");
            explore::expect(lock.try_lock(tasks[me]) == 2, "the count is not 2");
            lock.lock(tasks[me]);
            lock.unlock();
            lock.unlock();
            ++entries;
            --inside;
            lock.unlock();
        }
    }
};

void add(explore::World& world, int owners, int times) {
    team::choose_wait_limits();
    heddle::concurrent::lock_slots.open_all(); // another execution closed one
    auto shared = std::make_shared<Shared>();
    for (int i = 0; i < owners; ++i)
        world.thread([=] { shared->enter(i, times); });
    world.at_end(
        [=] { explore::expect(shared->lock.try_lock(shared->tasks[0]) == 1, "still held"); });
}

void two(explore::World& world) { add(world, 2, 2); }
void three(explore::World& world) { add(world, 3, 2); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv, {{"two", two}, {"three", three}});
}
