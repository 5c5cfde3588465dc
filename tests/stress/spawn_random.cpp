// SPDX-License-Identifier: Apache-2.0
// Random trees of spawned tasks on teams of 1, 2, 3 and 8 threads, and what reducers make of them:
// each tree is walked serially as well, and every view must hold what its worker has put there.
// Trees sync or do not, open regions inside regions, and update in between.
#include "stress.hpp"

#include "../../include/heddle.hpp"

#include <string>
#include <vector>

namespace {

using stress::expect;
using stress::mix;
using stress::Random;

/// Concatenation keeps no order here, so that it is that of bags of letters.
struct Letters {
    static std::string identity() { return {}; }
    static void combine(std::string& into, const std::string& more) { into += more; }
};

template <template <class> class Long, template <class> class Bits, class Bag>
struct Results {
    Long<heddle::op_add<long>> nodes, sum;
    Long<heddle::op_min<long>> lowest;
    Long<heddle::op_max<long>> highest;
    Bits<heddle::op_and<uint64_t>> all;
    Bits<heddle::op_or<uint64_t>> any;
    Bits<heddle::op_xor<uint64_t>> parity;
    Bits<heddle::op_mul<uint64_t>> product; // modulo 2^64
    Bag letters;

    void add(uint64_t seed) {
        const long value = static_cast<long>(seed >> 2) - (1L << 60);
        nodes.update(1);
        sum.update(value % 1000);
        lowest.update(value);
        highest.update(value);
        all.update(seed | seed >> 7);
        any.update(seed & seed << 9 & 0xff00ff00ff00ff00);
        parity.update(seed);
        product.update(seed | 1);
        letters.update(std::string(1, static_cast<char>('a' + seed % 26)));
    }
};

/// The serial program's reducer: a variable.
template <class T, class Operation>
struct Variable {
    T now = Operation::identity();
    void update(const T& value) { Operation::combine(now, value); }
    T value() const { return now; }
};
template <class Operation>
using SerialLong = Variable<long, Operation>;
template <class Operation>
using SerialBits = Variable<uint64_t, Operation>;
template <class Operation>
using ReducedLong = heddle::reducer<long, Operation>;
template <class Operation>
using ReducedBits = heddle::reducer<uint64_t, Operation>;
using Serial = Results<SerialLong, SerialBits, Variable<std::string, Letters>>;
using Reduced = Results<ReducedLong, ReducedBits, heddle::reducer<std::string, Letters>>;

struct Plan {
    unsigned children, work;
    bool syncs, region, scoped;

    Plan(uint64_t seed, int depth) {
        Random random(seed);
        children = depth > 0 ? random.below(5) : 0;
        if (depth > 6 && children < 2)
            children = 2;
        work = random.chance(20) ? random.below(3000) : random.below(50);
        syncs = random.chance(60);
        region = random.chance(2);
        scoped = random.chance(10);
    }
};

void serial(uint64_t seed, int depth, Serial& results) {
    const Plan plan(seed, depth);
    for (unsigned i = 0; i < plan.children; ++i)
        serial(mix(seed, i + 1), depth - 1, results);
    results.add(seed);
}

void node(uint64_t seed, int depth, Reduced& results);

void children(uint64_t seed, int depth, Reduced& results) {
    const Plan plan(seed, depth);
    heddle::scope scope;
    std::vector<int> done(plan.children, 0);
    for (unsigned i = 0; i < plan.children; ++i) {
        const auto child = [seed, depth, i, &results, &done] {
            node(mix(seed, i + 1), depth - 1, results);
            done[i] = 1;
        };
        if (plan.scoped)
            scope.spawn(child);
        else if (plan.syncs)
            heddle::spawn(child);
        else
            heddle::spawn(
                [seed, depth, i, &results] { node(mix(seed, i + 1), depth - 1, results); });
    }
    stress::work(plan.work);
    if (plan.syncs || plan.scoped)
        heddle::sync();
    if (plan.syncs || plan.scoped)
        for (unsigned i = 0; i < plan.children; ++i)
            expect(done[i] == 1, "child %u of %u is not complete after sync()", i, plan.children);
}

/// Like any task: nodes that do not sync leave their children behind.
void node(uint64_t seed, int depth, Reduced& results) {
    const Plan plan(seed, depth);
    if (plan.region)
        heddle::run([&] { children(seed, depth, results); });
    else if (plan.syncs || plan.scoped)
        children(seed, depth, results);
    else
        for (unsigned i = 0; i < plan.children; ++i)
            heddle::spawn(
                [seed, depth, i, &results] { node(mix(seed, i + 1), depth - 1, results); });
    results.add(seed);
}

std::string sorted(const std::string& letters) {
    std::string counts;
    for (char letter = 'a'; letter <= 'z'; ++letter) {
        size_t count = 0;
        for (const char other : letters)
            count += other == letter;
        counts += std::to_string(count) + letter;
    }
    return counts;
}

void compare(const Serial& right, const Reduced& results, int threads) {
    const auto same = [threads](auto wanted, auto got, const char* what) {
        expect(wanted == got, "%s with %d threads", what, threads);
    };
    same(right.nodes.value(), results.nodes.value(), "count");
    same(right.sum.value(), results.sum.value(), "sum");
    same(right.lowest.value(), results.lowest.value(), "minimum");
    same(right.highest.value(), results.highest.value(), "maximum");
    same(right.all.value(), results.all.value(), "and");
    same(right.any.value(), results.any.value(), "or");
    same(right.parity.value(), results.parity.value(), "exclusive or");
    same(right.product.value(), results.product.value(), "product");
    same(sorted(right.letters.value()), sorted(results.letters.value()), "letters");
}

/// More workers than a reducer has views at first, each with its own.
void many_workers() {
    heddle::reducer<long> count;
    heddle::reducer<double, heddle::op_max<double>> largest;
    heddle::reducer<bool, heddle::op_and<bool>> fine;
    constexpr int threads = 40;
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < 1000; ++i) {
        count += 1;
        largest.update(i == 500 ? 0.5 : -i);
        fine.update(true);
    }
    expect(count.value() == 1000L * threads, "%ld updates", count.value());
    expect(largest.value() == 0.5 && fine.value(), "largest %g", largest.value());
    expect(count.take() == 1000L * threads && count.value() == 0, "take()");
    expect(heddle_worker_count() >= threads, "%d workers", heddle_worker_count());
}

} // namespace

int main() {
    for (int round = 0; round < stress::scaled(12); ++round) {
        const uint64_t seed = mix(stress::seed(), static_cast<uint64_t>(round));
        const int depth = 9;
        Serial right;
        serial(seed, depth, right);
        for (const int threads : {0, 1, 2, 3, 8}) {
            Reduced results;
            heddle::run(threads, [&] { node(seed, depth, results); });
            compare(right, results, threads);
        }
        many_workers();
    }
    heddle::reducer<int, heddle::op_min<int>> untouched;
    expect(untouched.value() == std::numeric_limits<int>::max(), "an untouched minimum");
    return stress::result("spawn_random");
}
