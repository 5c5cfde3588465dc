// SPDX-License-Identifier: Apache-2.0
// How many threads the runtime creates: nested regions, changing team sizes and short-lived threads
// of the program create none twice, and many threads of the program at once get their teams in
// full.
#include "stress.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <thread>
#include <vector>

using stress::expect;

namespace {

std::atomic<int> created{0}; ///< by the runtime and the program
std::atomic<int> own{0};     ///< by the program

} // namespace

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) // which interpose it themselves
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*function)(void*), void* argument) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    created.fetch_add(1);
    return create(thread, attributes, function, argument);
}
#endif

namespace {

int created_by_runtime() { return created.load() - own.load(); }

template <class Body>
std::thread host(Body body) {
    own.fetch_add(1);
    return std::thread(body);
}

/// A region of `size` threads, which all take part.
void region(int size) {
    std::atomic<int> threads{0};
#pragma omp parallel num_threads(size)
    {
        threads.fetch_add(1);
        stress::work(200);
        expect(omp_get_num_threads() == size, "a team of %d instead of %d", omp_get_num_threads(),
               size);
    }
    expect(threads.load() == size, "%d threads instead of %d", threads.load(), size);
}

void nested() {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    region(2);
}

void at_most(int limit, const char* what) {
    if (!stress::sanitized())
        expect(created_by_runtime() <= limit, "%d threads created, not %d: %s",
               created_by_runtime(), limit, what);
}

/// 100 threads of the program with regions of four, all at once.
void crowd(int hosts, int regions) {
    std::atomic<int> missing{hosts};
    std::vector<std::thread> threads;
    for (int i = 0; i < hosts; ++i)
        threads.push_back(host([&missing, regions] {
            missing.fetch_sub(1);
            while (missing.load() != 0)
                std::this_thread::yield();
            for (int r = 0; r < regions; ++r)
                region(4);
        }));
    for (std::thread& thread : threads)
        thread.join();
}

/// Threads of the program that have their regions one after another, round and round: those of one
/// serve the next, though each host thread stays.
void ring(int hosts, int rounds) {
    std::atomic<int> turn{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < hosts; ++i)
        threads.push_back(host([&turn, i, hosts, rounds] {
            for (int round = 0; round < rounds; ++round) {
                while (turn.load() != round * hosts + i)
                    std::this_thread::yield();
                region(4);
                turn.fetch_add(1);
            }
        }));
    for (std::thread& thread : threads)
        thread.join();
}

/// Threads of the program whose regions wait for each other: with no thread in the pool, it may not
/// have one of them wait for the other's end.
void regions_that_meet(int hosts) {
    std::atomic<int> inside{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < hosts; ++i)
        threads.push_back(host([&inside, hosts] {
#pragma omp parallel num_threads(2)
            {
                inside.fetch_add(1);
                while (inside.load() != 2 * hosts)
                    std::this_thread::yield();
            }
        }));
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace

int main() {
    omp_set_dynamic(0);
    for (int i = 0; i < 50; ++i)
        nested();
    at_most(3, "nested regions of 2 x 2");
    for (int i = 0; i < 50; ++i)
        region(i % 2 ? 2 : 4);
    at_most(3, "teams of 4 and 2 in turn");
    for (int i = 0; i < 20; ++i)
        host([] { region(4); }).join();
    at_most(6, "threads of the program one after another"); // the main thread keeps its three
    // Sharing begins where threads are twice the CPUs; nobody gives back a team that came before.
    const int cpus = omp_get_num_procs(), hosts = 8 * cpus;
    ring(hosts, 2);
    at_most(6 + 2 * cpus + 9, "threads of the program in turn");
    for (int wave = 0; wave < 2; ++wave)
        crowd(stress::scaled(100), stress::scaled(20));
    expect(omp_pause_resource_all(omp_pause_hard) == 0, "the pool cannot be emptied");
    const int meeting = stress::scaled(12), before = created_by_runtime();
    regions_that_meet(meeting);
    if (!stress::sanitized())
        expect(created_by_runtime() - before >= meeting, "%d regions at once on %d new threads",
               meeting, created_by_runtime() - before);
    return stress::result("pool");
}
