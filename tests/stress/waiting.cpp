// SPDX-License-Identifier: Apache-2.0
// What a thread runs while its task waits. The first two programs end only if a waiting thread
// takes a certain task, for all others spin in tasks that wait for it outside OpenMP: a task of a
// thief's thief, and for an untied task one that is unrelated. Then many untied tasks that wait, on
// small stacks; and tasks whose children have a lower priority than all else.
#include "rerun.hpp"
#include "stress.hpp"

#include <chrono>
#include <mutex>
#include <omp.h>
#include <thread>
#include <vector>

namespace {

using stress::expect;
using stress::mix;

void until(const std::atomic<int>& flag) {
    while (flag.load(std::memory_order_acquire) == 0)
        std::this_thread::yield();
}
void set(std::atomic<int>& flag) { flag.store(1, std::memory_order_release); }

/// A is stolen, B from A's thread, and B's child is for the thread that waits for A.
void thief_of_thief() {
    std::atomic<int> began{0}, ran{0};
#pragma omp parallel num_threads(3) shared(began, ran)
#pragma omp single
    if (omp_get_num_threads() == 3) {
#pragma omp task shared(began, ran)
        {
#pragma omp task shared(began, ran)
            {
#pragma omp task shared(ran)
                set(ran);
                set(began);
                until(ran);
            }
            until(ran);
        }
        until(began);
#pragma omp taskwait
        expect(ran == 1, "a taskwait ended before the child");
    }
}

/// The untied task U waits for a child that spins until a child of K has run. K spins too.
void unrelated_to_untied() {
    std::atomic<int> k_began{0}, u_began{0}, child_began{0}, ran{0};
#pragma omp parallel num_threads(3) shared(k_began, u_began, child_began, ran)
#pragma omp single
    if (omp_get_num_threads() == 3) {
#pragma omp task shared(k_began, child_began, ran)
        {
            set(k_began);
            until(child_began);
#pragma omp task shared(ran)
            set(ran);
            until(ran);
        }
        until(k_began);
#pragma omp task untied shared(u_began, child_began, ran)
        {
#pragma omp task shared(child_began, ran)
            {
                set(child_began);
                until(ran);
            }
            set(u_began);
            until(child_began);
#pragma omp taskwait
            expect(ran == 1, "a taskwait ended before the child");
        }
        until(u_began);
#pragma omp taskwait
    }
}

/// What the children of many_untied() wait for, until nothing new begins.
struct Events {
    std::mutex lock;
    std::vector<omp_event_handle_t> waiting;
    bool fulfills = false;
    int began = 0;

    void add(omp_event_handle_t event) {
        const std::lock_guard guard(lock);
        ++began;
        if (fulfills)
            omp_fulfill_event(event);
        else
            waiting.push_back(event);
    }
    int count() {
        const std::lock_guard guard(lock);
        return began;
    }
    void fulfill_all() {
        const std::lock_guard guard(lock);
        fulfills = true;
        for (const omp_event_handle_t event : waiting)
            omp_fulfill_event(event);
    }
};

/// Each of these may be suspended for any other: only the stack bounds how many are, on a thread.
void many_untied(int count) {
    std::atomic<int> ran{0};
    Events events;
    std::thread fulfiller([&events] {
        for (int before = -1, now = 0; now != before || now == 0; now = events.count()) {
            before = now;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        events.fulfill_all();
    });
#pragma omp parallel shared(ran, events) firstprivate(count)
#pragma omp single
    for (int i = 0; i < count; ++i) {
#pragma omp task untied shared(ran, events) firstprivate(i)
        {
            volatile char frame[1024];
            frame[i % 1024] = 1;
            omp_event_handle_t event;
#pragma omp task shared(events) detach(event)
            events.add(event);
#pragma omp taskwait
            ran += frame[i % 1024];
        }
        while (omp_get_num_threads() > 1 && events.count() <= i) // else a thief takes many at once
            std::this_thread::yield();
    }
    fulfiller.join();
    expect(ran == count, "%d of %d tasks ran", ran.load(), count);
}

std::atomic<int> nodes{0};

/// Children have a lower priority than their parent's siblings.
void descend(int depth, uint64_t seed) {
    ++nodes;
    if (depth == 0)
        return;
    std::atomic<int> done{0};
    for (uint64_t i = 0; i < 3; ++i) {
        const uint64_t next = mix(seed, i);
#pragma omp task shared(done) firstprivate(depth, next) priority(depth)
        {
            descend(depth - 1, next);
            ++done;
        }
    }
    if (seed % 2 == 0) {
#pragma omp taskwait
        expect(done == 3, "a taskwait ended before the children");
    } else {
#pragma omp taskgroup
        {
#pragma omp task shared(done) firstprivate(depth) priority(depth - 1)
            ++done;
        }
#pragma omp taskwait
        expect(done == 4, "a taskwait ended before the children");
    }
}

void lower_priorities() {
    nodes = 0;
#pragma omp parallel
#pragma omp single
    descend(6, stress::seed());
    expect(nodes == 1093, "%d nodes", nodes.load()); // 1 + 3 + ... + 3^6
}

} // namespace

int main(int, char** arguments) {
    stress::rerun_with("KMP_ENABLE_TASK_THROTTLING", "0", arguments); // all tasks are for thieves
    stress::rerun_with("OMP_MAX_TASK_PRIORITY", "6", arguments);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    stress::rerun_with("OMP_STACKSIZE", "2M", arguments); // their frames fill half of 128k at once
#else
    stress::rerun_with("OMP_STACKSIZE", "128k", arguments);
#endif
    for (int i = 0; i < stress::scaled(50); ++i) {
        thief_of_thief();
        unrelated_to_untied();
    }
    for (int i = 0; i < stress::scaled(3); ++i)
        many_untied(1500);
    for (int i = 0; i < stress::scaled(5); ++i)
        lower_priorities();
    return stress::result("waiting");
}
