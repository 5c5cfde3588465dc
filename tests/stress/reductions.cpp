// SPDX-License-Identifier: Apache-2.0
// Random trees of tasks whose nodes add to reduction variables: scalars, an array section, and an
// object with a reduction of the user's and a destructor. The variables come from a taskgroup, a
// taskloop, a parallel region, a loop, sections or a scope, nested at random. Every node adds a
// value of its own, so the sum over the tree, computed serially, is what must come out.
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::expect;
using stress::mix;
using stress::Random;

std::atomic<long> live_sums{0};

/// Owns its value; a copy for a reduction must have been made for the right original.
class Sum {
public:
    explicit Sum(uint64_t family) : family_(family), value_(new uint64_t(0)) { ++live_sums; }
    /// What a thread's copy starts with: it needs the original.
    Sum(const Sum& original, int) : Sum(original.family_) {}
    Sum(const Sum&) = delete;
    Sum& operator=(const Sum&) = delete;
    ~Sum() {
        *value_ = ~uint64_t{0};
        delete value_;
        --live_sums;
    }
    void add(uint64_t value) { *value_ += value; }
    void merge(const Sum& other) {
        expect(family_ == other.family_, "a copy was made for another original");
        *value_ += *other.value_;
    }
    uint64_t value() const { return *value_; }

private:
    uint64_t family_;
    uint64_t* value_;
};

#pragma omp declare reduction(merge:Sum : omp_out.merge(omp_in)) initializer(omp_priv(omp_orig, 0))

constexpr int cells_count = 3;

/// The variables, or this thread's copies of them, that a node adds to.
struct Variables {
    long& count;
    uint64_t& bits;
    uint64_t* cells;
    Sum& sum;
};

void add_node(uint64_t seed, const Variables& to) {
    to.count += 1;
    to.bits ^= mix(seed, 1);
    to.cells[seed % cells_count] += mix(seed, 2);
    to.sum.add(mix(seed, 3));
}

/// Variables of one's own, to be compared with the serial result.
struct Results {
    long count = 0;
    uint64_t bits = 0;
    uint64_t cells[cells_count] = {};
    Sum sum;

    explicit Results(uint64_t family) : sum(family) {}
    Variables variables() { return {count, bits, cells, sum}; }
    void add_to(const Variables& to) const {
        to.count += count;
        to.bits ^= bits;
        for (int i = 0; i < cells_count; ++i)
            to.cells[i] += cells[i];
        to.sum.add(sum.value());
    }
};

void expect_equal(const Results& found, const Results& wanted, const char* where) {
    expect(found.count == wanted.count, "%ld of %ld nodes, %s", found.count, wanted.count, where);
    expect(found.bits == wanted.bits, "other bits, %s", where);
    for (int i = 0; i < cells_count; ++i)
        expect(found.cells[i] == wanted.cells[i], "another cell %d, %s", i, where);
    expect(found.sum.value() == wanted.sum.value(), "another sum, %s", where);
}

/// How a node has its children do their part.
enum class Form {
    left_behind, ///< tasks, not waited for
    taskwait,
    inner_group, ///< a taskgroup that reduces into some of this thread's copies
    own_group,   ///< a taskgroup that reduces into new variables
    taskloop,    ///< the same with a taskloop
    joined_loop, ///< a taskloop that takes part in the enclosing reduction
    count
};

/// What a node does, from its seed alone.
struct Plan {
    unsigned children, work;
    Form form;

    Plan(uint64_t seed, int depth) {
        Random random(seed);
        children = depth > 0 ? random.below(5) : 0;
        if (depth > 4 && children < 2)
            children = 2;
        work = random.chance(20) ? random.below(4000) : random.below(50);
        form = static_cast<Form>(random.below(static_cast<unsigned>(Form::count)));
    }
};

uint64_t child_seed(uint64_t seed, unsigned index) { return mix(seed, index + 10); }

