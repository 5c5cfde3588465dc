// SPDX-License-Identifier: Apache-2.0
// Fibers by the virtual time of their next step, as a binary heap in which each knows its place, so
// that a time can change. Equal times are ordered by a seeded number. Used by the engine alone.
#pragma once

#include "machine/machine.hpp"

#include <cstddef>
#include <utility>

namespace heddle::sim {

struct Fiber;

struct Event {
    Time time;
    uint32_t tie; ///< seeded: who is first at the same time
    uint32_t number;
    Fiber* fiber;
    bool before(const Event& other) const {
        return time != other.time ? time < other.time
               : tie != other.tie ? tie < other.tie
                                  : number < other.number;
    }
};

class EventQueue {
public:
    bool empty() const { return heap_.empty(); }
    const Event& first() const { return heap_[0]; }
    void add(const Event& event) {
        heap_.push_back(event);
        rise(heap_.size() - 1);
    }
    Event take_first();
    /// Takes the first and adds another, which is no earlier.
    Event replace_first(const Event& event);
    void remove(Fiber& fiber);
    /// An earlier time for a fiber that is here.
    void hasten(Fiber& fiber, Time time);
    Time time_of(const Fiber& fiber) const;
    static bool holds(const Fiber& fiber);

private:
    void rise(size_t place);
    void sink(size_t place);
    void put(size_t place, const Event& event);

    std::vector<Event> heap_;
};

} // namespace heddle::sim
