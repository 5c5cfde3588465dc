// SPDX-License-Identifier: Apache-2.0
// The parker: a permit is never lost, and what was written before unpark() is there after park().
// Nobody has a time limit here, so a lost permit is a deadlock. docs/protocols/parker.md.
#include "concurrent/parker.hpp"

#include "explorer.hpp"

#include <memory>

using heddle::concurrent::Parker;
namespace platform = heddle::platform;

namespace {

struct Shared {
    Parker parker;
    platform::Atomic<uint32_t> flags{0};

    void wait_for(uint32_t wanted) {
        while ((flags.load(platform::relaxed) & wanted) != wanted)
            parker.park(platform::forever);
    }
};

/// The flag is a plain relaxed store that only the order of unpark() makes visible.
void one(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        shared->wait_for(1);
        shared->wait_for(2);
    });
    world.thread([shared] {
        shared->flags.store(1, platform::relaxed);
        shared->parker.unpark();
        shared->flags.store(3, platform::relaxed);
        shared->parker.unpark();
    });
}

void two(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] { shared->wait_for(3); });
    for (uint32_t flag : {1u, 2u}) {
        world.thread([shared, flag] {
            shared->flags.fetch_or(flag, platform::relaxed);
            shared->parker.unpark();
        });
    }
}

} // namespace

int main(int argc, char** argv) { return explore::run(argc, argv, {{"one", one}, {"two", two}}); }
