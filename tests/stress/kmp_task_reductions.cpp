// SPDX-License-Identifier: Apache-2.0
// Random trees of tasks whose nodes add to variables that clang's entry points reduce: a sum, a
// product, and an object that is constructed and destroyed. Taskgroups are nested; tasks ask for
// their copies by the original's address or that of another thread's copy. Some taskgroups are
// gcc's and have reductions of their own. The values of the tree are computed serially.
#include "kmp_tasks.hpp"
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::expect;
using stress::mix;
using stress::Random;

std::atomic<long> live_objects{0};

/// Owns its value; knows whose copy it is.
class Object {
public:
    explicit Object(uint64_t family) : family_(family), value_(new uint64_t(0)) { ++live_objects; }
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    ~Object() {
        *value_ = ~uint64_t{0};
        delete value_;
        --live_objects;
    }
    void add(uint64_t value) { *value_ += value; }
    void merge(const Object& other) {
        expect(family_ == other.family_, "a copy was made for another original");
        *value_ += *other.value_;
    }
    uint64_t family() const { return family_; }
    uint64_t value() const { return *value_; }

private:
    uint64_t family_;
    uint64_t* value_;
};

/// The originals, or this thread's copies.
struct Variables {
    long* sum;
    uint64_t* product; ///< modulo 2^64
    Object* object;
};

/// One set of originals.
struct Originals {
    explicit Originals(uint64_t family) : object(family) {}
    Variables addresses() { return {&sum, &product, &object}; }
    long sum = 0;
    uint64_t product = 1;
    Object object;
};

void add_sum(void* into, void* copy) { *static_cast<long*>(into) += *static_cast<long*>(copy); }
void multiply(void* into, void* copy) {
    *static_cast<uint64_t*>(into) *= *static_cast<uint64_t*>(copy);
}
void make_one(void* copy, void*) { *static_cast<uint64_t*>(copy) = 1; }
void merge(void* into, void* copy) {
    static_cast<Object*>(into)->merge(*static_cast<Object*>(copy));
}
void make_object(void* copy, void* source) {
    new (copy) Object(static_cast<const Object*>(source)->family());
}
void destroy_object(void* copy) { static_cast<Object*>(copy)->~Object(); }

/// As generated code describes the three.
struct Description {
    explicit Description(const Variables& of, uint32_t flags)
        : items{{of.sum, nullptr, sizeof(long), nullptr, nullptr, add_sum, flags},
                {of.product, of.product, sizeof(uint64_t), make_one, nullptr, multiply, flags},
                {of.object, of.object, sizeof(Object), make_object, destroy_object, merge, flags}} {
    }
    KmpReduction items[3];
};

int32_t global() { return __kmpc_global_thread_num(nullptr); }

template <class Type>
Type* copy_of(void* group, Type* item) {
    return static_cast<Type*>(__kmpc_task_reduction_get_th_data(global(), group, item));
}

Variables copies_of(void* group, const Variables& of) {
    return {copy_of(group, of.sum), copy_of(group, of.product), copy_of(group, of.object)};
}

void add_node(uint64_t seed, const Variables& to) {
    *to.sum += 1;
    *to.product *= mix(seed, 1) | 1;
    to.object->add(mix(seed, 2));
}

void expect_sums(Originals& expected, const Originals& got, const char* where) {
    expect(got.sum == expected.sum, "%s: %ld nodes instead of %ld", where, got.sum, expected.sum);
    expect(got.product == expected.product, "%s: the product", where);
    expect(got.object.value() == expected.object.value(), "%s: the objects", where);
}

/// What a node does is a function of its seed.
struct Node {
    explicit Node(uint64_t seed, int depth) {
        Random random(seed);
        children = depth > 0 ? random.below(4) : 0;
        groups = random.chance(25);
        reduces_copies = random.chance(50);
        old_interface = random.chance(30);
        uses_group = random.chance(50);
        lazy = random.chance(50);
        work = random.below(2000);
    }
    unsigned children, work;
    bool groups;         ///< its children are in a taskgroup that reduces
    bool reduces_copies; ///< what the node has, not variables of its own
    bool old_interface, uses_group, lazy;
};

void serial_children(uint64_t seed, int depth, const Variables& to) {
    const Node node(seed, depth);
    for (unsigned i = 0; i < node.children; ++i) {
        const uint64_t child = mix(seed, 10 + i);
        add_node(child, to);
        serial_children(child, depth - 1, to);
    }
}

