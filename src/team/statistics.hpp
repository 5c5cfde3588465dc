// SPDX-License-Identifier: Apache-2.0
// The counters of HEDDLE_STATS: one list, and each worker's values. docs/statistics.md.
// Added to by the functions of counting.hpp, where the bit `counting` of Member::deferring is set;
// printed by statistics.cpp when the process ends. Only the worker's own thread writes its values.
// Relaxed is enough: they publish nothing, and who prints them while threads run gets what is
// there.
#pragma once

#include "concurrent/waiting.hpp"

namespace heddle::team {

// COUNTER(name, table, heading, unit, how totals are made, meaning). A table's counters stand
// together, in the order of its columns. Units: `tasks` and the like are counts, `ns` is time.
#define HEDDLE_COUNTERS(COUNTER)                                                                   \
    COUNTER(at_once, tasks, "at once", tasks, sum, "ran on their creator's stack, unqueued")       \
    COUNTER(deferred, tasks, "deferred", tasks, sum, "created and queued")                         \
    COUNTER(taken_back, tasks, "taken back", tasks, sum,                                           \
            "deferred tasks that the thread which queued them ran")                                \
    COUNTER(stolen, tasks, "stolen", tasks, sum,                                                   \
            "deferred tasks run here that another thread created, or that were stolen from here "  \
            "and came back")                                                                       \
    COUNTER(records, tasks, "records", tasks, sum,                                                 \
            "tasks with a record: dependences, an event, a priority or an affinity hint")          \
    COUNTER(released, tasks, "released", tasks, sum,                                               \
            "tasks whose last missing predecessor was completed here")                             \
    COUNTER(discarded, tasks, "discarded", tasks, sum,                                             \
            "deferred tasks that cancellation kept from running")                                  \
    COUNTER(hinted, hints, "hinted", tasks, sum,                                                   \
            "created here and put into the box of the thread that a hint means")                   \
    COUNTER(hinted_here, hints, "run here", tasks, sum, "of those meant for this thread")          \
    COUNTER(hinted_near, hints, "run near", tasks, sum,                                            \
            "run here, meant for another thread of the same locality domain")                      \
    COUNTER(hinted_away, hints, "run away", tasks, sum,                                            \
            "run here, meant for a thread of another locality domain")                             \
    COUNTER(steals, steals, "steals", batches, sum, "batches taken from other threads")            \
    COUNTER(leapfrogs, steals, "leapfrogs", batches, sum,                                          \
            "batches that a waiting task took back from those who had stolen from it")             \
    COUNTER(failed_steals, steals, "failed", attempts, sum,                                        \
            "steals that came too late or met another thief")                                      \
    COUNTER(moved, steals, "tasks", tasks, sum, "in those batches")                                \
    COUNTER(largest_batch, steals, "largest", tasks, maximum, "in one batch")                      \
    COUNTER(pauses, steals, "pauses", pauses, sum,                                                 \
            "begun by this thief because what it stole was too small")                             \
    COUNTER(batch_ns, steals, "in batches", ns, sum,                                               \
            "running stolen batches and all that came of them, waiting included")                  \
    COUNTER(regions, waits, "regions", regions, sum,                                               \
            "parallel regions that the thread took part in")                                       \
    COUNTER(barrier_waits, waits, "at barriers", times, sum, "it ran out of work at a barrier")    \
    COUNTER(barrier_idle_ns, waits, "idle there", ns, sum, "without work at barriers")             \
    COUNTER(task_waits, waits, "in tasks", times, sum,                                             \
            "it ran out of work while a task waited for children, a taskgroup or predecessors")    \
    COUNTER(task_idle_ns, waits, "idle there", ns, sum, "without work in these waits")             \
    COUNTER(sleeps, waits, "sleeps", sleeps, sum,                                                  \
            "times it was about to sleep, also between regions")

enum class Counter : uint8_t {
#define HEDDLE_NAME(name, table, heading, unit, total, meaning) name,
    HEDDLE_COUNTERS(HEDDLE_NAME)
#undef HEDDLE_NAME
        count
};

inline constexpr size_t counter_count = static_cast<size_t>(Counter::count);

/// Batches of 1, 2, 3-4, 5-8, ... tasks; TaskDeque::largest_batch falls into the last class.
inline constexpr int batch_classes = 10;

/// 0 for a batch of 1 task, 1 for 2, 2 for 3 and 4, and so on; the last for all that are larger.
constexpr int batch_class(uint64_t tasks) {
    const int above = tasks <= 1 ? 0 : 64 - __builtin_clzll(tasks - 1);
    return above < batch_classes ? above : batch_classes - 1;
}

/// A worker's counters, on lines of their own.
struct alignas(concurrent::cache_line) Statistics {
    platform::Atomic<uint64_t> values[counter_count] = {};
    platform::Atomic<uint64_t> batches[batch_classes] = {}; ///< how many of each class
    uint64_t idle_since = 0; ///< owner only: without work since then, 0 while it has work
    Counter idle_time = Counter::count; ///< owner only: which counter that time goes to
    uint64_t began = 0;                 ///< when counting began, of platform::now_ns()
    int32_t number = 0;                 ///< Worker::global_number
    Statistics* older = nullptr;        ///< the next in the list of all

    uint64_t get(Counter counter) const {
        return values[static_cast<size_t>(counter)].load(platform::relaxed);
    }
    void add(Counter counter, uint64_t more) { raise(word(counter), more); }
    void add_batches(int of_class, uint64_t more) { raise(batches[of_class], more); }
    void add_batch(uint64_t tasks) {
        add_batches(batch_class(tasks), 1);
        add(Counter::moved, tasks);
        if (tasks > get(Counter::largest_batch))
            word(Counter::largest_batch).store(tasks, platform::relaxed);
    }
    void clear() {
        for (platform::Atomic<uint64_t>& value : values)
            value.store(0, platform::relaxed);
        for (platform::Atomic<uint64_t>& value : batches)
            value.store(0, platform::relaxed);
        idle_since = 0;
    }

private:
    platform::Atomic<uint64_t>& word(Counter counter) {
        return values[static_cast<size_t>(counter)];
    }
    /// No RMW: nobody else writes.
    static void raise(platform::Atomic<uint64_t>& value, uint64_t more) {
        value.store(value.load(platform::relaxed) + more, platform::relaxed);
    }
};

} // namespace heddle::team
