// SPDX-License-Identifier: Apache-2.0
// Mutual exclusion: simple and nestable locks, critical, atomic, with 1 to 16 threads, from
// implicit and explicit tasks; and nobody starves beside threads that come again at once. The
// counters are plain memory, so a sanitizer sees a missing order too.
#include "stress.hpp"

#include <linux/futex.h>
#include <omp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;

void simple_locks(int threads, int turns) {
    constexpr int count = 3;
    omp_lock_t locks[count];
    long counters[count] = {}, tried = 0;
    for (omp_lock_t& lock : locks)
        omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : tried)
    {
        stress::Random random(static_cast<uint64_t>(omp_get_thread_num()));
        for (int i = 0; i < turns; ++i) {
            const unsigned which = random.below(count);
            if (random.chance(30)) {
                if (!omp_test_lock(&locks[which]))
                    continue;
            } else {
                omp_set_lock(&locks[which]);
            }
            ++tried;
            const long before = counters[which];
            stress::work(random.below(30));
            counters[which] = before + 1;
            omp_unset_lock(&locks[which]);
        }
    }
    expect(counters[0] + counters[1] + counters[2] == tried, "simple locks with %d threads",
           threads);
    for (omp_lock_t& lock : locks)
        omp_destroy_lock(&lock);
}

/// A task locks, its undeferred child is another owner.
void nestable_locks(int threads, int turns) {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    long counter = 0, expected = 0;
#pragma omp parallel num_threads(threads) reduction(+ : expected)
    {
        stress::Random random(static_cast<uint64_t>(omp_get_thread_num()));
        for (int i = 0; i < turns; ++i) {
            const unsigned depth = 1 + random.below(4);
            for (unsigned level = 0; level < depth; ++level)
                if (level && random.chance(50))
                    expect(omp_test_nest_lock(&lock) == static_cast<int>(level + 1),
                           "nesting count of omp_test_nest_lock");
                else
                    omp_set_nest_lock(&lock);
            counter += 1;
            ++expected;
            if (random.chance(10)) {
                int taken = 1;
#pragma omp task shared(taken, lock) if (0)
                taken = omp_test_nest_lock(&lock);
                expect(taken == 0, "a child task acquired its parent's nestable lock");
            }
            stress::work(random.below(30));
            for (unsigned level = 0; level < depth; ++level)
                omp_unset_nest_lock(&lock);
        }
    }
    expect(counter == expected, "nestable lock with %d threads", threads);
    omp_destroy_nest_lock(&lock);
}

/// Explicit tasks own nestable locks, wherever they run.
void nestable_locks_in_tasks(int threads, int tasks) {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    long counter = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(counter, lock)
        {
            omp_set_nest_lock(&lock);
            omp_set_nest_lock(&lock);
            counter += 1;
            stress::work(50);
            omp_unset_nest_lock(&lock);
            counter += 1;
            omp_unset_nest_lock(&lock);
        }
    }
    expect(counter == 2 * tasks, "nestable lock in tasks with %d threads", threads);
    omp_destroy_nest_lock(&lock);
}

/// Every thread takes the lock again as soon as it has given it up, and keeps it for long: who
/// sleeps meanwhile hardly finds it free by chance. Ends when each has had its turns.
template <class Enter, class Leave>
void greedy(const char* what, int threads, Enter enter, Leave leave) {
    const int turns_for_each = stress::scaled(20);
    const long limit = 1000L * turns_for_each * threads;
    std::vector<int> turns(static_cast<size_t>(threads));
    long total = 0;
    int missing = threads;
    bool over = false;
#pragma omp parallel num_threads(threads)
    {
        int& mine = turns[static_cast<size_t>(omp_get_thread_num())];
        for (bool again = true; again;) {
            enter();
            stress::work(50000);
            if (!over && ++mine == turns_for_each)
                --missing;
            over = missing == 0 || ++total == limit;
            again = !over;
            leave();
        }
    }
    for (int i = 0; i < threads; ++i)
        expect(turns[static_cast<size_t>(i)] >= turns_for_each,
               "%s, %d threads: thread %d had %d turns of %ld", what, threads, i,
               turns[static_cast<size_t>(i)], total);
}

/// The word of a lock that others change.
template <class Word, class Lock>
Word read(Lock& lock) {
    return __atomic_load_n(reinterpret_cast<Word*>(&lock), __ATOMIC_RELAXED);
}

