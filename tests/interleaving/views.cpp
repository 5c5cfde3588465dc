// SPDX-License-Identifier: Apache-2.0
// The rules of the weaker memory. See views.hpp.
#include "views.hpp"

#include "engine.hpp"

#include <cstring>

namespace explore {

namespace {

constexpr uint64_t longest_stale = 120; // steps until a message is known to all at the latest
constexpr size_t most_choices = 6;      // of messages to read, or places to write

uint64_t content(const void* word, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, word, size);
    return bits;
}

} // namespace

bool acquires(Order order) {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}
bool releases(Order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

void Views::begin() {
    words_.clear();
    fences_.clear();
    last_place_ = 0;
}

Views::Word& Views::find(const void* address, size_t size) {
    Word& word = words_[address];
    if (word.messages.empty()) { // what it held before the fibers began, or since its construction
        word.messages.push_back({content(address, size), {}, engine.step, 0, false, 0});
        word.order.push_back(0);
    }
    return word;
}

size_t Views::Word::ordered_until(uint64_t place) const {
    size_t newest = 0;
    for (const Ordered& entry : ordered)
        if (entry.place <= place)
            newest = std::max(newest, messages[entry.message].position);
    return newest;
}

/// The position of the oldest message that the current fiber may read, or write behind. A seq_cst
/// load may have any place in the order of all such operations behind those that it knows.
size_t Views::oldest_readable(Word& word, Order order) const {
    size_t oldest = 0;
    Clock clock = engine.current->clock;
    const bool is_ordered = order == std::memory_order_seq_cst;
    if (is_ordered)
        for (auto fence = fences_.rbegin(); fence != fences_.rend(); ++fence)
            if (fence->place <= engine.current->clock.seq_cst) {
                clock.join(fence->clock);
                break;
            }
    for (size_t fiber = 0; fiber < engine.used; ++fiber) {
        const std::vector<Known>& known = word.known[fiber];
        for (auto entry = known.rbegin(); entry != known.rend(); ++entry) {
            if (clock.knows(fiber, entry->time)) {
                oldest = std::max(oldest, word.messages[entry->message].position);
                break;
            }
        }
    }
    if (is_ordered)
        oldest = std::max(oldest, word.ordered_until(engine.current->clock.seq_cst));
    while (oldest < word.last() && word.at(oldest + 1).step + longest_stale < engine.step)
        ++oldest;
    return oldest;
}

void Views::remember(Word& word, uint32_t message) {
    const size_t me = number(engine.current);
    std::vector<Known>& known = word.known[me];
    if (known.empty() || known.back().message != message)
        known.push_back({engine.current->clock.times[me], message});
}

void Views::note_ordered(Word& word, uint32_t message, uint64_t place) {
    if (word.ordered_until(place) < word.messages[message].position)
        word.ordered.push_back({place, message});
}

/// The operation is the last one so far in the order of all seq_cst ones, if it is one.
void Views::take_place(Order order) {
    if (order == std::memory_order_seq_cst)
        engine.current->clock.seq_cst = ++last_place_;
}

/// A seq_cst load reads the message. If that is old the load is not the last one in their order,
/// but right behind what it has to follow: those it knows, and who wrote the message.
void Views::place_load(Word& word, uint32_t message) {
    Clock& clock = engine.current->clock;
    if (word.messages[message].position >= word.ordered_until(last_place_))
        clock.seq_cst = ++last_place_;
    else
        clock.seq_cst = std::max(clock.seq_cst, word.messages[message].seq_cst);
    note_ordered(word, message, clock.seq_cst);
}

/// A new message right behind the one at `position`.
void Views::add(Word& word, size_t position, uint64_t bits, Order order, const Clock& released,
                bool is_update) {
    const auto message = static_cast<uint32_t>(word.messages.size());
    const bool is_ordered = order == std::memory_order_seq_cst;
    const uint64_t place = is_ordered ? engine.current->clock.seq_cst : 0;
    word.messages.push_back({bits, released, engine.step, 0, is_update, place});
    word.order.insert(word.order.begin() + static_cast<long>(position) + 1, message);
    for (size_t i = position + 1; i < word.order.size(); ++i)
        word.at(i).position = i;
    remember(word, message);
    if (is_ordered)
        note_ordered(word, message, place);
    if (releases(order)) {
        word.messages[message].released.join(engine.current->clock);
        ++engine.current->clock.times[number(engine.current)];
    }
}

/// A message that a load may read.
uint32_t Views::choose_message(Word& word, Order order) const {
    const size_t choices = word.last() - oldest_readable(word, order) + 1;
    const size_t older = engine.strategy.choose_older(std::min(choices, most_choices));
    return word.order[word.last() - older];
}

uint64_t Views::read(Word& word, uint32_t message, const void* address, size_t size, Order order) {
    engine.races.access(address, size, Access::atomic_read);
    remember(word, message);
    if (order == std::memory_order_seq_cst)
        place_load(word, message);
    if (acquires(order))
        engine.current->clock.join(word.messages[message].released);
    return word.messages[message].bits;
}

uint64_t Views::load(const void* address, size_t size, Order order) {
    Word& word = find(address, size);
    return read(word, choose_message(word, order), address, size, order);
}

void Views::store(void* address, size_t size, uint64_t bits, Order order) {
    engine.races.access(address, size, Access::atomic_write);
    Word& word = find(address, size);
    take_place(order);
    // Behind any message that it may not precede, unless an update holds on to that one.
    size_t places[most_choices] = {word.last()};
    size_t count = 1;
    const size_t oldest = oldest_readable(word, order);
    for (size_t i = word.last(); i > oldest && count < most_choices; --i)
        if (!word.at(i).is_update)
            places[count++] = i - 1;
    const size_t place = places[engine.strategy.choose_older(count)];
    if (place == word.last())
        memcpy(address, &bits, size);
    add(word, place, bits, order, {}, false);
}

uint64_t Views::begin_update(void* address, size_t size, Order order) {
    engine.races.access(address, size, Access::atomic_write);
    Word& word = find(address, size);
    const Message& newest = word.at(word.last());
    take_place(order);
    if (acquires(order))
        engine.current->clock.join(newest.released);
    return newest.bits;
}

void Views::end_update(void* address, size_t size, uint64_t bits, Order order) {
    Word& word = find(address, size);
    const Clock released = word.at(word.last()).released; // the release sequence goes on
    memcpy(address, &bits, size);
    add(word, word.last(), bits, order, released, true);
}

void Views::fence() {
    Clock& clock = engine.current->clock;
    clock.seq_cst = ++last_place_;
    if (!fences_.empty())
        clock.join(fences_.back().clock);
    for (auto& [address, word] : words_) { // what seq_cst operations have seen
        const size_t newest = word.ordered_until(last_place_);
        if (newest > oldest_readable(word, std::memory_order_relaxed))
            remember(word, word.order[newest]);
    }
    fences_.push_back({last_place_, clock});
    ++clock.times[number(engine.current)];
}

void Views::fence_for(Fiber& fiber) {
    Fiber* const imposes = engine.current;
    fence();
    engine.current = &fiber;
    fence();
    engine.current = imposes;
    fence();
}

bool Views::compare_exchange(void* address, size_t size, uint64_t& expected, uint64_t desired,
                             Order success, Order failure) {
    Word& word = find(address, size);
    const uint32_t newest = word.order[word.last()];
    uint32_t message = choose_message(word, failure);
    if (word.messages[message].bits == expected) {
        if (word.messages[newest].bits == expected) {
            begin_update(address, size, success);
            end_update(address, size, desired, success);
            return true;
        }
        message = newest; // on an old value it could not have failed
    }
    expected = read(word, message, address, size, failure);
    return false;
}

} // namespace explore
