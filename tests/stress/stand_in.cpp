// SPDX-License-Identifier: Apache-2.0
// Teams of more threads than CPUs, whose threads execute each other's parts of a region: each part
// once and as its own thread, whatever the parts do. They meet in ways that the runtime sees and in
// others, have tasks, nested regions and locks, change how they round, and fork.
#include "../robustness/fib.h"
#include "stress.hpp"

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <cstring>
#include <exception>
#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

int threads; ///< of a team: more than there are CPUs

/// body(number) on each thread; it is called once for each number.
template <class Body>
void region(const char* what, Body body) {
    std::vector<int> parts(static_cast<size_t>(threads));
#pragma omp parallel num_threads(threads)
    {
        const int number = omp_get_thread_num();
        expect(omp_get_num_threads() == threads, "%s: a team of another size", what);
        parts[static_cast<size_t>(number)] += 1;
        body(number);
        expect(omp_get_thread_num() == number, "%s: the thread's number has changed", what);
    }
    for (int count : parts)
        expect(count == 1, "%s: a part was executed %d times", what, count);
}

void short_parts() {
    region("short", [](int) {});
}

void long_parts(Random& random) {
    const unsigned turns = random.below(1 << 18);
    region("long", [turns](int number) { stress::work(number % 3 == 0 ? turns : turns / 8); });
}

/// Nothing tells the runtime that the parts wait for each other.
void parts_that_meet() {
    std::atomic<int> here{0};
    region("meeting", [&here](int) {
        ++here;
        while (here.load() != threads)
            usleep(10);
    });
}

/// Asked for anew each time: where it lies must not be remembered across a barrier, for another
/// thread may go on (after ten milliseconds, so that happens in programs that are slow).
[[gnu::noinline]] int own_error() { return errno; }
[[gnu::noinline]] void set_own_error(int error) { errno = error; }

void parts_with_barriers(Random& random) {
    std::atomic<int> before{0};
    const int rounds = 1 + static_cast<int>(random.below(8));
    const unsigned turns = random.below(8) == 0 ? random.below(1 << 16) : 10;
    region("barrier", [&before, rounds, turns](int number) {
        char on_stack[100];
        memset(on_stack, number, sizeof on_stack);
        for (int i = 1; i <= rounds; ++i) {
            ++before;
            set_own_error(number);
            fesetround(number % 2 ? FE_UPWARD : FE_TONEAREST);
#pragma omp barrier
            expect(before.load() >= i * threads, "a barrier was passed early");
            expect(own_error() == number, "errno is another thread's");
            expect(fegetround() == (number % 2 ? FE_UPWARD : FE_TONEAREST), "rounds otherwise");
            stress::work(turns);
        }
        fesetround(FE_TONEAREST);
        for (char byte : on_stack)
            expect(byte == static_cast<char>(number), "a part's stack is another's");
    });
}

/// Behind a barrier they wait for each other so that nothing tells the runtime.
void parts_that_meet_later() {
    std::atomic<int> here{0};
    region("meeting later", [&here](int) {
#pragma omp barrier
        ++here;
        while (here.load() != threads)
            usleep(10);
    });
}

/// A lock is held across a barrier by a part that others stand behind.
void lock_across_barrier() {
    omp_lock_t lock;
    omp_init_lock(&lock);
    int inside = 0, times = 0;
    region("lock", [&](int number) {
        if (number == threads / 2)
            omp_set_lock(&lock);
#pragma omp barrier
        if (number != threads / 2)
            omp_set_lock(&lock);
        expect(++inside == 1, "two threads hold the lock");
        ++times;
        --inside;
        omp_unset_lock(&lock);
    });
    expect(times == threads, "%d threads held the lock", times);
    omp_destroy_lock(&lock);
}

/// Each part handles an exception of its own while it waits.
void exceptions() {
    std::atomic<int> caught{0};
    region("exceptions", [&caught](int number) {
        try {
            throw number;
        } catch (int thrown) {
#pragma omp barrier
            try {
                throw;
            } catch (int again) {
                expect(thrown == number && again == number, "another thread's exception");
                ++caught;
            }
#pragma omp barrier
        }
        expect(std::uncaught_exceptions() == 0 && !std::current_exception(), "exceptions are left");
    });
    expect(caught.load() == threads, "%d exceptions of %d", caught.load(), threads);
}

/// All that waits for others inside a region, several times.
void parts_in_turns() {
    unsigned long ordered_sum = 0, wanted = 0;
    int singles = 0;
    long sum = 0;
    region("turns", [&](int number) {
        for (int round = 0; round < 3; ++round) {
#pragma omp for ordered schedule(static, 1)
            for (int i = 0; i < 2 * threads; ++i) {
#pragma omp ordered
                ordered_sum = ordered_sum * 3 + static_cast<unsigned>(i);
            }
            int copied = -1;
#pragma omp single copyprivate(copied)
            copied = ++singles;
            expect(copied == round + 1, "copyprivate");
#pragma omp for reduction(+ : sum) schedule(dynamic, 3) nowait
            for (int i = 0; i < 100; ++i)
                sum += i;
#pragma omp critical
            expect(omp_get_thread_num() == number, "another thread's number");
        }
    });
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 2 * threads; ++i)
            wanted = wanted * 3 + static_cast<unsigned>(i);
    expect(ordered_sum == wanted, "an order of %lu", ordered_sum);
    expect(sum == 3 * 4950, "a sum of %ld", sum);
}

