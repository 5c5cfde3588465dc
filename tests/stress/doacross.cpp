// SPDX-License-Identifier: Apache-2.0
// Doacross loops: wavefronts and recurrences under every schedule, in one to three dimensions, over
// signed and unsigned types, up and down, compared with a serial computation. Cells are plain
// memory: only sinks and sources order them, and ThreadSanitizer looks on.
#include "stress.hpp"

#include <omp.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

/// Makes a thread slow now and then, so that others run ahead of it.
void dawdle(uint64_t seed, uint64_t iteration) {
    const uint64_t number = stress::mix(seed, iteration);
    if (number % 16 == 0)
        stress::work(static_cast<unsigned>(number >> 8) % 3000);
}

uint64_t combine(uint64_t a, uint64_t b, uint64_t c) {
    return a * 0x9e3779b97f4a7c15 + (b ^ b >> 29) * 31 + c * 17 + 1;
}

/// A table with a border of ones, so that no iteration needs a case of its own.
class Table {
public:
    Table(long rows, long columns)
        : columns_(columns + 2), cells_(static_cast<size_t>((rows + 1) * (columns + 2)), 1) {}
    uint64_t& at(long row, long column) { // row and column from -1; one column more on the right
        return cells_[static_cast<size_t>((row + 1) * columns_ + column + 1)];
    }
    void compute(long row, long column) {
        at(row, column) =
            combine(at(row - 1, column), at(row, column - 1), at(row - 1, column + 1));
    }
    bool operator==(const Table& other) const { return cells_ == other.cells_; }

private:
    long columns_;
    std::vector<uint64_t> cells_;
};

// Every loop below once for each schedule; `schedule(runtime)` takes what main() sets.
#define FOR_EACH_SCHEDULE(loop)                                                                    \
    loop(static) loop(static, 1) loop(static, 5) loop(dynamic) loop(dynamic, 3)                    \
        loop(monotonic : dynamic, 2) loop(guided) loop(guided, 4) loop(runtime) loop(auto)
#define PRAGMA(text) _Pragma(#text)

