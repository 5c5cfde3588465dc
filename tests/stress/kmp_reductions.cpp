// SPDX-License-Identifier: Apache-2.0
// Reductions by clang's entry points, by each method that KMP_FORCE_REDUCTION knows, in teams of 1
// to 9, with and without the closing barrier, several in a row, on threads that come at random
// times. What is combined is a sum and a string: the string tells the order in the tree.
#include "kmp.hpp"
#include "rerun.hpp"
#include "stress.hpp"

#include <omp.h>

#include <algorithm>
#include <string>

namespace {

using stress::expect;

CriticalName name;
Ident with_atomic{0, 0x12, 0, 0, nullptr}, without_atomic{0, 2, 0, 0, nullptr};

/// What each thread has copies of.
struct Variables {
    long sum = 0;
    std::string order;
};

/// The list of pointers to a thread's copies.
using Parts = void* [2];

void combine(void* into, void* from) {
    auto& to = *static_cast<Parts*>(into);
    auto& other = *static_cast<Parts*>(from);
    *static_cast<long*>(to[0]) += *static_cast<long*>(other[0]);
    *static_cast<std::string*>(to[1]) += *static_cast<std::string*>(other[1]);
}

/// As generated code ends a region with a reduction.
void reduce(Variables& all, Variables& mine, bool nowait, bool offers_atomic) {
    const int32_t number = __kmpc_global_thread_num(nullptr);
    Ident& where = offers_atomic ? with_atomic : without_atomic;
    Parts parts{&mine.sum, &mine.order};
    const auto begin = nowait ? __kmpc_reduce_nowait : __kmpc_reduce;
    const auto end = nowait ? __kmpc_end_reduce_nowait : __kmpc_end_reduce;
    switch (begin(&where, number, 2, sizeof parts, parts, combine, &name)) {
    case 1:
        all.sum += mine.sum;
        all.order += mine.order;
        end(&where, number, &name);
        break;
    case 2:
        expect(offers_atomic, "told to use atomic operations that there are none of");
#pragma omp atomic
        all.sum += mine.sum;
#pragma omp critical
        all.order += mine.order;
        if (!nowait)
            end(&where, number, &name);
        break;
    case 0:
        break;
    default:
        expect(false, "another answer than 0, 1 or 2");
    }
    mine.sum = -1000000; // the copies are gone
    mine.order = "gone";
}

constexpr int in_a_row = 5;

void region(int threads, bool nowait, bool offers_atomic, bool tree, uint64_t seed) {
    Variables all[in_a_row];
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num();
        stress::Random random(stress::mix(seed, static_cast<uint64_t>(me)));
        for (int i = 0; i < in_a_row; ++i) {
            if (random.chance(30))
                stress::work(random.below(20000));
            Variables mine;
            mine.sum = (me + 1) * (i + 1);
            mine.order = static_cast<char>('a' + me);
            reduce(all[i], mine, nowait, offers_atomic);
            if (!nowait)
                expect(all[i].sum == (i + 1) * threads * (threads + 1) / 2, "not complete");
        }
    }
    std::string wanted;
    for (int i = 0; i < threads; ++i)
        wanted += static_cast<char>('a' + i);
    for (int i = 0; i < in_a_row; ++i) {
        const long sum = (i + 1) * threads * (threads + 1) / 2;
        expect(all[i].sum == sum, "%ld of %ld with %d threads", all[i].sum, sum, threads);
        std::string order = all[i].order;
        if (!tree) // in the tree, left to right: always the same
            std::sort(order.begin(), order.end());
        expect(order == wanted, "%s with %d threads", all[i].order.c_str(), threads);
    }
}

/// Tasks that are not finished when their team comes to the reduction's barrier.
void tasks(int threads) {
    Variables all;
    int done = 0, missing = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp task shared(done)
        {
            stress::work(2000);
#pragma omp atomic
            ++done;
        }
        Variables mine;
        mine.sum = 1;
        reduce(all, mine, false, false);
        int seen;
#pragma omp atomic read
        seen = done;
        if (seen != omp_get_num_threads()) {
#pragma omp atomic
            ++missing;
        }
    }
    expect(missing == 0, "%d threads passed before the tasks were done", missing);
    expect(all.sum == threads, "%ld of %d parts", all.sum, threads);
}

/// The teams of an inner level reduce at the same time, into the copies of the outer one.
void nested() {
    Variables all;
#pragma omp parallel num_threads(3)
    {
        Variables outer;
#pragma omp parallel num_threads(5)
        {
            Variables mine;
            mine.sum = 1;
            reduce(outer, mine, true, false);
        }
        reduce(all, outer, true, false);
    }
    expect(all.sum == 15, "%ld of 15 in nested regions", all.sum);
}

} // namespace

int main(int, char** arguments) {
    const char* method = getenv("KMP_FORCE_REDUCTION");
    const char* const following[] = {"critical", "atomic", "tree"};
    omp_set_max_active_levels(2);
    stress::Random random(stress::seed());
    const int rounds = stress::scaled(40);
    for (int round = 0; round < rounds; ++round) {
        for (int threads = 1; threads <= 9; ++threads)
            for (int way = 0; way < 4; ++way) {
                const bool tree = method && strcmp(method, "tree") == 0;
                region(threads, way & 1, way & 2, tree, random.next());
            }
        tasks(1 + static_cast<int>(random.below(9)));
        nested();
    }
    if (const int failed = stress::result(method ? method : "automatic"))
        return failed;
    const int next = !method                         ? 0
                     : strcmp(method, "tree") == 0   ? 3
                     : strcmp(method, "atomic") == 0 ? 2
                                                     : 1;
    if (next < 3)
        stress::rerun_with("KMP_FORCE_REDUCTION", following[next], arguments);
    return 0;
}
