// SPDX-License-Identifier: Apache-2.0
// Teams of 5 to 16 threads on 12 CPUs, which the process believes to have: up to so many threads
// arrive at barriers by flags, and by the word as soon as there are tasks or one of them sleeps;
// larger teams of the same threads have regions on offer. Barriers, tasks, singles, copyprivate,
// ordered loops and reductions in random order, the same for all threads; what a thread did before
// a barrier is seen behind it.
#include "stress.hpp"

#include <cstring>
#include <omp.h>
#include <sched.h>
#include <vector>

/// Instead of the system's: the runtime takes its number of CPUs from here.
extern "C" int sched_getaffinity(pid_t, size_t bytes, cpu_set_t* cpus) noexcept {
    constexpr size_t claimed = 12;
    memset(cpus, 0, bytes);
    for (size_t cpu = 0; cpu < claimed; ++cpu)
        CPU_SET_S(cpu, bytes, cpus);
    return 0;
}

namespace {

using stress::expect;
using stress::Random;

enum Construct { barrier, tasks, task_tree, single, single_nowait, copies, ordered, loop, kinds };

/// What a team has done, all plain memory: each construct orders it.
struct Shared {
    std::vector<int> rounds[2]; ///< odd ones, which others read in the next one, apart
    std::vector<int> cells;
    int singles = 0, turn = 0;
    long sum = 0; ///< of a loop

    explicit Shared(int threads) : cells(static_cast<size_t>(threads)) {
        rounds[0] = rounds[1] = cells;
    }
};

void tree(int* cell, int depth) {
#pragma omp task firstprivate(cell, depth)
    {
#pragma omp atomic
        ++*cell;
        if (depth > 0) {
            tree(cell, depth - 1);
            tree(cell, depth - 1);
        }
    }
}

void ordered_loop(Shared& shared, int turns) {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < turns; ++i) {
#pragma omp ordered
        {
            expect(shared.turn == i, "turn %d, not %d", shared.turn, i);
            shared.turn = i + 1 == turns ? 0 : i + 1;
        }
    }
}

void construct(Shared& shared, Random& common, size_t me, int round) {
    const unsigned kind = common.below(kinds);
    const int depth = static_cast<int>(common.below(4));
    int given = 0;
    switch (kind) {
    case tasks:
    case task_tree:
        shared.cells[me] = 0;
        if (kind == task_tree || me % 4 == 0)
            tree(&shared.cells[me], depth);
        break;
    case single:
#pragma omp single
        ++shared.singles;
        break;
    case single_nowait:
#pragma omp single nowait
        ++shared.singles;
        break;
    case copies: {
#pragma omp single copyprivate(given)
        {
            ++shared.singles;
            given = round + 1;
        }
        expect(given == round + 1, "copyprivate gave %d in round %d", given, round);
        break;
    }
    case ordered:
        ordered_loop(shared, 20 + 60 * (depth % 2)); // few turns meet in one word, many do not
        break;
    case loop: {
        long& sum = shared.sum;
#pragma omp for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < 50; ++i)
            sum += i;
        break;
    }
    default:
        break;
    }
    shared.rounds[round % 2][me] = round + 1;
#pragma omp barrier
    if (kind == tasks || kind == task_tree)
        expect(shared.cells[me] == (kind == task_tree || me % 4 == 0 ? (2 << depth) - 1 : 0),
               "a barrier left tasks behind in round %d", round);
}

/// Rounds without a wait that depends on the others, and some in which a thread lets them wait.
void region(int threads, int rounds, uint64_t seed) {
    Shared shared(threads);
    int singles = 0, loops = 0;
#pragma omp parallel num_threads(threads)
    {
        expect(omp_get_num_threads() == threads, "a team of %d, not %d", omp_get_num_threads(),
               threads);
        const auto me = static_cast<size_t>(omp_get_thread_num());
        Random common(seed), own(stress::mix(seed, me));
        for (int round = 0; round < rounds; ++round) {
            if (own.chance(2))
                stress::work(200'000);
            if (me == 0) {
                Random ahead(common);
                const unsigned kind = ahead.below(kinds);
                singles += kind == single || kind == single_nowait || kind == copies;
                loops += kind == loop;
            }
            construct(shared, common, me, round);
            const size_t other = (me + 1 + own.below(static_cast<unsigned>(threads) - 1)) %
                                 static_cast<size_t>(threads);
            expect(shared.rounds[round % 2][other] == round + 1,
                   "passed round %d without thread %zu", round, other);
        }
    }
    expect(shared.singles == singles, "%d singles, not %d", shared.singles, singles);
    expect(shared.sum == 1225L * loops, "a sum of %ld in %d loops", shared.sum, loops);
}

/// So that a worker leaves one region's end by the next one's post.
void many_short(int threads, int regions) {
    int sum = 0;
    for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += 1;
    }
    expect(sum == threads * regions, "%d of %d threads", sum, threads * regions);
}

} // namespace

int main() {
    Random random(stress::seed());
    for (int i = 0; i < stress::scaled(24); ++i) {
        const int threads = 5 + static_cast<int>(random.below(12));
        region(threads, 40, random.next());
        many_short(threads, 20);
    }
    return stress::result("arrival_flags");
}
