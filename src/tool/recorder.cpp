// SPDX-License-Identifier: Apache-2.0
// What a recorder does once in 65 thousand events, or when it sees code of a module it did not
// know. On the worker's own thread.
#include "tool/recorder.hpp"

#include "tool/modules.hpp"

#include <cerrno>

namespace heddle::tool {

bool Recorder::next_chunk() {
    if (failed_ || worker_ < 0)
        return false;
    if (!all_)
        all_ = static_cast<Chunk**>(
            platform::allocate(sizeof(Chunk*) * chunks_per_worker(), alignof(Chunk*)));
    const bool grows = all_ && owned_ == made_ && owned_ < chunks_per_worker();
    Chunk* fresh = grows ? take_chunk(worker_, made_) : nullptr;
    if (fresh) {
        all_[owned_++] = fresh;
    } else if (owned_ > 0) {
        fresh = all_[made_ % owned_];               // the oldest: it does not grow any more
        fresh->written.store(0, platform::relaxed); // the events there are gone
        fresh->number = made_;
    } else {
        failed_ = true;
        return false;
    }
    ++made_;
    chunk_ = fresh;
    used_ = 0;
    began_ = trace_began();
    if (pending_thread_) {
        pending_thread_ = false;
        put(EventKind::thread_begin, static_cast<uint64_t>(platform::thread_id()),
            is_pool_thread_ ? 1 : 0);
    }
    return true;
}

void Recorder::note_module(uint64_t address) {
    const int saved = errno;
    constexpr uint64_t page = 4096;
    low_ = address & ~(page - 1);
    size_ = page; // of code that was made at run time: nobody knows it
    if (const Module* module = learn_module(address)) {
        low_ = module->low;
        size_ = module->high - module->low;
        write_modules();
    }
    errno = saved;
}

} // namespace heddle::tool
