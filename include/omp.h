/* SPDX-License-Identifier: Apache-2.0
 * The user interface of OpenMP 5.2, with the host routines of 6.0 and 6.1 and libgomp's extensions.
 * For C from C99 and C++ from C++98, and for gcc and clang: types have the sizes that the compiler's
 * own omp.h gives them, because the compiler knows some by name and size. Programs may be compiled
 * with that header too; this one declares more. _OPENMP is the compiler's and says which
 * directives it takes. Section numbers are those of OpenMP 5.2, or of 6.0 where so marked. */
#ifndef HEDDLE_OMP_H
#define HEDDLE_OMP_H

/* `__extension__` where ISO C before C23 has no enumerator beyond int. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define HEDDLE_NOTHROW noexcept
#define HEDDLE_HANDLE : omp_uintptr_t
#elif defined(__cplusplus)
#define HEDDLE_NOTHROW throw()
#define HEDDLE_HANDLE
#else
#define HEDDLE_NOTHROW __attribute__((__nothrow__))
#define HEDDLE_HANDLE
#endif
#ifdef __cplusplus
#define HEDDLE_DEFAULT(value) = value
#else
#define HEDDLE_DEFAULT(value)
#endif
/* What a caller may rely on of a block of memory, for warnings and optimization. */
#if defined(__clang__)
#define HEDDLE_BLOCK __attribute__((__malloc__))
#define HEDDLE_MOVED_BLOCK
#elif __GNUC__ >= 11
#define HEDDLE_BLOCK __attribute__((__malloc__, __malloc__(omp_free)))
#define HEDDLE_MOVED_BLOCK __attribute__((__malloc__(omp_free)))
#else
#define HEDDLE_BLOCK __attribute__((__malloc__))
#define HEDDLE_MOVED_BLOCK
#endif

typedef __UINTPTR_TYPE__ omp_uintptr_t;
typedef __INTPTR_TYPE__ omp_intptr_t;

/* Locks (18.9) and dependence objects (15.9.2). A lock that is all zero is unlocked. */
#if defined(__clang__)
typedef struct omp_lock_t {
    void *heddle_private;
} omp_lock_t;
typedef struct omp_nest_lock_t {
    void *heddle_private;
} omp_nest_lock_t;
typedef void *omp_depend_t;
#else
typedef struct {
    unsigned heddle_private;
} omp_lock_t;
typedef struct {
    __UINT64_TYPE__ heddle_private[2];
} omp_nest_lock_t;
typedef struct omp_depend_t {
    void *heddle_private[2];
} omp_depend_t;
#endif

/* Schedules (18.2.11), binding (18.3.1), hints (15.1), pausing (18.6). */
__extension__ typedef enum omp_sched_t {
    omp_sched_static = 1,
    omp_sched_dynamic = 2,
    omp_sched_guided = 3,
    omp_sched_auto = 4,
    omp_sched_monotonic = 0x80000000U /* may be added to one of the above */
} omp_sched_t;

typedef enum omp_proc_bind_t {
    omp_proc_bind_false = 0,
    omp_proc_bind_true = 1,
    omp_proc_bind_primary = 2,
    omp_proc_bind_master = omp_proc_bind_primary, /* deprecated in 5.1 */
    omp_proc_bind_close = 3,
    omp_proc_bind_spread = 4
} omp_proc_bind_t;

typedef enum omp_sync_hint_t {
    omp_sync_hint_none = 0,
    omp_sync_hint_uncontended = 1,
    omp_sync_hint_contended = 2,
    omp_sync_hint_nonspeculative = 4,
    omp_sync_hint_speculative = 8,
    omp_lock_hint_none = omp_sync_hint_none, /* these names: deprecated in 5.0 */
    omp_lock_hint_uncontended = omp_sync_hint_uncontended,
    omp_lock_hint_contended = omp_sync_hint_contended,
    omp_lock_hint_nonspeculative = omp_sync_hint_nonspeculative,
    omp_lock_hint_speculative = omp_sync_hint_speculative
} omp_sync_hint_t;
typedef omp_sync_hint_t omp_lock_hint_t;

typedef enum omp_pause_resource_t {
    omp_pause_soft = 1,
    omp_pause_hard = 2,
    omp_pause_stop_tool = 3 /* of omp_pause_resource_all; the tool (OMPT) ends as well */
} omp_pause_resource_t;

