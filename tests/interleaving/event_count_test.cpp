// SPDX-License-Identifier: Apache-2.0
// The event count: no sleeper misses the notification that follows a change of its condition.
// Nobody has a time limit here, so a lost wake-up is a deadlock. docs/protocols/event-count.md.
#include "concurrent/event_count.hpp"

#include "explorer.hpp"

#include <memory>

using heddle::concurrent::EventCount;
namespace platform = heddle::platform;

namespace {

struct Shared {
    EventCount event;
    platform::Atomic<uint32_t> reached{0};

    void wait_for(uint32_t value) {
        while (reached.load(platform::acquire) < value) {
            const uint32_t key = event.announce();
            if (reached.load(platform::seq_cst) >= value)
                event.withdraw();
            else
                event.sleep(key);
        }
    }
    void advance(int wakes) {
        reached.fetch_add(1, platform::seq_cst);
        event.notify(wakes);
    }
};

void one_sleeper(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        shared->wait_for(1);
        shared->wait_for(2);
    });
    world.thread([shared] {
        shared->advance(1);
        shared->advance(1);
    });
}

void two_and_two(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    for (uint32_t value : {1u, 2u}) {
        world.thread([shared, value] { shared->wait_for(value); });
        world.thread([shared] { shared->advance(1 << 30); });
    }
    world.at_end(
        [shared] { explore::expect(!shared->event.has_sleepers(), "a sleeper is still counted"); });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv, {{"one_sleeper", one_sleeper}, {"two_and_two", two_and_two}});
}