void serial(uint64_t seed, int depth, const Variables& to) {
    const Plan plan(seed, depth);
    add_node(seed, to);
    for (unsigned i = 0; i < plan.children; ++i)
        serial(child_seed(seed, i), depth - 1, to);
}

void run(uint64_t seed, int depth, const Variables& to);

/// One task; its clauses follow from its seed.
void spawn(uint64_t seed, int depth, const Variables& to) {
    long& count = to.count;
    uint64_t& bits = to.bits;
    uint64_t* cells = to.cells;
    Sum& sum = to.sum;
    switch (seed % 8) {
    case 0:
#pragma omp task in_reduction(+ : count, cells[ : cells_count]) in_reduction(^ : bits)             \
    in_reduction(merge : sum) untied
        run(seed, depth, {count, bits, cells, sum});
        break;
    case 1:
#pragma omp task in_reduction(+ : count, cells[ : cells_count]) in_reduction(^ : bits)             \
    in_reduction(merge : sum) if (false)
        run(seed, depth, {count, bits, cells, sum});
        break;
    case 2:
        run(seed, depth, to);
        break;
    default:
#pragma omp task in_reduction(+ : count, cells[ : cells_count]) in_reduction(^ : bits)             \
    in_reduction(merge : sum)
        run(seed, depth, {count, bits, cells, sum});
    }
}

void spawn_children(uint64_t seed, int depth, const Variables& to) {
    const Plan plan(seed, depth);
    for (unsigned i = 0; i < plan.children; ++i)
        spawn(child_seed(seed, i), depth - 1, to);
}

/// The cells stay with the enclosing reduction: the search goes on outwards.
void inner_group(uint64_t seed, int depth, const Variables& to) {
    long& count = to.count;
    uint64_t& bits = to.bits;
    Sum& sum = to.sum;
#pragma omp taskgroup task_reduction(+ : count) task_reduction(^ : bits) task_reduction(merge : sum)
    spawn_children(seed, depth, {count, bits, to.cells, sum});
}

void own_group(uint64_t seed, int depth, const Variables& to) {
    Results results(seed), wanted(seed);
    long& count = results.count;
    uint64_t& bits = results.bits;
    uint64_t* cells = results.cells;
    Sum& sum = results.sum;
#pragma omp taskgroup task_reduction(+ : count, cells[ : cells_count]) task_reduction(^ : bits)    \
    task_reduction(merge : sum)
    spawn_children(seed, depth, {count, bits, cells, sum});
    for (unsigned i = 0; i < Plan(seed, depth).children; ++i)
        serial(child_seed(seed, i), depth - 1, wanted.variables());
    expect_equal(results, wanted, "taskgroup");
    results.add_to(to);
}

void own_taskloop(uint64_t seed, int depth, const Variables& to) {
    const unsigned children = Plan(seed, depth).children;
    Results results(seed), wanted(seed);
    long& count = results.count;
    uint64_t& bits = results.bits;
    uint64_t* cells = results.cells;
    Sum& sum = results.sum;
#pragma omp taskloop reduction(+ : count, cells[ : cells_count]) reduction(^ : bits)               \
    reduction(merge : sum) grainsize(2)
    for (unsigned i = 0; i < children; ++i)
        run(child_seed(seed, i), depth - 1, {count, bits, cells, sum});
    for (unsigned i = 0; i < children; ++i)
        serial(child_seed(seed, i), depth - 1, wanted.variables());
    expect_equal(results, wanted, "taskloop");
    results.add_to(to);
}

void joined_taskloop(uint64_t seed, int depth, const Variables& to) {
    const unsigned children = Plan(seed, depth).children;
    long& count = to.count;
    uint64_t& bits = to.bits;
    uint64_t* cells = to.cells;
    Sum& sum = to.sum;
#pragma omp taskloop in_reduction(+ : count, cells[ : cells_count]) in_reduction(^ : bits)         \
    in_reduction(merge : sum) num_tasks(3)
    for (unsigned i = 0; i < children; ++i)
        run(child_seed(seed, i), depth - 1, {count, bits, cells, sum});
}

