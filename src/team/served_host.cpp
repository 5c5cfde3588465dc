// SPDX-License-Identifier: Apache-2.0
// The masks of threads that change hosts. Masks that the program gives to threads of one host, by
// hand in a region perhaps, stay as they are: only the number of the host decides.
// Called by a thread that takes others from the pool.
#include "team/served_host.hpp"

#include "concurrent/scatter.hpp"
#include "config/load.hpp"
#include "team/worker.hpp"

namespace heddle::team {

namespace {

platform::Atomic<uint32_t> hosts_begun{0}; // relaxed: only numbers

/// Of the calling thread, asked for when it is needed.
class Mask {
public:
    /// 0: the system does not tell.
    uint64_t fingerprint() {
        if (!asked_ && platform::get_affinity(words_, count)) {
            fingerprint_ = 1;
            for (const uint64_t word : words_)
                fingerprint_ = concurrent::mixed_in(fingerprint_, word);
        }
        asked_ = true;
        return fingerprint_;
    }
    void apply_to(int thread) const { platform::set_affinity_of(thread, words_, count); }

private:
    static constexpr size_t count = config::CpuSet::capacity / 64;
    uint64_t words_[count];
    uint64_t fingerprint_ = 0;
    bool asked_ = false;
};

void serve(uint32_t host, Mask& mask, ServedHost& served) {
    const uint64_t cpus = mask.fingerprint();
    const bool is_new = served.host == 0; // it has the mask of its maker
    if (!is_new && cpus != served.cpus && cpus != 0) {
        const int thread = served.thread_id.load(platform::relaxed);
        if (thread == 0)
            return;
        mask.apply_to(thread);
    }
    served.host = host;
    served.cpus = cpus;
}

} // namespace

void begin_hosting(Worker& host) {
    host.served.host = hosts_begun.fetch_add(1, platform::relaxed) + 1;
}

void serve_host_of(const Team& team, int first) {
    if (config::settings().initial.bind != config::ProcBind::false_)
        return;
    const uint32_t host = team.parent->worker->served.host;
    Mask mask;
    for (int i = first; i < team.attached; ++i) {
        ServedHost& served = worker_at(team, i).served;
        if (served.host != host)
            serve(host, mask, served);
    }
}

} // namespace heddle::team
