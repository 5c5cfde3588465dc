// SPDX-License-Identifier: Apache-2.0
// Stealing from one producer, by itself: which discipline should thieves keep at a queue, and how
// many tasks should they take at once? The sources are the library's, without its runtime.
// Usage: steal --threads N [--discipline D] [--batch one|half] [--slots N] [--load N] [--tasks N]
// After Agathos, Kallimanis and Dimakopoulos, "Speeding Up OpenMP Tasking" (Euro-Par 2012).
#include "../common/bench.h"
#include "concurrent/cc_synch.hpp"
#include "concurrent/futex_lock.hpp"
#include "concurrent/task_deque.hpp"

#include <ctime>
#include <memory>
#include <thread>
#include <vector>

namespace platform = heddle::platform;
using heddle::concurrent::TaskDeque;
using heddle::concurrent::TaskSlot;
using heddle::concurrent::wait_briefly;

const char* const bench_runtime_symbol = "pthread_create";

static int threads = 2;
void bench_set_threads(int asked) { threads = asked; }

namespace {

constexpr uint64_t largest_batch = TaskDeque::largest_batch;

enum Discipline : long { SPIN, FUTEX, TRY, COMBINE, DEQUE };
constexpr const char* discipline_names[] = {"spin", "futex", "try", "combine", "deque"};
constexpr const char* batch_names[] = {"one", "half"};

long discipline = TRY, half = 0, slots = 256, load = 0, tasks = 2000000;

/// What a combiner does for another thread.
struct Request {
    TaskSlot* into;
    uint64_t taken;
};
using Synch = heddle::concurrent::CcSynch<Request>;

struct alignas(heddle::concurrent::cache_line) Thread {
    Synch::Handle handle;
    std::unique_ptr<TaskSlot[]> batch{new TaskSlot[largest_batch]};
    TaskDeque deque;
    uint64_t run = 0, digest = 0; ///< tasks
    uint64_t steals = 0;          ///< that brought something
    uint64_t for_others = 0;      ///< requests executed as a combiner
};

/// A bounded queue. put() by the producer, without a lock; take() by one thread at a time.
class Ring {
public:
    void prepare(uint64_t capacity) {
        capacity_ = full_at_ = capacity;
        slots_.reset(new TaskSlot[capacity]);
    }
    bool put(uint64_t task) {
        const uint64_t end = end_.load(platform::relaxed);
        if (end == full_at_) {
            // acquire: pairs with take(): its slots have been read
            full_at_ = first_.load(platform::acquire) + capacity_;
            if (end == full_at_)
                return false;
        }
        slots_[end % capacity_].tag = task << 1; // below it is TaskSlot::stolen
        end_.store(end + 1, platform::release);  // pairs with take(): the task
        return true;
    }
    bool looks_empty() const { // relaxed: a hint
        return end_.load(platform::relaxed) == first_.load(platform::relaxed);
    }
    uint64_t take(TaskSlot* into) {
        const uint64_t first = first_.load(platform::relaxed); // the caller excludes other takers
        const uint64_t size = end_.load(platform::acquire) - first;
        uint64_t count = half ? (size + 1) / 2 : size != 0;
        count = count < largest_batch ? count : largest_batch;
        for (uint64_t i = 0; i < count; ++i)
            into[i] = slots_[(first + i) % capacity_];
        if (count)
            first_.store(first + count, platform::release);
        return count;
    }

private:
    std::unique_ptr<TaskSlot[]> slots_;
    uint64_t capacity_ = 0;
    alignas(heddle::concurrent::cache_line) uint64_t full_at_ = 0; ///< the producer's
    alignas(heddle::concurrent::cache_line) platform::Atomic<uint64_t> end_{0};
    alignas(heddle::concurrent::cache_line) platform::Atomic<uint64_t> first_{0};
};

Ring ring;
heddle::concurrent::FutexLock lock; // of spin and try, too
Synch synch;
TaskDeque producers_deque;
platform::Atomic<bool> all_put{false};
alignas(heddle::concurrent::cache_line) platform::Atomic<int> missing{0};

uint64_t mix(uint64_t x) { // splitmix64: losing one task and running another twice shows
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

void run_task(Thread& me, const TaskSlot& task) {
    volatile long done = 0; // volatile, so that the loop stays
    while (done < load)
        done = done + 1;
    ++me.run;
    me.digest += mix((task.tag >> 1) + 1);
}

uint64_t take_locked(Thread& me) {
    if (discipline == FUTEX)
        lock.lock({1000, 0});
    else if (discipline == SPIN)
        wait_briefly([] { return !lock.is_held() && lock.try_lock(); });
    else if (lock.is_held() || !lock.try_lock())
        return 0;
    const uint64_t count = ring.take(me.batch.get());
    lock.unlock();
    return count;
}

uint64_t take_combined(Thread& me) {
    Request request{me.batch.get(), 0};
    synch.apply(me.handle, request, [&](Request& announced) {
        me.for_others += announced.into != me.batch.get();
        announced.taken = ring.take(announced.into);
    });
    return request.taken;
}

/// Takes tasks and runs them. False: there are none, or, with `try`, somebody else is taking some.
bool steal(Thread& me) {
    if (discipline == DEQUE) {
        TaskDeque::Batch batch;
        if (me.deque.steal(producers_deque, batch) == 0)
            return false;
        while (const TaskSlot* slot = me.deque.pop(batch.start))
            run_task(me, *slot);
        me.deque.end_batch(batch);
    } else {
        if (ring.looks_empty())
            return false;
        const uint64_t count = discipline == COMBINE ? take_combined(me) : take_locked(me);
        if (count == 0)
            return false;
        for (uint64_t i = 0; i < count; ++i)
            run_task(me, me.batch[i]);
    }
    ++me.steals;
    return true;
}

bool is_all_taken() {
    // acquire: pairs with the release after the last task was put
    return all_put.load(platform::acquire) &&
           (discipline == DEQUE ? producers_deque.size() == 0 : ring.looks_empty());
}

void thief(Thread& me) {
    missing.fetch_sub(1, platform::acq_rel);
    wait_briefly([] { return missing.load(platform::acquire) == 0; });
    bool over = false;
    while (!over)
        wait_briefly([&] { return steal(me) || (over = is_all_taken()); });
}

void publish_if_wanted() {
    if (producers_deque.wants_tasks() && producers_deque.has_private())
        producers_deque.publish();
}

/// The producer only waits when the queue is full, so that the thieves are what is measured.
void produce() {
    for (uint64_t task = 0; task < static_cast<uint64_t>(tasks); ++task) {
        if (discipline != DEQUE) {
            wait_briefly([&] { return ring.put(task); });
            continue;
        }
        wait_briefly([] {
            publish_if_wanted();
            return producers_deque.size() < static_cast<uint64_t>(slots);
        });
        TaskSlot* const slot = producers_deque.reserve();
        if (!slot)
            bench_fail("no memory for a queue of %ld tasks", slots);
        slot->tag = task << 1;
        producers_deque.push();
    }
    while (producers_deque.has_private())
        producers_deque.publish();
    all_put.store(true, platform::release); // pairs with is_all_taken()
}

/// Of all threads, with what they wait away, in seconds.
double cpu_time() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double run(std::vector<Thread>& thieves) {
    missing.store(threads, platform::relaxed);
    std::vector<std::thread> running;
    for (Thread& each : thieves)
        running.emplace_back([&each] { thief(each); });
    wait_briefly([] { return missing.load(platform::acquire) == 1; });
    const double start = bench_seconds();
    missing.store(0, platform::release);
    produce();
    for (std::thread& each : running)
        each.join();
    return bench_seconds() - start;
}

void check(const Thread& all) {
    uint64_t digest = 0;
    for (uint64_t task = 0; task < static_cast<uint64_t>(tasks); ++task)
        digest += mix(task + 1);
    if (all.run != static_cast<uint64_t>(tasks))
        bench_fail("wrong answer: %ld tasks ran, should be %ld", static_cast<long>(all.run), tasks);
    if (all.digest != digest)
        bench_fail("wrong answer: a task ran twice and another not at all");
}

void report(const std::vector<Thread>& thieves, double seconds, double cpu_seconds) {
    Thread all;
    uint64_t fewest = ~uint64_t{0}, most = 0;
    for (const Thread& each : thieves) {
        all.run += each.run;
        all.digest += each.digest;
        all.steals += each.steals;
        all.for_others += each.for_others;
        fewest = each.run < fewest ? each.run : fewest;
        most = each.run > most ? each.run : most;
    }
    check(all);
    const auto count = static_cast<double>(tasks);
    bench_json_begin("steal", discipline_names[discipline], threads, seconds);
    bench_json_text("batch", batch_names[discipline == DEQUE || half]);
    bench_json_integer("tasks", tasks);
    bench_json_integer("slots", slots);
    bench_json_integer("load", load);
    bench_json_real("ns_per_task", 1e9 * seconds / count);
    bench_json_real("cpu_ns_per_task", 1e9 * cpu_seconds / count);
    bench_json_real("tasks_per_steal", count / static_cast<double>(all.steals));
    bench_json_real("combined_share",
                    static_cast<double>(all.for_others) / static_cast<double>(all.steals));
    bench_json_real("least_share", static_cast<double>(fewest) / count);
    bench_json_real("largest_share", static_cast<double>(most) / count);
    bench_json_end();
}

} // namespace

int main(int argc, char** argv) {
    const bench_option options[] = {
        {"discipline", 'd', BENCH_CHOICE, &discipline, 0, 0, "spin|futex|try|combine|deque",
         "how thieves keep out of each other's way; deque: the library's, try and half (try)"},
        {"batch", 'b', BENCH_CHOICE, &half, 0, 0, "one|half", "what a thief takes at once (one)"},
        {"slots", 's', BENCH_INTEGER, &slots, 1, 1 << 20, "N",
         "length of the queue; the producer waits while it is full (256)"},
        {"load", 'l', BENCH_INTEGER, &load, 0, 1e9, "N", "iterations of a task (0)"},
        {"tasks", 0, BENCH_INTEGER, &tasks, 1, 1e12, "N", "tasks in all (2000000)"},
    };
    bench_parse(argc, argv, "One thread puts tasks into a queue, all others steal from it.",
                options, sizeof options / sizeof options[0]);
    if (threads < 2)
        bench_usage("%d thread: one produces and at least one steals, so 2 or more", threads);
    std::vector<Thread> thieves(static_cast<size_t>(threads - 1));
    bool ready = synch.prepare();
    for (Thread& each : thieves)
        ready = ready && each.handle.prepare();
    if (!ready)
        bench_fail("no memory for %d threads", threads);
    ring.prepare(static_cast<uint64_t>(slots));
    producers_deque.begin_region(true);
    const double cpu_before = cpu_time();
    const double seconds = run(thieves);
    report(thieves, seconds, cpu_time() - cpu_before);
    return 0;
}
