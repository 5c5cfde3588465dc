// SPDX-License-Identifier: Apache-2.0
// Several threads of the program have regions at the same time, or in turn: together they want more
// threads than there are CPUs, so their parts are on offer. Each part is executed once, by a team
// of the size asked for; regions of one thread wait for those of another; threads come and go, and
// fork.
#include "../robustness/fib.h"
#include "stress.hpp"

#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

/// body(number) on each of `size` threads.
template <class Body>
void region(int size, Body body) {
    std::atomic<int> parts[64] = {};
#pragma omp parallel num_threads(size)
    {
        const int number = omp_get_thread_num();
        expect(omp_get_num_threads() == size, "a team of %d instead of %d", omp_get_num_threads(),
               size);
        ++parts[number];
        body(number);
        expect(omp_get_thread_num() == number, "the thread's number has changed");
    }
    for (int i = 0; i < size; ++i)
        expect(parts[i].load() == 1, "part %d was executed %d times", i, parts[i].load());
}

void barriers(int size) {
    std::atomic<int> before{0};
    region(size, [&before, size](int) {
        for (int i = 1; i <= 4; ++i) {
            ++before;
#pragma omp barrier
            expect(before.load() >= i * size, "a barrier was passed early");
        }
    });
}

void loop(int size) {
    long sum = 0;
#pragma omp parallel for num_threads(size) schedule(dynamic, 2) reduction(+ : sum)
    for (int i = 0; i < 100; ++i)
        sum += i;
    expect(sum == 4950, "a sum of %ld", sum);
}

void tasks(int size) {
    std::atomic<int> run{0};
    region(size, [&run](int number) {
        if (number == 0)
            for (int i = 0; i < 20; ++i) {
#pragma omp task shared(run)
                ++run;
            }
        expect(fib(8) == 21, "fib(8)");
    });
    expect(run.load() == 20, "%d tasks of 20 were run", run.load());
}

/// A region as regions of other threads of the program go on.
void any_region(Random& random) {
    const int size = 2 + static_cast<int>(random.below(4));
    switch (random.below(6)) {
    case 0:
        return barriers(size);
    case 1:
        return loop(size);
    case 2:
        return tasks(size);
    case 3:
        return region(size, [](int) { stress::work(20'000); });
    default:
        for (int i = 0; i < 20; ++i)
            region(size, [](int) { stress::work(10); });
    }
}

template <class Body>
void on_hosts(int hosts, Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < hosts; ++i)
        threads.emplace_back(body, i);
    for (std::thread& thread : threads)
        thread.join();
}

void at_once(int hosts, Random& random) {
    const uint64_t seed = random.next();
    on_hosts(hosts, [seed](int host) {
        Random own(stress::mix(seed, static_cast<uint64_t>(host)));
        for (int i = 0; i < 20; ++i)
            any_region(own);
    });
}

/// Nothing tells the runtime that the parts of all wait for each other.
void that_meet(int hosts) {
    std::atomic<int> here{0};
    on_hosts(hosts, [&here, hosts](int) {
        barriers(3); // by now each knows of others
        region(3, [&here, hosts](int) {
            ++here;
            while (here.load() != 3 * hosts)
                sched_yield();
        });
    });
}

void in_turn(int hosts, Random& random) {
    std::atomic<int> turn{0};
    const uint64_t seed = random.next();
    on_hosts(hosts, [&turn, hosts, seed](int host) {
        Random own(stress::mix(seed, static_cast<uint64_t>(host)));
        for (int round = 0; round < 10; ++round) {
            while (turn.load() != round * hosts + host)
                sched_yield();
            any_region(own);
            ++turn;
        }
    });
}

/// Children of one thread while others are in regions: there is one host there.
void forks(int hosts, Random& random) {
    const uint64_t seed = random.next();
    on_hosts(hosts, [seed](int host) {
        Random own(stress::mix(seed, static_cast<uint64_t>(host)));
        for (int i = 0; i < 4; ++i) {
            any_region(own);
            if (host != 0)
                continue;
            const pid_t child = fork();
            if (child == 0) {
                at_once(2, own);
                any_region(own);
                _exit(stress::failures.load() == 0 ? 0 : 1);
            }
            int status = 1;
            waitpid(child, &status, 0);
            expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ended with %d", status);
        }
    });
}

} // namespace

int main() {
    omp_set_dynamic(0);
    Random random(stress::seed());
    for (int round = 0; round < stress::scaled(60); ++round) {
        const int hosts = 2 + static_cast<int>(random.below(round % 8 == 7 ? 20 : 4));
        switch (random.below(stress::sanitized() ? 5 : 6)) {
        case 0:
            in_turn(hosts, random);
            break;
        case 1:
            that_meet(hosts);
            break;
        case 5:
            forks(hosts, random);
            break;
        default:
            at_once(hosts, random);
        }
    }
    return stress::result("hosts");
}
