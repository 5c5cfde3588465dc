// SPDX-License-Identifier: Apache-2.0
// The explorer's two kinds of memory, by the usual small programs: which results does each of them
// have, and which never? A result that the C++ memory model allows and neither has is in README.md.
// For plain data see message_of_plain_data: planted_bugs.py weakens both of its orders.
#include "explorer.hpp"

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace platform = heddle::platform;
using platform::acq_rel, platform::acquire, platform::relaxed, platform::release, platform::seq_cst;

namespace {

struct Machine {
    platform::Atomic<int> x{0}, y{0}, z{0};
    int r[4] = {-1, -1, -1, -1}; ///< registers of all threads
};

enum class Seen { never, with_views, with_both };

struct Litmus {
    const char* name;
    Seen seen;
    std::vector<void (*)(Machine&)> threads;
    bool (*result)(const Machine&); ///< did it happen?
};

bool both_zero(const Machine& m) { return m.r[0] == 0 && m.r[1] == 0; }
bool flag_without_data(const Machine& m) { return m.r[0] == 1 && m.r[1] == 0; }
bool first_writes_last(const Machine& m) { return m.x.peek() == 1 && m.y.peek() == 1; }
bool readers_disagree(const Machine& m) {
    return m.r[0] == 1 && m.r[1] == 0 && m.r[2] == 1 && m.r[3] == 0;
}

/// Each writes one word and reads the other: the Dekker pair.
template <platform::Order store, platform::Order load>
Litmus store_buffering(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(1, store), m.r[0] = m.y.load(load); },
             [](Machine& m) { m.y.store(1, store), m.r[1] = m.x.load(load); }},
            both_zero};
}
/// The same with exchanges, which x86 has in one order only.
template <platform::Order update, platform::Order load>
Litmus update_buffering(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.exchange(1, update), m.r[0] = m.y.load(load); },
             [](Machine& m) { m.y.exchange(1, update), m.r[1] = m.x.load(load); }},
            both_zero};
}
/// The Dekker pair, but between its write and its look one thread looks at a third word, which the
/// other one has written after its look: a relaxed look may come after a seq_cst one that follows
/// it. An event count's sleeper does that.
template <platform::Order store, platform::Order load>
Litmus look_before_look(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) {
                 m.x.exchange(1, seq_cst);
                 m.r[0] = m.z.load(load), m.r[1] = m.y.load(seq_cst);
             },
             [](Machine& m) {
                 m.y.exchange(1, seq_cst);
                 m.r[2] = m.x.load(seq_cst), m.z.store(1, store);
             }},
            [](const Machine& m) { return flag_without_data(m) && m.r[2] == 1; }};
}
/// The same by fences, of one thread or of both.
void store_and_look(Machine& m) {
    m.x.store(1, release);
    platform::fence();
    m.r[0] = m.y.load(relaxed);
}
template <platform::Order store, platform::Order load>
Litmus message_passing(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(1, relaxed), m.y.store(1, store); },
             [](Machine& m) { m.r[0] = m.y.load(load), m.r[1] = m.x.load(relaxed); }},
            flag_without_data};
}
/// A thread in the middle passes the message on: what it has read, by any order, others may not
/// read older who acquire what it releases.
template <platform::Order read>
Litmus passing_on(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(1, relaxed); },
             [](Machine& m) { m.r[2] = m.x.load(relaxed), m.y.store(1, release); },
             [](Machine& m) { m.r[0] = m.y.load(read), m.r[1] = m.x.load(relaxed); }},
            [](const Machine& m) { return m.r[2] == 1 && flag_without_data(m); }};
}
/// Two threads see two independent writes in different orders.
template <platform::Order store, platform::Order load>
Litmus independent_writes(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(1, store); }, [](Machine& m) { m.y.store(1, store); },
             [](Machine& m) { m.r[0] = m.x.load(load), m.r[1] = m.y.load(load); },
             [](Machine& m) { m.r[2] = m.y.load(load), m.r[3] = m.x.load(load); }},
            readers_disagree};
}
template <platform::Order store>
Litmus two_writes_each(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(1, store), m.y.store(2, store); },
             [](Machine& m) { m.y.store(1, store), m.x.store(2, store); }},
            first_writes_last};
}
/// A write that is overwritten by what was written before it.
template <platform::Order store, platform::Order load>
Litmus write_after_read(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(2, relaxed), m.y.store(1, store); },
             [](Machine& m) { m.r[0] = m.y.load(load), m.x.store(1, relaxed); }},
            [](const Machine& m) { return m.r[0] == 1 && m.x.peek() == 2; }};
}
template <platform::Order order, platform::Order load>
Litmus write_and_read(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(1, order), m.y.store(1, order); },
             [](Machine& m) { m.y.store(2, order), m.r[0] = m.x.load(load); }},
            [](const Machine& m) { return m.r[0] == 0 && m.y.peek() == 2; }};
}
/// A compare-and-swap that fails is a load.
template <platform::Order failure>
Litmus failed_exchange(const char* name, Seen seen) {
    return {name,
            seen,
            {[](Machine& m) { m.x.store(1, relaxed), m.y.store(1, release); },
             [](Machine& m) {
                 m.r[0] = 7;
                 m.y.compare_exchange_strong(m.r[0], 8, acq_rel, failure);
                 m.r[1] = m.x.load(relaxed);
             }},
            flag_without_data};
}

