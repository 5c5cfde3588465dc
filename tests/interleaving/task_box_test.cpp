// SPDX-License-Identifier: Apache-2.0
// The box of hinted tasks: threads that add, its owner that sleeps when there is nothing, and
// others that take, some only what they may run. Each node is taken once, those of a thread in the
// order in which it added them where nobody else takes, and no sleeper misses one. Protocol:
// docs/protocols/task-box.md.
#include "concurrent/task_box.hpp"

#include "concurrent/event_count.hpp"
#include "explorer.hpp"

#include <memory>

using heddle::concurrent::EventCount;
using heddle::concurrent::TaskBox;
using heddle::concurrent::Verdict;
namespace platform = heddle::platform;

namespace {

struct Node {
    Node* next = nullptr;
    int by = 0, number = 0;
    int taken = 0;
};

constexpr int most_threads = 2, nodes_each = 3;

struct Shared {
    TaskBox<Node> box;
    EventCount sleep;
    Node nodes[most_threads][nodes_each];
    platform::Atomic<int32_t> taken{0};
    int seen[most_threads] = {}; ///< how many of a thread's nodes the owner has taken

    Shared() {
        for (int by = 0; by < most_threads; ++by)
            for (int i = 0; i < nodes_each; ++i) {
                nodes[by][i].by = by;
                nodes[by][i].number = i;
            }
    }
    void note(Node& node) {
        explore::expect(++node.taken == 1, "a node was taken twice");
        if (taken.fetch_add(1, platform::seq_cst) >= 0)
            sleep.notify_all(); // the owner may wait for the last one
    }
};

void add(Shared& shared, int by, int count) {
    for (int i = 0; i < count; ++i) {
        shared.box.push(shared.nodes[by][i]);
        shared.sleep.notify_all();
    }
}

/// Takes until all are taken, by it or others; sleeps while there is nothing.
void own(Shared& shared, int all, bool in_order) {
    while (shared.taken.load(platform::seq_cst) != all) {
        if (Node* node = shared.box.take([](const Node&) { return Verdict::yes; })) {
            explore::expect(!in_order || node->number == shared.seen[node->by]++,
                            "a thread's nodes out of order");
            shared.note(*node);
            continue;
        }
        const uint32_t key = shared.sleep.announce();
        if (shared.box.surely_useful() || shared.taken.load(platform::seq_cst) == all) {
            shared.sleep.withdraw();
            platform::yield();
        } else {
            shared.sleep.sleep(key);
        }
    }
    explore::expect(!shared.box.looks_useful(), "an empty box looks useful");
}

/// Looks a few times for what only it may take, or for anything, the last one first.
void help(Shared& shared, bool picks) {
    for (int looks = 0; looks < 4; ++looks) {
        Node* const node = shared.box.take([picks](const Node& at) {
            return picks && at.number % 2 == 0 ? Verdict::no : Verdict::perhaps;
        });
        if (!node)
            continue;
        explore::expect(!picks || node->number % 2 == 1, "a node that was not acceptable");
        shared.note(*node);
    }
}

template <int adders, int each, bool helper, bool picks>
void scenario(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    for (int by = 0; by < adders; ++by)
        world.thread([=] { add(*shared, by, each); });
    world.thread([=] { own(*shared, adders * each, !helper); });
    if (helper)
        world.thread([=] { help(*shared, picks); });
    world.at_end([=] {
        for (int by = 0; by < adders; ++by)
            for (int i = 0; i < each; ++i)
                explore::expect(shared->nodes[by][i].taken == 1, "a node was left behind");
    });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"one_adds", scenario<1, 3, false, false>},
                         {"two_add", scenario<2, 2, false, false>},
                         {"another_takes", scenario<1, 3, true, false>},
                         {"another_picks", scenario<1, 3, true, true>},
                         {"two_add_another_picks", scenario<2, 2, true, true>}});
}