void parts_with_tasks(Random& random) {
    static int regions = 0; // at first without tasks, so that nobody expects them
    const bool none = ++regions <= 3;
    const int waits = static_cast<int>(random.below(2));
    std::atomic<long> left{0};
    region("tasks", [&left, waits, none](int number) {
        for (int i = none ? 10 : 0; i < 10; ++i) {
#pragma omp task shared(left)
            ++left;
        }
        if (!none && (number + waits) % 2 == 0)
            expect(fib(12) == 144, "fib(12)");
    });
    const long wanted = none ? 0 : 10L * threads;
    expect(left.load() == wanted, "%ld tasks of %ld were run", left.load(), wanted);
}

/// 40 tasks that outlive the caller's frame.
void create_tasks(std::atomic<int>* run, std::atomic<long>* sum) {
    for (int i = 0; i < 40; ++i) {
#pragma omp task firstprivate(run, sum)
        {
            *sum += fib(10);
            expect(omp_get_thread_num() < threads, "a thread of no number");
            ++*run;
        }
    }
}

/// One thread creates tasks for all, while the others wait at a barrier or at the region's end.
void tasks_of_one(Random& random) {
    const bool at_end = random.below(2) != 0;
    std::atomic<int> run{0};
    std::atomic<long> sum{0};
    region("tasks of one", [&run, &sum, at_end](int number) {
#pragma omp barrier
        if (number == threads / 2)
            create_tasks(&run, &sum);
        if (!at_end) {
#pragma omp barrier
            expect(run.load() >= 40, "a barrier with %d tasks of 40", run.load());
#pragma omp single
            create_tasks(&run, &sum);
            expect(run.load() == 80, "a single region with %d tasks of 80", run.load());
        }
    });
    const int wanted = at_end ? 40 : 80;
    expect(run.load() == wanted, "%d tasks of %d were run", run.load(), wanted);
    expect(sum.load() == 55L * wanted, "a sum of %ld", sum.load());
}

/// Two threads, each with a CPU as a rule, have a task that waits for an older one in a way of its
/// own: somebody else has to come for those, when the other parts are at the barrier, or over.
template <bool at_end, bool sleeps>
void tasks_that_wait() {
    std::atomic<int> begun[2] = {};
    std::atomic<int>* const flags = begun;
    region("tasks that wait", [flags](int number) {
#pragma omp barrier
        if (number < 2) {
            std::atomic<int>* const own = &flags[number];
#pragma omp task firstprivate(own)
            ++*own;
#pragma omp task firstprivate(own)
            while (own->load() == 0) {
                if (sleeps)
                    usleep(10);
            }
        }
        if (!at_end) {
#pragma omp barrier
            expect(flags[0] == 1 && flags[1] == 1, "a barrier passed before a task");
        }
    });
    expect(begun[0] == 1 && begun[1] == 1, "tasks were not run");
}

/// Tasks that sleep want a thread each; no figure here, only that all come to an end.
void tasks_that_sleep() {
    std::atomic<int> run{0};
    std::atomic<int>* const count = &run;
    region("tasks that sleep", [count](int) {
        std::atomic<int>* const own = count;
#pragma omp single
        for (int i = 0; i < 2 * threads; ++i) {
#pragma omp task firstprivate(own)
            {
                usleep(2000);
                ++*own;
            }
        }
    });
    expect(run.load() == 2 * threads, "%d tasks were run", run.load());
}

/// As many tasks of one thread as the team has, which all wait for all.
void tasks_that_meet() {
    std::atomic<int> here{0};
    std::atomic<int>* const count = &here;
    region("tasks that meet", [count](int) {
        std::atomic<int>* const own = count;
#pragma omp single
        for (int i = 0; i < threads; ++i) {
#pragma omp task firstprivate(own)
            for (++*own; own->load() < threads;)
                sched_yield();
        }
    });
    expect(here == threads, "%d of %d tasks have met", here.load(), threads);
}

