// SPDX-License-Identifier: Apache-2.0
// The heap of ready siblings. The family's owner makes it together with the first child's record,
// so the pointer is as old as any record that another thread can know.
#include "schedule/priority_queue.hpp"

#include "concurrent/futex_lock.hpp"

#include <algorithm>

namespace heddle::team {

/// Behind Family::ready. All but the pointer itself is under the lock.
struct PriorityQueue {
    concurrent::FutexLock lock;
    TaskRecord** heap = nullptr;
    size_t size = 0;
    size_t capacity = 0;
};

} // namespace heddle::team

namespace heddle::schedule {

namespace {

using team::PriorityQueue;
using team::TaskRecord;

bool runs_later(const TaskRecord* a, const TaskRecord* b) {
    return a->priority != b->priority ? a->priority < b->priority : a->sequence > b->sequence;
}

bool grow(PriorityQueue& queue) {
    const size_t capacity = queue.capacity ? queue.capacity * 2 : 64;
    auto** heap = static_cast<TaskRecord**>(
        platform::allocate(capacity * sizeof(TaskRecord*), concurrent::cache_line));
    if (!heap)
        return false;
    std::copy_n(queue.heap, queue.size, heap);
    platform::deallocate(queue.heap);
    queue.heap = heap;
    queue.capacity = capacity;
    return true;
}

} // namespace

void prepare_priority_queue(team::Family& family) {
    if (family.ready)
        return;
    if (void* memory = platform::allocate(sizeof(PriorityQueue), alignof(PriorityQueue)))
        family.ready = ::new (memory) PriorityQueue;
}

bool add_by_priority(team::Family& family, TaskRecord& record) {
    if (!family.ready)
        return false;
    PriorityQueue& queue = *family.ready;
    const concurrent::LockGuard guard(queue.lock);
    const bool fits = queue.size < queue.capacity || grow(queue);
    if (fits) {
        queue.heap[queue.size++] = &record;
        std::push_heap(queue.heap, queue.heap + queue.size, runs_later);
    }
    return fits;
}

TaskRecord& take_by_priority(team::Family& family) {
    PriorityQueue& queue = *family.ready;
    const concurrent::LockGuard guard(queue.lock);
    HEDDLE_CHECK(queue.size != 0);
    std::pop_heap(queue.heap, queue.heap + queue.size, runs_later);
    return *queue.heap[--queue.size];
}

void destroy_priority_queue(PriorityQueue* queue) {
    platform::deallocate(queue->heap);
    platform::deallocate(queue);
}

} // namespace heddle::schedule