/* Device numbers with a meaning of their own; all others are from 0 to omp_get_num_devices(). */
enum {
    omp_initial_device = -1, /* the host */
    omp_invalid_device = -4,
    omp_default_device = -5 /* 6.0: the one of omp_get_default_device() */
};

/* Memory spaces, allocators and their traits (6.1, 6.2, 18.13.1). */
__extension__ typedef enum omp_memspace_handle_t HEDDLE_HANDLE {
    omp_default_mem_space = 0,
    omp_large_cap_mem_space = 1,
    omp_const_mem_space = 2,
    omp_high_bw_mem_space = 3,
    omp_low_lat_mem_space = 4,
    ompx_gnu_managed_mem_space = 200,
    omp_null_mem_space = __UINTPTR_MAX__ /* 6.0 has 0, which is taken in every compiler's header */
} omp_memspace_handle_t;

__extension__ typedef enum omp_allocator_handle_t HEDDLE_HANDLE {
    omp_null_allocator = 0,
    omp_default_mem_alloc = 1,
    omp_large_cap_mem_alloc = 2,
    omp_const_mem_alloc = 3,
    omp_high_bw_mem_alloc = 4,
    omp_low_lat_mem_alloc = 5,
    omp_cgroup_mem_alloc = 6,
    omp_pteam_mem_alloc = 7,
    omp_thread_mem_alloc = 8,
    ompx_gnu_pinned_mem_alloc = 200,
    ompx_gnu_managed_mem_alloc = 201,
    heddle_allocator_handle_max = __UINTPTR_MAX__
} omp_allocator_handle_t;

typedef enum omp_alloctrait_key_t {
    omp_atk_sync_hint = 1,
    omp_atk_alignment = 2,
    omp_atk_access = 3,
    omp_atk_pool_size = 4,
    omp_atk_fallback = 5,
    omp_atk_fb_data = 6,
    omp_atk_pinned = 7,
    omp_atk_partition = 8
} omp_alloctrait_key_t;

__extension__ typedef enum omp_alloctrait_value_t {
    omp_atv_default = __UINTPTR_MAX__,
    omp_atv_false = 0,
    omp_atv_true = 1,
    omp_atv_contended = 3,
    omp_atv_uncontended = 4,
    omp_atv_serialized = 5,
    omp_atv_sequential = omp_atv_serialized, /* deprecated in 5.1 */
    omp_atv_private = 6,
    omp_atv_all = 7,
    omp_atv_thread = 8,
    omp_atv_pteam = 9,
    omp_atv_cgroup = 10,
    omp_atv_default_mem_fb = 11,
    omp_atv_null_fb = 12,
    omp_atv_abort_fb = 13,
    omp_atv_allocator_fb = 14,
    omp_atv_environment = 15,
    omp_atv_nearest = 16,
    omp_atv_blocked = 17,
    omp_atv_interleaved = 18
} omp_alloctrait_value_t;

typedef struct omp_alloctrait_t {
    omp_alloctrait_key_t key;
    omp_uintptr_t value;
} omp_alloctrait_t;

/* Partitions of allocations (6.0: 20.8.6 to 20.8.10). */
typedef void *omp_mempartition_t;
typedef void *omp_mempartitioner_t;
typedef enum omp_mempartitioner_lifetime_t {
    omp_static_mempartition = 1,
    omp_allocator_mempartition = 2,
    omp_dynamic_mempartition = 3
} omp_mempartitioner_lifetime_t;
typedef void (*omp_mempartitioner_compute_proc_t)(omp_memspace_handle_t memspace,
                                                  __SIZE_TYPE__ allocation_size,
                                                  omp_intptr_t partitioner_arg,
                                                  omp_mempartition_t *partition);
typedef void (*omp_mempartitioner_release_proc_t)(omp_mempartition_t *partition);

/* Events (18.11.1), tool control (18.14). */
__extension__ typedef enum omp_event_handle_t HEDDLE_HANDLE {
    heddle_event_handle_max = __UINTPTR_MAX__
} omp_event_handle_t;

