// SPDX-License-Identifier: Apache-2.0
// Nests of loops through the entry points of clang's code, called by hand inside gcc's regions:
// doacross loops that go up and down, whose sinks lie inside and outside of the nest, and collapsed
// loops whose bounds depend on outer loops.
#include "stress.hpp"

#include <omp.h>
#include <set>
#include <tuple>
#include <vector>

struct Ident;
struct NamedLoop {
    int64_t first, last, step;
};
/// A loop of a collapsed nest: from lower + lower_factor * v to upper + upper_factor * v.
struct CollapsedLoop {
    int32_t type, variable_type, comparison, outer;
    int64_t lower, lower_factor, upper, upper_factor, step;
    uint64_t count;
};

extern "C" {
void __kmpc_doacross_init(Ident*, int32_t, int32_t, const NamedLoop*);
void __kmpc_doacross_wait(Ident*, int32_t, const int64_t*);
void __kmpc_doacross_post(Ident*, int32_t, const int64_t*);
void __kmpc_doacross_fini(Ident*, int32_t);
void __kmpc_dispatch_init_8(Ident*, int32_t, int32_t, int64_t, int64_t, int64_t, int64_t);
int32_t __kmpc_dispatch_next_8(Ident*, int32_t, int32_t*, int64_t*, int64_t*, int64_t*);
void __kmpc_for_static_init_8(Ident*, int32_t, int32_t, int32_t*, int64_t*, int64_t*, int64_t*,
                              int64_t, int64_t);
uint64_t __kmpc_process_loop_nest_rectang(Ident*, int32_t, CollapsedLoop*, int32_t);
void __kmpc_calc_original_ivs_rectang(Ident*, uint64_t, const CollapsedLoop*, uint64_t*, int32_t);
int32_t __kmpc_for_collapsed_init(Ident*, int32_t, CollapsedLoop*, CollapsedLoop*, int32_t,
                                  int32_t*);
}

namespace {

enum : int32_t { static_chunked = 33, static_ = 34, dynamic = 35, nonmonotonic = 1 << 30 };
constexpr int64_t rows = 60, columns = 70;

/// A wavefront: (i, j) waits for the row before, one column to the right, and for two rows before.
/// The names of the iterations are scaled; `excess` is how many more than there are each loop says.
class Wavefront {
public:
    Wavefront(int64_t scale, int64_t excess) : scale_(scale), excess_(excess) {}

    void run(int32_t schedule) {
        const NamedLoop nest[2] = {{0, scale_ * (rows - 1 + excess_), scale_},
                                   {0, scale_ * (columns - 1 + excess_), scale_}};
#pragma omp parallel
        {
            __kmpc_doacross_init(nullptr, 0, 2, nest);
            int64_t lower = 0, upper = rows - 1, stride;
            int32_t last;
            if (schedule == static_) {
                __kmpc_for_static_init_8(nullptr, 0, static_, &last, &lower, &upper, &stride, 1, 1);
                some_rows(lower, upper);
            } else {
                __kmpc_dispatch_init_8(nullptr, 0, schedule, 0, rows - 1, 1, 2);
                while (__kmpc_dispatch_next_8(nullptr, 0, &last, &lower, &upper, &stride))
                    some_rows(lower, upper);
            }
            __kmpc_doacross_fini(nullptr, 0);
        }
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < columns; ++j)
                stress::expect(value_[i][j] == 1 + i, "wavefront %d: wrong value", schedule);
    }

private:
    void wait(int64_t i, int64_t j) {
        const int64_t sink[2] = {scale_ * i, scale_ * j};
        __kmpc_doacross_wait(nullptr, 0, sink);
    }

    void some_rows(int64_t lower, int64_t upper) {
        for (int64_t i = lower; i <= upper; ++i)
            for (int64_t j = 0; j < columns; ++j) {
                wait(i - 1, j + 1); // outside of the nest in the first row and the last column
                wait(i - 1, j);
                wait(i - 2, j);
                value_[i][j] = 1 + (i ? value_[i - 1][j] : 0);
                const int64_t here[2] = {scale_ * i, scale_ * j};
                __kmpc_doacross_post(nullptr, 0, here);
            }
    }

    int64_t scale_, excess_;
    int64_t value_[rows][columns] = {};
};

void wavefronts() {
    for (int32_t schedule : {+static_, +static_chunked, +dynamic, dynamic | nonmonotonic}) {
        Wavefront(1, 0).run(schedule);
        Wavefront(3, 0).run(schedule);
        Wavefront(-2, 0).run(schedule);
        Wavefront(1, 1).run(schedule); // as clang calls it
    }
}

