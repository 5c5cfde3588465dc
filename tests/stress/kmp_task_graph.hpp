// SPDX-License-Identifier: Apache-2.0
// Tasks of all kinds as clang's generated code makes them, for kmp_task_graph.cpp: dependences in
// its encoding, private and shared data that the routine can check, a destructor that is counted.
#pragma once

#include "kmp_tasks.hpp"
#include "task_graph_checks.hpp"

#include <cstring>

struct KmpDepend {
    intptr_t base;
    size_t length;
    uint8_t flags;
};
struct KmpAffinity {
    intptr_t base;
    size_t length;
    int32_t flags;
};

namespace kmp_task {
constexpr int32_t proxy = 0x10, detachable = 0x40;
}

extern "C" {
KmpTask* __kmpc_omp_target_task_alloc(Ident*, int32_t, int32_t flags, size_t size, size_t shareds,
                                      KmpRoutine, int64_t device);
int32_t __kmpc_omp_task_with_deps(Ident*, int32_t, KmpTask*, int32_t count, KmpDepend*,
                                  int32_t more_count, KmpDepend*);
int32_t __kmpc_omp_task_parts(Ident*, int32_t, KmpTask*);
void __kmpc_omp_task_begin_if0(Ident*, int32_t, KmpTask*);
void __kmpc_omp_task_complete_if0(Ident*, int32_t, KmpTask*);
void __kmpc_omp_wait_deps(Ident*, int32_t, int32_t count, KmpDepend*, int32_t more_count,
                          KmpDepend*);
void __kmpc_omp_taskwait_deps_51(Ident*, int32_t, int32_t count, KmpDepend*, int32_t more_count,
                                 KmpDepend*, int32_t nowait);
int32_t __kmpc_omp_taskyield(Ident*, int32_t, int32_t end_part);
int32_t __kmpc_omp_reg_task_with_affinity(Ident*, int32_t, KmpTask*, int32_t count, KmpAffinity*);
void* __kmpc_task_allow_completion_event(Ident*, int32_t, KmpTask*);
void __kmpc_proxy_task_completed(int32_t, KmpTask*);
void __kmpc_proxy_task_completed_ooo(KmpTask*);
}

namespace stress {

inline Ident ident{0, 2, 0, 0, ";;;0;0;;"};
inline int32_t thread() { return __kmpc_global_thread_num(&ident); }

/// The two arrays of a construct with dependences.
class KmpDepends {
public:
    KmpDepends(Graph& graph, const std::vector<Use>& uses, Random& random) {
        for (const Use& use : uses) {
            std::vector<KmpDepend>& list = lists_[random.below(2)];
            if (use.place == all_memory && random.chance(50))
                list.push_back({0, 0, 0x80});
            else if (use.place == all_memory)
                list.push_back({-1, 0, 3});
            else
                list.push_back({reinterpret_cast<intptr_t>(&graph.values[use.place]),
                                sizeof(uint64_t), flags_of(use.kind)});
        }
    }
    int32_t count(int which) const { return static_cast<int32_t>(lists_[which].size()); }
    KmpDepend* list(int which) { return lists_[which].empty() ? nullptr : lists_[which].data(); }

private:
    static uint8_t flags_of(Kind kind) {
        return kind == Kind::in              ? 1
               : kind == Kind::mutexinoutset ? 4
               : kind == Kind::inoutset      ? 8
                                             : 3;
    }
    std::vector<KmpDepend> lists_[2];
};

/// What is behind a KmpTask here: private variables, of which some are an array at the end.
struct Private {
    uint64_t id;
    void* owner; ///< what the routine is about
    void* event; ///< of a detachable task
    uint64_t bytes, shareds;
    std::atomic<int> sum; ///< of the children that parts of an untied task create

    static inline std::atomic<long> live{0}; ///< tasks whose destructors have not been called

    char* array() { return reinterpret_cast<char*>(this + 1); }
    static Private& of(KmpTask* task) { return *reinterpret_cast<Private*>(task + 1); }
    static char pattern(uint64_t id, uint64_t i) { return static_cast<char>(id + i * 7); }

    /// Both arrays have arrived.
    bool right(const KmpTask* task) {
        bool all = true;
        const auto* shared = static_cast<const char*>(task->shareds);
        for (uint64_t i = 0; i < bytes; ++i)
            all = all && array()[i] == pattern(id, i);
        for (uint64_t i = 0; i < shareds; ++i)
            all = all && shared[i] == pattern(id + 1, i);
        return all;
    }
};

inline int32_t destroy(int32_t, KmpTask* task) {
    Private& data = Private::of(task);
    expect(data.right(task), "the data of a task at its destruction");
    data.id = ~uint64_t{0};
    --Private::live;
    return 0;
}

/// A task with `flags` and arrays of random sizes, not yet created.
inline KmpTask* allocate(int32_t flags, uint64_t id, void* owner, KmpRoutine routine,
                         Random& random) {
    constexpr uint64_t sizes[] = {0, 0, 0, 8, 40, 301, 2000, 6000};
    const uint64_t bytes = sizes[random.below(8)], shareds = sizes[random.below(8)];
    const size_t size = sizeof(KmpTask) + sizeof(Private) + bytes;
    KmpTask* task =
        random.chance(90)
            ? __kmpc_omp_task_alloc(&ident, thread(), flags, size, shareds, routine)
            : __kmpc_omp_target_task_alloc(&ident, thread(), flags, size, shareds, routine, -1);
    Private& data = *new (task + 1) Private{id, owner, nullptr, bytes, shareds, {}};
    for (uint64_t i = 0; i < bytes; ++i)
        data.array()[i] = Private::pattern(id, i);
    for (uint64_t i = 0; i < shareds; ++i)
        static_cast<char*>(task->shareds)[i] = Private::pattern(id + 1, i);
    if (flags & kmp_task::destructors) {
        task->destructors = destroy;
        ++Private::live;
    }
    return task;
}

/// affinity clause: locations that many tasks name, so that threads send each other tasks.
inline void prefer_location(KmpTask* task, Random& random) {
    static char locations[64 * 32];
    KmpAffinity list[3];
    const unsigned count = 1 + random.below(3);
    for (unsigned i = 0; i < count; ++i)
        list[i] = {reinterpret_cast<intptr_t>(&locations[random.below(sizeof locations)]), 64, 0};
    __kmpc_omp_reg_task_with_affinity(&ident, thread(), task, static_cast<int32_t>(count), list);
}

} // namespace stress