typedef enum omp_control_tool_t {
    omp_control_tool_start = 1,
    omp_control_tool_pause = 2,
    omp_control_tool_flush = 3,
    omp_control_tool_end = 4
} omp_control_tool_t;
typedef enum omp_control_tool_result_t {
    omp_control_tool_notool = -2,
    omp_control_tool_nocallback = -1,
    omp_control_tool_success = 0,
    omp_control_tool_ignored = 1
} omp_control_tool_result_t;

/* Interoperability (18.12). */
#if defined(__clang__)
typedef void *omp_interop_t;
#define omp_interop_none 0
#else
__extension__ typedef enum omp_interop_t HEDDLE_HANDLE {
    omp_interop_none = 0,
    heddle_interop_max = __UINTPTR_MAX__
} omp_interop_t;
#endif

typedef enum omp_interop_fr_t {
    omp_ifr_cuda = 1,
    omp_ifr_cuda_driver = 2,
    omp_ifr_opencl = 3,
    omp_ifr_sycl = 4,
    omp_ifr_hip = 5,
    omp_ifr_level_zero = 6,
    omp_ifr_hsa = 7,
    omp_ifr_last = omp_ifr_hsa
} omp_interop_fr_t;

typedef enum omp_interop_property_t {
    omp_ipr_fr_id = -1,
    omp_ipr_fr_name = -2,
    omp_ipr_vendor = -3,
    omp_ipr_vendor_name = -4,
    omp_ipr_device_num = -5,
    omp_ipr_platform = -6,
    omp_ipr_device = -7,
    omp_ipr_device_context = -8,
    omp_ipr_targetsync = -9,
    omp_ipr_first = omp_ipr_targetsync
} omp_interop_property_t;

typedef enum omp_interop_rc_t {
    omp_irc_no_value = 1,
    omp_irc_success = 0,
    omp_irc_empty = -1,
    omp_irc_out_of_range = -2,
    omp_irc_type_int = -3,
    omp_irc_type_ptr = -4,
    omp_irc_type_str = -5,
    omp_irc_other = -6
} omp_interop_rc_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Threads, teams of a parallel region and levels (18.2). */
void omp_set_num_threads(int num_threads) HEDDLE_NOTHROW;
int omp_get_num_threads(void) HEDDLE_NOTHROW;
int omp_get_max_threads(void) HEDDLE_NOTHROW;
int omp_get_thread_num(void) HEDDLE_NOTHROW;
int omp_in_parallel(void) HEDDLE_NOTHROW;
void omp_set_dynamic(int dynamic_threads) HEDDLE_NOTHROW;
int omp_get_dynamic(void) HEDDLE_NOTHROW;
int omp_get_cancellation(void) HEDDLE_NOTHROW;
void omp_set_nested(int nested) HEDDLE_NOTHROW; /* deprecated in 5.0 */
int omp_get_nested(void) HEDDLE_NOTHROW;        /* deprecated in 5.0 */
void omp_set_schedule(omp_sched_t kind, int chunk_size) HEDDLE_NOTHROW;
void omp_get_schedule(omp_sched_t *kind, int *chunk_size) HEDDLE_NOTHROW;
int omp_get_thread_limit(void) HEDDLE_NOTHROW;
int omp_get_supported_active_levels(void) HEDDLE_NOTHROW;
void omp_set_max_active_levels(int max_levels) HEDDLE_NOTHROW;
int omp_get_max_active_levels(void) HEDDLE_NOTHROW;
int omp_get_level(void) HEDDLE_NOTHROW;
int omp_get_ancestor_thread_num(int level) HEDDLE_NOTHROW;
int omp_get_team_size(int level) HEDDLE_NOTHROW;
int omp_get_active_level(void) HEDDLE_NOTHROW;

/* Places and binding (18.3). */
omp_proc_bind_t omp_get_proc_bind(void) HEDDLE_NOTHROW;
int omp_get_num_places(void) HEDDLE_NOTHROW;
int omp_get_place_num_procs(int place_num) HEDDLE_NOTHROW;
void omp_get_place_proc_ids(int place_num, int *ids) HEDDLE_NOTHROW;
int omp_get_place_num(void) HEDDLE_NOTHROW;
int omp_get_partition_num_places(void) HEDDLE_NOTHROW;
void omp_get_partition_place_nums(int *place_nums) HEDDLE_NOTHROW;
void omp_set_affinity_format(const char *format) HEDDLE_NOTHROW;
__SIZE_TYPE__ omp_get_affinity_format(char *buffer, __SIZE_TYPE__ size) HEDDLE_NOTHROW;
void omp_display_affinity(const char *format) HEDDLE_NOTHROW;
__SIZE_TYPE__ omp_capture_affinity(char *buffer, __SIZE_TYPE__ size,
                                   const char *format) HEDDLE_NOTHROW;

