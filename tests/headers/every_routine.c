/* SPDX-License-Identifier: Apache-2.0
 * Calls every routine that omp.h declares and checks what can be known of its answer. Compiled as C
 * and as C++ by test_headers.py, which also checks that no routine is left out.
 * Exits with 0 when all is well, and names the line that is not. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void sizes(void) {
#if defined(__clang__)
    CHECK(sizeof(omp_lock_t) == 8 && sizeof(omp_nest_lock_t) == 8 && sizeof(omp_depend_t) == 8);
#else
    CHECK(sizeof(omp_lock_t) == 4 && sizeof(omp_nest_lock_t) == 16 && sizeof(omp_depend_t) == 16);
#endif
    CHECK(sizeof(omp_sched_t) == 4 && sizeof(omp_alloctrait_t) == 16);
    CHECK(sizeof(omp_event_handle_t) == 8 && sizeof(omp_interop_t) == 8);
    CHECK(sizeof(omp_allocator_handle_t) == 8 && sizeof(omp_memspace_handle_t) == 8);
}

static void threads(void) {
    omp_sched_t kind = omp_sched_auto;
    int chunk = 0, masters = 0;
    omp_set_num_threads(3);
    CHECK(omp_get_max_threads() == 3);
    CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && !omp_in_parallel());
    omp_set_dynamic(1);
    CHECK(omp_get_dynamic());
    omp_set_dynamic(0);
    CHECK(!omp_get_dynamic());
    CHECK(omp_get_cancellation() == 0);
    omp_set_nested(1);
    CHECK(omp_get_nested());
    omp_set_nested(0);
    CHECK(!omp_get_nested() && omp_get_max_active_levels() == 1);
    omp_set_schedule(omp_sched_guided, 5);
    omp_get_schedule(&kind, &chunk);
    CHECK((kind & ~(unsigned)omp_sched_monotonic) == omp_sched_guided && chunk == 5);
    CHECK(omp_get_thread_limit() >= 3);
    CHECK(omp_get_supported_active_levels() >= 2);
    omp_set_max_active_levels(2);
    CHECK(omp_get_max_active_levels() == 2);
    CHECK(omp_get_level() == 0 && omp_get_active_level() == 0);
#pragma omp parallel reduction(+ : masters)
    {
        CHECK(omp_get_num_threads() == 3 && omp_in_parallel());
        CHECK(omp_get_level() == 1 && omp_get_active_level() == 1);
        CHECK(omp_get_ancestor_thread_num(0) == 0);
        CHECK(omp_get_ancestor_thread_num(1) == omp_get_thread_num());
        CHECK(omp_get_team_size(0) == 1 && omp_get_team_size(1) == 3);
        CHECK(omp_get_num_threads_dim(0) == 3 && omp_get_num_threads_dim(1) == 1);
        CHECK(omp_get_thread_num_dim(0) == omp_get_thread_num() && omp_get_thread_num_dim(1) == 0);
        masters += omp_get_thread_num() == 0;
    }
    CHECK(masters == 1);
    CHECK(omp_get_ancestor_thread_num(1) == -1 && omp_get_team_size(-1) == -1);
    CHECK(omp_get_thread_limit_dim(0) == omp_get_thread_limit() &&
          omp_get_thread_limit_dim(1) == 1);
}

static void affinity(void) {
    char text[100], expected[100];
    const omp_proc_bind_t bind = omp_get_proc_bind();
    const int places = omp_get_num_places(), part = omp_get_partition_num_places();
    int *numbers = (int *)calloc((size_t)part + 1, sizeof(int));
    CHECK(bind >= omp_proc_bind_false && bind <= omp_proc_bind_spread);
    CHECK(places >= 0 && part >= 0 && part <= places);
    CHECK(omp_get_place_num() >= -1 && omp_get_place_num() < (places > 0 ? places : 1));
    omp_get_partition_place_nums(numbers);
    for (int place = 0; place < places; place++) {
        const int count = omp_get_place_num_procs(place);
        int *ids = (int *)malloc(((size_t)count + 1) * sizeof(int));
        omp_get_place_proc_ids(place, ids);
        CHECK(count > 0 && ids[0] >= 0);
        free(ids);
    }
    CHECK(omp_get_place_num_procs(-1) == 0);
    omp_get_place_proc_ids(-1, numbers);
    free(numbers);
    omp_set_affinity_format("%n of %N");
    CHECK(omp_get_affinity_format(text, sizeof text) == 8 && strcmp(text, "%n of %N") == 0);
    CHECK(omp_capture_affinity(text, sizeof text, NULL) == 6);
    snprintf(expected, sizeof expected, "%d of %d", omp_get_thread_num(), omp_get_num_threads());
    CHECK(strcmp(text, expected) == 0);
    omp_display_affinity("affinity %n");
}

static void teams_and_tasks(void) {
    int explicit_task = 0, final_task = 0;
    CHECK(omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    CHECK(omp_get_num_teams_dim(0) == 1 && omp_get_num_teams_dim(1) == 1);
    CHECK(omp_get_team_num_dim(0) == 0 && omp_get_team_num_dim(1) == 0);
    omp_set_num_teams(7);
    CHECK(omp_get_max_teams() == 7 && omp_get_device_num_teams(omp_initial_device) == 7);
    omp_set_device_num_teams(5, omp_get_initial_device());
    CHECK(omp_get_max_teams() == 5 && omp_get_device_num_teams(omp_invalid_device) == 0);
    omp_set_teams_thread_limit(6);
    CHECK(omp_get_teams_thread_limit() == 6);
    omp_set_device_teams_thread_limit(4, omp_initial_device);
    CHECK(omp_get_device_teams_thread_limit(omp_get_initial_device()) == 4);
    CHECK(omp_get_max_task_priority() >= 0);
    CHECK(!omp_in_explicit_task() && !omp_in_final());
    CHECK(!omp_is_free_agent() && !omp_ancestor_is_free_agent(0));
#pragma omp task final(1) if (0) shared(explicit_task, final_task)
    {
        explicit_task = omp_in_explicit_task();
        final_task = omp_in_final();
    }
    CHECK(explicit_task && final_task);
}

static void events(void) {
    int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
        {
#pragma omp atomic write
            done = 1;
            omp_fulfill_event(event);
        }
#pragma omp taskwait
        CHECK(done == 1);
    }
}

static void resources(void) {
    double start;
    CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0);
    CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    CHECK(omp_control_tool(omp_control_tool_start, 0, NULL) == omp_control_tool_notool);
    omp_display_env(0);
    start = omp_get_wtime();
    CHECK(start >= 0 && omp_get_wtime() >= start && omp_get_wtick() > 0 && omp_get_wtick() < 1);
}

static void devices(void) {
    const int host = omp_get_initial_device();
    const char *uid = omp_get_uid_from_device(host);
    int numbers[3], distances[3];
    CHECK(omp_get_num_procs() >= 1);
    CHECK(omp_get_num_devices() == 0 && host == 0);
    CHECK(omp_is_initial_device() && omp_get_device_num() == host);
    omp_set_default_device(0);
    CHECK(omp_get_default_device() == 0);
    CHECK(omp_get_max_progress_width(host) == 1);
    CHECK(omp_get_max_progress_width(omp_invalid_device) == 0);
    CHECK(uid != NULL && omp_get_device_from_uid(uid) == host);
    CHECK(omp_get_device_from_uid("no such device") == omp_invalid_device);
    numbers[0] = omp_initial_device;
    numbers[1] = host;
    numbers[2] = omp_invalid_device;
    omp_get_device_distances(3, numbers, distances);
    CHECK(distances[0] == 0 && distances[1] == 0 && distances[2] == -1);
    CHECK(omp_get_supported_active_team_dims(host, 1) == 1);
    CHECK(omp_get_supported_active_league_dims(omp_initial_device, 0) == 1);
    CHECK(omp_get_supported_teams_dim(host, 0) > 1 && omp_get_supported_teams_dim(host, 1) == 1);
    CHECK(omp_get_supported_threads_dim(host, 0) > 1);
    CHECK(omp_get_supported_threads_dim(omp_invalid_device, 0) == 0);
}

static void device_memory(void) {
    const int host = omp_get_initial_device();
    const size_t volume[] = {2, 3}, from_offsets[] = {1, 1}, to_offsets[] = {0, 0};
    const size_t from_dimensions[] = {4, 5}, to_dimensions[] = {2, 3};
    char from[20], to[20];
    char *block = (char *)omp_target_alloc(20, host);
    CHECK(block != NULL);
    for (int i = 0; i < 20; i++)
        from[i] = (char)i;
    CHECK(omp_target_is_present(block, host) && omp_target_is_accessible(block, 20, host));
    CHECK(omp_target_memcpy(block, from, 10, 4, 2, host, host) == 0 && block[4] == 2);
    CHECK(omp_target_memcpy_async(to, from, 5, 0, 1, host, host, 0, NULL) == 0);
    CHECK(omp_target_memcpy_rect(block, from, 1, 2, volume, to_offsets, from_offsets, to_dimensions,
                                 from_dimensions, host, host) == 0);
    CHECK(block[0] == 6 && block[5] == 13);
    CHECK(omp_target_memset(block, 9, 20, host) == block && block[19] == 9);
    CHECK(omp_target_memcpy_rect_async(block, from, 1, 2, volume, to_offsets, from_offsets,
                                       to_dimensions, from_dimensions, host, host, 0, NULL) == 0);
#pragma omp taskwait
    CHECK(to[0] == 1 && block[5] == 13);
    CHECK(omp_target_memset_async(block, 8, 20, host, 0, NULL) == block);
#pragma omp taskwait
    CHECK(block[0] == 8);
    CHECK(omp_get_mapped_ptr(block, host) == block);
    CHECK(omp_target_associate_ptr(from, block, 20, 0, host) != 0);
    CHECK(omp_target_disassociate_ptr(from, host) != 0);
    omp_target_free(block, host);
}

static void locks(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    int count = 0;
    omp_init_lock(&lock);
    CHECK(omp_test_lock(&lock) && !omp_test_lock(&lock));
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
    omp_init_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 1 && omp_test_nest_lock(&nest) == 2);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_destroy_nest_lock(&nest);
    omp_init_nest_lock_with_hint(&nest, omp_sync_hint_uncontended);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 100; i++) {
        omp_set_lock(&lock);
        omp_set_nest_lock(&nest);
        count++;
        omp_unset_nest_lock(&nest);
        omp_unset_lock(&lock);
    }
    CHECK(count % 100 == 0 && count > 0);
    omp_destroy_nest_lock(&nest);
    omp_destroy_lock(&lock);
}

static void interoperability(void) {
    omp_interop_t none = omp_interop_none;
    omp_interop_rc_t code = omp_irc_other;
    CHECK(omp_get_num_interop_properties(none) == 0);
    CHECK(omp_get_interop_int(none, omp_ipr_fr_id, &code) == 0 && code == omp_irc_empty);
    CHECK(omp_get_interop_ptr(none, omp_ipr_platform, &code) == NULL && code == omp_irc_empty);
    CHECK(omp_get_interop_str(none, omp_ipr_vendor_name, &code) == NULL && code == omp_irc_empty);
    CHECK(strcmp(omp_get_interop_name(none, omp_ipr_fr_id), "fr_id") == 0);
    omp_get_interop_type_desc(none, omp_ipr_fr_id);
    CHECK(omp_get_interop_rc_desc(none, omp_irc_empty) != NULL);
}

static void allocators(void) {
    omp_alloctrait_t traits[2];
    omp_allocator_handle_t handle;
    char *block;
    traits[0].key = omp_atk_alignment;
    traits[0].value = 256;
    traits[1].key = omp_atk_fallback;
    traits[1].value = omp_atv_null_fb;
    handle = omp_init_allocator(omp_default_mem_space, 2, traits);
    CHECK(handle != omp_null_allocator);
    block = (char *)omp_alloc(100, handle);
    CHECK(block != NULL && (omp_uintptr_t)block % 256 == 0);
    omp_free(block, handle);
    CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
    omp_set_default_allocator(handle);
    CHECK(omp_get_default_allocator() == handle);
    block = (char *)omp_aligned_alloc(512, 1024, omp_null_allocator);
    CHECK(block != NULL && (omp_uintptr_t)block % 512 == 0);
    omp_free(block, omp_null_allocator);
    omp_set_default_allocator(omp_default_mem_alloc);
    block = (char *)omp_calloc(10, 10, handle);
    CHECK(block != NULL && block[0] == 0 && block[99] == 0);
    block[99] = 1;
    block = (char *)omp_realloc(block, 1000, handle, handle);
    CHECK(block != NULL && block[99] == 1);
    omp_free(block, handle);
    block = (char *)omp_aligned_calloc(1024, 2, 1024, ompx_gnu_managed_mem_alloc);
    CHECK(block != NULL && (omp_uintptr_t)block % 1024 == 0 && block[2047] == 0);
    omp_free(block, ompx_gnu_managed_mem_alloc);
    omp_destroy_allocator(handle);
}

static void memory_spaces(void) {
    const int host[] = {omp_initial_device}, other[] = {omp_invalid_device}, resources[] = {0};
    CHECK(omp_get_devices_memspace(1, host, omp_large_cap_mem_space) == omp_large_cap_mem_space);
    CHECK(omp_get_devices_memspace(1, other, omp_large_cap_mem_space) == omp_null_mem_space);
    CHECK(omp_get_device_memspace(host[0], omp_const_mem_space) == omp_const_mem_space);
    CHECK(omp_get_devices_and_host_memspace(1, host, omp_default_mem_space) ==
          omp_default_mem_space);
    CHECK(omp_get_device_and_host_memspace(other[0], omp_default_mem_space) == omp_null_mem_space);
    CHECK(omp_get_devices_all_memspace(omp_low_lat_mem_space) == omp_low_lat_mem_space);
    CHECK(omp_get_devices_allocator(1, host, omp_default_mem_space) == omp_default_mem_alloc);
    CHECK(omp_get_device_allocator(other[0], omp_default_mem_space) == omp_null_allocator);
    CHECK(omp_get_devices_and_host_allocator(1, host, omp_large_cap_mem_space) ==
          omp_large_cap_mem_alloc);
    CHECK(omp_get_device_and_host_allocator(host[0], omp_high_bw_mem_space) ==
          omp_high_bw_mem_alloc);
    CHECK(omp_get_devices_all_allocator(omp_low_lat_mem_space) == omp_low_lat_mem_alloc);
    CHECK(omp_get_memspace_num_resources(omp_default_mem_space) == 1);
    CHECK(omp_get_memspace_num_resources(omp_null_mem_space) == 0);
    CHECK(omp_get_memspace_pagesize(omp_default_mem_space) >= 4096);
    CHECK(omp_get_submemspace(omp_default_mem_space, 1, resources) == omp_default_mem_space);
    CHECK(omp_get_submemspace(omp_default_mem_space, 0, resources) == omp_null_mem_space);
    CHECK(omp_init_allocator(omp_null_mem_space, 0, NULL) == omp_null_allocator);
}

static void compute(omp_memspace_handle_t memspace, size_t size, omp_intptr_t argument,
                    omp_mempartition_t *partition) {
    (void)memspace, (void)size, (void)argument, (void)partition;
}
static void release(omp_mempartition_t *partition) { (void)partition; }

static void partitions(void) {
    const size_t page = omp_get_memspace_pagesize(omp_default_mem_space);
    int data = 0;
    omp_mempartitioner_t partitioner;
    omp_mempartition_t partition;
    omp_init_mempartitioner(&partitioner, omp_dynamic_mempartition, compute, release);
    omp_init_mempartition(&partition, 2, &data);
    CHECK(omp_mempartition_get_user_data(&partition) == &data);
    CHECK(omp_mempartition_set_part(&partition, 0, 0, page) == 0);
    CHECK(omp_mempartition_set_part(&partition, 0, 0, page + 1) == -1);
    CHECK(omp_mempartition_set_part(&partition, 1, 0, page + 1) == 0);
    CHECK(omp_mempartition_set_part(&partition, 1, 1, page) == -1);
    CHECK(omp_mempartition_set_part(&partition, 2, 0, page) == -1);
    omp_destroy_mempartition(&partition);
    omp_destroy_mempartitioner(&partitioner);
}

int main(void) {
    sizes();
    threads();
    affinity();
    teams_and_tasks();
    events();
    resources();
    devices();
    device_memory();
    locks();
    interoperability();
    allocators();
    memory_spaces();
    partitions();
    return 0;
}
