// SPDX-License-Identifier: Apache-2.0
// Posts to workers: each begins once its mailbox is filled and added here, and those that sleep are
// woken together, after one fence. A locked change of each word would wait for one line after
// another. By whoever may write the mailboxes: the primary, who passes a fork on, the pool.
// Ordering: Dekker with a worker about to sleep. Protocol: docs/protocols/mailbox.md.
#pragma once

#include "team/worker.hpp"

namespace heddle::team {

/// After its post, and a fence.
inline void wake_if_asleep(Worker& worker) {
    // relaxed: after the fence it finds what the owner announced, or the owner sees the epoch
    if (worker.mailbox.asleep.load(platform::relaxed) != awake)
        platform::wake(worker.mailbox.epoch, 1);
}

/// Those added that sleep are woken at the end of its life.
class Posts {
public:
    Posts() = default;
    Posts(const Posts&) = delete;
    Posts& operator=(const Posts&) = delete;
    ~Posts() { wake_all(); }

    /// What was written to the worker's mailbox is for it to read.
    void add(Worker& worker) {
        Mailbox& mailbox = worker.mailbox;
        worker.posted += next_epoch;
        if (platform::own::has_signals())
            return platform::own::signal(mailbox.epoch, worker.posted);
        mailbox.epoch.store(worker.posted, platform::release); // to wait_for_region()
        workers_[count_++] = &worker;
        if (count_ == most)
            wake_all();
    }

private:
    static constexpr int most = 16;

    void wake_all() {
        if (platform::own::has_signals() || count_ == 0)
            return;
        platform::fence();
        for (int i = 0; i < count_; ++i)
            wake_if_asleep(*workers_[i]);
        count_ = 0;
    }

    Worker* workers_[most];
    int count_ = 0;
};

inline void post(Worker& worker) { Posts().add(worker); }

} // namespace heddle::team
