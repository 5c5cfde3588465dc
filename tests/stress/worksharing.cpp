// SPDX-License-Identifier: Apache-2.0
// Worksharing: every schedule over every integer type, up and down, from one limit of the type to
// the other; sections, single, copyprivate, ordered, lastprivate, scan; long sequences of nowait
// regions. Each iteration must run once, and in the order that its schedule promises.
#include "../../include/heddle.h"
#include "stress.hpp"

#include <fstream>
#include <limits>
#include <omp.h>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

template <class T>
const char* name_of() {
    return std::is_same_v<T, int>        ? "int"
           : std::is_same_v<T, unsigned> ? "unsigned"
           : std::is_same_v<T, long>     ? "long"
                                         : "unsigned long long";
}

/// One loop's iteration space; `at(k)` is the value of iteration k.
template <class T>
struct Space {
    T start, end, step;
    int count;
    bool up, inclusive;
    uint64_t offset(T value) const {
        const auto s = static_cast<uint64_t>(start), v = static_cast<uint64_t>(value);
        return (up ? v - s : s - v) / static_cast<uint64_t>(step);
    }
};

/// What ran: counts are atomic so that a double run shows up as a number, not as a race.
class Log {
public:
    explicit Log(int count) : ran_(static_cast<size_t>(count)) {}
    void add(uint64_t index) {
        if (index < ran_.size())
            ran_[index].fetch_add(1, std::memory_order_relaxed);
        else
            outside_.fetch_add(1, std::memory_order_relaxed);
    }
    template <class T>
    void check(const Space<T>& space, const char* schedule) const {
        expect(outside_.load() == 0, "%s loop, %s: %d iterations outside", name_of<T>(), schedule,
               outside_.load());
        for (size_t i = 0; i < ran_.size(); ++i)
            expect(ran_[i].load() == 1, "%s loop, %s: iteration %zu of %d ran %d times",
                   name_of<T>(), schedule, i, space.count, ran_[i].load());
    }

private:
    std::vector<std::atomic<int>> ran_;
    std::atomic<int> outside_{0};
};

/// The order in which one thread gets iterations of a monotonic schedule.
class Ascending {
public:
    void add(uint64_t index, const char* schedule) {
        expect(static_cast<int64_t>(index) > last_, "%s went back from %ld to %lu", schedule,
               static_cast<long>(last_), static_cast<unsigned long>(index));
        last_ = static_cast<int64_t>(index);
    }

private:
    int64_t last_ = -1;
};

/// What dynamic schedules promise here: no thread gets what precedes its first chunk.
class FromFirst {
public:
    void add(uint64_t index, const char* schedule) {
        if (!has_first_)
            first_ = index;
        has_first_ = true;
        expect(index >= first_, "%s gave %lu to a thread that began with %lu", schedule,
               static_cast<unsigned long>(index), static_cast<unsigned long>(first_));
    }

private:
    bool has_first_ = false;
    uint64_t first_ = 0;
};

/// What ordered regions see, in plain memory: they must order it. Some iterations have no region.
class InTurn {
public:
    static bool skips(uint64_t index) { return index % 7 == 3; }
    void add(uint64_t index, const char* schedule) {
        next_ += skips(next_);
        expect(next_ == index, "ordered %s: iteration %lu instead of %lu", schedule,
               static_cast<unsigned long>(index), static_cast<unsigned long>(next_));
        next_ = index + 1;
    }

private:
    uint64_t next_ = 0;
};

#define PRAGMA_TEXT(...) _Pragma(#__VA_ARGS__)
#define PRAGMA(...) PRAGMA_TEXT(__VA_ARGS__)