void wavefronts(uint64_t seed, long rows, long columns) {
    Table serial(rows, columns);
    for (long i = 0; i < rows; ++i)
        for (long j = 0; j < columns; ++j)
            serial.compute(i, j);
#define LOOP(...)                                                                                  \
    {                                                                                              \
        Table table(rows, columns);                                                                \
        PRAGMA(omp parallel for ordered(2) schedule(__VA_ARGS__))                                  \
        for (long i = 0; i < rows; ++i)                                                            \
            for (long j = 0; j < columns; ++j) {                                                   \
                PRAGMA(omp ordered depend(sink : i - 1, j + 1) depend(sink : i - 1, j)             \
                           depend(sink : i, j - 1))                                                \
                table.compute(i, j);                                                               \
                PRAGMA(omp ordered depend(source))                                                 \
                dawdle(seed, static_cast<uint64_t>(i * columns + j));                              \
            }                                                                                      \
        expect(table == serial, "wavefront %ld x %ld, " #__VA_ARGS__, rows, columns);              \
    }
    FOR_EACH_SCHEDULE(LOOP)
#undef LOOP
}

/// One dimension, downwards, and unsigned upwards; the distance lets more chunks run at a time than
/// progress is kept of. (gcc 12 takes the sinks of unsigned loops that count down for later ones.)
void recurrences(uint64_t seed, long count) {
    const auto size = static_cast<size_t>(count);
    std::vector<uint64_t> serial(size, 1);
    const auto compute = [&](std::vector<uint64_t>& cells, uint64_t i) {
        cells[i] = combine(i, i >= 70 ? cells[i - 70] : i, seed);
    };
    for (uint64_t i = 0; i < size; ++i)
        compute(serial, i);
#define LOOP(...)                                                                                  \
    {                                                                                              \
        std::vector<uint64_t> down(size, 1), up(size, 1);                                          \
        PRAGMA(omp parallel for ordered(1) schedule(__VA_ARGS__))                                  \
        for (long i = count; i > 0; --i) {                                                         \
            dawdle(seed, static_cast<uint64_t>(i));                                                \
            PRAGMA(omp ordered depend(sink : i + 70))                                              \
            compute(down, static_cast<uint64_t>(count - i));                                       \
            PRAGMA(omp ordered depend(source))                                                     \
        }                                                                                          \
        expect(down == serial, "recurrence down from %ld, " #__VA_ARGS__, count);                  \
        const unsigned long long top = ~0ull - 3 * size;                                           \
        PRAGMA(omp parallel for ordered(1) schedule(__VA_ARGS__))                                  \
        for (unsigned long long i = top; i < ~0ull; i += 3) {                                      \
            dawdle(seed, i);                                                                       \
            PRAGMA(omp ordered depend(sink : i - 210))                                             \
            compute(up, (i - top) / 3);                                                            \
            PRAGMA(omp ordered depend(source))                                                     \
        }                                                                                          \
        expect(up == serial, "recurrence up, unsigned, of %ld, " #__VA_ARGS__, count);             \
    }
    FOR_EACH_SCHEDULE(LOOP)
#undef LOOP
}

/// Three dimensions, of which two are one: collapse(2) ordered(3). Strides other than 1.
void collapsed(int n) {
    const auto cell = [n](int i, int j, int k) { return static_cast<size_t>((i * n + j) * n + k); };
    std::vector<uint64_t> serial(static_cast<size_t>(n * n * n), 1);
    const auto compute = [&](std::vector<uint64_t>& cells, int i, int j, int k) {
        cells[cell(i, j, k)] = combine(cells[cell(i - 1, j, k + 2)], cells[cell(i, j - 2, k)],
                                       cells[cell(i, j, k > 1 ? k - 2 : 0)]);
    };
    for (int i = 1; i < n; ++i)
        for (int j = 2; j < n; j += 2)
            for (int k = 0; k < n - 2; k += 2)
                compute(serial, i, j, k);
#define LOOP(...)                                                                                  \
    {                                                                                              \
        std::vector<uint64_t> cells(serial.size(), 1);                                             \
        PRAGMA(omp parallel for collapse(2) ordered(3) schedule(__VA_ARGS__))                      \
        for (int i = 1; i < n; ++i)                                                                \
            for (int j = 2; j < n; j += 2)                                                         \
                for (int k = 0; k < n - 2; k += 2) {                                               \
                    PRAGMA(omp ordered depend(sink : i - 1, j, k + 2) depend(sink : i, j - 2, k)   \
                               depend(sink : i, j, k - 2))                                         \
                    compute(cells, i, j, k);                                                       \
                    PRAGMA(omp ordered depend(source))                                             \
                }                                                                                  \
        expect(cells == serial, "collapse, %d, " #__VA_ARGS__, n);                                 \
    }
    FOR_EACH_SCHEDULE(LOOP)
#undef LOOP
}

/// Loops without a barrier between them, with a value that generated code takes out of them, and
/// with iterations that have no source because nobody waits for them.
void sequences(int length) {
    constexpr long count = 40;
    std::vector<std::vector<uint64_t>> cells(static_cast<size_t>(length),
                                             std::vector<uint64_t>(count, 1));
    std::vector<long> last(static_cast<size_t>(length));
    long shared_last = 0;
#pragma omp parallel
    for (int k = 0; k < length; ++k) {
        std::vector<uint64_t>& mine = cells[static_cast<size_t>(k)];
        switch (k % 3) {
        case 0: {
#pragma omp for ordered(1) schedule(dynamic) nowait
            for (long i = 1; i < count; ++i) {
#pragma omp ordered depend(sink : i - 1)
                mine[static_cast<size_t>(i)] = mine[static_cast<size_t>(i - 1)] + 1;
#pragma omp ordered depend(source)
            }
            break;
        }
        case 1: {
#pragma omp for ordered(1) schedule(static, 2) nowait
            for (long i = 2; i < count; ++i)
                if (i % 2 == 0) {
#pragma omp ordered depend(sink : i - 2)
                    mine[static_cast<size_t>(i)] = mine[static_cast<size_t>(i - 2)] + 1;
#pragma omp ordered depend(source)
                }
            break;
        }
        default: {
#pragma omp for ordered(1) schedule(guided) lastprivate(shared_last)
            for (long i = 1; i < count; ++i) {
#pragma omp ordered depend(sink : i - 1)
                mine[static_cast<size_t>(i)] = mine[static_cast<size_t>(i - 1)] + 1;
                shared_last = i + k;
#pragma omp ordered depend(source)
            }
#pragma omp single
            last[static_cast<size_t>(k)] = shared_last;
        }
        }
    }
    for (int k = 0; k < length; ++k) {
        const std::vector<uint64_t>& mine = cells[static_cast<size_t>(k)];
        for (uint64_t i = 0; i < count; ++i) {
            const uint64_t right = k % 3 == 1 ? (i % 2 == 0 ? i / 2 + 1 : 1) : i + 1;
            expect(mine[i] == right, "loop %d of a sequence, iteration %d", k, static_cast<int>(i));
        }
        if (k % 3 == 2)
            expect(last[static_cast<size_t>(k)] == count - 1 + k, "lastprivate");
    }
}

/// The value of the last iteration that assigned one: the loop comes with memory for it.
void conditional_values(long count) {
#define LOOP(...)                                                                                  \
    {                                                                                              \
        long sum = 0, value = -1;                                                                  \
        PRAGMA(omp parallel for ordered(1) schedule(__VA_ARGS__) lastprivate(conditional : value)) \
        for (long i = 0; i < count; ++i) {                                                         \
            PRAGMA(omp ordered depend(sink : i - 1))                                               \
            sum += i;                                                                              \
            if (i % 7 == 3)                                                                        \
                value = sum;                                                                       \
            PRAGMA(omp ordered depend(source))                                                     \
        }                                                                                          \
        const long last = count - 1 - (count + 3) % 7;                                             \
        expect(value == (last < 0 ? -1 : last * (last + 1) / 2),                                   \
               "conditional lastprivate of %ld, " #__VA_ARGS__, count);                            \
    }
    FOR_EACH_SCHEDULE(LOOP)
#undef LOOP
}

/// Where nobody can wait: no team, no iteration, more threads than iterations; and a region inside.
void corners(long none) {
    long ran = 0;
#pragma omp for ordered(2) schedule(dynamic)
    for (long i = 0; i < 5; ++i)
        for (long j = 0; j < 5; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            ++ran;
#pragma omp ordered depend(source)
        }
    expect(ran == 25, "orphaned: %ld", ran);
#pragma omp parallel for ordered(2) schedule(dynamic) reduction(+ : ran)
    for (long i = 0; i < 5; ++i)
        for (long j = 0; j < none; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
            ++ran;
#pragma omp ordered depend(source)
        }
#pragma omp parallel for ordered(2) schedule(static) reduction(+ : ran)
    for (long i = 0; i < none; ++i)
        for (long j = 0; j < 5; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
            ++ran;
#pragma omp ordered depend(source)
        }
    expect(ran == 25, "loops without iterations: %ld", ran);
    long chain = 0;
#pragma omp parallel for ordered(1) schedule(static)
    for (long i = 0; i < 3; ++i) {
#pragma omp ordered depend(sink : i - 1)
        long threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
        threads += 1;
        chain = 2 * chain + (threads > 0);
#pragma omp ordered depend(source)
    }
    expect(chain == 7, "a region in the loop: %ld", chain);
}

} // namespace

int main() {
    Random random(stress::seed());
    const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                 omp_sched_auto, omp_sched_monotonic};
    const int rounds = stress::scaled(40);
    for (int round = 0; round < rounds; ++round) {
        const uint64_t seed = random.next();
        omp_sched_t kind = kinds[round % 4];
        if (random.chance(50))
            kind = static_cast<omp_sched_t>(kind | kinds[4]);
        omp_set_schedule(kind, static_cast<int>(random.below(4)));
        wavefronts(seed, 1 + random.below(60), 1 + random.below(60));
        recurrences(seed, 1 + random.below(1500));
        collapsed(4 + static_cast<int>(random.below(9)));
        conditional_values(1 + random.below(50));
        corners(0);
    }
    sequences(stress::scaled(2000));
    return stress::result("doacross");
}
