// SPDX-License-Identifier: Apache-2.0
// Tasks, taskgroups and teams as clang's generated code sees them, for stress programs that gcc
// compiles: entry points, and the structures that go with them. See kmp.hpp.
#pragma once

#include "kmp.hpp"

struct KmpTask {
    void* shareds;
    int32_t (*routine)(int32_t, KmpTask*);
    int32_t part;
    union {
        int32_t (*destructors)(int32_t, KmpTask*);
        int32_t data_1;
    };
    union {
        int32_t priority;
        void* data_2;
    };
};
using KmpRoutine = int32_t (*)(int32_t, KmpTask*);

/// Flags of a task.
namespace kmp_task {
constexpr int32_t tied = 1, final = 2, destructors = 8, priority = 0x20;
}

/// A list item of a task reduction. `source`: omp_orig.
struct KmpReduction {
    void *original, *source;
    size_t size;
    void (*initialize)(void* copy, void* source);
    void (*finalize)(void* copy);
    void (*combine)(void* into, void* copy);
    uint32_t flags; ///< 1: make copies lazily
};

/// The same of old compilers.
struct KmpOldReduction {
    void* original;
    size_t size;
    void (*initialize)(void* copy);
    void (*finalize)(void* copy);
    void (*combine)(void* into, void* copy);
    uint32_t flags;
};

extern "C" {
KmpTask* __kmpc_omp_task_alloc(Ident*, int32_t, int32_t flags, size_t size, size_t shareds,
                               KmpRoutine);
int32_t __kmpc_omp_task(Ident*, int32_t, KmpTask*);
int32_t __kmpc_omp_taskwait(Ident*, int32_t);
void __kmpc_taskgroup(Ident*, int32_t);
void __kmpc_end_taskgroup(Ident*, int32_t);
void* __kmpc_taskred_init(int32_t, int32_t count, KmpReduction*);
void* __kmpc_task_reduction_init(int32_t, int32_t count, KmpOldReduction*);
void* __kmpc_taskred_modifier_init(Ident*, int32_t, int32_t is_workshare, int32_t count,
                                   KmpReduction*);
void* __kmpc_task_reduction_modifier_init(Ident*, int32_t, int32_t is_workshare, int32_t count,
                                          KmpOldReduction*);
void __kmpc_task_reduction_modifier_fini(Ident*, int32_t, int32_t is_workshare);
void* __kmpc_task_reduction_get_th_data(int32_t, void* group, void* item);
using KmpDuplicate = void (*)(KmpTask* copy, KmpTask* pattern, int32_t is_last);
void __kmpc_taskloop(Ident*, int32_t, KmpTask*, int32_t if_clause, uint64_t* lower, uint64_t* upper,
                     int64_t step, int32_t nogroup, int32_t clause, uint64_t value, KmpDuplicate);
void __kmpc_taskloop_5(Ident*, int32_t, KmpTask*, int32_t if_clause, uint64_t* lower,
                       uint64_t* upper, int64_t step, int32_t nogroup, int32_t clause,
                       uint64_t value, int32_t strict, KmpDuplicate);
void __kmpc_push_num_teams(Ident*, int32_t, int32_t number, int32_t thread_limit);
void __kmpc_push_num_teams_51(Ident*, int32_t, int32_t lower, int32_t upper, int32_t thread_limit);
void __kmpc_set_thread_limit(Ident*, int32_t, int32_t thread_limit);
void __kmpc_fork_teams(Ident*, int32_t count, void (*)(int32_t*, int32_t*, ...), ...);
}