// A loop construct in every combination of direction and comparison; `each` is its body.
#define LOOPS(before, each, ...)                                                                   \
    do {                                                                                           \
        PRAGMA(omp parallel) {                                                                     \
            before;                                                                                \
            if (space.up && space.inclusive) {                                                     \
                PRAGMA(omp for __VA_ARGS__) for (T i = start; i <= end; i += step) { each; }       \
            } else if (space.up) {                                                                 \
                PRAGMA(omp for __VA_ARGS__) for (T i = start; i < end; i += step) { each; }        \
            } else if (space.inclusive) {                                                          \
                PRAGMA(omp for __VA_ARGS__) for (T i = start; i >= end; i -= step) { each; }       \
            } else {                                                                               \
                PRAGMA(omp for __VA_ARGS__) for (T i = start; i > end; i -= step) { each; }        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define ANY_ORDER(...)                                                                             \
    do {                                                                                           \
        Log log(space.count);                                                                      \
        LOOPS(, log.add(space.offset(i)), __VA_ARGS__);                                            \
        log.check(space, #__VA_ARGS__);                                                            \
    } while (0)

#define IN_ORDER(Order, ...)                                                                       \
    do {                                                                                           \
        Log log(space.count);                                                                      \
        LOOPS(Order order, order.add(space.offset(i), #__VA_ARGS__);                               \
              log.add(space.offset(i)), __VA_ARGS__);                                              \
        log.check(space, #__VA_ARGS__);                                                            \
    } while (0)
#define MONOTONIC(...) IN_ORDER(Ascending, __VA_ARGS__)
#define FROM_FIRST(...) IN_ORDER(FromFirst, __VA_ARGS__)

#define ORDERED(...)                                                                               \
    do {                                                                                           \
        Log log(space.count);                                                                      \
        InTurn turn;                                                                               \
        LOOPS(                                                                                     \
            , log.add(space.offset(i)); if (!InTurn::skips(space.offset(i))) {                     \
                PRAGMA(omp ordered) turn.add(space.offset(i), #__VA_ARGS__);                       \
            },                                                                                     \
                                        ordered __VA_ARGS__);                                      \
        log.check(space, "ordered " #__VA_ARGS__);                                                 \
    } while (0)

template <class T>
void each_schedule(const Space<T>& space, int chunk) {
    const int small = chunk % 1000 + 1; // gcc multiplies static chunks in the loop's type
    const T start = space.start, end = space.end, step = space.step;
    MONOTONIC(schedule(static));
    MONOTONIC(schedule(static, small));
    FROM_FIRST(schedule(dynamic));
    FROM_FIRST(schedule(dynamic, chunk));
    FROM_FIRST(schedule(nonmonotonic : dynamic, chunk));
    MONOTONIC(schedule(monotonic : dynamic, chunk));
    MONOTONIC(schedule(monotonic : dynamic));
    ANY_ORDER(schedule(guided));
    ANY_ORDER(schedule(guided, chunk));
    MONOTONIC(schedule(monotonic : guided, chunk));
    ANY_ORDER(schedule(auto));
    for (omp_sched_t kind : {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto,
                             static_cast<omp_sched_t>(heddle_sched_adaptive)}) {
        omp_set_schedule(kind, chunk % 3 == 0 ? 0 : chunk);
        ANY_ORDER(schedule(runtime));
        ANY_ORDER(schedule(nonmonotonic : runtime));
        MONOTONIC(schedule(monotonic : runtime));
        ORDERED(schedule(runtime));
    }
    ORDERED(schedule(static));
    ORDERED(schedule(static, chunk));
    ORDERED(schedule(dynamic));
    ORDERED(schedule(dynamic, chunk));
    ORDERED(schedule(guided));
    ORDERED(schedule(guided, chunk));
}

/// Spaces of up to `most` iterations: at the limits, across zero and over the whole type.
template <class T>
Space<T> choose(Random& random, int most) {
    using Limits = std::numeric_limits<T>;
    Space<T> space{};
    space.count = random.chance(10) ? static_cast<int>(random.below(4))
                                    : static_cast<int>(random.below(static_cast<unsigned>(most)));
    space.up = std::is_same_v<T, unsigned> || random.chance(50); // gcc widens -step wrongly
    space.inclusive = space.count > 0 && random.chance(30);
    using U = std::make_unsigned_t<T>;
    const U width = static_cast<U>(Limits::max()) - static_cast<U>(Limits::min());
    // OpenMP wants the difference of the bounds in the type itself (5.2 section 4.4.2).
    const U longest_step = static_cast<U>(Limits::max()) / static_cast<U>(space.count + 1);
    const U step =
        random.chance(50) ? 1 + random.below(9) : static_cast<U>(1 + random.next() % longest_step);
    space.step = static_cast<T>(step);
    // [low, low + length] are representable; the variable's last value too, as gcc's code needs.
    const U length = static_cast<U>(space.count) * step;
    const U room = width - length;
    U low = static_cast<U>(Limits::min());
    switch (random.below(4)) {
    case 0:
        break;
    case 1:
        low += room;
        break;
    case 2:
        low += room / 2;
        break;
    default:
        low += room ? static_cast<U>(random.next() % room) : 0;
    }
    const U slack = space.count && !space.inclusive ? static_cast<U>(random.next() % step) : 0;
    const U back = space.inclusive ? step : slack; // the end lies in (last, last + step]
    space.start = static_cast<T>(space.up ? low : low + length);
    space.end = static_cast<T>(space.up ? low + length - back : low + back);
    return space;
}

template <class T>
void loops(uint64_t seed, int rounds) {
    Random random(seed);
    for (int round = 0; round < rounds; ++round) {
        const Space<T> space = choose<T>(random, round % 8 ? 60 : 2000);
        const int chunk = random.chance(10) ? std::numeric_limits<int>::max()
                                            : 1 + static_cast<int>(random.below(30));
        each_schedule(space, chunk);
    }
}

/// Values that generated code takes from the thread with the last iteration, and combined forms.
void last_values(int rounds) {
    for (int n = 1; n <= rounds; ++n) {
        int last = -1, conditional = -1;
        long sum = 0;
#pragma omp parallel for schedule(dynamic) lastprivate(last) reduction(+ : sum)
        for (int i = 0; i < n; ++i) {
            last = 3 * i;
            sum += i;
        }
        expect(last == 3 * (n - 1), "lastprivate %d of %d, dynamic", last, n);
        expect(sum == static_cast<long>(n) * (n - 1) / 2, "reduction");
#pragma omp parallel for schedule(guided, 2) lastprivate(last)
        for (int i = 0; i < n; ++i)
            last = 5 * i;
        expect(last == 5 * (n - 1), "lastprivate %d of %d, guided", last, n);
#pragma omp parallel for schedule(dynamic, 3) lastprivate(conditional : conditional)
        for (int i = 0; i < n; ++i)
            if (i % 4 == 0)
                conditional = i;
        expect(conditional == (n - 1) / 4 * 4, "conditional lastprivate %d of %d", conditional, n);
        long linear = 0;
#pragma omp parallel for schedule(dynamic) linear(linear : 2)
        for (int i = 0; i < n; ++i)
            linear += 2;
        expect(linear == 2L * n, "linear %ld of %d", linear, n);
        std::vector<int> prefix(static_cast<size_t>(n));
        int scanned = 0;
#pragma omp parallel for reduction(inscan, + : scanned)
        for (int i = 0; i < n; ++i) {
            scanned += i;
#pragma omp scan inclusive(scanned)
            prefix[static_cast<size_t>(i)] = scanned;
        }
        for (int i = 0; i < n; ++i)
            expect(prefix[static_cast<size_t>(i)] == i * (i + 1) / 2, "scan");
        std::atomic<int> pairs{0};
#pragma omp parallel for collapse(2) schedule(dynamic, 5)
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 7; ++k)
                pairs += i * 7 + k;
        expect(pairs.load() == 7 * n * (7 * n - 1) / 2, "collapse");
    }
}

void sections_and_single(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        std::atomic<int> ran[5]{}, singles{0};
        int combined[3] = {};
#pragma omp parallel sections
        {
            combined[0] += 1;
#pragma omp section
            combined[1] += 1;
#pragma omp section
            combined[2] += 1;
        }
        expect(combined[0] == 1 && combined[1] == 1 && combined[2] == 1, "parallel sections");
#pragma omp parallel
        {
#pragma omp sections nowait
            {
                ++ran[0];
#pragma omp section
                ++ran[1];
#pragma omp section
                ++ran[2];
            }
            int value = -1;
            long array[8];
#pragma omp single copyprivate(value, array)
            {
                value = round;
                for (long& element : array)
                    element = 7L * round;
                ++singles;
            }
            expect(value == round, "copyprivate");
            for (long element : array)
                expect(element == 7L * round, "copyprivate of an array");
#pragma omp single nowait
            ++singles;
#pragma omp sections
            {
                ++ran[3];
#pragma omp section
                ++ran[4];
            }
#pragma omp masked
            ++singles;
        }
        for (std::atomic<int>& count : ran)
            expect(count.load() == 1, "a section ran %d times", count.load());
        expect(singles.load() == 3, "single ran %d times", singles.load());
    }
}

/// Threads run far ahead of each other: nothing waits between these regions.
void nowait_sequence(int length, uint64_t seed) {
    constexpr int iterations = 24;
    std::vector<std::atomic<int>> loops(static_cast<size_t>(length));
    std::vector<std::atomic<int>> singles(static_cast<size_t>(length));
#pragma omp parallel
    {
        Random random(stress::mix(seed, static_cast<uint64_t>(omp_get_thread_num())));
        for (int k = 0; k < length; ++k) {
            std::atomic<int>& count = loops[static_cast<size_t>(k)];
            if (random.chance(1))
                stress::work(random.below(20000));
            switch (k % 5) {
            case 0: {
#pragma omp for schedule(dynamic) nowait
                for (int i = 0; i < iterations; ++i)
                    count.fetch_add(1, std::memory_order_relaxed);
                break;
            }
            case 1: {
#pragma omp for schedule(guided) nowait
                for (int i = 0; i < iterations; ++i)
                    count.fetch_add(1, std::memory_order_relaxed);
                break;
            }
            case 2: {
#pragma omp for schedule(monotonic : dynamic, 5) nowait
                for (int i = 0; i < iterations; ++i)
                    count.fetch_add(1, std::memory_order_relaxed);
                break;
            }
            case 3: {
#pragma omp for ordered schedule(dynamic, 2) nowait
                for (int i = 0; i < iterations; ++i) {
#pragma omp ordered
                    count.fetch_add(1, std::memory_order_relaxed);
                }
                break;
            }
            default: {
#pragma omp for schedule(runtime) nowait
                for (int i = 0; i < iterations; ++i)
                    count.fetch_add(1, std::memory_order_relaxed);
            }
            }
#pragma omp single nowait
            singles[static_cast<size_t>(k)].fetch_add(1, std::memory_order_relaxed);
        }
    }
    for (int k = 0; k < length; ++k) {
        expect(loops[static_cast<size_t>(k)].load() == iterations, "loop %d of a nowait sequence",
               k);
        expect(singles[static_cast<size_t>(k)].load() == 1, "single %d of a nowait sequence", k);
    }
}

long resident_bytes() {
    long total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

/// One thread always first and another always last: memory for regions must come back.
void memory_stays(int regions) {
    const int threads = omp_get_max_threads();
    const auto pass = [&](int count) {
#pragma omp parallel num_threads(threads)
        for (int k = 0; k < count; ++k) {
            if (omp_get_thread_num() != 0)
                stress::work(400);
#pragma omp single nowait
            stress::work(1);
            if (k % 64 == 63) {
#pragma omp barrier
            }
        }
    };
    pass(regions / 10);
    const long before = resident_bytes();
    pass(regions);
    const long grown = resident_bytes() - before;
    expect(stress::sanitized() || grown < (8L << 20), "%ld KiB grown over %d regions", grown >> 10,
           regions);
}

void outside_of_any_region() {
    int ran = 0;
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 10; ++i)
        ++ran;
#pragma omp single
    ++ran;
#pragma omp sections
    {
        ++ran;
#pragma omp section
        ++ran;
    }
    expect(ran == 13, "orphaned worksharing: %d", ran);
}

} // namespace

int main() {
    const uint64_t seed = stress::seed();
    const int rounds = stress::scaled(600);
    for (int i = 0; i < 4; ++i)
        outside_of_any_region();
    loops<int>(seed, rounds);
    loops<unsigned>(seed + 1, rounds);
    loops<long>(seed + 2, rounds);
    loops<unsigned long long>(seed + 3, rounds);
    last_values(stress::scaled(200));
    sections_and_single(stress::scaled(6000));
    for (uint64_t i = 0; i < 4; ++i)
        nowait_sequence(stress::scaled(20000), seed + i);
    memory_stays(stress::scaled(300000));
    for (int i = 0; i < 4; ++i)
        outside_of_any_region();
    return stress::result("worksharing");
}