/* Leagues (18.4). */
int omp_get_num_teams(void) HEDDLE_NOTHROW;
int omp_get_team_num(void) HEDDLE_NOTHROW;
void omp_set_num_teams(int num_teams) HEDDLE_NOTHROW;
int omp_get_max_teams(void) HEDDLE_NOTHROW;
void omp_set_teams_thread_limit(int thread_limit) HEDDLE_NOTHROW;
int omp_get_teams_thread_limit(void) HEDDLE_NOTHROW;

/* Tasks (18.5), free agents (6.0: 21), events (18.11). */
int omp_get_max_task_priority(void) HEDDLE_NOTHROW;
int omp_in_explicit_task(void) HEDDLE_NOTHROW;
int omp_in_final(void) HEDDLE_NOTHROW;
int omp_is_free_agent(void) HEDDLE_NOTHROW;
int omp_ancestor_is_free_agent(int level) HEDDLE_NOTHROW;
void omp_fulfill_event(omp_event_handle_t event) HEDDLE_NOTHROW;

/* Resources (18.6), tools (18.14), the environment (18.15), time (18.10). */
int omp_pause_resource(omp_pause_resource_t kind, int device_num) HEDDLE_NOTHROW;
int omp_pause_resource_all(omp_pause_resource_t kind) HEDDLE_NOTHROW;
int omp_control_tool(int command, int modifier, void *arg) HEDDLE_NOTHROW;
void omp_display_env(int verbose) HEDDLE_NOTHROW;
double omp_get_wtime(void) HEDDLE_NOTHROW;
double omp_get_wtick(void) HEDDLE_NOTHROW;

/* Devices (18.7; 6.0: 24; 6.1). */
int omp_get_num_procs(void) HEDDLE_NOTHROW;
void omp_set_default_device(int device_num) HEDDLE_NOTHROW;
int omp_get_default_device(void) HEDDLE_NOTHROW;
int omp_get_num_devices(void) HEDDLE_NOTHROW;
int omp_get_device_num(void) HEDDLE_NOTHROW;
int omp_is_initial_device(void) HEDDLE_NOTHROW;
int omp_get_initial_device(void) HEDDLE_NOTHROW;
int omp_get_max_progress_width(int device_num) HEDDLE_NOTHROW;
int omp_get_device_from_uid(const char *uid) HEDDLE_NOTHROW;
const char *omp_get_uid_from_device(int device_num) HEDDLE_NOTHROW;
int omp_get_device_num_teams(int device_num) HEDDLE_NOTHROW;
void omp_set_device_num_teams(int num_teams, int device_num) HEDDLE_NOTHROW;
int omp_get_device_teams_thread_limit(int device_num) HEDDLE_NOTHROW;
void omp_set_device_teams_thread_limit(int thread_limit, int device_num) HEDDLE_NOTHROW;
void omp_get_device_distances(int ndevs, const int *devs, int *distances) HEDDLE_NOTHROW;

/* Teams and leagues of several dimensions (6.1); dimensions count from 0. */
int omp_get_num_teams_dim(int dim) HEDDLE_NOTHROW;
int omp_get_team_num_dim(int dim) HEDDLE_NOTHROW;
int omp_get_num_threads_dim(int dim) HEDDLE_NOTHROW;
int omp_get_thread_num_dim(int dim) HEDDLE_NOTHROW;
int omp_get_thread_limit_dim(int dim) HEDDLE_NOTHROW;
int omp_get_supported_active_team_dims(int device_num, int native_support) HEDDLE_NOTHROW;
int omp_get_supported_active_league_dims(int device_num, int native_support) HEDDLE_NOTHROW;
int omp_get_supported_teams_dim(int device_num, int dim) HEDDLE_NOTHROW;
int omp_get_supported_threads_dim(int device_num, int dim) HEDDLE_NOTHROW;