void run(uint64_t seed, int depth, const Variables& to) {
    const Plan plan(seed, depth);
    stress::work(plan.work);
    add_node(seed, to);
    switch (plan.form) {
    case Form::left_behind:
    case Form::count:
        spawn_children(seed, depth, to);
        break;
    case Form::taskwait:
        spawn_children(seed, depth, to);
#pragma omp taskwait
        break;
    case Form::inner_group:
        inner_group(seed, depth, to);
        break;
    case Form::own_group:
        own_group(seed, depth, to);
        break;
    case Form::taskloop:
        own_taskloop(seed, depth, to);
        break;
    case Form::joined_loop:
        joined_taskloop(seed, depth, to);
        break;
    }
}

constexpr int depth = 6;

/// Compares with trees of the seeds 0 to roots - 1, and sees whether every copy was destroyed.
void check(uint64_t seed, unsigned roots, const Results& found, const char* how) {
    Results wanted(0);
    for (unsigned i = 0; i < roots; ++i)
        serial(mix(seed, i), depth, wanted.variables());
    expect_equal(found, wanted, how);
    expect(live_sums.load() == 2, "%ld copies were not destroyed, %s", live_sums.load() - 2, how);
}

void outside_of_any_region(uint64_t seed) {
    Results results(seed);
    const uint64_t root = mix(seed, 0);
    add_node(root, results.variables());
    own_group(root, depth, results.variables());
    check(seed, 1, results, "outside of any region");
}

void one_root(uint64_t seed) {
    Results results(seed);
    const uint64_t root = mix(seed, 0);
    add_node(root, results.variables());
#pragma omp parallel
#pragma omp single nowait
    own_group(root, depth, results.variables());
    check(seed, 1, results, "one root");
}

void parallel_region(uint64_t seed) {
    Results results(seed);
    long& count = results.count;
    uint64_t& bits = results.bits;
    uint64_t* cells = results.cells;
    Sum& sum = results.sum;
    unsigned threads = 0;
#pragma omp parallel reduction(task, + : count, cells[ : cells_count]) reduction(task, ^ : bits)   \
    reduction(task, merge : sum)
    {
        const auto number = static_cast<unsigned>(omp_get_thread_num());
        if (number == 0)
            threads = static_cast<unsigned>(omp_get_num_threads());
        spawn(mix(seed, number), depth, {count, bits, cells, sum});
    }
    check(seed, threads, results, "parallel");
}

constexpr unsigned iterations = 5;

void static_loop(uint64_t seed) {
    Results results(seed);
    long& count = results.count;
    uint64_t& bits = results.bits;
    uint64_t* cells = results.cells;
    Sum& sum = results.sum;
#pragma omp parallel
#pragma omp for reduction(task, + : count, cells[ : cells_count]) reduction(task, ^ : bits)        \
    reduction(task, merge : sum) schedule(static)
    for (unsigned i = 0; i < iterations; ++i)
        spawn(mix(seed, i), depth, {count, bits, cells, sum});
    check(seed, iterations, results, "static loop");
}

void dynamic_loop(uint64_t seed) {
    Results results(seed);
    long& count = results.count;
    uint64_t& bits = results.bits;
    uint64_t* cells = results.cells;
    Sum& sum = results.sum;
#pragma omp parallel for reduction(task, + : count, cells[ : cells_count])                         \
    reduction(task, ^ : bits) reduction(task, merge : sum) schedule(dynamic)
    for (unsigned long long i = 0; i < iterations; ++i)
        spawn(mix(seed, static_cast<uint64_t>(i)), depth, {count, bits, cells, sum});
    check(seed, iterations, results, "dynamic loop");
}

