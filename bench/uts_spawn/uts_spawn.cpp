// SPDX-License-Identifier: Apache-2.0
// UTS by spawn and sync, on heddle.hpp: the forms for Cilk and Cilk++ of Olivier & Prins 2010,
// sections 3.2.1 and 3.2.2. A child's count is added at sync, where Cilk's inlet adds it when the
// child returns; or a reducer counts. Trees and checks are bench/uts's.
// Usage: uts_spawn [--tree T3] [--variant spawn|reducer] [--threads N]
#include <heddle.hpp>

#include "../uts/kinds.hpp"

const char* const bench_runtime_symbol = "heddle_spawn";
static int threads_asked; // 0: what the environment says

void bench_set_threads(int threads) { threads_asked = threads; }

namespace {

enum { LEVEL = 1024 }; // bytes: gcc takes about 350

template <class Kind>
long count(const uts_node& node) {
    int children = uts_children(&node);
    Kind::visit();
    if (children == 0)
        return 1;
    auto* partial = static_cast<long*>(__builtin_alloca(sizeof(long) * (unsigned)children));
    long total = 1;
    for (int i = 0; i < children; i++)
        heddle::spawn([&node, i, result = &partial[i], creator = Kind::create()] {
            Kind::start(creator);
            *result = count<Kind>(Kind::child(node, i));
        });
    heddle::sync();
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

template <class Kind>
void visit(const uts_node& node, heddle::reducer<long>& nodes) {
    int children = uts_children(&node);
    Kind::visit();
    nodes += 1;
    for (int i = 0; i < children; i++)
        heddle::spawn([&node, i, &nodes, creator = Kind::create()] {
            Kind::start(creator);
            visit<Kind>(Kind::child(node, i), nodes);
        });
    heddle::sync();
}

// The threads stay for the next run. They are all that the process has, so they can be counted.
int begin() {
    heddle::run(threads_asked, [] {});
    int threads = heddle_worker_count();
    if (threads_asked != 0 && threads != threads_asked)
        bench_fail("asked for %d threads, the runtime gave %d", threads_asked, threads);
    return threads;
}

} // namespace

int main(int argc, char** argv) {
    enum { SPAWN, REDUCER };
    long variant = SPAWN;
    const bench_option options[] = {
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "spawn|reducer",
         "counts added at sync, or a reducer (spawn)"},
    };
    uts_parse(argc, argv, options, 1);
    auto run = [&](const uts_node& root) {
        return uts::with_kind([&](auto kind) {
            using Kind = decltype(kind);
            if (variant == SPAWN)
                return heddle::run(threads_asked, [&] { return count<Kind>(root); });
            heddle::reducer<long> nodes;
            heddle::run(threads_asked, [&] { visit<Kind>(root, nodes); });
            return nodes.value();
        });
    };
    uts::measure("uts_spawn", variant == SPAWN ? "spawn" : "reducer", LEVEL, begin, run);
    return 0;
}
