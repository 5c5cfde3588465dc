// SPDX-License-Identifier: Apache-2.0
// Loops through the entry points of clang's code, called by hand inside gcc's regions: every
// schedule over four types, up and down, to the ends of the types. Threads note which iterations
// they were given, as ranges of indices, so that loops of 2^64 iterations can be checked too.
#include "stress.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <omp.h>
#include <type_traits>
#include <vector>

struct Ident;
using Gtid = int32_t;

#define DECLARE(suffix, T, S)                                                                      \
    extern "C" void __kmpc_for_static_init_##suffix(Ident*, Gtid, int32_t, int32_t*, T*, T*, S*,   \
                                                    S, S);                                         \
    extern "C" void __kmpc_dist_for_static_init_##suffix(Ident*, Gtid, int32_t, int32_t*, T*, T*,  \
                                                         T*, S*, S, S);                            \
    extern "C" void __kmpc_team_static_init_##suffix(Ident*, Gtid, int32_t*, T*, T*, S*, S, S);    \
    extern "C" void __kmpc_dispatch_init_##suffix(Ident*, Gtid, int32_t, T, T, S, S);              \
    extern "C" void __kmpc_dist_dispatch_init_##suffix(Ident*, Gtid, int32_t, int32_t*, T, T, S,   \
                                                       S);                                         \
    extern "C" int32_t __kmpc_dispatch_next_##suffix(Ident*, Gtid, int32_t*, T*, T*, S*);          \
    extern "C" void __kmpc_dispatch_fini_##suffix(Ident*, Gtid);                                   \
    static void static_init(int32_t k, int32_t* last, T* l, T* u, S* st, S i, S c) {               \
        __kmpc_for_static_init_##suffix(nullptr, 0, k, last, l, u, st, i, c);                      \
    }                                                                                              \
    static void dist_for_init(int32_t k, int32_t* last, T* l, T* u, T* t, S* st, S i, S c) {       \
        __kmpc_dist_for_static_init_##suffix(nullptr, 0, k, last, l, u, t, st, i, c);              \
    }                                                                                              \
    static void team_init(int32_t* last, T* l, T* u, S* st, S i, S c) {                            \
        __kmpc_team_static_init_##suffix(nullptr, 0, last, l, u, st, i, c);                        \
    }                                                                                              \
    static void dispatch_init(int32_t k, T l, T u, S i, S c) {                                     \
        __kmpc_dispatch_init_##suffix(nullptr, 0, k, l, u, i, c);                                  \
    }                                                                                              \
    static void dist_dispatch_init(int32_t k, int32_t* last, T l, T u, S i, S c) {                 \
        __kmpc_dist_dispatch_init_##suffix(nullptr, 0, k, last, l, u, i, c);                       \
    }                                                                                              \
    static int32_t dispatch_next(int32_t* last, T* l, T* u, S* st) {                               \
        return __kmpc_dispatch_next_##suffix(nullptr, 0, last, l, u, st);                          \
    }                                                                                              \
    static void dispatch_fini(T) { __kmpc_dispatch_fini_##suffix(nullptr, 0); }

DECLARE(4, int32_t, int32_t)
DECLARE(4u, uint32_t, int32_t)
DECLARE(8, int64_t, int64_t)
DECLARE(8u, uint64_t, int64_t)

extern "C" {
void __kmpc_dispatch_deinit(Ident*, Gtid);
void __kmpc_for_static_fini(Ident*, Gtid);
void __kmpc_ordered(Ident*, Gtid);
void __kmpc_end_ordered(Ident*, Gtid);
int32_t __kmpc_sections_init(Ident*, Gtid);
int32_t __kmpc_next_section(Ident*, Gtid, int32_t);
void __kmpc_end_sections(Ident*, Gtid);
}

namespace {

/// The schedule argument; the last three are added to others.
enum : int32_t {
    static_chunked = 33,
    static_ = 34,
    dynamic = 35,
    static_steal = 44,
    balanced = 45,
    guided_simd = 46,
    runtime_simd = 47,
    distribute_chunked = 91,
    distribute = 92,
    ordered = 32,
    not_merged = 128,
    nonmonotonic = 1 << 30,
};

using Wide = __int128;

template <class T>
struct Loop {
    using S = std::make_signed_t<T>;
    T lower, upper;
    S increment;
    S chunk; ///< of a length that makes few chunks

    /// Also with as many iterations as the type has values: clang means none.
    bool empty() const {
        const Wide size = increment > 0 ? Wide(upper) - lower : Wide(lower) - upper;
        return size < 0 ||
               (size == Wide(std::make_unsigned_t<T>(-1)) && (increment == 1 || increment == -1));
    }
    Wide index(T value) const { return (Wide(value) - Wide(lower)) / increment; }
    Wide last() const { return empty() ? -1 : index(upper); }
    T clamp(T bound) const {
        return increment > 0 ? std::min(bound, upper) : std::max(bound, upper);
    }
};

/// What the threads were given, as pairs of first and last index.
class Given {
public:
    void add(Wide from, Wide to) {
        std::lock_guard guard(lock_);
        parts_.push_back({from, to});
    }
    void add_last() {
        std::lock_guard guard(lock_);
        ++lasts_;
    }
    /// Every iteration up to `last` once; one thread was told that it has the last one.
    void check(const char* what, int kind, Wide last) {
        std::sort(parts_.begin(), parts_.end());
        Wide next = 0;
        for (const auto& [from, to] : parts_) {
            stress::expect(from == next && to >= from, "%s %d: a part begins or ends wrong", what,
                           kind);
            next = to + 1;
        }
        stress::expect(next == last + 1, "%s %d: not all iterations were given", what, kind);
        stress::expect(lasts_ == (last >= 0), "%s %d: %d threads have the last iteration", what,
                       kind, lasts_);
    }

private:
    std::mutex lock_;
    std::vector<std::pair<Wide, Wide>> parts_;
    int lasts_ = 0;
};

/// What generated code does after a static init: chunk after chunk, in variables that cannot wrap.
/// With a stride of 0 there is one block.
template <class T>
void walk(const Loop<T>& loop, Given& given, T lower, T upper, std::make_signed_t<T> stride,
          int32_t last, T bound) {
    using U = std::make_unsigned_t<T>;
    Wide from = lower, to = upper;
    const Wide end = bound, up = loop.increment > 0 ? 1 : -1;
    const bool one_block = stride == 0;
    const Wide step = up > 0 ? Wide(U(stride)) : -Wide(U(0) - U(stride));
    bool seen_last = false;
    while (true) {
        const Wide until = up > 0 ? std::min(to, end) : std::max(to, end);
        if (up * from > up * until)
            break;
        const Wide first = (from - loop.lower) / loop.increment;
        const Wide final = (until - loop.lower) / loop.increment;
        given.add(first, final);
        seen_last |= final == loop.last();
        if (one_block)
            break;
        stress::expect(step * up > 0, "a stride that leads nowhere");
        if (step * up <= 0)
            break;
        from += step;
        to += step;
    }
    stress::expect(seen_last == (last != 0), "last iteration: told %d, has %d", last, seen_last);
    if (last)
        given.add_last();
}

template <class T>
void static_loop(const Loop<T>& loop, int32_t kind) {
    Given given;
#pragma omp parallel
    {
        T lower = loop.lower, upper = loop.upper;
        typename Loop<T>::S stride = 0;
        int32_t last = 7;
        static_init(kind, &last, &lower, &upper, &stride, loop.increment, loop.chunk);
        if (loop.empty())
            stress::expect(last == 0 && (loop.increment > 0 ? upper < lower : lower < upper),
                           "a loop without iterations has some");
        else if (kind == static_chunked)
            walk(loop, given, lower, upper, stride, last, loop.upper);
        else // one block: no stride is added
            walk(loop, given, lower, upper, typename Loop<T>::S(0), last, loop.clamp(upper));
        __kmpc_for_static_fini(nullptr, 0);
    }
    given.check("static", kind, loop.last());
}

template <class T>
void dispatched_loop(const Loop<T>& loop, int32_t kind, bool ascends) {
    Given given;
#pragma omp parallel
    {
        dispatch_init(kind, loop.lower, loop.upper, loop.increment, loop.chunk);
        T lower, upper;
        typename Loop<T>::S stride;
        int32_t last;
        Wide before = -1;
        while (dispatch_next(&last, &lower, &upper, &stride)) {
            const Wide from = loop.index(lower), to = loop.index(upper);
            given.add(from, to);
            stress::expect(stride == loop.increment, "dispatch %d: wrong stride", kind);
            stress::expect((to == loop.last()) == (last != 0), "dispatch %d: wrong last", kind);
            stress::expect(!ascends || from > before, "dispatch %d: not monotonic", kind);
            before = from;
            if (last)
                given.add_last();
        }
        __kmpc_dispatch_deinit(nullptr, 0);
    }
    given.check("dispatch", kind, loop.last());
}

/// Iterations of which some have an ordered region, in chunks of three.
template <class T>
void ordered_loop(int32_t kind) {
    const T size = 202;
    T expected = 0;
#pragma omp parallel
    {
        using S = std::make_signed_t<T>;
        dispatch_init(kind, T(0), T(size - 1), S(1), S(3));
        T lower, upper;
        typename Loop<T>::S stride;
        int32_t last;
        while (dispatch_next(&last, &lower, &upper, &stride))
            for (T i = lower; i <= upper; ++i) {
                if (i % 7 != 3) {
                    __kmpc_ordered(nullptr, 0);
                    expected += expected % 7 == 3;
                    stress::expect(expected == i, "ordered %d: not in order", kind);
                    ++expected;
                    __kmpc_end_ordered(nullptr, 0);
                }
                dispatch_fini(i);
            }
    }
    stress::expect(expected == size, "ordered %d: regions are missing", kind);
}

template <class T>
void distributed_loops(const Loop<T>& loop) {
    using S = typename Loop<T>::S;
    for (int32_t kind : {distribute, distribute_chunked}) {
        Given given, dispatched, teams;
        Given threads[2];
#pragma omp teams num_teams(3)
        {
            T lower = loop.lower, upper = loop.upper;
            S stride = 0;
            int32_t last = 0;
            static_init(kind, &last, &lower, &upper, &stride, loop.increment, loop.chunk);
            if (!loop.empty() && kind == distribute_chunked)
                walk(loop, given, lower, upper, stride, last, loop.upper);
            else if (!loop.empty())
                walk(loop, given, lower, upper, S(0), last, loop.clamp(upper));
            lower = loop.lower;
            upper = loop.upper;
            if (!loop.empty()) {
                team_init(&last, &lower, &upper, &stride, loop.increment, loop.chunk);
                walk(loop, teams, lower, upper, stride, last, loop.upper);
            }
#pragma omp parallel
            {
                for (int chunked = 0; chunked < 2; ++chunked) {
                    T from = loop.lower, to = loop.upper, team_end;
                    S step = 0;
                    int32_t ends = 0;
                    dist_for_init(chunked ? static_chunked : static_, &ends, &from, &to, &team_end,
                                  &step, loop.increment, loop.chunk);
                    if (!loop.empty())
                        walk(loop, threads[chunked], from, to, chunked ? step : S(0), ends,
                             chunked ? team_end : loop.clamp(to));
                }
                int32_t team_last, chunk_last;
                T from, to;
                S step;
                dist_dispatch_init(dynamic, &team_last, loop.lower, loop.upper, loop.increment,
                                   loop.chunk);
                while (dispatch_next(&chunk_last, &from, &to, &step)) {
                    dispatched.add(loop.index(from), loop.index(to));
                    if (team_last && chunk_last)
                        dispatched.add_last();
                }
            }
        }
        given.check("distribute", kind, loop.last());
        teams.check("team_static", kind, loop.last());
        threads[0].check("dist_for", static_, loop.last());
        threads[1].check("dist_for", static_chunked, loop.last());
        dispatched.check("dist_dispatch", dynamic, loop.last());
    }
}

template <class T>
void every_loop() {
    using Limits = std::numeric_limits<T>;
    using S = std::make_signed_t<T>;
    constexpr T min = Limits::min(), max = Limits::max();
    constexpr S big = std::numeric_limits<S>::max();
    const Loop<T> loops[] = {
        {0, 999, 1, 7},
        {0, 0, 1, 5},
        {5, 4, 1, 1},
        {4, 5, -1, 1},
        {3, 1000, 10, 3},
        {1000, 3, -7, 4},
        {100, 90, -1, 0},
        {max - 3, max, 1, 2},
        {min + 4, min, -1, 2},
        {min, max, 1, big / 9},
        {max, min, -1, big / 9},
        {min, max, big, 1},
        {max, min, -big, 1},
        {min, max, 1, big},
        {0, 100, 1, big},
        {min, max - 1, 3, big / 40},
        {max - 1, max, 1, big},
    };
    for (const Loop<T>& loop : loops) {
        for (int32_t kind : {static_, static_chunked, balanced})
            static_loop(loop, kind);
        for (int32_t kind = static_chunked; kind <= runtime_simd; ++kind) {
            dispatched_loop(loop, kind, kind != static_steal);
            if (kind == dynamic)
                dispatched_loop(loop, kind | nonmonotonic, false);
            if (kind < 40)
                dispatched_loop(loop, kind + not_merged, true);
        }
        distributed_loops(loop);
    }
    for (int32_t kind = static_chunked; kind < 40; ++kind)
        for (int32_t more : {0, +not_merged})
            ordered_loop<T>(kind + ordered + more);
}

/// simd: what is handed out comes in vectors.
void vectors() {
    for (int32_t kind : {balanced, guided_simd, runtime_simd}) {
#pragma omp parallel
        {
            dispatch_init(kind, int32_t(0), int32_t(102), 1, 8);
            int32_t lower, upper, stride, last;
            while (dispatch_next(&last, &lower, &upper, &stride))
                stress::expect(lower % 8 == 0 && (last || upper % 8 == 7),
                               "simd %d: %d to %d are no vectors", kind, lower, upper);
        }
    }
}

/// Not merged: who is alone gets each chunk by itself.
void alone() {
    dispatch_init(static_chunked + not_merged, int32_t(0), int32_t(4), 1, 1);
    int32_t lower, upper, stride, last, chunks = 0;
    while (dispatch_next(&last, &lower, &upper, &stride))
        stress::expect(lower == chunks++ && lower == upper, "a chunk of one is %d to %d", lower,
                       upper);
    stress::expect(chunks == 5, "%d chunks of one iteration", chunks);
}

void sections() {
    int executed[20] = {};
#pragma omp parallel
    for (int round = 0; round < 50; ++round) {
        if (__kmpc_sections_init(nullptr, 0)) {
            int32_t section;
            while ((section = __kmpc_next_section(nullptr, 0, 20)) != 20)
                __atomic_fetch_add(&executed[section], 1, __ATOMIC_RELAXED);
        } else {
            for (int& count : executed)
                ++count;
        }
        __kmpc_end_sections(nullptr, 0);
    }
    for (int count : executed)
        stress::expect(count == 50, "a section was executed %d times, not 50", count);
}

} // namespace

int main() {
    omp_set_schedule(omp_sched_guided, 1000); // for schedule(runtime): few chunks of any loop
    every_loop<int32_t>();
    every_loop<uint32_t>();
    every_loop<int64_t>();
    every_loop<uint64_t>();
    vectors();
    alone();
    sections();
    return stress::result("kmp_loops");
}
