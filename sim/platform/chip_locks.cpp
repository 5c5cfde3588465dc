// SPDX-License-Identifier: Apache-2.0
// The two locks of the Cyclops-64 paper between which an OpenMP runtime there chose: the mutex of
// the base library (section 5.2), a queue under a test-and-set lock with backoff, off chip; and
// MCS-SW (section 5.2.1), whose nodes are in the scratchpads. In both who waits sleeps, and is
// given the lock with the signal that wakes it. The runtime's locks are words of 4 bytes: MCS-SW
// has the number of the last node there, the mutex is found by the word's address, for nothing.
#include "platform/contract.hpp"

#include "engine/engine.hpp"

#include <algorithm>

namespace heddle::platform::own {

using sim::ChipRuntime;
using sim::engine;

namespace {

ChipRuntime::Locks kind() {
    return engine.is_on() && engine.machine().scratch ? engine.machine().scratch->runtime.locks
                                                      : ChipRuntime::Locks::word;
}

/// A thread's place in a queue, from lock() to unlock(); 0 is no number.
struct alignas(64) Node {
    Atomic<uint32_t> next{0};
    uint32_t number = 0;
    sim::Fiber* thread = nullptr;
    bool granted = false; ///< what the signal says
};

struct Locks {
    std::vector<Node*> nodes;                              ///< by number - 1
    std::unordered_map<uint32_t, std::vector<Node*>> free; ///< by thread
    std::unordered_map<const void*, Node*> holders;        ///< of MCS-SW, by the lock's word

    Node& take() {
        sim::Fiber& thread = engine.current();
        std::vector<Node*>& own = free[thread.number];
        if (own.empty()) {
            auto* node = new Node; // for as long as the program runs
            nodes.push_back(node);
            node->number = static_cast<uint32_t>(nodes.size());
            node->thread = &thread;
            if (kind() == ChipRuntime::Locks::mcs_sleep)
                engine.lines().place_in_scratchpad(node, sizeof *node, thread.core);
            own.push_back(node);
        }
        Node& node = *own.back();
        own.pop_back();
        node.granted = false;
        return node;
    }
    void give_back(Node& node) { free[node.thread->number].push_back(&node); }
    Node& at(uint32_t number) { return *nodes[number - 1]; }
};

Locks& locks() { return sim::of_this_run<Locks>(); }

void await(const Node& node) {
    do
        engine.await_signal();
    while (!node.granted);
}

void grant(Node& node) {
    node.granted = true;
    engine.signal(*node.thread);
}

namespace mcs {

void lock(Atomic<uint32_t>& word) {
    Node& node = locks().take();
    node.next.store(0, relaxed);
    if (const uint32_t before = word.exchange(node.number, acq_rel)) {
        locks().at(before).next.store(node.number, release);
        await(node);
    }
    locks().holders[&word] = &node;
}

bool try_lock(Atomic<uint32_t>& word) {
    Node& node = locks().take();
    node.next.store(0, relaxed);
    uint32_t expected = 0;
    if (!word.compare_exchange_strong(expected, node.number, acq_rel, relaxed)) {
        locks().give_back(node);
        return false;
    }
    locks().holders[&word] = &node;
    return true;
}

void unlock(Atomic<uint32_t>& word) {
    const auto held = locks().holders.find(&word);
    Node& node = *held->second;
    locks().holders.erase(held);
    uint32_t next = node.next.load(acquire);
    if (next == 0) {
        uint32_t expected = node.number;
        if (word.compare_exchange_strong(expected, 0, release, relaxed)) {
            locks().give_back(node);
            return;
        }
        while ((next = node.next.load(acquire)) == 0) // somebody is about to write it
            relax();
    }
    locks().give_back(node);
    grant(locks().at(next));
}

} // namespace mcs

namespace mutex {

/// Off chip, in one line.
struct alignas(64) Mutex {
    Atomic<uint32_t> guard{0}, held{0}, first{0}, last{0};
};

struct Mutexes {
    std::unordered_map<const void*, Mutex*> by; ///< the lock's word
};

Mutex& of(const Atomic<uint32_t>& word) {
    Mutex*& mutex = sim::of_this_run<Mutexes>().by[&word];
    if (!mutex) {
        mutex = new Mutex; // for as long as the program runs
        engine.lines().place(mutex, sizeof *mutex, sim::Home::off_chip);
    }
    return *mutex;
}

void take_guard(Mutex& mutex) {
    constexpr uint32_t longest_pause = 64;
    uint32_t pauses = 1;
    while (mutex.guard.exchange(1, acquire) != 0) {
        for (uint32_t i = 0; i < pauses; ++i)
            relax();
        pauses = std::min(2 * pauses, longest_pause);
    }
}

bool try_lock(Atomic<uint32_t>& word) {
    Mutex& mutex = of(word);
    take_guard(mutex);
    const bool is_free = mutex.held.load(relaxed) == 0;
    if (is_free)
        mutex.held.store(1, relaxed);
    mutex.guard.store(0, release);
    return is_free;
}

void lock(Atomic<uint32_t>& word) {
    Mutex& mutex = of(word);
    take_guard(mutex);
    if (mutex.held.load(relaxed) == 0) {
        mutex.held.store(1, relaxed);
        mutex.guard.store(0, release);
        return;
    }
    Node& node = locks().take();
    node.next.store(0, relaxed);
    const uint32_t last = mutex.last.load(relaxed);
    (last != 0 ? locks().at(last).next : mutex.first).store(node.number, relaxed);
    mutex.last.store(node.number, relaxed);
    mutex.guard.store(0, release);
    await(node);
    locks().give_back(node);
}

void unlock(Atomic<uint32_t>& word) {
    Mutex& mutex = of(word);
    take_guard(mutex);
    const uint32_t first = mutex.first.load(relaxed);
    if (first == 0) {
        mutex.held.store(0, relaxed);
        mutex.guard.store(0, release);
        return;
    }
    const uint32_t next = locks().at(first).next.load(relaxed);
    mutex.first.store(next, relaxed);
    if (next == 0)
        mutex.last.store(0, relaxed);
    mutex.guard.store(0, release);
    grant(locks().at(first)); // it is the holder now
}

} // namespace mutex

bool is_mcs() { return kind() == ChipRuntime::Locks::mcs_sleep; }

} // namespace

bool has_locks() { return kind() != ChipRuntime::Locks::word; }
void lock(Atomic<uint32_t>& word) { is_mcs() ? mcs::lock(word) : mutex::lock(word); }
bool try_lock(Atomic<uint32_t>& word) {
    return is_mcs() ? mcs::try_lock(word) : mutex::try_lock(word);
}
void unlock(Atomic<uint32_t>& word) { is_mcs() ? mcs::unlock(word) : mutex::unlock(word); }

} // namespace heddle::platform::own
