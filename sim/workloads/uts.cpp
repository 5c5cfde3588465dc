// SPDX-License-Identifier: Apache-2.0
// Unbalanced tree search, the trees of bench/uts with their published counts. Each node is one
// task, results are returned through a taskwait as in Olivier & Prins 2010, section 3.1.1, or
// counted by each thread without one. A node charges the cycles of its hashes.
#include "workloads/workload.hpp"

#include "uts/tree.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <omp.h>

namespace heddle::sim {

namespace {

uint64_t node_cycles;

int in_place_percent;

struct alignas(128) Tally {
    int64_t nodes = 0, counted = 0, elsewhere = 0; // elsewhere: tasks that another thread created
};
std::vector<Tally> tallies;

uts_node make_child(const uts_node& parent, int index) {
    charge_cycles(node_cycles);
    ++tallies[static_cast<size_t>(omp_get_thread_num())].nodes;
    return uts_child(&parent, index);
}

/// Is a node explored by its parent's task, as an if clause says? The same ones each time.
bool is_deferred(const uts_node& node) {
    return static_cast<int>(node.state[0] % 100) >= in_place_percent;
}

void begin_task(int creator) {
    const int me = omp_get_thread_num();
    tallies[static_cast<size_t>(me)].elsewhere += me != creator;
}

int64_t count(uts_node node) {
    const int children = uts_children(&node);
    if (children == 0)
        return 1;
    std::vector<int64_t> partial(static_cast<size_t>(children));
    int64_t* const results = partial.data();
    for (int i = 0; i < children; ++i) {
        const uts_node child = make_child(node, i);
        const int creator = omp_get_thread_num();
#pragma omp task firstprivate(child, i, results, creator) if (is_deferred(child))
        {
            begin_task(creator);
            results[i] = count(child);
        }
    }
#pragma omp taskwait
    int64_t total = 1;
    for (const int64_t part : partial)
        total += part;
    return total;
}

int64_t count_untied(uts_node node) {
    const int children = uts_children(&node);
    if (children == 0)
        return 1;
    std::vector<int64_t> partial(static_cast<size_t>(children));
    int64_t* const results = partial.data();
    for (int i = 0; i < children; ++i) {
        const uts_node child = make_child(node, i);
        const int creator = omp_get_thread_num();
#pragma omp task untied firstprivate(child, i, results, creator) if (is_deferred(child))
        {
            begin_task(creator);
            results[i] = count_untied(child);
        }
    }
#pragma omp taskwait
    int64_t total = 1;
    for (const int64_t part : partial)
        total += part;
    return total;
}

void visit(uts_node node) {
    ++tallies[static_cast<size_t>(omp_get_thread_num())].counted;
    const int children = uts_children(&node);
    for (int i = 0; i < children; ++i) {
        const uts_node child = make_child(node, i);
        const int creator = omp_get_thread_num();
#pragma omp task firstprivate(child, creator) if (is_deferred(child))
        {
            begin_task(creator);
            visit(child);
        }
    }
}

int64_t search(const std::string& form, const uts_node& root) {
    int64_t nodes = 0;
#pragma omp parallel
#pragma omp single
    {
        if (form == "taskwait")
            nodes = count(root);
        else if (form == "untied")
            nodes = count_untied(root);
        else
            visit(root);
    }
    for (const Tally& tally : tallies)
        nodes += tally.counted;
    return nodes;
}

Outcome run(Parameters& parameters, int threads) {
    const std::string name = parameters.text("tree", "tiny3");
    const std::string form = parameters.choice("form", {"taskwait", "untied", "visit"});
    const int64_t cycles = parameters.integer("cycles", 500, 0, 1000000000);
    const int64_t hashes = parameters.integer("hashes", 1, 1, 1000000);
    in_place_percent = static_cast<int>(parameters.integer("in_place", 0, 0, 100));
    parameters.refuse_unknown();
    const uts_named_tree* tree = uts_find_tree(name.c_str());
    if (!tree) {
        fprintf(stderr, "heddle-sim: --param tree=%s: there are %s\n", name.c_str(),
                uts_tree_names());
        _Exit(2);
    }
    uts_grow(&tree->parameters);
    node_cycles = static_cast<uint64_t>(cycles * hashes);
    tallies.assign(static_cast<size_t>(threads), {});
    Outcome outcome;
    start_team();
    int64_t nodes = 0;
    outcome.seconds = timed([&] { nodes = search(form, uts_root()); });
    outcome.checked = nodes == tree->nodes;
    outcome.answer = std::to_string(nodes);
    int64_t most = 0, made = 0, elsewhere = 0;
    for (const Tally& tally : tallies) {
        most = std::max(most, tally.nodes);
        made += tally.nodes;
        elsewhere += tally.elsewhere;
    }
    // What one thread would take for the nodes alone, from a long time: nanoseconds are coarse.
    const double serial =
        timed([] { charge_cycles(node_cycles * 1000); }) / 1000 * static_cast<double>(nodes - 1);
    outcome.figures["serial_virtual_seconds"] = serial;
    outcome.figures["speed_up"] = serial / outcome.seconds;
    outcome.figures["efficiency"] = serial / outcome.seconds / threads;
    outcome.figures["started_elsewhere"] = static_cast<double>(elsewhere);
    outcome.figures["largest_share_of_mean"] =
        static_cast<double>(most) * threads / static_cast<double>(made);
    return outcome;
}

const Registration registration{
    "uts",
    "unbalanced tree search: tree, form (taskwait, untied, visit), cycles, hashes, in_place (% of "
    "the nodes)",
    run};

} // namespace

} // namespace heddle::sim
