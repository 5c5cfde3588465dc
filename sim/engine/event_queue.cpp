// SPDX-License-Identifier: Apache-2.0
// The heap behind event_queue.hpp. A fiber's place is its index plus 1, and 0 when it is not here.
#include "engine/engine.hpp"

namespace heddle::sim {

void EventQueue::put(size_t place, const Event& event) {
    heap_[place] = event;
    event.fiber->queue_place = static_cast<uint32_t>(place + 1);
}

void EventQueue::rise(size_t place) {
    const Event event = heap_[place];
    for (; place > 0 && event.before(heap_[(place - 1) / 2]); place = (place - 1) / 2)
        put(place, heap_[(place - 1) / 2]);
    put(place, event);
}

void EventQueue::sink(size_t place) {
    const Event event = heap_[place];
    for (;;) {
        size_t child = place * 2 + 1;
        if (child >= heap_.size())
            break;
        if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child]))
            ++child;
        if (!heap_[child].before(event))
            break;
        put(place, heap_[child]);
        place = child;
    }
    put(place, event);
}

Event EventQueue::take_first() {
    const Event event = heap_[0];
    event.fiber->queue_place = 0;
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
        heap_[0] = last;
        sink(0);
    }
    return event;
}

Event EventQueue::replace_first(const Event& event) {
    const Event first = heap_[0];
    first.fiber->queue_place = 0;
    heap_[0] = event;
    sink(0);
    return first;
}

void EventQueue::remove(Fiber& fiber) {
    const size_t place = fiber.queue_place - 1;
    fiber.queue_place = 0;
    const Event last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size())
        return;
    heap_[place] = last;
    sink(place);
    rise(last.fiber->queue_place - 1);
}

void EventQueue::hasten(Fiber& fiber, Time time) {
    heap_[fiber.queue_place - 1].time = time;
    rise(fiber.queue_place - 1);
}

Time EventQueue::time_of(const Fiber& fiber) const { return heap_[fiber.queue_place - 1].time; }

bool EventQueue::holds(const Fiber& fiber) { return fiber.queue_place != 0; }

} // namespace heddle::sim
