// SPDX-License-Identifier: Apache-2.0
// FIFO and LIFO, with locks and without: the two queues of Michael and Scott (PODC 1996), Treiber's
// stack (1986), and a stack under a lock.
#pragma once

#include "nodes.hpp"

namespace structures {

template <class Failure>
class LockFreeFifo {
public:
    LockFreeFifo(Nodes& nodes, Thread& me) : nodes_(nodes) {
        const uint32_t dummy = me.take_node(0);
        nodes_[dummy].next.store(0, platform::relaxed);
        head_.store(next_link(0, dummy), platform::relaxed);
        tail_.store(next_link(0, dummy), platform::relaxed);
    }
    void put(Thread& me, uint64_t value) {
        const uint32_t number = me.take_node(value);
        platform::Atomic<Link>& own = nodes_[number].next;
        own.store(next_link(own.load(platform::relaxed), 0), platform::relaxed);
        for (;;) {
            Link tail = tail_.load(platform::acquire);
            Link next = nodes_[number_of(tail)].next.load(platform::acquire);
            if (tail != tail_.load(platform::seq_cst)) // was `next` that of the last node?
                continue;
            if (number_of(next) != 0) { // somebody is between his two steps: do the second
                tail_.compare_exchange_strong(tail, next_link(tail, number_of(next)),
                                              platform::acq_rel, platform::relaxed);
            } else if (nodes_[number_of(tail)].next.compare_exchange_strong(
                           next, next_link(next, number), platform::acq_rel, platform::relaxed)) {
                tail_.compare_exchange_strong(tail, next_link(tail, number), platform::acq_rel,
                                              platform::relaxed);
                return Failure::succeeded(me);
            }
            Failure::failed(me);
        }
    }
    bool take(Thread& me, uint64_t& value) {
        for (;;) {
            Link head = head_.load(platform::acquire);
            Link tail = tail_.load(platform::acquire);
            const Link next = nodes_[number_of(head)].next.load(platform::acquire);
            if (head != head_.load(platform::seq_cst))
                continue;
            if (number_of(head) == number_of(tail)) {
                if (number_of(next) == 0)
                    return false;
                tail_.compare_exchange_strong(tail, next_link(tail, number_of(next)),
                                              platform::acq_rel, platform::relaxed);
                continue;
            }
            // Before the exchange: after it the node may be another thread's dummy, and free.
            value = nodes_[number_of(next)].value.load(platform::relaxed);
            if (head_.compare_exchange_strong(head, next_link(head, number_of(next)),
                                              platform::acq_rel, platform::relaxed)) {
                me.free_node(number_of(head));
                Failure::succeeded(me);
                return true;
            }
            Failure::failed(me);
        }
    }

private:
    Nodes& nodes_;
    alignas(cache_line) platform::Atomic<Link> head_{0};
    alignas(cache_line) platform::Atomic<Link> tail_{0};
};

/// A lock for each end; the dummy keeps them apart.
class LockedFifo {
public:
    LockedFifo(Nodes& nodes, Thread& me) : nodes_(nodes), head_(me.take_node(0)), tail_(head_) {
        nodes_[head_].next.store(0, platform::relaxed);
    }
    void put(Thread& me, uint64_t value) {
        const uint32_t number = me.take_node(value);
        nodes_[number].next.store(0, platform::relaxed);
        tail_lock_.lock(me.limits);
        // release: pairs with take(), which has the other lock
        nodes_[tail_].next.store(next_link(0, number), platform::release);
        tail_ = number;
        tail_lock_.unlock();
    }
    bool take(Thread& me, uint64_t& value) {
        head_lock_.lock(me.limits);
        const uint32_t dummy = head_;
        const uint32_t next = number_of(nodes_[dummy].next.load(platform::acquire));
        if (next != 0) {
            value = nodes_[next].value.load(platform::relaxed);
            head_ = next;
        }
        head_lock_.unlock();
        if (next != 0)
            me.free_node(dummy);
        return next != 0;
    }

private:
    Nodes& nodes_;
    alignas(cache_line) FutexLock head_lock_;
    uint32_t head_;
    alignas(cache_line) FutexLock tail_lock_;
    uint32_t tail_;
};

template <class Failure>
class LockFreeLifo {
public:
    LockFreeLifo(Nodes& nodes, Thread&) : nodes_(nodes) {}
    void put(Thread& me, uint64_t value) {
        const uint32_t number = me.take_node(value);
        platform::Atomic<Link>& own = nodes_[number].next;
        Link top = top_.load(platform::relaxed);
        for (;;) {
            own.store(next_link(own.load(platform::relaxed), number_of(top)), platform::relaxed);
            // release: pairs with take(): the node
            if (top_.compare_exchange_strong(top, next_link(top, number), platform::release,
                                             platform::relaxed))
                return Failure::succeeded(me);
            Failure::failed(me);
        }
    }
    bool take(Thread& me, uint64_t& value) {
        Link top = top_.load(platform::acquire);
        for (;;) {
            if (number_of(top) == 0)
                return false;
            const uint32_t number = number_of(top);
            const Link next = nodes_[number].next.load(platform::relaxed); // the tag verifies it
            if (top_.compare_exchange_strong(top, next_link(top, number_of(next)),
                                             platform::acq_rel, platform::acquire)) {
                value = nodes_[number].value.load(platform::relaxed);
                me.free_node(number);
                Failure::succeeded(me);
                return true;
            }
            Failure::failed(me);
        }
    }

private:
    Nodes& nodes_;
    alignas(cache_line) platform::Atomic<Link> top_{0};
};

class LockedLifo {
public:
    LockedLifo(Nodes& nodes, Thread&) : nodes_(nodes) {}
    void put(Thread& me, uint64_t value) {
        const uint32_t number = me.take_node(value);
        lock_.lock(me.limits);
        nodes_[number].next.store(next_link(0, top_), platform::relaxed);
        top_ = number;
        lock_.unlock();
    }
    bool take(Thread& me, uint64_t& value) {
        lock_.lock(me.limits);
        const uint32_t number = top_;
        if (number != 0)
            top_ = number_of(nodes_[number].next.load(platform::relaxed));
        lock_.unlock();
        if (number == 0)
            return false;
        value = nodes_[number].value.load(platform::relaxed);
        me.free_node(number);
        return true;
    }

private:
    Nodes& nodes_;
    alignas(cache_line) FutexLock lock_;
    uint32_t top_ = 0;
};

} // namespace structures
