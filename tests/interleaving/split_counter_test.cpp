// SPDX-License-Identifier: Apache-2.0
// The split counter: an owner that waits is woken by the last child, an owner that leaves hands the
// memory to exactly one, whoever finishes last. Protocol: docs/protocols/split-counter.md.
#include "concurrent/completion_count.hpp"
#include "concurrent/parker.hpp"

#include "linearizability.hpp"

#include <memory>

using heddle::concurrent::Completion;
using heddle::concurrent::Parker;
using heddle::concurrent::SplitCounter;
namespace platform = heddle::platform;

namespace {

struct Shared {
    SplitCounter children;
    Parker parker;
    platform::Atomic<Parker*> waiter{nullptr}; ///< as Family::waiter
    platform::Atomic<uint32_t> given{0}; ///< children that thieves may run
    platform::Atomic<uint32_t> taken{0};
    int finished[4] = {}; ///< by child; who waited, and who reclaims, sees all
    int all = 0, reclaims = 0;
    bool owner_has_left = false; ///< the last use of the memory by its owner

    Shared() { children.reset(); }

    void defer(int own, int stolen) {
        all += stolen;
        for (int i = 0; i < own + stolen; ++i)
            children.add_local();
        for (int i = 0; i < stolen; ++i)
            given.fetch_add(1, platform::release);
        for (int i = 0; i < own; ++i)
            explore::expect(children.done_local(), "refused although not abandoned");
    }

    int results() const { return finished[0] + finished[1] + finished[2] + finished[3]; }

    /// Runs `count` children, and counts `at_once` of them at a time.
    void thief(int count, int at_once = 1) {
        for (; count > 0; count -= at_once) {
            for (int i = 0; i < at_once; ++i) {
                const uint32_t mine = taken.fetch_add(1, platform::relaxed);
                while (given.load(platform::acquire) <= mine)
                    platform::relax();
                finished[mine] = 1;
            }
            const Completion completion = children.done(at_once);
            if (completion == Completion::wake) {
                Parker* const sleeper = waiter.load(platform::relaxed); // as in settle()
                explore::expect(sleeper != nullptr, "whom to wake is not known");
                sleeper->unpark();
            }
            else if (completion == Completion::reclaim)
                reclaim();
        }
    }

    void reclaim() {
        explore::expect(results() == all && owner_has_left, "reclaimed too early");
        ++reclaims;
    }

    void wait() {
        while (!children.complete()) {
            waiter.store(&parker, platform::relaxed); // released by prepare_wait()
            if (!children.prepare_wait())
                parker.park(platform::forever);
            children.end_wait();
        }
    }
};

void waiting(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        shared->defer(1, 2);
        shared->wait();
        explore::expect(shared->results() == 2, "the wait ended too early");
        shared->defer(0, 1); // again: the shared half keeps what was moved
        shared->wait();
        explore::expect(shared->results() == 3, "the second wait ended too early");
    });
    world.thread([shared] { shared->thief(2); });
    world.thread([shared] { shared->thief(1); });
}

void abandoning(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    world.thread([shared] {
        shared->defer(1, 2);
        if (explore::choose(2))
            shared->children.complete();
        shared->owner_has_left = true;
        if (shared->children.abandon())
            shared->reclaim();
    });
    world.thread([shared] { shared->thief(1); });
    world.thread([shared] { shared->thief(1); });
    world.at_end(
        [shared] { explore::expect(shared->reclaims == 1, "not reclaimed exactly once"); });
}

/// A thief that has finished several counts them at once.
void counting_batches(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    const bool leaves = explore::choose(2) != 0;
    world.thread([shared, leaves] {
        shared->defer(1, 3);
        if (leaves) {
            shared->owner_has_left = true;
            if (shared->children.abandon())
                shared->reclaim();
            return;
        }
        shared->wait();
        explore::expect(shared->results() == 3, "the wait ended too early");
    });
    world.thread([shared] { shared->thief(2, 2); });
    world.thread([shared] { shared->thief(1); });
    world.at_end([shared, leaves] {
        explore::expect(shared->reclaims == (leaves ? 1 : 0), "not reclaimed exactly once");
    });
}

/// The counter to one thread.
struct Outstanding {
    enum class Kind { add, done, complete, prepare_wait, end_wait, abandon };
    struct Operation {
        Kind kind;
        bool yes = false; ///< the answer, of those that have one
        Completion completion = Completion::more;
    };
    int count = 0;
    bool waiting = false, abandoned = false;

    bool apply(const Operation& operation) {
        switch (operation.kind) {
        case Kind::add:
            ++count;
            return true;
        case Kind::done:
            --count;
            return operation.completion == (count != 0  ? Completion::more
                                            : waiting   ? Completion::wake
                                            : abandoned ? Completion::reclaim
                                                        : Completion::more);
        case Kind::complete:
            return operation.yes == (count == 0);
        case Kind::prepare_wait:
            waiting = true;
            return operation.yes == (count == 0);
        case Kind::end_wait:
            waiting = false;
            return true;
        case Kind::abandon:
            abandoned = true;
            return operation.yes == (count == 0);
        }
        return false;
    }
};

void linearizable(explore::World& world) {
    using Kind = Outstanding::Kind;
    auto counter = std::make_shared<SplitCounter>();
    auto history = std::make_shared<explore::History<Outstanding>>();
    counter->reset();
    constexpr int children = 3;
    for (int i = 0; i < children; ++i) {
        counter->add_local();
        history->add({Kind::add}, explore::now());
    }
    const bool leaves = explore::choose(2) != 0;
    world.thread([=] {
        auto asked = explore::now();
        history->add({Kind::complete, counter->complete()}, asked);
        if (leaves) {
            asked = explore::now();
            history->add({Kind::abandon, counter->abandon()}, asked);
            return;
        }
        for (int i = 0; i < 2; ++i) {
            asked = explore::now();
            history->add({Kind::prepare_wait, counter->prepare_wait()}, asked);
            asked = explore::now();
            counter->end_wait();
            history->add({Kind::end_wait}, asked);
        }
        asked = explore::now();
        history->add({Kind::complete, counter->complete()}, asked);
    });
    for (int i = 0; i < children; ++i)
        world.thread([=] {
            const auto asked = explore::now();
            const Completion completion = counter->done();
            history->add({Kind::done, false, completion}, asked);
        });
    world.at_end([=] { history->check({}); });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"waiting", waiting},
                         {"abandoning", abandoning},
                         {"counting_batches", counting_batches},
                         {"linearizable", linearizable, 0.5, 5000}});
}
