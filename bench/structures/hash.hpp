// SPDX-License-Identifier: Apache-2.0
// A hash table of 25 buckets, each an ordered list: lock-free after Michael (SPAA 2002), where a
// node is marked before it is taken out; and with a lock for each bucket.
#pragma once

#include "nodes.hpp"

namespace structures {

constexpr uint32_t buckets = 25;

template <class Failure>
class LockFreeHash {
public:
    LockFreeHash(Nodes& nodes, Thread&) : nodes_(nodes) {}

    bool contains(Thread& me, uint64_t key) { return find(me, key).found; }

    bool insert(Thread& me, uint64_t key) {
        const uint32_t number = me.take_node(key);
        platform::Atomic<Link>& own = nodes_[number].next;
        for (;;) {
            Place place = find(me, key);
            if (place.found) {
                me.free_node(number);
                return false;
            }
            own.store(next_link(own.load(platform::relaxed), number_of(place.node)),
                      platform::relaxed);
            // release: pairs with find(): the node
            if (place.before->compare_exchange_strong(place.node, next_link(place.node, number),
                                                      platform::acq_rel, platform::relaxed)) {
                Failure::succeeded(me);
                return true;
            }
            Failure::failed(me);
        }
    }

    bool erase(Thread& me, uint64_t key) {
        for (;;) {
            Place place = find(me, key);
            if (!place.found)
                return false;
            const uint32_t number = number_of(place.node);
            Link next = place.next;
            // The mark: from now on the key is not there, and nothing is put behind this node.
            if (!nodes_[number].next.compare_exchange_strong(
                    next, next_link(next, number_of(next), true), platform::acq_rel,
                    platform::relaxed)) {
                Failure::failed(me);
                continue;
            }
            if (place.before->compare_exchange_strong(place.node,
                                                      next_link(place.node, number_of(next)),
                                                      platform::acq_rel, platform::relaxed))
                me.free_node(number);
            else
                find(me, key); // takes it out, or somebody has
            Failure::succeeded(me);
            return true;
        }
    }

    /// When no thread is at work: calls use(key) for each.
    template <class Use>
    void visit(Use use) {
        for (auto& head : heads_)
            for (uint32_t i = number_of(head.load(platform::acquire)); i != 0;
                 i = number_of(nodes_[i].next.load(platform::relaxed)))
                if (!is_marked(nodes_[i].next.load(platform::relaxed)))
                    use(nodes_[i].value.load(platform::relaxed));
    }

private:
    /// The first node whose key is not smaller: its link in the node before, and its own.
    struct Place {
        platform::Atomic<Link>* before;
        Link node, next;
        bool found;
    };

    Place find(Thread& me, uint64_t key) {
        for (;;) {
            Place place{&heads_[key % buckets], 0, 0, false};
            place.node = place.before->load(platform::acquire);
            if (look(me, key, place))
                return place;
        }
    }

    /// False: the list has changed under it.
    bool look(Thread& me, uint64_t key, Place& place) {
        for (;;) {
            const uint32_t number = number_of(place.node);
            if (number == 0)
                return true;
            place.next = nodes_[number].next.load(platform::acquire);
            const uint64_t here = nodes_[number].value.load(platform::acquire);
            // The same tag: the node was in the list while its two words were read.
            if (place.before->load(platform::seq_cst) != place.node)
                return false;
            if (is_marked(place.next)) { // take it out for the one who has marked it
                const Link past = next_link(place.node, number_of(place.next));
                if (!place.before->compare_exchange_strong(place.node, past, platform::acq_rel,
                                                           platform::relaxed))
                    return false;
                me.free_node(number);
                place.node = past;
            } else if (here >= key) {
                place.found = here == key;
                return true;
            } else {
                place.before = &nodes_[number].next;
                place.node = place.next;
            }
        }
    }

    Nodes& nodes_;
    alignas(cache_line) platform::Atomic<Link> heads_[buckets];
};

class LockedHash {
public:
    LockedHash(Nodes& nodes, Thread&) : nodes_(nodes) {}

    bool contains(Thread& me, uint64_t key) {
        Bucket& bucket = buckets_[key % buckets];
        bucket.lock.lock(me.limits);
        const uint32_t number = find(bucket, key, nullptr);
        const bool found = number != 0 && value(number) == key;
        bucket.lock.unlock();
        return found;
    }
    bool insert(Thread& me, uint64_t key) {
        Bucket& bucket = buckets_[key % buckets];
        const uint32_t fresh = me.take_node(key);
        uint32_t before = 0;
        bucket.lock.lock(me.limits);
        const uint32_t number = find(bucket, key, &before);
        const bool inserts = number == 0 || value(number) != key;
        if (inserts) {
            nodes_[fresh].next.store(next_link(0, number), platform::relaxed);
            link(bucket, before, fresh);
        }
        bucket.lock.unlock();
        if (!inserts)
            me.free_node(fresh);
        return inserts;
    }
    bool erase(Thread& me, uint64_t key) {
        Bucket& bucket = buckets_[key % buckets];
        uint32_t before = 0;
        bucket.lock.lock(me.limits);
        const uint32_t number = find(bucket, key, &before);
        const bool erases = number != 0 && value(number) == key;
        if (erases)
            link(bucket, before, number_of(nodes_[number].next.load(platform::relaxed)));
        bucket.lock.unlock();
        if (erases)
            me.free_node(number);
        return erases;
    }
    template <class Use>
    void visit(Use use) {
        for (Bucket& bucket : buckets_)
            for (uint32_t i = bucket.first; i != 0;
                 i = number_of(nodes_[i].next.load(platform::relaxed)))
                use(value(i));
    }

private:
    struct alignas(cache_line) Bucket {
        FutexLock lock;
        uint32_t first = 0;
    };
    uint64_t value(uint32_t number) { return nodes_[number].value.load(platform::relaxed); }

    /// The first node whose key is not smaller, and the number of the one before it.
    uint32_t find(const Bucket& bucket, uint64_t key, uint32_t* before) {
        uint32_t number = bucket.first;
        while (number != 0 && value(number) < key) {
            if (before != nullptr)
                *before = number;
            number = number_of(nodes_[number].next.load(platform::relaxed));
        }
        return number;
    }
    void link(Bucket& bucket, uint32_t before, uint32_t number) {
        if (before == 0)
            bucket.first = number;
        else
            nodes_[before].next.store(next_link(0, number), platform::relaxed);
    }

    Nodes& nodes_;
    Bucket buckets_[buckets];
};

} // namespace structures