/* Memory of devices (18.8; 6.0: 25). */
void *omp_target_alloc(__SIZE_TYPE__ size, int device_num) HEDDLE_NOTHROW;
void omp_target_free(void *device_ptr, int device_num) HEDDLE_NOTHROW;
int omp_target_is_present(const void *ptr, int device_num) HEDDLE_NOTHROW;
int omp_target_is_accessible(const void *ptr, __SIZE_TYPE__ size, int device_num) HEDDLE_NOTHROW;
int omp_target_memcpy(void *dst, const void *src, __SIZE_TYPE__ length, __SIZE_TYPE__ dst_offset,
                      __SIZE_TYPE__ src_offset, int dst_device_num,
                      int src_device_num) HEDDLE_NOTHROW;
int omp_target_memcpy_rect(void *dst, const void *src, __SIZE_TYPE__ element_size, int num_dims,
                           const __SIZE_TYPE__ *volume, const __SIZE_TYPE__ *dst_offsets,
                           const __SIZE_TYPE__ *src_offsets, const __SIZE_TYPE__ *dst_dimensions,
                           const __SIZE_TYPE__ *src_dimensions, int dst_device_num,
                           int src_device_num) HEDDLE_NOTHROW;
int omp_target_memcpy_async(void *dst, const void *src, __SIZE_TYPE__ length,
                            __SIZE_TYPE__ dst_offset, __SIZE_TYPE__ src_offset, int dst_device_num,
                            int src_device_num, int depobj_count,
                            omp_depend_t *depobj_list) HEDDLE_NOTHROW;
int omp_target_memcpy_rect_async(void *dst, const void *src, __SIZE_TYPE__ element_size,
                                 int num_dims, const __SIZE_TYPE__ *volume,
                                 const __SIZE_TYPE__ *dst_offsets, const __SIZE_TYPE__ *src_offsets,
                                 const __SIZE_TYPE__ *dst_dimensions,
                                 const __SIZE_TYPE__ *src_dimensions, int dst_device_num,
                                 int src_device_num, int depobj_count,
                                 omp_depend_t *depobj_list) HEDDLE_NOTHROW;
void *omp_target_memset(void *ptr, int value, __SIZE_TYPE__ count, int device_num) HEDDLE_NOTHROW;
void *omp_target_memset_async(void *ptr, int value, __SIZE_TYPE__ count, int device_num,
                              int depobj_count, omp_depend_t *depobj_list) HEDDLE_NOTHROW;
int omp_target_associate_ptr(const void *host_ptr, const void *device_ptr, __SIZE_TYPE__ size,
                             __SIZE_TYPE__ device_offset, int device_num) HEDDLE_NOTHROW;
int omp_target_disassociate_ptr(const void *ptr, int device_num) HEDDLE_NOTHROW;
void *omp_get_mapped_ptr(const void *ptr, int device_num) HEDDLE_NOTHROW;

/* Locks (18.9). */
void omp_init_lock(omp_lock_t *lock) HEDDLE_NOTHROW;
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint) HEDDLE_NOTHROW;
void omp_destroy_lock(omp_lock_t *lock) HEDDLE_NOTHROW;
void omp_set_lock(omp_lock_t *lock) HEDDLE_NOTHROW;
void omp_unset_lock(omp_lock_t *lock) HEDDLE_NOTHROW;
int omp_test_lock(omp_lock_t *lock) HEDDLE_NOTHROW;
void omp_init_nest_lock(omp_nest_lock_t *lock) HEDDLE_NOTHROW;
void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint) HEDDLE_NOTHROW;
void omp_destroy_nest_lock(omp_nest_lock_t *lock) HEDDLE_NOTHROW;
void omp_set_nest_lock(omp_nest_lock_t *lock) HEDDLE_NOTHROW;
void omp_unset_nest_lock(omp_nest_lock_t *lock) HEDDLE_NOTHROW;
int omp_test_nest_lock(omp_nest_lock_t *lock) HEDDLE_NOTHROW;

/* Interoperability (18.12). */
int omp_get_num_interop_properties(const omp_interop_t interop) HEDDLE_NOTHROW;
omp_intptr_t omp_get_interop_int(const omp_interop_t interop, omp_interop_property_t property_id,
                                 omp_interop_rc_t *ret_code) HEDDLE_NOTHROW;
