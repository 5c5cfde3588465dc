// SPDX-License-Identifier: Apache-2.0
// The owner's ring: an owner that puts and takes, takers that pass over items; each item is taken
// once, and in the order asked for where nothing interferes. Takers stay while the ring is held, as
// threads in a barrier do: a hold that is lost strands an item, one too many keeps them for ever.
// Protocol: docs/protocols/owner-ring.md.
#include "concurrent/owner_ring.hpp"

#include "explorer.hpp"

#include <memory>

using heddle::concurrent::OwnerRing;
namespace platform = heddle::platform;

namespace {

struct Item {
    int number;
    int taken = 0;
};
using Ring = OwnerRing<Item>;

constexpr int most_items = 6;

struct Shared {
    Ring ring;
    Item items[most_items];
    int count = 0; ///< items of this scenario
    platform::Atomic<int32_t> holds{0};
    platform::Atomic<uint32_t> put_all{0};

    Shared(uint32_t capacity, bool oldest_first) {
        explore::expect(ring.prepare(capacity, oldest_first), "no memory");
        for (int i = 0; i < most_items; ++i)
            items[i].number = i;
    }

    void hold() { holds.fetch_add(1, platform::seq_cst); }
    void drop() {
        explore::expect(holds.fetch_sub(1, platform::seq_cst) > 0, "dropped what was not held");
    }

    bool put(Item& item) {
        return ring.put(item, [this] { hold(); }, [this] { drop(); });
    }
    Item* take(Ring::Handle& handle, bool by_owner, bool even_only) {
        Ring::Request request{[](const Item& item, const void* even) {
                                  return !*static_cast<const bool*>(even) || item.number % 2 == 0;
                              },
                              &even_only, by_owner};
        Item* const item = ring.take(handle, request, [this] { hold(); }, [this] { drop(); });
        if (item)
            explore::expect(++item->taken == 1, "an item was taken twice");
        return item;
    }
    void check() {
        for (int i = 0; i < count; ++i)
            explore::expect(items[i].taken == 1, "an item was left behind");
        explore::expect(holds.load(platform::relaxed) == 0, "held, and empty");
    }
};

void prepare(Ring::Handle& handle) { explore::expect(handle.prepare(), "no memory"); }

/// The owner puts all items, and takes one itself where the ring is full or `helps` says so.
void own(Shared& shared, bool helps) {
    Ring::Handle handle;
    prepare(handle);
    for (int i = 0; i < shared.count; ++i) {
        while (!shared.put(shared.items[i]))
            shared.take(handle, true, false);
        if (helps && i % 2 == 1)
            shared.take(handle, true, false);
    }
    shared.put_all.store(1, platform::seq_cst);
}

/// With `picks` it first looks a few times for even items only.
void help(Shared& shared, bool picks) {
    Ring::Handle handle;
    prepare(handle);
    for (int looks = 0; picks && looks < 3; ++looks)
        shared.take(handle, false, true);
    while (shared.put_all.load(platform::seq_cst) == 0 || shared.holds.load(platform::seq_cst) != 0)
        if (!shared.ring.looks_useful() || !shared.take(handle, false, false))
            platform::yield();
}

template <int items, uint32_t capacity, int takers, bool oldest_first, bool helps>
void scenario(explore::World& world) {
    auto shared = std::make_shared<Shared>(capacity, oldest_first);
    shared->count = items;
    world.thread([=] { own(*shared, helps); });
    for (int i = 0; i < takers; ++i)
        world.thread([=] { help(*shared, i == 1); });
    world.at_end([=] { shared->check(); });
}

/// Nobody interferes: the order of both ends, holes in the middle, and the room that comes back.
void order(explore::World& world) {
    world.thread([] {
        for (const bool oldest_first : {false, true}) {
            Shared shared(4, oldest_first);
            Ring::Handle handle;
            prepare(handle);
            for (int i = 0; i < 4; ++i)
                explore::expect(shared.put(shared.items[i]), "no room in an empty ring");
            explore::expect(!shared.put(shared.items[4]), "room in a full ring");
            const int even = shared.take(handle, true, true)->number;
            explore::expect(even == (oldest_first ? 0 : 2), "not the first even item");
            const int first = shared.take(handle, true, false)->number;
            explore::expect(first == (oldest_first ? 1 : 3), "not the first item");
            explore::expect(shared.ring.free_slots() == 2, "two of four are left");
            shared.take(handle, true, false);
            shared.take(handle, true, false);
            explore::expect(shared.ring.free_slots() == 4, "the ring is empty");
            explore::expect(!shared.take(handle, true, false), "an item from an empty ring");
            shared.count = 4;
            shared.check();
        }
    });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"order", order, 0.01},
                         {"one_taker", scenario<3, 2, 1, false, false>},
                         {"one_taker_oldest", scenario<3, 2, 1, true, false>},
                         {"owner_takes", scenario<4, 2, 1, false, true>},
                         {"owner_takes_oldest", scenario<4, 2, 1, true, true>},
                         {"two_takers", scenario<6, 4, 2, false, true>},
                         {"two_takers_oldest", scenario<6, 4, 2, true, false>}});
}