void parts_with_more(Random& random) {
    const auto what = random.below(4);
    std::atomic<int> inner{0};
    long sum = 0;
    unsigned long ordered_sum = 0;
    int singles = 0;
    region("more", [&](int number) {
        if (what == 0) {
#pragma omp parallel num_threads(2)
            inner += omp_get_ancestor_thread_num(1) == number;
        } else if (what == 1) {
#pragma omp for reduction(+ : sum) schedule(dynamic, 3)
            for (int i = 0; i < 100; ++i)
                sum += i;
        } else if (what == 2) {
#pragma omp for ordered schedule(static, 1)
            for (int i = 0; i < threads; ++i) {
#pragma omp ordered
                ordered_sum = ordered_sum * 3 + static_cast<unsigned>(i);
            }
        } else {
            int copied = 0;
#pragma omp single copyprivate(copied)
            copied = ++singles;
            expect(copied == 1, "copyprivate");
#pragma omp critical
            sum += copied;
        }
    });
    unsigned long wanted = 0;
    for (int i = 0; i < threads; ++i)
        wanted = wanted * 3 + static_cast<unsigned>(i);
    expect(what != 0 || inner.load() <= 2 * threads, "nested regions");
    expect(what != 0 || inner.load() >= threads, "nested regions with other ancestors");
    expect(what != 1 || sum == 4950, "a sum of %ld", sum);
    expect(what != 2 || ordered_sum == wanted, "an order of %lu", ordered_sum);
    expect(what != 3 || sum == threads, "%ld threads in the critical region", sum);
}

/// What a thread of the team has set, it finds again, whoever has executed its part.
void rounding() {
    constexpr int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int shift = 1;
    const auto mode = [&](int number) { return modes[(number + shift) % 3]; };
    // Parts begin on stacks beside the thread's own, while others wait.
    const auto at_a_barrier = [&](int number) {
        expect(fegetround() == mode(number), "thread %d begins to round otherwise", number);
#pragma omp barrier
        expect(fegetround() == mode(number), "thread %d goes on to round otherwise", number);
    };
    std::atomic<int> apart{0};
    region("rounding apart", [&](int number) {
        fesetround(mode(number));
        ++apart;
        while (apart.load() != threads) // so that each thread executes its own
            usleep(10);
    });
    region("rounding at a barrier", at_a_barrier);
    shift = 0;
    region("rounding", [&](int number) { fesetround(mode(number)); });
    region("rounding at a barrier", at_a_barrier);
    region("rounding again", [&](int number) {
        if (number != 0) // the primary's own
            return;
        expect(fegetround() == modes[0], "the primary thread rounds otherwise");
        fesetround(FE_TONEAREST);
    });
    std::atomic<int> here{0};
    region("rounding in the end", [&](int number) {
        ++here;
        while (here.load() != threads) // so that each is executed by its own thread
            usleep(10);
        if (number != 0)
            expect(fegetround() == modes[number % 3], "thread %d rounds otherwise", number);
        fesetround(FE_TONEAREST);
    });
    region("rounding to nearest", [&](int) { fesetround(FE_TONEAREST); });
}

/// A child that a part forks has a runtime of its own.
void forks() {
    region("forks", [](int number) {
        if (number % 3 != 1)
            return;
        const pid_t child = fork();
        if (child == 0) {
            std::atomic<int> here{0};
            for (int i = 1; i <= 4; ++i) {
#pragma omp parallel num_threads(3)
                {
#pragma omp barrier
                    ++here;
                    while (here.load() < 3 * i) // nothing tells the runtime
                        usleep(10);
                }
            }
            _exit(here.load() == 12 ? 0 : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
    });
}

} // namespace

int main() {
    const int few = std::min(omp_get_max_threads() + omp_get_num_procs(), 16);
    Random random(stress::seed());
    for (int round = 0; round < stress::scaled(200); ++round) {
        // Now and then a team of many, up to more than are ever on offer.
        threads = round % 16 != 15   ? few
                  : round % 64 != 63 ? 17 + static_cast<int>(random.below(150))
                                     : 600;
        for (unsigned i = random.below(200); i > 0; --i)
            short_parts();
        switch (random.below(stress::sanitized() ? 16 : 17)) {
        case 0:
            parts_that_meet();
            break;
        case 1:
            parts_with_barriers(random);
            break;
        case 2:
            rounding();
            break;
        case 3:
        case 4:
            parts_with_tasks(random);
            break;
        case 5:
            long_parts(random);
            break;
        case 6:
            parts_with_more(random);
            break;
        case 7:
            parts_that_meet_later();
            break;
        case 8:
            lock_across_barrier();
            break;
        case 9:
            exceptions();
            break;
        case 10:
            parts_in_turns();
            break;
        case 11:
            parts_with_barriers(random);
            break;
        case 12:
        case 13:
            tasks_of_one(random);
            break;
        case 14:
            tasks_that_sleep();
            break;
        case 15:
            switch (random.below(5)) {
            case 0:
                tasks_that_wait<false, false>();
                break;
            case 1:
                tasks_that_wait<false, true>();
                break;
            case 2:
                tasks_that_wait<true, false>();
                break;
            case 3:
                tasks_that_wait<true, true>();
                break;
            default:
                tasks_that_meet();
            }
            break;
        default:
            forks();
            break;
        }
        if (round % 50 == 0)
            usleep(30000); // until nobody looks out any more
    }
    return stress::result("stand_in");
}
