// SPDX-License-Identifier: Apache-2.0
// Random task trees: every clause, captures of 1 to 5000 bytes, objects with copy constructors,
// waiting by taskwait, nested taskgroups, or not at all. Each tree is computed serially as well:
// every task must run once, with its data, after which nobody it was waited for is unfinished.
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::expect;
using stress::mix;
using stress::Random;

enum class Waiting { none, taskwait, taskgroup, nested_groups, count };

/// What a node does, from its seed alone.
struct Plan {
    unsigned children, work, yields;
    Waiting waiting;

    Plan(uint64_t seed, int depth) {
        Random random(seed);
        children = depth > 0 ? random.below(5) : 0;
        if (depth > 5 && children < 2)
            children = 2;
        work = random.chance(20) ? random.below(4000) : random.below(50);
        yields = random.chance(10) ? 1 : 0;
        waiting = static_cast<Waiting>(random.below(static_cast<unsigned>(Waiting::count)));
    }
};

uint64_t child_seed(uint64_t seed, unsigned index) { return mix(seed, index + 1); }

struct Totals {
    long nodes = 0;
    uint64_t sum = 0;
};

void serial(uint64_t seed, int depth, Totals& totals) {
    const Plan plan(seed, depth);
    ++totals.nodes;
    totals.sum += mix(seed, 0);
    for (unsigned i = 0; i < plan.children; ++i)
        serial(child_seed(seed, i), depth - 1, totals);
}

/// Counts the nodes that ended in one taskgroup or region.
struct Tally {
    std::atomic<long> nodes{0};
    std::atomic<uint64_t> sum{0};

    void add(long more, uint64_t more_sum) {
        nodes.fetch_add(more, std::memory_order_relaxed);
        sum.fetch_add(more_sum, std::memory_order_relaxed);
    }
};

struct Node {
    uint64_t seed;
    int depth;
    bool is_final; ///< some ancestor is, or the task itself
    Tally* tally;  ///< innermost taskgroup's
    int* done;     ///< plain memory of whoever waits for this task; nullptr when nobody does
};

void run(const Node& node);

std::atomic<long> live_objects{0}, copies{0};

/// Travels with firstprivate through gcc's copy function; its destructor belongs to the task.
class Counted {
public:
    explicit Counted(uint64_t value) : value_(new uint64_t(value)) { ++live_objects; }
    Counted(const Counted& other) : value_(new uint64_t(*other.value_)) {
        ++live_objects;
        copies.fetch_add(1, std::memory_order_relaxed);
    }
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
        *value_ = 0;
        delete value_;
        --live_objects;
    }
    uint64_t value() const { return *value_; }

private:
    uint64_t* value_;
};

template <int size, int alignment>
struct alignas(alignment) Bytes {
    unsigned char at[size];

    explicit Bytes(uint64_t seed) {
        for (int i = 0; i < size; ++i)
            at[i] = static_cast<unsigned char>(seed + static_cast<uint64_t>(i) * 7);
    }
    bool right(uint64_t seed) const {
        for (int i = 0; i < size; ++i)
            if (at[i] != static_cast<unsigned char>(seed + static_cast<uint64_t>(i) * 7))
                return false;
        return reinterpret_cast<uintptr_t>(this) % alignment == 0;
    }
};

struct Clauses {
    bool deferrable, final, untied, mergeable;
};

template <class Payload>
void body(const Node& node, const Payload& payload) {
    if constexpr (std::is_same_v<Payload, Counted>)
        expect(payload.value() == node.seed, "a copied object has another value");
    else
        expect(payload.right(node.seed), "captured data of %zu bytes", sizeof payload);
    expect(!node.is_final || omp_in_final(), "not final below a final task");
    run(node);
}

template <class Payload>
void spawn(Node node, const Payload& original, Clauses clauses) {
    const Payload payload(original);
    if (clauses.untied && clauses.mergeable) {
#pragma omp task firstprivate(payload, node) if (clauses.deferrable) final(clauses.final)          \
    untied mergeable
        body(node, payload);
    } else if (clauses.untied) {
#pragma omp task firstprivate(payload, node) if (clauses.deferrable) final(clauses.final) untied
        body(node, payload);
    } else if (clauses.mergeable) {
#pragma omp task firstprivate(payload, node) if (clauses.deferrable) final(clauses.final) mergeable
        body(node, payload);
    } else if (clauses.deferrable && !clauses.final) {
#pragma omp task firstprivate(payload, node)
        body(node, payload);
    } else {
#pragma omp task firstprivate(payload, node) if (clauses.deferrable) final(clauses.final)          \
    priority(3)
        body(node, payload);
    }
}

/// Without payload: the shape of most programs' tasks, which fits the runtime's slots.
void spawn_plain(Node node) {
#pragma omp task firstprivate(node)
    {
        expect(!node.is_final || omp_in_final(), "not final below a final task");
        run(node);
    }
}