const std::vector<Litmus>& tests() {
    static const std::vector<Litmus> list{
        store_buffering<relaxed, relaxed>("store_buffering", Seen::with_both),
        store_buffering<release, acquire>("store_buffering_release", Seen::with_both),
        store_buffering<seq_cst, seq_cst>("store_buffering_seq_cst", Seen::never),
        update_buffering<acq_rel, acquire>("update_buffering", Seen::with_views),
        update_buffering<seq_cst, acquire>("update_buffering_half", Seen::with_views),
        update_buffering<seq_cst, seq_cst>("update_buffering_seq_cst", Seen::never),
        {"fences",
         Seen::never,
         {store_and_look,
          [](Machine& m) { m.y.store(1, relaxed), platform::fence(), m.r[1] = m.x.load(relaxed); }},
         both_zero},
        {"fence_and_update",
         Seen::never,
         {store_and_look, [](Machine& m) { m.y.exchange(1, seq_cst), m.r[1] = m.x.load(seq_cst); }},
         both_zero},
        {"fence_and_update_half", // the other thread's look is not in the order of all
         Seen::with_views,
         {store_and_look, [](Machine& m) { m.y.exchange(1, seq_cst), m.r[1] = m.x.load(acquire); }},
         both_zero},
        {"fence_passed_on", // to a thread that was told after it
         Seen::never,
         {[](Machine& m) { m.x.store(1, relaxed), platform::fence(), m.z.store(1, release); },
          [](Machine& m) { m.r[2] = m.z.load(acquire), m.r[0] = m.y.load(seq_cst); },
          [](Machine& m) { m.y.exchange(1, seq_cst), m.r[1] = m.x.load(seq_cst); }},
         [](const Machine& m) { return m.r[2] == 1 && both_zero(m); }},
        look_before_look<relaxed, acquire>("look_before_look", Seen::with_views),
        look_before_look<release, relaxed>("look_before_look_half", Seen::with_views),
        look_before_look<release, acquire>("look_before_look_acquired", Seen::never),
        message_passing<relaxed, relaxed>("message", Seen::with_views),
        message_passing<release, relaxed>("message_not_acquired", Seen::with_views),
        message_passing<relaxed, acquire>("message_not_released", Seen::with_views),
        message_passing<release, acquire>("message_release", Seen::never),
        passing_on<relaxed>("passing_on", Seen::with_views),
        passing_on<acquire>("passing_on_acquired", Seen::never),
        independent_writes<release, acquire>("independent_writes", Seen::with_views),
        independent_writes<seq_cst, seq_cst>("independent_writes_seq_cst", Seen::never),
        independent_writes<relaxed, seq_cst>("independent_writes_in_order", Seen::never),
        two_writes_each<release>("two_writes_each", Seen::with_views),
        two_writes_each<seq_cst>("two_writes_each_seq_cst", Seen::never),
        write_after_read<relaxed, relaxed>("write_after_read", Seen::with_views),
        write_after_read<release, acquire>("write_after_read_release", Seen::never),
        write_and_read<release, acquire>("write_and_read", Seen::with_both),
        write_and_read<seq_cst, seq_cst>("write_and_read_seq_cst", Seen::never),
        failed_exchange<relaxed>("failed_exchange", Seen::with_views),
        failed_exchange<acquire>("failed_exchange_acquire", Seen::never),
        {"load_buffering", // C++ allows it, and nothing here does it
         Seen::never,
         {[](Machine& m) { m.r[0] = m.x.load(relaxed), m.y.store(1, relaxed); },
          [](Machine& m) { m.r[1] = m.y.load(relaxed), m.x.store(1, relaxed); }},
         [](const Machine& m) { return m.r[0] == 1 && m.r[1] == 1; }},
        {"release_sequence", // an update carries on what was released
         Seen::never,
         {[](Machine& m) { m.x.store(1, relaxed), m.y.store(1, release); },
          [](Machine& m) { m.y.fetch_add(1, relaxed); },
          [](Machine& m) { m.r[0] = m.y.load(acquire), m.r[1] = m.x.load(relaxed); }},
         [](const Machine& m) { return m.r[0] == 2 && m.r[1] == 0; }},
        {"release_sequence_ended", // by a store, since C++20 by one of the same thread, too
         Seen::with_views,
         {[](Machine& m) { m.x.store(1, relaxed), m.y.store(2, release), m.y.store(1, relaxed); },
          [](Machine& m) { m.r[0] = m.y.load(acquire), m.r[1] = m.x.load(relaxed); }},
         flag_without_data},
        {"coherent_reads", // never back to an older value
         Seen::never,
         {[](Machine& m) { m.x.store(1, relaxed); },
          [](Machine& m) { m.r[0] = m.x.load(relaxed), m.r[1] = m.x.load(relaxed); }},
         flag_without_data},
        {"coherent_readers", // one modification order for all
         Seen::never,
         {[](Machine& m) { m.x.store(1, relaxed); }, [](Machine& m) { m.x.store(2, relaxed); },
          [](Machine& m) { m.r[0] = m.x.load(relaxed), m.r[1] = m.x.load(relaxed); },
          [](Machine& m) { m.r[2] = m.x.load(relaxed), m.r[3] = m.x.load(relaxed); }},
         [](const Machine& m) { return m.r[0] == 1 && m.r[1] == 2 && m.r[2] == 2 && m.r[3] == 1; }},
        {"coherent_write_read",
         Seen::never,
         {[](Machine& m) { m.x.store(1, relaxed), m.r[0] = m.x.load(relaxed); },
          [](Machine& m) { m.x.store(2, relaxed); }},
         [](const Machine& m) { return m.r[0] == 0 || (m.r[0] == 2 && m.x.peek() == 1); }},
        {"coherent_writes",
         Seen::never,
         {[](Machine& m) { m.x.store(1, relaxed), m.x.store(2, relaxed); },
          [](Machine& m) { m.r[0] = m.x.load(relaxed); }},
         [](const Machine& m) { return m.x.peek() != 2; }},
        {"updates_in_turn", // each reads what the one before it has written
         Seen::never,
         {[](Machine& m) { m.r[0] = m.x.fetch_add(1, relaxed); },
          [](Machine& m) { m.r[1] = m.x.fetch_add(1, relaxed); },
          [](Machine& m) { m.y.store(1, relaxed); }},
         [](const Machine& m) { return m.r[0] == m.r[1] || m.x.peek() != 2; }},
    };
    return list;
}