/// The entry for such loops takes run-sched-var with each modifier.
void runtime_loop() {
    omp_set_schedule(omp_sched_static, 2);
    const int threads = omp_get_max_threads(), rounds = 4;
    long ran = 0, astray = 0;
    const auto is_astray = [&](int i) { return omp_get_thread_num() != i / 2 % threads; };
#pragma omp parallel num_threads(threads)
    {
#pragma omp for reduction(task, + : ran, astray) schedule(nonmonotonic : runtime)
        for (int i = 0; i < 2 * rounds * threads; ++i)
            ++ran, astray += is_astray(i);
#pragma omp for reduction(task, + : ran, astray) schedule(monotonic : runtime)
        for (unsigned long i = 0; i < 2ul * rounds * static_cast<unsigned>(threads); ++i)
            ++ran, astray += is_astray(static_cast<int>(i));
#pragma omp for reduction(task, + : ran, astray) schedule(runtime)
        for (long i = 2 * rounds * threads - 1; i >= 0; --i)
            ++ran;
    }
    expect(ran == 6 * rounds * threads, "%ld iterations of loops with schedule(runtime)", ran);
    expect(astray == 0, "%ld iterations of static,2 on the wrong thread", astray);
}

/// Four roots: sections, a loop and a single construct inside a scope, and a part of every thread.
void scope(uint64_t seed) {
    Results results(seed);
    long& count = results.count;
    uint64_t& bits = results.bits;
    uint64_t* cells = results.cells;
    Sum& sum = results.sum;
    long threads = 0, parts = 0;
#pragma omp parallel
#pragma omp scope reduction(task, + : count) reduction(task, merge : sum) reduction(+ : parts)
    {
#pragma omp scope reduction(task, + : cells[ : cells_count]) reduction(task, ^ : bits)
        {
            parts += 1;
#pragma omp single nowait
            {
                threads = omp_get_num_threads();
                spawn(mix(seed, 0), depth, {count, bits, cells, sum});
            }
#pragma omp for nowait
            for (unsigned i = 1; i < 3; ++i)
                spawn(mix(seed, i), depth, {count, bits, cells, sum});
        }
#pragma omp sections reduction(task, + : cells[ : cells_count]) reduction(task, ^ : bits)
        {
            spawn(mix(seed, 3), depth, {count, bits, cells, sum});
#pragma omp section
            spawn(mix(seed, 4), depth, {count, bits, cells, sum});
        }
    }
    expect(parts == threads, "%ld parts of %ld threads", parts, threads);
    check(seed, 5, results, "scope");
}

/// More items than the runtime searches one by one, declared and named in different orders.
void many_items() {
    long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0;
    constexpr int tasks = 20;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : c, a, k, e, b, j, d, i, f, h, g)
    for (int task = 0; task < tasks; ++task) {
#pragma omp task in_reduction(+ : a, b, c, d, e, f, g, h, i, j, k)
        {
            a += 1, b += 2, c += 3, d += 4, e += 5, f += 6;
            g += 7, h += 8, i += 9, j += 10, k += 11;
#pragma omp task in_reduction(+ : k, f)
            k += 100, f += 200;
        }
    }
    const long found[] = {a, b, c, d, e, f, g, h, i, j, k};
    for (long item = 0; item < 11; ++item)
        expect(found[item] == tasks * (item + 1 +
                                       (item == 10  ? 100
                                        : item == 5 ? 200
                                                    : 0)),
               "item %ld of many is %ld", item, found[item]);
}

} // namespace

int main() {
    const int rounds = stress::scaled(100);
    Random random(stress::seed());
    for (int i = 0; i < rounds; ++i) {
        outside_of_any_region(random.next());
        one_root(random.next());
        parallel_region(random.next());
        static_loop(random.next());
        dynamic_loop(random.next());
        runtime_loop();
        scope(random.next());
        many_items();
    }
    return stress::result("reductions");
}
