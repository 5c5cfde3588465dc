// SPDX-License-Identifier: Apache-2.0
// A worker's part of the trace: it writes its events into its own chunks of the mapped file, the
// oldest of which is used again when it has as many as it may have.
// Called by team/watching on the worker's own thread only: plain stores, then one release of their
// number, so that no compiler puts it before them: a killed process has then written what it says.
#pragma once

#include "platform.hpp"
#include "tool/trace_file.hpp"

namespace heddle::tool {

class Recorder {
public:
    /// The worker's number; events are dropped before.
    void begin(int32_t worker) { worker_ = worker; }

    void put(EventKind kind, uint64_t value = 0, uint64_t extra = 0) {
        if (used_ == events_in_chunk && !next_chunk())
            return;
        chunk_->events[used_] = make_event(kind, platform::now_ns() - began_, value, extra);
        // release: pairs with the acquire of a reader, in another process
        chunk_->written.store(++used_, platform::release);
    }

    /// The same for an address of code or data, whose module becomes known.
    void put_address(EventKind kind, uint64_t address, uint64_t extra) {
        if (address - low_ >= size_)
            note_module(address);
        put(kind, address, extra);
    }

    /// Has it written anything, in this process?
    bool has_begun() const { return chunk_ != nullptr; }

    /// In a forked child: its events go to a file of its own.
    void leave_after_fork(bool is_pool_thread) {
        chunk_ = nullptr;
        used_ = events_in_chunk;
        made_ = owned_ = 0;
        size_ = 0;
        failed_ = false;
        pending_thread_ = true;
        is_pool_thread_ = is_pool_thread;
    }

private:
    bool next_chunk();
    void note_module(uint64_t address);

    Chunk* chunk_ = nullptr;
    uint64_t used_ = events_in_chunk; ///< events in it
    uint64_t began_ = 0;
    uint64_t low_ = 0, size_ = 0; ///< addresses of the module that was looked up last
    uint64_t made_ = 0;           ///< chunks so far, those used again included
    uint64_t owned_ = 0;          ///< entries of `all_`
    Chunk** all_ = nullptr;       ///< room for chunks_per_worker()
    int32_t worker_ = -1;
    bool failed_ = false;
    bool pending_thread_ = false; ///< the next event is preceded by thread_begin
    bool is_pool_thread_ = false;
};

} // namespace heddle::tool