void *omp_get_interop_ptr(const omp_interop_t interop, omp_interop_property_t property_id,
                          omp_interop_rc_t *ret_code) HEDDLE_NOTHROW;
const char *omp_get_interop_str(const omp_interop_t interop, omp_interop_property_t property_id,
                                omp_interop_rc_t *ret_code) HEDDLE_NOTHROW;
const char *omp_get_interop_name(const omp_interop_t interop,
                                 omp_interop_property_t property_id) HEDDLE_NOTHROW;
const char *omp_get_interop_type_desc(const omp_interop_t interop,
                                      omp_interop_property_t property_id) HEDDLE_NOTHROW;
const char *omp_get_interop_rc_desc(const omp_interop_t interop,
                                    omp_interop_rc_t ret_code) HEDDLE_NOTHROW;

/* Allocators (18.13). */
omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t memspace, int ntraits,
                                          const omp_alloctrait_t traits[]) HEDDLE_NOTHROW;
void omp_destroy_allocator(omp_allocator_handle_t allocator) HEDDLE_NOTHROW;
void omp_set_default_allocator(omp_allocator_handle_t allocator) HEDDLE_NOTHROW;
omp_allocator_handle_t omp_get_default_allocator(void) HEDDLE_NOTHROW;
void omp_free(void *ptr,
              omp_allocator_handle_t allocator HEDDLE_DEFAULT(omp_null_allocator)) HEDDLE_NOTHROW;
void *omp_alloc(__SIZE_TYPE__ size,
                omp_allocator_handle_t allocator HEDDLE_DEFAULT(omp_null_allocator)) HEDDLE_NOTHROW
    HEDDLE_BLOCK __attribute__((__alloc_size__(1)));
void *omp_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size,
                        omp_allocator_handle_t allocator HEDDLE_DEFAULT(omp_null_allocator))
    HEDDLE_NOTHROW HEDDLE_BLOCK __attribute__((__alloc_size__(2), __alloc_align__(1)));
void *omp_calloc(__SIZE_TYPE__ nmemb, __SIZE_TYPE__ size,
                 omp_allocator_handle_t allocator HEDDLE_DEFAULT(omp_null_allocator)) HEDDLE_NOTHROW
    HEDDLE_BLOCK __attribute__((__alloc_size__(1, 2)));
void *omp_aligned_calloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ nmemb, __SIZE_TYPE__ size,
                         omp_allocator_handle_t allocator HEDDLE_DEFAULT(omp_null_allocator))
    HEDDLE_NOTHROW HEDDLE_BLOCK __attribute__((__alloc_size__(2, 3), __alloc_align__(1)));
void *omp_realloc(void *ptr, __SIZE_TYPE__ size,
                  omp_allocator_handle_t allocator HEDDLE_DEFAULT(omp_null_allocator),
                  omp_allocator_handle_t free_allocator HEDDLE_DEFAULT(omp_null_allocator))
    HEDDLE_NOTHROW HEDDLE_MOVED_BLOCK __attribute__((__alloc_size__(2)));