using Point = std::tuple<int64_t, int64_t, int64_t>;
enum : int32_t { int32 = 5, uint64 = 6, int64 = 7 };
enum : int32_t { less_equal, greater_equal, not_equal, less, greater };

/// The iterations of a nest of three, one after another.
std::vector<Point> points(const CollapsedLoop* loops) {
    std::vector<Point> all;
    const auto bound = [&](int level, bool upper, const int64_t* v) {
        const CollapsedLoop& loop = loops[level];
        return upper ? loop.upper + loop.upper_factor * v[loop.outer]
                     : loop.lower + loop.lower_factor * v[loop.outer];
    };
    const auto inside = [&](int level, const int64_t* v) {
        const int64_t end = bound(level, true, v);
        switch (loops[level].comparison) {
        case less_equal:
            return v[level] <= end;
        case greater_equal:
            return v[level] >= end;
        case not_equal:
            return v[level] != end;
        case less:
            return v[level] < end;
        default:
            return v[level] > end;
        }
    };
    int64_t v[3] = {};
    for (v[0] = bound(0, false, v); inside(0, v); v[0] += loops[0].step)
        for (v[1] = bound(1, false, v); inside(1, v); v[1] += loops[1].step)
            for (v[2] = bound(2, false, v); inside(2, v); v[2] += loops[2].step)
                all.push_back({v[0], v[1], v[2]});
    return all;
}

void collapsed(std::vector<CollapsedLoop> nest) {
    const std::vector<Point> expected = points(nest.data());
    std::vector<int> hits(expected.size());
    int lasts = 0;
#pragma omp parallel
    {
        std::vector<CollapsedLoop> mine = nest;
        CollapsedLoop block[3];
        int32_t last;
        if (__kmpc_for_collapsed_init(nullptr, 0, mine.data(), block, 3, &last)) {
            const Point from{block[0].lower, block[1].lower, block[2].lower};
            const Point to{block[0].upper, block[1].upper, block[2].upper};
            size_t i = 0;
            while (i < expected.size() && expected[i] != from)
                ++i;
            for (bool more = true; more && i < expected.size(); ++i) {
                __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
                more = expected[i] != to;
                stress::expect(more || (i + 1 == expected.size()) == (last != 0),
                               "a collapsed nest: wrong last");
            }
        }
        __atomic_fetch_add(&lasts, last, __ATOMIC_RELAXED);
    }
    for (int count : hits)
        stress::expect(count == 1, "an iteration of a nest was given %d times", count);
    stress::expect(lasts == !expected.empty(), "%d threads have the last iteration", lasts);
}

void rectangle(std::vector<CollapsedLoop> nest) {
    const std::vector<Point> expected = points(nest.data());
    const uint64_t total = __kmpc_process_loop_nest_rectang(nullptr, 0, nest.data(), 3);
    stress::expect(total == expected.size(), "a rectangle has another size");
    for (uint64_t i = 0; i < total; ++i) {
        uint64_t v[3];
        __kmpc_calc_original_ivs_rectang(nullptr, i, nest.data(), v, 3);
        const Point point{v[0], v[1], v[2]};
        stress::expect(point == expected[i], "a rectangle has other points");
    }
}

void nests() {
    const CollapsedLoop up{int32, int32, less, 0, 0, 0, 9, 0, 1, 0};
    const CollapsedLoop down{int64, int64, greater, 0, 20, 0, -5, 0, -3, 0};
    const CollapsedLoop to{uint64, uint64, not_equal, 0, 2, 0, 14, 0, 4, 0};
    const CollapsedLoop none{int32, int32, less, 0, 5, 0, 5, 0, 1, 0};
    for (const auto& nest : {std::vector{up, down, to}, {down, up, up}, {to, to, down}}) {
        rectangle(nest);
        collapsed(nest);
    }
    collapsed({up, none, up});
    const CollapsedLoop triangle{int32, int32, less_equal, 0, 0, 1, 8, 0, 1, 0};
    const CollapsedLoop below{int64, int64, greater_equal, 1, 6, 1, 0, 2, -1, 0};
    const CollapsedLoop lower{int32, int32, less, 0, 0, 0, 0, 1, 2, 0};
    collapsed({up, triangle, up});
    collapsed({up, lower, below});
    collapsed({up, triangle, below});
    collapsed({down, up, triangle});
}

} // namespace

int main() {
    const int rounds = stress::scaled(10);
    for (int round = 0; round < rounds; ++round)
        wavefronts();
    nests();
    return stress::result("kmp_nests");
}
