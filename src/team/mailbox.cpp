// SPDX-License-Identifier: Apache-2.0
// Posts of regions on offer, what threads of the team change in each other's word, and passing a
// fork on. Called by the primary, by pool threads, and by who executes parts or looks out.
// Ordering: Dekker of a word's change with the owner's `asleep`.
// Protocols: docs/protocols/mailbox.md, stand-in.md.
#include "team/mailbox.hpp"

#include "team/large_team.hpp"
#include "team/posts.hpp"

namespace heddle::team {

void publish_offer(Worker& worker, uint32_t bits) {
    // release: to its owner and to take(); one that sleeps on need not notice
    worker.mailbox.epoch.store((worker.posted += next_epoch) | offered | bits, platform::release);
}

void post_to_lookout(Worker& worker) {
    Mailbox& mailbox = worker.mailbox;
    // seq_cst: releases the line to its owner and to take(), Dekker with its `asleep`
    mailbox.epoch.exchange((worker.posted += next_epoch) | offered | lookout, platform::seq_cst);
    if (mailbox.asleep.load(platform::seq_cst) == asleep)
        platform::wake(mailbox.epoch, 1);
}

bool want(Worker& worker, uint32_t bit) {
    Mailbox& mailbox = worker.mailbox;
    uint32_t word = mailbox.epoch.load(platform::relaxed);
    do {
        if ((word & (offered | taken | called)) != offered)
            return false;
        // seq_cst: Dekker with `asleep`, as in Posts
    } while (!mailbox.epoch.compare_exchange_strong(word, word | bit, platform::seq_cst,
                                                    platform::relaxed));
    if (mailbox.asleep.load(platform::seq_cst) != awake)
        platform::wake(mailbox.epoch, 1);
    return true;
}

bool summon(Worker& worker) {
    Mailbox& mailbox = worker.mailbox;
    uint32_t word = mailbox.epoch.load(platform::seq_cst); // Dekker with ensure_lookout()
    do {
        if ((word & (offered | taken | lookout)) != (offered | taken))
            return false;
        // seq_cst: Dekker with `asleep`, as in Posts
    } while (!mailbox.epoch.compare_exchange_strong(word, word | lookout, platform::seq_cst,
                                                    platform::relaxed));
    if (mailbox.asleep.load(platform::seq_cst) == awake)
        return false; // at its own part; or about to sleep, and sees the bit
    platform::wake(mailbox.epoch, 1);
    return true;
}

void pass_fork_on(const Mailbox& from) {
    const int first = fork_width * from.number + 1;
    Posts posts;
    for (int i = first; i < first + fork_width && i < from.size; ++i) {
        Worker& worker = worker_at(*from.team, i);
        fill_in(worker.mailbox, i,
                {from.team, from.first_workshare, from.function, from.data, from.run, from.size,
                 from.cpu, from.ways});
        posts.add(worker);
    }
}

} // namespace heddle::team
