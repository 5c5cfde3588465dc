// SPDX-License-Identifier: Apache-2.0
// Who waits for a task: links that its siblings push while it may be running, taken all at once by
// whoever finishes it. One word: the newest link, and the flags `abandoned` and `closed` below it.
// add/abandon/closed: the one thread that creates the siblings; close: whoever finishes, once.
// Ordering: close() releases the task's work, closed()/add()/abandon() acquire it when it was
// first. Protocol: docs/protocols/successor-list.md.
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

class SuccessorList {
public:
    /// In the successor's memory, which lives until the predecessor's finisher has passed it.
    struct Link {
        Link* next;
        void* successor;
    };

    /// Before anyone else knows the task. `abandoned`: nobody will add to it.
    void reset(bool abandoned) { word_.store(abandoned ? abandoned_flag : 0, platform::relaxed); }

    /// The task is finished: it needs no link. Acquire pairs with close().
    bool closed() const { return (word_.load(platform::acquire) & closed_flag) != 0; }

    /// Adds a link that close() will return. False: the task is finished.
    bool add(Link& link) {
        uintptr_t word = word_.load(platform::acquire); // pairs with close()
        do {
            if (word & closed_flag)
                return false;
            HEDDLE_CHECK((word & abandoned_flag) == 0);
            link.next = reinterpret_cast<Link*>(word);
            // release: close() reads the link and what it leads to
        } while (!word_.compare_exchange_strong(word, reinterpret_cast<uintptr_t>(&link),
                                                platform::release, platform::acquire));
        return true;
    }

    /// The adding thread will not look here again. True: the task was finished, the caller frees.
    bool abandon() {
        // acquire: pairs with close(); release: close() frees what the caller has used
        return (word_.fetch_or(abandoned_flag, platform::acq_rel) & closed_flag) != 0;
    }

    struct Closing {
        Link* newest;   ///< nullptr: nobody waits
        bool abandoned; ///< the caller frees; otherwise the adding thread may free at once
    };

    /// The task is finished. Unless the answer is `abandoned` its memory may be gone already.
    Closing close() {
        const uintptr_t word = word_.exchange(closed_flag, platform::acq_rel);
        HEDDLE_CHECK((word & closed_flag) == 0);
        return {reinterpret_cast<Link*>(word & ~flags), (word & abandoned_flag) != 0};
    }

private:
    static constexpr uintptr_t abandoned_flag = 1, closed_flag = 2, flags = 3;
    platform::Atomic<uintptr_t> word_{0};
};

} // namespace heddle::concurrent