std::set<std::string> happened;

template <size_t i>
void run_litmus(explore::World& world) {
    auto machine = std::make_shared<Machine>();
    for (auto* thread : tests()[i].threads)
        world.thread([=] { thread(*machine); });
    world.at_end([=] {
        if (!tests()[i].result(*machine))
            return;
        explore::expect(tests()[i].seen != Seen::never, "a result that nothing allows");
        explore::expect(tests()[i].seen == Seen::with_both || explore::memory_is_weak(),
                        "a result that x86 does not have");
        happened.insert(tests()[i].name);
    });
}

struct Letter {
    platform::Atomic<int> flag{0};
    int text = 0;
};

void send(Letter& letter) {
    letter.text = 42;
    letter.flag.store(1, release); // pairs with receive()
}
void receive(Letter& letter) {
    if (letter.flag.load(acquire) == 1) // pairs with send()
        explore::expect(letter.text == 42, "an empty letter");
}
void message_of_plain_data(explore::World& world) {
    auto letter = std::make_shared<Letter>();
    world.thread([=] { send(*letter); });
    world.thread([=] { receive(*letter); });
}

/// Two poll for what a third does. Schedules in which they let each other look for ever, and the
/// third never has its turn, say nothing: the exhaustive search must not lose itself in them.
void two_poll(explore::World& world) {
    auto machine = std::make_shared<Machine>();
    for (int i = 0; i < 2; ++i)
        world.thread([=] {
            while (machine->x.load(acquire) == 0) // pairs with the store below
                platform::relax();
        });
    world.thread([=] {
        machine->y.store(1, relaxed);
        machine->x.store(1, release);
    });
}

template <size_t... i>
int run(int argc, char** argv, std::index_sequence<i...>) {
    return explore::run(argc, argv,
                        {{tests()[i].name, run_litmus<i>, 0.1}...,
                         {"message_of_plain_data", message_of_plain_data, 0.1},
                         {"two_poll", two_poll, 0.1, 100000}});
}

} // namespace

int main(int argc, char** argv) {
    constexpr size_t count = 38;
    if (tests().size() != count)
        return fprintf(stderr, "there are %zu tests\n", tests().size()), 1;
    if (const int failed = run(argc, argv, std::make_index_sequence<count>()))
        return failed;
    for (int i = 1; i < argc; ++i)
        if (std::string(argv[i]) == "--only" || std::string(argv[i]) == "--weaken")
            return 0; // not the whole of it
    int missing = 0;
    for (const Litmus& test : tests()) {
        const bool expected = test.seen == Seen::with_both ||
                              (test.seen == Seen::with_views && explore::memory_is_weak());
        if (expected && !happened.count(test.name)) {
            printf("%s: a result that this memory has did not happen\n", test.name);
            ++missing;
        }
    }
    return missing != 0;
}
