// SPDX-License-Identifier: Apache-2.0
// The kinds of a form of UTS, as the OpenMP program has them in tasks.h: a form in C++ is a
// template over what its kind adds to it. The bare one, which is timed, adds nothing.
#ifndef HEDDLE_BENCH_UTS_KINDS_HPP
#define HEDDLE_BENCH_UTS_KINDS_HPP

#include "problem.h"
#include "tally.h"

namespace uts {

// One hash a node.
struct Bare {
    struct Creator {}; // goes with a task, to where it starts
    static Creator create() { return {}; }
    static void start(Creator) {}
    static void visit() {}
    static uts_node child(const uts_node& parent, int index) { return uts_child(&parent, index); }
};

// --hashes
struct Varied : Bare {
    static uts_node child(const uts_node& parent, int index) {
        return uts_child_of_hashes(&parent, index, uts_asked.hashes);
    }
};

// --report
struct Reported {
    using Creator = const uts_tally*;
    static Creator create() {
        uts_tally* here = uts_tally_here();
        here->created++;
        return here;
    }
    static void start(Creator creator) { uts_tally_start(creator); }
    static void visit() { uts_tally_here()->nodes++; }
    static uts_node child(const uts_node& parent, int index) {
        return uts_tally_child(&parent, index);
    }
};

// Calls form(Kind{}) with the kind that the command line asks for.
template <class Form>
long with_kind(Form form) {
    if (uts_asked.report)
        return form(Reported{});
    return uts_asked.hashes > 1 ? form(Varied{}) : form(Bare{});
}

// The program that is left once there are forms: measures run(), checks and reports. `level` is
// the stack that one level of the tree takes, `begin` starts the threads and says how many.
template <class Begin, class Run>
void measure(const char* benchmark, const char* variant, long level, Begin begin, Run run) {
    uts_problem problem = uts_prepare(1, level);
    int threads = begin();
    double start = bench_seconds();
    long nodes = run(problem.root);
    double seconds = bench_seconds() - start;
    uts_expect("nodes", nodes, problem.tree.nodes);
    uts_json_begin(benchmark, variant, &problem, threads, seconds, 1);
    if (uts_asked.report)
        uts_json_tally(threads, seconds, nodes, nodes - 1);
    bench_json_end();
}

} // namespace uts

#endif
