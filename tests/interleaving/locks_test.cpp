// SPDX-License-Identifier: Apache-2.0
// The five locks of the Cyclops-64 paper: exclusion, what was written inside is seen by the next
// holder, and nobody waits for ever. docs/protocols/spin-locks.md, docs/protocols/mcs-lock.md.
#include "concurrent/locks/mcs.hpp"
#include "concurrent/locks/mcs_sleep.hpp"
#include "concurrent/locks/test_and_set.hpp"
#include "concurrent/locks/test_and_set_backoff.hpp"
#include "concurrent/locks/ticket.hpp"

#include "explorer.hpp"

#include <memory>

namespace concurrent = heddle::concurrent;
namespace platform = heddle::platform;

namespace {

template <concurrent::Lock L>
struct Shared {
    L lock;
    int inside = 0, entries = 0;
    platform::Atomic<int> data{0}; // plain stores: they may stay in the holder's store buffer

    void enter(int times) {
        typename L::Node node; // used again, as one on a thread's stack is
        while (times-- > 0) {
            const uint32_t how = explore::choose(3);
            if (how == 0) {
                if (!lock.try_lock(node))
                    continue;
            } else {
                lock.lock(node, {how - 1, 0});
            }
            explore::expect(++inside == 1, "two holders");
            ++entries;
            data.store(data.load(platform::relaxed) + 1, platform::relaxed);
            --inside;
            lock.unlock(node);
        }
    }
};

template <concurrent::Lock L>
void add(explore::World& world, int threads, int times) {
    auto shared = std::make_shared<Shared<L>>();
    for (int i = 0; i < threads; ++i)
        world.thread([=] { shared->enter(times); });
    world.at_end([=] {
        explore::expect(shared->data.peek() == shared->entries, "a holder's store was not seen");
        typename L::Node node;
        explore::expect(shared->lock.try_lock(node), "still held");
    });
}

template <concurrent::Lock L>
void two(explore::World& world) {
    add<L>(world, 2, 2);
}
template <concurrent::Lock L>
void three(explore::World& world) {
    add<L>(world, 3, 2);
}

} // namespace

int main(int argc, char** argv) {
    constexpr double share = 0.3;
    constexpr uint32_t exhaustive = 5000;
    return explore::run(
        argc, argv,
        {{"test_and_set", two<concurrent::TestAndSet>, share, exhaustive},
         {"test_and_set_three", three<concurrent::TestAndSet>, share, exhaustive},
         {"test_and_set_backoff", two<concurrent::TestAndSetBackoff>, share, exhaustive},
         {"test_and_set_backoff_three", three<concurrent::TestAndSetBackoff>, share, exhaustive},
         {"ticket", two<concurrent::Ticket>, share, exhaustive},
         {"ticket_three", three<concurrent::Ticket>, share, exhaustive},
         {"mcs", two<concurrent::Mcs>, share, exhaustive},
         {"mcs_three", three<concurrent::Mcs>, share, exhaustive},
         {"mcs_sleep", two<concurrent::McsSleep>, share, exhaustive},
         {"mcs_sleep_three", three<concurrent::McsSleep>, share, exhaustive}});
}
