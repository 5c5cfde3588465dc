// SPDX-License-Identifier: Apache-2.0
// UTS with oneTBB, a peer that is no OpenMP runtime: Olivier & Prins 2010, section 3.2.3. Their
// class of tasks with a reference count is gone from TBB; a task group per node is what took its
// place. The second form has a counter per thread and waits once. Trees and checks are bench/uts's.
// Usage: uts_tbb [--tree T3] [--variant taskgroup|counters] [--threads N]
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <optional>
#include <sys/resource.h>
#include <thread>

#include "../uts/kinds.hpp"

const char* const bench_runtime_symbol = "TBB_runtime_version";
static int threads_asked;

void bench_set_threads(int threads) { threads_asked = threads; }

namespace {

// A level takes about 700 bytes, but a thread that waits may take up any task, also one high in
// the tree, whose levels then stand on top.
enum { LEVEL = 2048 }; // bytes

// All groups share the one context of the run: none is cancelled by itself.
template <class Kind>
long count(const uts_node& node, tbb::task_group_context& context) {
    int children = uts_children(&node);
    Kind::visit();
    if (children == 0)
        return 1;
    auto* partial = static_cast<long*>(__builtin_alloca(sizeof(long) * (unsigned)children));
    long total = 1;
    tbb::task_group group(context);
    for (int i = 0; i < children; i++)
        group.run([&node, &context, i, result = &partial[i], creator = Kind::create()] {
            Kind::start(creator);
            *result = count<Kind>(Kind::child(node, i), context);
        });
    group.wait();
    for (int i = 0; i < children; i++)
        total += partial[i];
    return total;
}

struct Counting {
    tbb::task_group group;
    tbb::enumerable_thread_specific<long> nodes{0L};
};

template <class Kind>
void visit(uts_node node, Counting& all) {
    int children = uts_children(&node);
    Kind::visit();
    all.nodes.local()++;
    for (int i = 0; i < children; i++)
        all.group.run([node, i, &all, creator = Kind::create()] {
            Kind::start(creator);
            visit<Kind>(Kind::child(node, i), all);
        });
}

// The threads: as many as asked for, also where there are fewer CPUs, with stacks like the main
// one.
class Team {
public:
    int begin() {
        rlimit stack;
        size_ = threads_asked > 0 ? threads_asked : tbb::info::default_concurrency();
        limit_.emplace(tbb::global_control::max_allowed_parallelism, size_);
        if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
            stacks_.emplace(tbb::global_control::thread_stack_size, stack.rlim_cur);
        arena_.initialize(size_);
        arena_.execute([this] { meet(); });
        return size_;
    }

    template <class Work>
    long run(Work work) {
        return arena_.execute([&] { return work(); });
    }

private:
    // Begins with all of them there, as an OpenMP region does: each has a task that waits for all.
    void meet() {
        std::atomic<int> here{0};
        double deadline = bench_seconds() + 10;
        tbb::task_group group;
        auto arrive = [&] {
            here.fetch_add(1, std::memory_order_relaxed); // only the number matters
            while (here.load(std::memory_order_relaxed) < size_ && bench_seconds() < deadline)
                std::this_thread::yield();
        };
        for (int i = 1; i < size_; i++)
            group.run(arrive);
        arrive();
        group.wait();
        if (bench_seconds() >= deadline)
            bench_fail("oneTBB did not start %d threads", size_);
    }

    int size_ = 0;
    std::optional<tbb::global_control> limit_, stacks_;
    tbb::task_arena arena_;
};

} // namespace

int main(int argc, char** argv) {
    enum { TASKGROUP, COUNTERS };
    long variant = TASKGROUP;
    const bench_option options[] = {
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "taskgroup|counters",
         "a group per node and returned counts, or counters per thread (taskgroup)"},
    };
    uts_parse(argc, argv, options, 1);
    Team team;
    auto run = [&](const uts_node& root) {
        return uts::with_kind([&](auto kind) {
            using Kind = decltype(kind);
            return team.run([&] {
                if (variant == TASKGROUP) {
                    tbb::task_group_context context;
                    return count<Kind>(root, context);
                }
                Counting all;
                all.group.run_and_wait([&] { visit<Kind>(root, all); });
                return all.nodes.combine([](long a, long b) { return a + b; });
            });
        });
    };
    uts::measure(
        "uts_tbb", variant == TASKGROUP ? "taskgroup" : "counters", LEVEL,
        [&] { return team.begin(); }, run);
    return 0;
}