void serial(uint64_t seed, int depth, const Variables& to) {
    add_node(seed, to);
    serial_children(seed, depth, to);
}

struct NodeTask : KmpTask {
    uint64_t seed;
    int64_t depth;
    void* group; ///< where the search begins, nullptr: the task's own
    Variables known_as;
};

void tree(uint64_t seed, int depth, const Variables& mine);

int32_t run_node(int32_t, KmpTask* raw) {
    auto& task = *static_cast<NodeTask*>(raw);
    tree(task.seed, static_cast<int>(task.depth), copies_of(task.group, task.known_as));
    return 0;
}

void create_node(uint64_t seed, int depth, void* group, const Variables& known_as) {
    const Node node(seed, depth);
    auto& task = *static_cast<NodeTask*>(
        __kmpc_omp_task_alloc(nullptr, global(), kmp_task::tied, sizeof(NodeTask), 0, run_node));
    task.seed = seed;
    task.depth = depth;
    task.group = node.uses_group ? group : nullptr;
    task.known_as = known_as;
    __kmpc_omp_task(nullptr, global(), &task);
}

void create_children(uint64_t seed, int depth, void* group, const Variables& known_as) {
    const Node node(seed, depth);
    for (unsigned i = 0; i < node.children; ++i)
        create_node(mix(seed, 10 + i), depth - 1, group, known_as);
}

/// A taskgroup whose tasks add to `into`.
void reducing_group(uint64_t seed, int depth, const Variables& into) {
    const Node node(seed, depth);
    const Description description(into, node.lazy);
    __kmpc_taskgroup(nullptr, global());
    KmpReduction all[3];
    std::copy(description.items, description.items + 3, all);
    void* group;
    if (node.old_interface) { // its initializers see no original, so the object comes separately
        KmpOldReduction old[2] = {{into.sum, sizeof(long), nullptr, nullptr, add_sum, node.lazy},
                                  {into.product, sizeof(uint64_t),
                                   [](void* copy) { *static_cast<uint64_t*>(copy) = 1; }, nullptr,
                                   multiply, node.lazy}};
        __kmpc_taskred_init(global(), 1, &all[2]);
        group = __kmpc_task_reduction_init(global(), 2, old);
    } else {
        group = __kmpc_taskred_init(global(), 3, all);
    }
    create_children(seed, depth, group, into);
    __kmpc_end_taskgroup(nullptr, global());
}

/// The node itself, and what it creates. `mine` are the executing thread's copies.
void tree(uint64_t seed, int depth, const Variables& mine) {
    const Node node(seed, depth);
    add_node(seed, mine);
    stress::work(node.work);
    if (!node.groups) {
        create_children(seed, depth, nullptr, mine);
        return;
    }
    if (node.reduces_copies) {
        reducing_group(seed, depth, mine);
        return;
    }
    Originals own(mine.object->family());
    reducing_group(seed, depth, own.addresses());
    *mine.sum += own.sum;
    *mine.product *= own.product;
    mine.object->merge(own.object);
}

constexpr int tree_depth = 7;

void in_a_taskgroup(uint64_t seed) {
    Originals expected(seed), got(seed);
    serial(seed, tree_depth, expected.addresses());
    *got.addresses().sum = 0;
    __kmpc_taskgroup(nullptr, global());
    Description description(got.addresses(), seed & 1);
    void* group = __kmpc_taskred_init(global(), 3, description.items);
    create_node(seed, tree_depth, group, got.addresses());
    __kmpc_end_taskgroup(nullptr, global());
    expect_sums(expected, got, "taskgroup");
}

/// What is expected of a team, and what came out.
struct Sums {
    explicit Sums(uint64_t family) : expected(family), got(family) {}
    Originals expected, got;
};

