// SPDX-License-Identifier: Apache-2.0
// Fibers by the virtual time of their next step, as a heap in which each node has four children, so
// that it is flat; the place of each fiber is known, so that a time can change. Equal times are
// ordered by a seeded number. Used by the engine alone.
#pragma once

#include "machine/machine.hpp"

#include <cstddef>

namespace heddle::sim {

/// When a fiber goes on. Ordered by time, then by the seeded tie, then by the fiber's number.
struct Event {
    uint64_t rank = 0;
    Time time = 0;

    Event() = default;
    Event(Time when, uint32_t tie, uint32_t fiber)
        : rank(uint64_t{tie} << 32 | fiber), time(when) {}
    uint32_t fiber() const { return static_cast<uint32_t>(rank); }
    /// One comparison of 128 bits: who is first is as good as random, and no branch could tell.
    bool before(const Event& other) const { return key() < other.key(); }

private:
    using Key = unsigned __int128;
    Key key() const { return static_cast<Key>(time) << 64 | rank; }
};

class EventQueue {
public:
    bool empty() const { return size_ == 0; }
    const Event& first() const { return heap_[0]; }

    void add(const Event& event) {
        if (event.fiber() >= places_.size())
            make_room(event.fiber());
        rise(size_++, event);
    }
    void remove_first() {
        places_[heap_[0].fiber()] = nowhere;
        if (--size_ > 0)
            sink(0, heap_[size_]);
    }
    /// Takes the first and adds another.
    void replace_first(const Event& event) {
        if (event.fiber() >= places_.size())
            make_room(event.fiber());
        places_[heap_[0].fiber()] = nowhere;
        sink(0, event);
    }
    void remove(uint32_t fiber) {
        const size_t place = places_[fiber];
        places_[fiber] = nowhere;
        if (place == --size_)
            return;
        const Event last = heap_[size_];
        sink(place, last);
        rise(places_[last.fiber()], last);
    }
    /// An earlier time for a fiber that is here.
    void hasten(uint32_t fiber, Time time) {
        Event event = heap_[places_[fiber]];
        event.time = time;
        rise(places_[fiber], event);
    }
    bool holds(uint32_t fiber) const { return fiber < places_.size() && places_[fiber] != nowhere; }
    Time time_of(uint32_t fiber) const { return heap_[places_[fiber]].time; }

private:
    static constexpr size_t children = 4;
    static constexpr uint32_t nowhere = ~uint32_t{0};

    void make_room(uint32_t fiber) {
        places_.resize(2 * size_t{fiber} + 64, nowhere);
        heap_.resize(places_.size());
    }
    void put(size_t place, const Event& event) {
        heap_[place] = event;
        places_[event.fiber()] = static_cast<uint32_t>(place);
    }
    void rise(size_t place, const Event event) {
        while (place > 0) {
            const size_t parent = (place - 1) / children;
            if (!event.before(heap_[parent]))
                break;
            put(place, heap_[parent]);
            place = parent;
        }
        put(place, event);
    }
    void sink(size_t place, const Event event) {
        for (;;) {
            const size_t begin = place * children + 1;
            if (begin >= size_)
                break;
            size_t least = begin;
            if (begin + children <= size_) {
                const Event* const group = &heap_[begin];
                const size_t a = group[1].before(group[0]), b = 2 + group[3].before(group[2]);
                least += a + (b - a) * group[b].before(group[a]);
            } else {
                for (size_t child = begin + 1; child < size_; ++child)
                    least = heap_[child].before(heap_[least]) ? child : least;
            }
            if (!heap_[least].before(event))
                break;
            put(place, heap_[least]);
            place = least;
        }
        put(place, event);
    }

    size_t size_ = 0;
    std::vector<Event> heap_;
    std::vector<uint32_t> places_; ///< by fiber
};

} // namespace heddle::sim