/// A thread forks while it holds a lock that others have waited for too long: what is promised to
/// them is no promise in the child, where they do not exist.
template <class Enter, class Leave, class Try, class IsPromised>
void forked_while_others_are_late(const char* what, int threads, void* lock, Enter enter,
                                  Leave leave, Try attempt, IsPromised is_promised) {
    const int forks = 20;
    int failed = 0, promised = 0;
    bool begun = false, over = false;
#pragma omp parallel num_threads(threads)
    {
        enter();
        const bool forks_here = !begun;
        begun = true;
        // The others wait for this one, are woken in vain, and after a millisecond they are late.
        // They are woken here: by unlocking they would get the lock, if the system wants it so.
        for (int i = 0; forks_here && i < forks; ++i) {
            leave();
            enter();
            for (int tries = 0; !is_promised() && tries < 1000; ++tries) {
                syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
                stress::work(100000);
            }
            promised += is_promised();
            const pid_t child = fork();
            if (child == 0) {
                alarm(20); // would wait for ever otherwise
                leave();
                if (!attempt())
                    _exit(1);
                leave();
                enter();
                _exit(0);
            }
            int status = 0;
            failed += waitpid(child, &status, 0) != child || status != 0;
        }
        over |= forks_here;
        while (!over) {
            leave();
            enter();
        }
        leave();
    }
    expect(failed == 0, "%s, %d threads: %d of %d children did not get it", what, threads, failed,
           forks);
    expect(promised > 0, "%s, %d threads: nobody was late at any fork", what, threads);
}

void late_sleepers(int threads) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    const auto enter = [&] { omp_set_lock(&lock); };
    const auto leave = [&] { omp_unset_lock(&lock); };
    const auto enter_nest = [&] { omp_set_nest_lock(&nest); };
    const auto leave_nest = [&] { omp_unset_nest_lock(&nest); };
    greedy("simple lock", threads, enter, leave);
    greedy("nestable lock", threads, enter_nest, leave_nest);
    // The counts of late sleepers: concurrent/futex_lock.hpp, construct/lock.hpp.
    forked_while_others_are_late(
        "simple lock", threads, &lock, enter, leave, [&] { return omp_test_lock(&lock); },
        [&] { return read<uint32_t>(lock) >> 2 != 0; });
    forked_while_others_are_late(
        "nestable lock", threads, &nest, enter_nest, leave_nest,
        [&] { return omp_test_nest_lock(&nest); },
        [&] { return (read<uint64_t>(nest) >> 18 & 3) != 0; });
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

struct Wide {
    long a, b;
};

void criticals_and_atomics(int threads, int turns) {
    long unnamed = 0, first = 0, second = 0, atomic = 0, captured = 0;
    double real = 0;
    long double wide = 0;
    uint64_t maximum = 0;
#pragma omp parallel num_threads(threads)
    {
        const auto number = static_cast<uint64_t>(omp_get_thread_num());
        for (int i = 0; i < turns; ++i) {
#pragma omp critical
            ++unnamed;
#pragma omp critical(one)
            {
                ++first;
#pragma omp critical(two)
                ++second;
            }
#pragma omp atomic
            ++atomic;
#pragma omp atomic
            real += 0.5;
#pragma omp atomic
            wide += 1; // no machine instruction: the runtime's atomic region
            long old;
#pragma omp atomic capture
            {
                old = captured;
                captured += 2;
            }
            expect(old % 2 == 0 && old >= 2L * i, "atomic capture went back");
            const uint64_t mine = number * 1000000 + static_cast<uint64_t>(i);
#pragma omp critical(three)
            maximum = mine > maximum ? mine : maximum;
        }
    }
    const long all = static_cast<long>(threads) * turns;
    expect(unnamed == all && first == all && second == all, "critical with %d threads", threads);
    expect(atomic == all && captured == 2 * all, "atomic with %d threads", threads);
    expect(real == 0.5 * static_cast<double>(all), "atomic double with %d threads", threads);
    expect(wide == static_cast<long double>(all), "atomic long double with %d threads", threads);
    expect(maximum ==
               (static_cast<uint64_t>(threads) - 1) * 1000000 + static_cast<uint64_t>(turns) - 1,
           "maximum with %d threads", threads);
}

/// More reductions than one, and a user's: generated code takes the runtime's atomic lock.
#pragma omp declare reduction(join:Wide : omp_out.a += omp_in.a, omp_out.b += omp_in.b)            \
    initializer(omp_priv = Wide{0, 0})

void reductions(int threads, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        long sum = 0, low = 1000;
        Wide pair{0, 0};
#pragma omp parallel for num_threads(threads) reduction(+ : sum) reduction(min : low)              \
    reduction(join : pair) schedule(dynamic, 3)
        for (int k = 0; k < 100; ++k) {
            sum += k;
            low = low < k ? low : k;
            pair.a += k;
            pair.b += 2 * k;
        }
        expect(sum == 4950 && low == 0 && pair.a == 4950 && pair.b == 9900,
               "reductions with %d threads", threads);
    }
}

} // namespace

int main() {
    for (int threads : {1, 2, 3, 8, 16, omp_get_max_threads()}) {
        const int turns = stress::scaled(400000) / threads;
        simple_locks(threads, turns);
        nestable_locks(threads, turns / 2 + 1);
        nestable_locks_in_tasks(threads, turns);
        criticals_and_atomics(threads, turns / 2 + 1);
        reductions(threads, turns / 20 + 1);
    }
    for (int threads : {2, 8})
        late_sleepers(threads);
    return stress::result("locks");
}
