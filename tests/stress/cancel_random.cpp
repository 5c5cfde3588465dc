// SPDX-License-Identifier: Apache-2.0
// Cancellation at random places of parallel regions, loops, sections and taskgroups: what began
// also ended, every copy is destroyed, nothing hangs, no iteration runs twice, and what comes after
// a cancelled region is complete.
#include "rerun.hpp"
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::expect;
using stress::Random;

/// Its copies must be destroyed.
class Counted {
public:
    static inline std::atomic<long> live{0};
    explicit Counted(uint64_t value) : value_(new uint64_t(value)) { ++live; }
    Counted(const Counted& other) : value_(new uint64_t(*other.value_)) { ++live; }
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
        delete value_;
        --live;
    }
    uint64_t value() const { return *value_; }

private:
    uint64_t* value_;
};

/// What began and what ended.
struct Tally {
    std::atomic<long> begun{0}, ended{0};

    void expect_balance(uint64_t seed, const char* where) const {
        expect(begun.load() == ended.load(), "seed %lu: %ld begun, %ld ended, %s", seed,
               begun.load(), ended.load(), where);
        expect(Counted::live.load() == 0, "seed %lu: %ld copies were not destroyed, %s", seed,
               Counted::live.load(), where);
    }
};

/// Counts a scope, however it is left.
class Scope {
public:
    explicit Scope(Tally& tally) : tally_(tally) { ++tally_.begun; }
    ~Scope() { ++tally_.ended; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

private:
    Tally& tally_;
};

/// Threads take random steps until somebody cancels, among them regions in which others are not.
void cancel_parallel(uint64_t seed) {
    Tally tally;
    Random choices(seed);
    const unsigned steps = 1 + choices.below(12), percent = choices.below(20);
    std::atomic<long> loops{0};
    const Counted object(seed), shared_object(seed);
#pragma omp parallel firstprivate(object) shared(tally, loops)
    {
        const Scope scope(tally);
        // The steps are the same for all threads, so that they meet; who cancels is not.
        Random common(seed), own(seed + static_cast<unsigned>(omp_get_thread_num()));
        expect(object.value() == seed, "seed %lu: a copy of the region", seed);
        for (unsigned i = 0; i < steps; ++i) {
            const unsigned what = common.below(6);
            stress::work(own.below(2000));
            if (own.chance(percent)) {
#pragma omp cancel parallel
            }
            if (what == 0) {
#pragma omp barrier
            } else if (what == 1) {
#pragma omp for schedule(dynamic, 2) nowait
                for (int k = 0; k < 20; ++k)
                    ++loops;
            } else if (what == 2) {
#pragma omp for schedule(static) firstprivate(shared_object)
                for (int k = 0; k < 20; ++k)
                    expect(shared_object.value() == seed, "seed %lu: a copy of a loop", seed);
            } else if (what == 3) {
                for (unsigned k = own.below(6); k > 0; --k) {
#pragma omp task firstprivate(object) shared(tally)
                    {
                        const Scope task(tally);
                        stress::work(500);
                        expect(object.value() == seed, "seed %lu: a copy of a task", seed);
                    }
                }
            } else if (what == 4) {
#pragma omp single
                ++loops;
            } else {
#pragma omp cancellation point parallel
            }
        }
    }
    expect(Counted::live.load() == 2, "seed %lu: copies of a cancelled region", seed);
    expect(tally.begun.load() == tally.ended.load(), "seed %lu: tasks of a cancelled region", seed);
}

/// A loop that is cancelled, then one that is not, in one region; twice.
void cancel_loop(uint64_t seed) {
    constexpr int count = 200;
    std::atomic<int> runs[count] = {};
    std::atomic<int> complete{0};
    Random choices(seed);
    const int last = static_cast<int>(choices.below(count));
    const bool cancels = choices.chance(80);
    {
        const Counted object(seed);
#pragma omp parallel
        for (int times = 0; times < 2; ++times) {
#pragma omp for schedule(dynamic, 3) firstprivate(object)
            for (int i = 0; i < count; ++i) {
                const Counted local(object);
                ++runs[i];
                if (i == last) {
#pragma omp cancel for if (cancels)
                }
                if (i % 7 == 0) {
#pragma omp cancellation point for
                }
            }
#pragma omp for schedule(static) firstprivate(object)
            for (int i = 0; i < count; ++i) {
                const Counted local(object);
                ++complete;
#pragma omp cancel for if (i > count)
            }
#pragma omp for schedule(guided)
            for (int i = 0; i < count; ++i) {
                ++complete;
#pragma omp cancel for if (cancels && i > count)
            }
        }
    }
    for (int i = 0; i < count; ++i)
        expect(runs[i].load() <= 2 && (cancels || runs[i].load() == 2),
               "seed %lu: iteration %d ran %d times", seed, i, runs[i].load());
    expect(runs[last].load() <= 2, "seed %lu: who cancels", seed);
    expect(complete.load() == 4 * count, "seed %lu: %d iterations of %d after a cancelled loop",
           seed, complete.load(), 4 * count);
    expect(Counted::live.load() == 0, "seed %lu: copies of a cancelled loop", seed);
}

void cancel_sections(uint64_t seed) {
    std::atomic<int> runs[4] = {}, complete{0};
    Random choices(seed);
    const unsigned last = choices.below(4);
    const Counted object(seed);
#pragma omp parallel
    {
#pragma omp sections firstprivate(object)
        {
#pragma omp section
            {
                ++runs[0];
#pragma omp cancel sections if (last == 0)
                runs[0] += object.value() == seed ? 0 : 9;
            }
#pragma omp section
            {
                const Counted local(object);
                ++runs[1];
#pragma omp cancel sections if (last == 1)
            }
#pragma omp section
            {
#pragma omp cancellation point sections
                ++runs[2];
#pragma omp cancel sections if (last == 2)
            }
#pragma omp section
            ++runs[3];
        }
#pragma omp sections
        {
#pragma omp section
            {
                ++complete;
#pragma omp cancel sections if (last > 4)
            }
#pragma omp section
            ++complete;
        }
    }
    for (const auto& run : runs)
        expect(run.load() <= 1, "seed %lu: a section ran %d times", seed, run.load());
    expect(complete.load() == 2, "seed %lu: sections after cancelled ones", seed);
    expect(Counted::live.load() == 1, "seed %lu: copies of cancelled sections", seed);
}

/// A group whose tasks, some with children, are cancelled by one of them.
void cancelled_group(uint64_t seed, Tally& tally, bool cancels) {
    Random random(seed);
    const unsigned tasks = 1 + random.below(40), last = random.below(tasks);
    int places[3];
    std::atomic<unsigned> run{0};
#pragma omp taskgroup
    for (unsigned i = 0; i < tasks; ++i) {
        int* const place = &places[random.below(3)];
        const bool leaves = cancels && i == last;
        const unsigned kind = random.below(4);
        if (kind == 0) {
            const Counted object(seed);
#pragma omp task firstprivate(object, leaves) shared(tally, run) depend(inout : *place)
            {
                const Scope scope(tally);
                expect(object.value() == seed, "seed %lu: a copy in a group", seed);
                ++run;
#pragma omp cancel taskgroup if (leaves)
                stress::work(300);
            }
        } else if (kind == 1) {
#pragma omp task firstprivate(leaves) shared(tally, run) depend(in : *place)
            {
                const Scope scope(tally);
                ++run;
                for (int k = 0; k < 3; ++k) {
#pragma omp task shared(tally)
                    {
                        const Scope child(tally);
#pragma omp cancellation point taskgroup
                        stress::work(300);
                    }
                }
#pragma omp cancel taskgroup if (leaves)
#pragma omp taskwait
            }
        } else if (kind == 2) {
            ++run;
#pragma omp taskloop num_tasks(3) shared(tally) nogroup
            for (int k = 0; k < 9; ++k) {
                const Scope scope(tally);
#pragma omp cancellation point taskgroup
            }
#pragma omp task shared(tally) if (leaves)
            {
                const Scope scope(tally);
#pragma omp cancel taskgroup if (leaves)
            }
        } else {
#pragma omp task firstprivate(leaves) shared(tally, run) priority(2) untied
            {
                const Scope scope(tally);
                ++run;
#pragma omp taskyield
#pragma omp cancel taskgroup if (leaves)
            }
        }
    }
    expect(cancels || run.load() == tasks, "seed %lu: %u of %u tasks of a group", seed, run.load(),
           tasks);
    expect(tally.begun.load() == tally.ended.load(), "seed %lu: tasks after their group", seed);
}

void cancel_taskgroup(uint64_t seed) {
    Tally inside, outside;
    std::atomic<int> others{0};
#pragma omp parallel
#pragma omp single nowait
    {
        for (int i = 0; i < 5; ++i) {
#pragma omp task shared(others)
            ++others;
        }
        cancelled_group(seed, inside, true);
        const long begun = inside.begun.load();
        cancelled_group(seed + 1, outside, false);
        expect(inside.begun.load() == begun, "seed %lu: tasks began after their group", seed);
#pragma omp taskgroup
        {
#pragma omp task shared(outside, others)
            {
                cancelled_group(seed + 2, outside, true);
                ++others; // the outer group goes on
            }
#pragma omp task shared(others)
            ++others;
        }
        expect(others.load() >= 2, "seed %lu: an outer group was cancelled too", seed);
    }
    expect(others.load() == 7, "seed %lu: tasks outside of a cancelled group", seed);
    inside.expect_balance(seed, "in a cancelled group");
    outside.expect_balance(seed, "beside a cancelled group");
}

} // namespace

int main(int, char** argv) {
    stress::rerun_with("OMP_CANCELLATION", "true", argv);
    const int rounds = stress::scaled(600);
    Random random(stress::seed());
    for (int i = 0; i < rounds && stress::failures.load() == 0; ++i) {
        cancel_parallel(random.next());
        cancel_loop(random.next());
        cancel_sections(random.next());
        cancel_taskgroup(random.next());
    }
    return stress::result("cancel_random");
}