/// By each thread of a team: each has variables of its own, which are added up afterwards. `inner`:
/// the construct contains others like it.
void in_a_team(uint64_t seed, bool workshare, Sums& sums, Sums* inner) {
    const int thread = omp_get_thread_num();
    const uint64_t mine = mix(seed, static_cast<uint64_t>(thread));
    Originals own(seed), own_expected(seed);
    Description description(own.addresses(), seed & 1);
    void* group = __kmpc_taskred_modifier_init(nullptr, global(), workshare, 3, description.items);
    const int nodes = thread % 3;
    for (int i = 0; i < nodes; ++i) {
        create_node(mix(mine, static_cast<uint64_t>(i)), tree_depth - 2, group, own.addresses());
        serial(mix(mine, static_cast<uint64_t>(i)), tree_depth - 2, own_expected.addresses());
    }
#pragma omp for nowait // threads may run ahead
    for (int i = 0; i < 10; ++i)
        stress::work(100);
    for (int i = 0; inner && i < 3; ++i) {
        in_a_team(seed + 1, true, *inner, nullptr);
#pragma omp barrier
    }
    const uint64_t in_group = mix(mine, 50);
    reducing_group(in_group, 3, own.addresses());
    serial_children(in_group, 3, own_expected.addresses());
    __kmpc_task_reduction_modifier_fini(nullptr, global(), workshare);
#pragma omp critical
    {
        for (auto [all, part] :
             {std::pair{&sums.got, &own}, std::pair{&sums.expected, &own_expected}}) {
            all->sum += part->sum;
            all->product *= part->product;
            all->object.merge(part->object);
        }
    }
}

/// A taskgroup of gcc around one of clang, and the other way round: each task finds its own.
void among_taskgroups_of_gcc(uint64_t seed) {
    long sum = 5;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 4; ++i) {
#pragma omp task in_reduction(+ : sum)
        {
            in_a_taskgroup(mix(seed, static_cast<uint64_t>(i)));
            Originals own(seed);
            Description description(own.addresses(), seed & 1);
            __kmpc_taskgroup(nullptr, global());
            __kmpc_taskred_init(global(), 3, description.items);
            long inner = 0;
#pragma omp taskgroup task_reduction(+ : inner)
            for (int k = 0; k < 5; ++k) {
#pragma omp task in_reduction(+ : inner) shared(own)
                {
                    inner += 1;
                    *copy_of(nullptr, &own.sum) += 1;
                }
            }
            __kmpc_end_taskgroup(nullptr, global());
            expect(inner == 5 && own.sum == 5, "taskgroups of both compilers: %ld and %ld", inner,
                   own.sum);
            sum += inner;
        }
    }
    expect(sum == 25, "gcc's taskgroup: %ld", sum);
}

/// The same original in two groups: a task of the inner one asks for the outer one's copy.
void in_a_named_taskgroup() {
    Originals all(1);
    Description outer(all.addresses(), 0), inner(all.addresses(), 0);
    __kmpc_taskgroup(nullptr, global());
    void* group = __kmpc_taskred_init(global(), 3, outer.items);
    __kmpc_taskgroup(nullptr, global());
    void* inner_group = __kmpc_taskred_init(global(), 3, inner.items);
    const bool alone = omp_get_num_threads() == 1;
    expect(alone || copy_of(group, &all.sum) != copy_of(nullptr, &all.sum), "the outer copy");
    expect(copy_of(inner_group, &all.sum) == copy_of(nullptr, &all.sum), "the inner copy");
    *copy_of(group, &all.sum) += 1;
    *copy_of(inner_group, &all.sum) += 10;
    __kmpc_end_taskgroup(nullptr, global());
    expect(all.sum == (alone ? 11 : 10), "the sum of the inner taskgroup");
    __kmpc_end_taskgroup(nullptr, global());
    expect(all.sum == 11, "the sum of both taskgroups");
}

} // namespace

int main() {
    const uint64_t seed = stress::seed();
    const int rounds = stress::scaled(60);
    in_a_taskgroup(seed); // no parallel region
    for (int round = 0; round < rounds; ++round) {
        const uint64_t now = mix(seed, static_cast<uint64_t>(round));
#pragma omp parallel
#pragma omp single
        {
            in_a_taskgroup(now);
            among_taskgroups_of_gcc(now);
            in_a_named_taskgroup();
        }
#pragma omp parallel
        in_a_taskgroup(mix(now, static_cast<uint64_t>(omp_get_thread_num())));
        Sums of_parallel(now), of_worksharing(now), inside(now + 1);
#pragma omp parallel
        in_a_team(now, false, of_parallel, &inside);
        expect_sums(of_parallel.expected, of_parallel.got, "parallel");
        expect_sums(inside.expected, inside.got, "worksharing in parallel");
#pragma omp parallel
        for (int region = 0; region < 3; ++region) {
            in_a_team(now, true, of_worksharing, nullptr);
#pragma omp barrier
        }
        expect_sums(of_worksharing.expected, of_worksharing.got, "worksharing");
    }
    expect(live_objects == 0, "%ld objects are left", live_objects.load());
    return stress::result("kmp_task_reductions");
}