/* Memory spaces and allocators of devices (6.0: 27). */
omp_memspace_handle_t omp_get_devices_memspace(int ndevs, const int *devs,
                                               omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_memspace_handle_t omp_get_device_memspace(int dev,
                                              omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_memspace_handle_t
omp_get_devices_and_host_memspace(int ndevs, const int *devs,
                                  omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_memspace_handle_t
omp_get_device_and_host_memspace(int dev, omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_memspace_handle_t omp_get_devices_all_memspace(omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_allocator_handle_t omp_get_devices_allocator(int ndevs, const int *devs,
                                                 omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_allocator_handle_t omp_get_device_allocator(int dev,
                                                omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_allocator_handle_t
omp_get_devices_and_host_allocator(int ndevs, const int *devs,
                                   omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_allocator_handle_t
omp_get_device_and_host_allocator(int dev, omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_allocator_handle_t omp_get_devices_all_allocator(omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
int omp_get_memspace_num_resources(omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
__SIZE_TYPE__ omp_get_memspace_pagesize(omp_memspace_handle_t memspace) HEDDLE_NOTHROW;
omp_memspace_handle_t omp_get_submemspace(omp_memspace_handle_t memspace, int num_resources,
                                          const int *resources) HEDDLE_NOTHROW;

/* Partitions of allocations (6.0: 27.5). */
void omp_init_mempartitioner(omp_mempartitioner_t *partitioner,
                             omp_mempartitioner_lifetime_t lifetime,
                             omp_mempartitioner_compute_proc_t compute_proc,
                             omp_mempartitioner_release_proc_t release_proc) HEDDLE_NOTHROW;
void omp_destroy_mempartitioner(const omp_mempartitioner_t *partitioner) HEDDLE_NOTHROW;
void omp_init_mempartition(omp_mempartition_t *partition, __SIZE_TYPE__ nparts,
                           const void *user_data) HEDDLE_NOTHROW;
void omp_destroy_mempartition(omp_mempartition_t *partition) HEDDLE_NOTHROW;
int omp_mempartition_set_part(omp_mempartition_t *partition, __SIZE_TYPE__ part,
                              omp_intptr_t resource, __SIZE_TYPE__ size) HEDDLE_NOTHROW;
void *omp_mempartition_get_user_data(const omp_mempartition_t *partition) HEDDLE_NOTHROW;

#ifdef __cplusplus
}
#endif

/* Allocators for the containers of C++ (6.2): omp::allocator::default_mem<T> and so on. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#include <new>

namespace omp {
namespace allocator {
namespace heddle {

template <class T, omp_allocator_handle_t handle>
struct Memory {
    using value_type = T;

    Memory() noexcept = default;
    template <class U>
    Memory(const Memory<U, handle> &) noexcept {}

    template <class U>
    struct rebind {
        using other = Memory<U, handle>;
    };

    /* Room for n objects; throws bad_alloc when there is none. */
    T *allocate(__SIZE_TYPE__ n) {
        void *block = nullptr;
        if (n <= static_cast<__SIZE_TYPE__>(-1) / sizeof(T))
            block = omp_aligned_alloc(alignof(T), n * sizeof(T), handle);
        if (block == nullptr)
            fail();
        return static_cast<T *>(block);
    }
    void deallocate(T *block, __SIZE_TYPE__) noexcept { omp_free(block, handle); }

private:
    [[noreturn]] static void fail() {
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
        throw std::bad_alloc();
#else
        __builtin_abort();
#endif
    }
};

template <class T, class U, omp_allocator_handle_t handle>
bool operator==(const Memory<T, handle> &, const Memory<U, handle> &) noexcept {
    return true;
}
template <class T, class U, omp_allocator_handle_t handle>
bool operator!=(const Memory<T, handle> &, const Memory<U, handle> &) noexcept {
    return false;
}

} // namespace heddle

template <class T>
using null_allocator = heddle::Memory<T, omp_null_allocator>;
template <class T>
using default_mem = heddle::Memory<T, omp_default_mem_alloc>;
template <class T>
using large_cap_mem = heddle::Memory<T, omp_large_cap_mem_alloc>;
template <class T>
using const_mem = heddle::Memory<T, omp_const_mem_alloc>;
template <class T>
using high_bw_mem = heddle::Memory<T, omp_high_bw_mem_alloc>;
template <class T>
using low_lat_mem = heddle::Memory<T, omp_low_lat_mem_alloc>;
template <class T>
using cgroup_mem = heddle::Memory<T, omp_cgroup_mem_alloc>;
template <class T>
using pteam_mem = heddle::Memory<T, omp_pteam_mem_alloc>;
template <class T>
using thread_mem = heddle::Memory<T, omp_thread_mem_alloc>;

} // namespace allocator
} // namespace omp

namespace ompx {
namespace allocator {

template <class T>
using gnu_pinned_mem = ::omp::allocator::heddle::Memory<T, ompx_gnu_pinned_mem_alloc>;
template <class T>
using gnu_managed_mem = ::omp::allocator::heddle::Memory<T, ompx_gnu_managed_mem_alloc>;

} // namespace allocator
} // namespace ompx
#endif

#undef HEDDLE_NOTHROW
#undef HEDDLE_HANDLE
#undef HEDDLE_DEFAULT
#undef HEDDLE_BLOCK
#undef HEDDLE_MOVED_BLOCK
#endif /* HEDDLE_OMP_H */
