// SPDX-License-Identifier: Apache-2.0
// The entry points that clang's generated code calls, for stress programs that gcc compiles: they
// call them by hand inside regions of gcc, so both interfaces meet in one team. Declared here, for
// no header has them.
#pragma once

#include <cstddef>
#include <cstdint>

/// Where in the source; `flags` 0x12: the reduction can be done with atomic operations as well.
struct Ident {
    int32_t reserved_1, flags, reserved_2, reserved_3;
    const char* source;
};
struct CriticalName {
    int32_t words[8];
};

extern "C" {
int32_t __kmpc_global_thread_num(Ident*);
int32_t __kmpc_bound_thread_num(Ident*);
int32_t __kmpc_bound_num_threads(Ident*);
int32_t __kmpc_global_num_threads(Ident*);
int32_t __kmpc_in_parallel(Ident*);
uint64_t __kmpc_get_taskid();
uint64_t __kmpc_get_parent_taskid();
void __kmpc_barrier(Ident*, int32_t);
int32_t __kmpc_barrier_master(Ident*, int32_t);
void __kmpc_end_barrier_master(Ident*, int32_t);
int32_t __kmpc_barrier_master_nowait(Ident*, int32_t);
int32_t __kmpc_master(Ident*, int32_t);
void __kmpc_end_master(Ident*, int32_t);
int32_t __kmpc_masked(Ident*, int32_t, int32_t filter);
void __kmpc_end_masked(Ident*, int32_t);
void __kmpc_flush(Ident*);
int32_t __kmpc_single(Ident*, int32_t);
void __kmpc_end_single(Ident*, int32_t);
void __kmpc_copyprivate(Ident*, int32_t, size_t, void*, void (*)(void*, void*), int32_t);
void* __kmpc_copyprivate_light(Ident*, int32_t, void*);
void __kmpc_critical(Ident*, int32_t, CriticalName*);
void __kmpc_critical_with_hint(Ident*, int32_t, CriticalName*, uint32_t);
void __kmpc_end_critical(Ident*, int32_t, CriticalName*);
void __kmpc_init_lock(Ident*, int32_t, void**);
void __kmpc_set_lock(Ident*, int32_t, void**);
void __kmpc_unset_lock(Ident*, int32_t, void**);
int32_t __kmpc_test_lock(Ident*, int32_t, void**);
void __kmpc_destroy_lock(Ident*, int32_t, void**);
void __kmpc_init_nest_lock(Ident*, int32_t, void**);
void __kmpc_set_nest_lock(Ident*, int32_t, void**);
void __kmpc_unset_nest_lock(Ident*, int32_t, void**);
int32_t __kmpc_test_nest_lock(Ident*, int32_t, void**);
void __kmpc_destroy_nest_lock(Ident*, int32_t, void**);
int32_t __kmpc_reduce(Ident*, int32_t, int32_t, size_t, void*, void (*)(void*, void*),
                      CriticalName*);
void __kmpc_end_reduce(Ident*, int32_t, CriticalName*);
int32_t __kmpc_reduce_nowait(Ident*, int32_t, int32_t, size_t, void*, void (*)(void*, void*),
                             CriticalName*);
void __kmpc_end_reduce_nowait(Ident*, int32_t, CriticalName*);
void __kmpc_threadprivate_register(Ident*, void*, void* (*)(void*), void* (*)(void*, void*),
                                   void (*)(void*));
void __kmpc_threadprivate_register_vec(Ident*, void*, void* (*)(void*, size_t),
                                       void* (*)(void*, void*, size_t), void (*)(void*, size_t),
                                       size_t);
void* __kmpc_threadprivate_cached(Ident*, int32_t, void*, size_t, void***);
void* __kmpc_threadprivate(Ident*, int32_t, void*, size_t);
}
