// SPDX-License-Identifier: Apache-2.0
// Fork through the mailbox, with the real post() and wait_for_region(): each region is entered
// once, with its own content, and no thread sleeps through one. Protocol:
// docs/protocols/mailbox.md.
#include "team/counting.cpp"
#include "team/listener.cpp"
#include "team/pool.cpp"
#include "team/worker.cpp"

#include "team_stubs.hpp"

#include <memory>

namespace platform = heddle::platform;
namespace team = heddle::team;

namespace heddle::config {
const Settings& settings() { explore::fail("no settings here"); }
size_t stack_size(const Settings&) { return 0; }
} // namespace heddle::config

namespace heddle::team {
void take_place(Member&) {} // nothing is bound
} // namespace heddle::team

namespace {

struct Shared {
    team::Worker workers[2];
    platform::Atomic<uint32_t> arrived{0}; ///< stands for the closing barrier
};

void add(explore::World& world, int threads, int regions) {
    team::choose_wait_limits();
    auto shared = std::make_shared<Shared>();
    world.thread([=] {
        for (int region = 1; region <= regions; ++region) {
            for (int i = 0; i < threads; ++i) {
                shared->workers[i].mailbox.number = region * 10 + i;
                team::post(shared->workers[i]);
            }
            const auto all = static_cast<uint32_t>(region * threads);
            while (shared->arrived.load(platform::acquire) != all)
                platform::relax();
        }
    });
    for (int i = 0; i < threads; ++i) {
        world.thread([=] {
            team::Worker& worker = shared->workers[i];
            for (int region = 1; region <= regions; ++region) {
                team::wait_for_region(worker, static_cast<uint32_t>(region - 1), 2);
                explore::expect(worker.mailbox.number == region * 10 + i, "another region's line");
                shared->arrived.fetch_add(1, platform::acq_rel);
            }
        });
    }
}

void one_thread(explore::World& world) { add(world, 1, 2); }
void two_threads(explore::World& world) { add(world, 2, 3); }

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv, {{"one_thread", one_thread}, {"two_threads", two_threads}});
}
