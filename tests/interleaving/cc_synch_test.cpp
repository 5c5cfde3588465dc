// SPDX-License-Identifier: Apache-2.0
// CC-Synch: each request executed once, by one combiner at a time, answered to the one who asked;
// the object is linearizable; a combiner's work is bounded; handles come, go, and serve several
// objects. Writing a request has a scheduling point (planted_bugs.py), and so has executing one.
// Protocol: docs/protocols/cc-synch.md.
#include "concurrent/cc_synch.hpp"

#include "linearizability.hpp"

#include <array>
#include <memory>

using heddle::concurrent::CcSynch;
namespace platform = heddle::platform;

namespace {

struct Request {
    long put, answer;
};
constexpr uint32_t most_in_a_row = 2; // as few as three threads reach
using Synch = CcSynch<Request, most_in_a_row>;

struct Queue {
    using Operation = Request; ///< put a value, or (0) take the oldest; the answer, 0 for none

    std::array<long, 16> values{};
    size_t first = 0, end = 0;

    long execute(long put) {
        if (put != 0)
            return values[end++] = put;
        return first == end ? 0 : values[first++];
    }
    bool apply(const Operation& operation) { return execute(operation.put) == operation.answer; }
};

struct Object {
    Synch synch;
    Queue queue;
    int inside = 0;
    size_t executed = 0;
    explore::History<Queue> history;
    platform::Atomic<uint32_t> work{0};

    Object() { explore::expect(synch.prepare(), "no memory"); }

    void execute(Request& request) {
        explore::expect(++inside == 1, "two combiners");
        work.store(1, platform::relaxed); // a scheduling point inside
        request.answer = queue.execute(request.put);
        ++executed;
        --inside;
    }

    void apply(Synch::Handle& handle, long put) {
        Request request{put, -1};
        const explore::Moment asked = explore::now();
        uint32_t in_a_row = 0;
        synch.apply(handle, request, [&](Request& announced) {
            explore::expect(++in_a_row <= most_in_a_row, "a combiner went beyond its limit");
            execute(announced);
        });
        history.add({put, request.answer}, asked);
    }

    void check(size_t operations) {
        explore::expect(executed == operations, "not each request was executed once");
        history.check(Queue{});
    }
};

/// Threads that each put, take, put.
void add(explore::World& world, long threads, size_t operations) {
    auto object = std::make_shared<Object>();
    for (long me = 1; me <= threads; ++me)
        world.thread([=] {
            Synch::Handle handle;
            explore::expect(handle.prepare(), "no memory");
            for (size_t i = 0; i < operations; ++i)
                object->apply(handle, i == 1 ? 0 : me * 10 + static_cast<long>(i));
        });
    world.at_end([=] { object->check(static_cast<size_t>(threads) * operations); });
}

void one_each(explore::World& world) { add(world, 2, 1); }
void two(explore::World& world) { add(world, 2, 2); }
void three(explore::World& world) { add(world, 3, 3); }
void four_at_the_limit(explore::World& world) { add(world, 4, 1); }

/// A node that a thread has come by at one object serves at the other; when it leaves, the node is
/// freed while others are busy with theirs.
void come_and_go(explore::World& world) {
    auto objects = std::make_shared<std::array<Object, 2>>();
    for (long me = 1; me <= 3; ++me)
        world.thread([=] {
            for (size_t i = 0; i < 2; ++i) {
                Synch::Handle handle;
                explore::expect(handle.prepare(), "no memory");
                (*objects)[i].apply(handle, me);
                (*objects)[1 - i].apply(handle, 0);
            }
        });
    world.at_end([=] {
        for (Object& object : *objects)
            object.check(6);
    });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"one_each", one_each, 1, 200000},
                         {"two", two},
                         {"three", three},
                         {"four_at_the_limit", four_at_the_limit},
                         {"come_and_go", come_and_go}});
}