void spawn_any(Node node, Random& random) {
    const bool final = random.chance(3);
    const Clauses clauses{!random.chance(10), final, random.chance(25), random.chance(25)};
    const uint64_t seed = node.seed;
    const unsigned kind = random.below(16);
    if (kind < 4) {
        spawn_plain(node);
        return;
    }
    node.is_final |= final;
    switch (kind) {
    case 4:
        return spawn(node, Bytes<1, 1>(seed), clauses);
    case 5:
        return spawn(node, Bytes<7, 1>(seed), clauses);
    case 6:
        return spawn(node, Bytes<8, 8>(seed), clauses);
    case 7:
        return spawn(node, Bytes<17, 1>(seed), clauses);
    case 8:
        return spawn(node, Bytes<64, 64>(seed), clauses);
    case 9:
        return spawn(node, Bytes<100, 4>(seed), clauses);
    case 10:
        return spawn(node, Bytes<500, 1>(seed), clauses);
    case 11:
        return spawn(node, Bytes<1024, 256>(seed), clauses);
    case 12:
        return spawn(node, Bytes<3999, 1>(seed), clauses);
    case 13:
        return spawn(node, Bytes<5000, 32>(seed), clauses);
    default:
        return spawn(node, Counted(seed), clauses);
    }
}

/// Creates the children; `tally` is where they and their descendants count.
void spawn_children(const Node& node, const Plan& plan, Tally* tally, int* done) {
    Random random(mix(node.seed, 99));
    for (unsigned i = 0; i < plan.children; ++i) {
        spawn_any({child_seed(node.seed, i), node.depth - 1, node.is_final, tally,
                   done ? done + i : nullptr},
                  random);
        if (random.chance(5)) {
#pragma omp taskyield
        }
    }
}

void expect_done(const Plan& plan, const int* done, const char* after) {
    for (unsigned i = 0; i < plan.children; ++i)
        expect(done[i] == 1, "a child is unfinished after %s", after);
}

void check_group(const Node& node, const Plan& plan, const Tally& tally) {
    Totals totals;
    for (unsigned i = 0; i < plan.children; ++i)
        serial(child_seed(node.seed, i), node.depth - 1, totals);
    expect(tally.nodes.load(std::memory_order_relaxed) == totals.nodes,
           "%ld of %ld tasks after a taskgroup", tally.nodes.load(), totals.nodes);
    expect(tally.sum.load(std::memory_order_relaxed) == totals.sum, "other tasks in a taskgroup");
    node.tally->add(totals.nodes, totals.sum);
}

void run(const Node& node) {
    const Plan plan(node.seed, node.depth);
    int done[8] = {};
    stress::work(plan.work);
    switch (plan.waiting) {
    case Waiting::none:
    case Waiting::count:
        spawn_children(node, plan, node.tally, nullptr);
        break;
    case Waiting::taskwait:
        spawn_children(node, plan, node.tally, done);
#pragma omp taskwait
        expect_done(plan, done, "taskwait");
        break;
    case Waiting::taskgroup: {
        Tally tally;
#pragma omp taskgroup
        spawn_children(node, plan, &tally, done);
        expect_done(plan, done, "taskgroup");
        check_group(node, plan, tally);
        break;
    }
    case Waiting::nested_groups: {
        Tally tally;
        int inner = 0;
#pragma omp taskgroup
        {
#pragma omp task shared(inner)
            inner = 1;
#pragma omp taskgroup
            {
                spawn_children(node, plan, &tally, done);
#pragma omp taskwait
                expect_done(plan, done, "taskwait in a taskgroup");
            }
            check_group(node, plan, tally);
        }
        expect(inner == 1, "a task outside the inner group is unfinished after the outer");
        break;
    }
    }
    for (unsigned i = 0; i < plan.yields; ++i) {
#pragma omp taskyield
    }
    node.tally->add(1, mix(node.seed, 0));
    if (node.done)
        *node.done = 1;
}

void check_region(const Tally& tally, const Totals& totals, const char* how) {
    expect(tally.nodes.load() == totals.nodes && tally.sum.load() == totals.sum,
           "%ld of %ld tasks ran, %s", tally.nodes.load(), totals.nodes, how);
    expect(live_objects.load() == 0, "%ld copies were not destroyed, %s", live_objects.load(), how);
}

constexpr int depth = 8;

void one_root(uint64_t seed) {
    Tally tally;
#pragma omp parallel
#pragma omp single nowait
    run({seed, depth, false, &tally, nullptr});
    Totals totals;
    serial(seed, depth, totals);
    check_region(tally, totals, "one root");
}

void a_root_for_each_thread(uint64_t seed) {
    Tally tally;
    int threads = 0;
#pragma omp parallel
    {
        run({mix(seed, static_cast<unsigned>(omp_get_thread_num())), depth - 2, false, &tally,
             nullptr});
#pragma omp single
        threads = omp_get_num_threads();
    }
    Totals totals;
    for (int i = 0; i < threads; ++i)
        serial(mix(seed, static_cast<unsigned>(i)), depth - 2, totals);
    check_region(tally, totals, "a root for each thread");
}

void outside_of_any_region(uint64_t seed) {
    Tally tally;
    Totals totals;
#pragma omp taskgroup
    run({seed, depth - 3, false, &tally, nullptr});
    serial(seed, depth - 3, totals);
    check_region(tally, totals, "outside of any region");
}

} // namespace

int main() {
    const int rounds = stress::scaled(2500);
    Random random(stress::seed());
    for (int i = 0; i < rounds; ++i) {
        one_root(random.next());
        a_root_for_each_thread(random.next());
        outside_of_any_region(random.next());
    }
    return stress::result("tasks_random");
}
