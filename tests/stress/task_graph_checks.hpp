// SPDX-License-Identifier: Apache-2.0
// What the programs that execute task graphs share: gcc's encoding of dependences, and what must
// hold after each wait. Included by task_graph.cpp and kmp_task_graph.cpp.
#pragma once

#include "task_graph.hpp"

#include <csignal>
#include <unistd.h>

namespace stress {

/// A depend array as gcc makes them, and the depend objects that it points to.
class DependArray {
public:
    DependArray(Graph& graph, const std::vector<Use>& uses, Random& random) {
        std::vector<void*> by_kind[6], objects;
        for (const Use& use : uses) {
            void* address = use.place == all_memory ? nullptr : &graph.values[use.place];
            if (use.kind != Kind::inoutset && random.chance(70)) {
                by_kind[static_cast<int>(use.kind)].push_back(address);
                continue;
            }
            objects_[used_] = {address, static_cast<uintptr_t>(use.kind)};
            objects.push_back(&objects_[used_++]);
        }
        std::vector<void*>&outs = by_kind[2], &inouts = by_kind[3], &mutexes = by_kind[4];
        outs.insert(outs.end(), inouts.begin(), inouts.end());
        if (mutexes.empty() && objects.empty() && random.chance(30)) { // as before gcc 9
            words_ = {word(outs.size() + by_kind[1].size()), word(outs.size())};
        } else {
            words_ = {nullptr, word(uses.size()), word(outs.size()), word(mutexes.size()),
                      word(by_kind[1].size())};
        }
        for (const auto* part : {&outs, &mutexes, &by_kind[1], &objects})
            words_.insert(words_.end(), part->begin(), part->end());
    }
    void** get() { return words_.data(); }

private:
    struct Object {
        void* address;
        uintptr_t kind;
    };
    static void* word(size_t number) { return reinterpret_cast<void*>(number); }
    Object objects_[most_uses];
    size_t used_ = 0;
    std::vector<void*> words_;
};

/// The task's event is about to be fulfilled.
inline void note_completion(Task& task) {
    for (unsigned place = 0; place < places; ++place)
        if (task.access[place] == Access::exclusive && task.completes_late())
            task.graph->late[place] = mix(task.graph->late[place], task.id);
    task.fulfilled = 1;
}

inline void expect_complete(const Graph& graph, size_t first, size_t last, bool descendants,
                            const char* after) {
    for (size_t i = first; i < last; ++i) {
        const Task& task = *graph.tasks[i];
        expect(task.executed == 1, "graph %lu: task %zu ran %d times before the end of a %s",
               graph.root, i, task.executed, after);
        expect(task.seen == task.expected_seen, "graph %lu: task %zu saw other values", graph.root,
               i);
        expect(task.completion == Completion::none || task.fulfilled == 1,
               "graph %lu: task %zu is unfulfilled after a %s", graph.root, i, after);
        if (task.nested && (descendants || task.nested->waits))
            expect_complete(*task.nested, 0, task.nested->tasks.size(), descendants, after);
    }
}

inline void expect_values(const Graph& graph, const Step& step, const char* after) {
    for (unsigned place = 0; place < places; ++place)
        if (step.checks[place])
            expect(graph.values[place] == step.values[place] &&
                       graph.late[place] == step.late[place],
                   "graph %lu: place %u after a %s", graph.root, place, after);
}

inline volatile uint64_t current; ///< for who looks at a hang
inline void report_hang(int) {
    char text[80];
    const int length = snprintf(text, sizeof text, "wrong: graph %lu does not end\n", current);
    if (write(2, text, static_cast<size_t>(length)) < 0)
        abort();
    abort();
}

} // namespace stress
