// SPDX-License-Identifier: Apache-2.0
// A hash table with chains and one lock a bucket, in zeroed static memory: never touched, it costs
// nothing. Programs have few such allocatables, and every one is added and removed once.
#include "construct/allocation_registry.hpp"

#include "concurrent/futex_lock.hpp"
#include "concurrent/scatter.hpp"
#include "platform.hpp"

namespace heddle::construct {

namespace {

struct Note {
    Note* next;
    void* block;
};

struct Bucket {
    concurrent::FutexLock lock;
    Note* first = nullptr;
};

constexpr int bucket_bits = 12;
constinit Bucket buckets[1u << bucket_bits];
constinit platform::Atomic<uint32_t> used{0}; // relaxed: of interest to a forked child only

Bucket& bucket_of(void* block) {
    const uint64_t key = reinterpret_cast<uintptr_t>(block) >> 4; // blocks are aligned to 16
    return buckets[concurrent::scattered_bits(key, bucket_bits)];
}

/// The note on the block, which is in the chain no more; nullptr: there is none.
Note* unlink(Bucket& bucket, const void* block) {
    const concurrent::LockGuard guard(bucket.lock);
    Note** link = &bucket.first;
    while (*link != nullptr && (*link)->block != block)
        link = &(*link)->next;
    Note* const note = *link;
    if (note != nullptr)
        *link = note->next;
    return note;
}

} // namespace

void add_allocation(void* block) {
    if (block == nullptr)
        return;
    auto* note = static_cast<Note*>(platform::allocate(sizeof(Note), alignof(Note)));
    if (note == nullptr)
        platform::die("no memory to remember an allocatable variable of an allocate directive");
    used.store(1, platform::relaxed);
    Bucket& bucket = bucket_of(block);
    const concurrent::LockGuard guard(bucket.lock);
    *note = {bucket.first, block};
    bucket.first = note;
}

bool remove_allocation(void* block) {
    Note* const note = unlink(bucket_of(block), block);
    platform::deallocate(note);
    return note != nullptr;
}

// Every store leaves a whole chain: a note is linked in, or out, by one.
void remake_allocation_locks() {
    if (used.load(platform::relaxed) == 0)
        return;
    for (Bucket& bucket : buckets)
        if (bucket.lock.is_held()) // the pages of the others need no copy
            ::new (&bucket.lock) concurrent::FutexLock;
}

} // namespace heddle::construct
