! SPDX-License-Identifier: Apache-2.0
! The include file of OpenMP 5.2 for Fortran 77 and 90, in fixed and in
! free form: lines end before column 73, a continued one with & in that
! column, and the next has & in column 6. It has all that module omp_lib
! has, but for the versions for 8-byte default kinds, and the compiler
! checks no arguments of the routines that are only declared external.
! Of gfortran's -std= it needs f2018: C routines have optional arguments.

      integer, parameter :: omp_lock_kind = 4
      integer, parameter :: omp_nest_lock_kind = 8
      integer, parameter :: omp_depend_kind = 16
      integer, parameter :: omp_event_handle_kind = 8
      integer, parameter :: omp_sched_kind = 4
      integer, parameter :: omp_proc_bind_kind = 4
      integer, parameter :: omp_sync_hint_kind = 4
      integer, parameter :: omp_lock_hint_kind = 4
      integer, parameter :: omp_pause_resource_kind = 4
      integer, parameter :: omp_memspace_handle_kind = 8
      integer, parameter :: omp_allocator_handle_kind = 8
      integer, parameter :: omp_alloctrait_key_kind = 4
      integer, parameter :: omp_alloctrait_val_kind = 8
      integer, parameter :: omp_mempartition_kind = 8
      integer, parameter :: omp_mempartitioner_kind = 8
      integer, parameter :: omp_mempartitioner_lifetime_kind = 4
      integer, parameter :: omp_control_tool_kind = 4
      integer, parameter :: omp_control_tool_result_kind = 4
      integer, parameter :: omp_interop_kind = 8
      integer, parameter :: omp_interop_fr_kind = 4
      integer, parameter :: omp_interop_property_kind = 4
      integer, parameter :: omp_interop_rc_kind = 4

      integer (omp_sched_kind) omp_sched_static
      parameter (omp_sched_static = 1)
      integer (omp_sched_kind) omp_sched_dynamic
      parameter (omp_sched_dynamic = 2)
      integer (omp_sched_kind) omp_sched_guided
      parameter (omp_sched_guided = 3)
      integer (omp_sched_kind) omp_sched_auto
      parameter (omp_sched_auto = 4)
      integer (omp_sched_kind) omp_sched_monotonic
      parameter (omp_sched_monotonic = -huge(1_4) - 1)
      integer (omp_proc_bind_kind) omp_proc_bind_false
      parameter (omp_proc_bind_false = 0)
      integer (omp_proc_bind_kind) omp_proc_bind_true
      parameter (omp_proc_bind_true = 1)
      integer (omp_proc_bind_kind) omp_proc_bind_primary
      parameter (omp_proc_bind_primary = 2)
      integer (omp_proc_bind_kind) omp_proc_bind_master
      parameter (omp_proc_bind_master = 2)
      integer (omp_proc_bind_kind) omp_proc_bind_close
      parameter (omp_proc_bind_close = 3)
      integer (omp_proc_bind_kind) omp_proc_bind_spread
      parameter (omp_proc_bind_spread = 4)
      integer (omp_sync_hint_kind) omp_sync_hint_none
      parameter (omp_sync_hint_none = 0)
      integer (omp_sync_hint_kind) omp_sync_hint_uncontended
      parameter (omp_sync_hint_uncontended = 1)
      integer (omp_sync_hint_kind) omp_sync_hint_contended
      parameter (omp_sync_hint_contended = 2)
      integer (omp_sync_hint_kind) omp_sync_hint_nonspeculative
      parameter (omp_sync_hint_nonspeculative = 4)
      integer (omp_sync_hint_kind) omp_sync_hint_speculative
      parameter (omp_sync_hint_speculative = 8)
      integer (omp_lock_hint_kind) omp_lock_hint_none
      parameter (omp_lock_hint_none = 0)
      integer (omp_lock_hint_kind) omp_lock_hint_uncontended
      parameter (omp_lock_hint_uncontended = 1)
      integer (omp_lock_hint_kind) omp_lock_hint_contended
      parameter (omp_lock_hint_contended = 2)
      integer (omp_lock_hint_kind) omp_lock_hint_nonspeculative
      parameter (omp_lock_hint_nonspeculative = 4)
      integer (omp_lock_hint_kind) omp_lock_hint_speculative
      parameter (omp_lock_hint_speculative = 8)
      integer (omp_pause_resource_kind) omp_pause_soft
      parameter (omp_pause_soft = 1)
      integer (omp_pause_resource_kind) omp_pause_hard
      parameter (omp_pause_hard = 2)
      integer (omp_pause_resource_kind) omp_pause_stop_tool
      parameter (omp_pause_stop_tool = 3)
      integer omp_initial_device
      parameter (omp_initial_device = -1)
      integer omp_invalid_device
      parameter (omp_invalid_device = -4)
      integer omp_default_device
      parameter (omp_default_device = -5)
      integer (omp_memspace_handle_kind) omp_default_mem_space
      parameter (omp_default_mem_space = 0)
      integer (omp_memspace_handle_kind) omp_large_cap_mem_space
      parameter (omp_large_cap_mem_space = 1)
      integer (omp_memspace_handle_kind) omp_const_mem_space
      parameter (omp_const_mem_space = 2)
      integer (omp_memspace_handle_kind) omp_high_bw_mem_space
      parameter (omp_high_bw_mem_space = 3)
      integer (omp_memspace_handle_kind) omp_low_lat_mem_space
      parameter (omp_low_lat_mem_space = 4)
      integer (omp_memspace_handle_kind) ompx_gnu_managed_mem_space
      parameter (ompx_gnu_managed_mem_space = 200)
      integer (omp_memspace_handle_kind) omp_null_mem_space
      parameter (omp_null_mem_space = -1)
      integer (omp_allocator_handle_kind) omp_null_allocator
      parameter (omp_null_allocator = 0)
      integer (omp_allocator_handle_kind) omp_default_mem_alloc
      parameter (omp_default_mem_alloc = 1)
      integer (omp_allocator_handle_kind) omp_large_cap_mem_alloc
      parameter (omp_large_cap_mem_alloc = 2)
      integer (omp_allocator_handle_kind) omp_const_mem_alloc
      parameter (omp_const_mem_alloc = 3)
      integer (omp_allocator_handle_kind) omp_high_bw_mem_alloc
      parameter (omp_high_bw_mem_alloc = 4)
      integer (omp_allocator_handle_kind) omp_low_lat_mem_alloc
      parameter (omp_low_lat_mem_alloc = 5)
      integer (omp_allocator_handle_kind) omp_cgroup_mem_alloc
      parameter (omp_cgroup_mem_alloc = 6)
      integer (omp_allocator_handle_kind) omp_pteam_mem_alloc
      parameter (omp_pteam_mem_alloc = 7)
      integer (omp_allocator_handle_kind) omp_thread_mem_alloc
      parameter (omp_thread_mem_alloc = 8)
      integer (omp_allocator_handle_kind) ompx_gnu_pinned_mem_alloc
      parameter (ompx_gnu_pinned_mem_alloc = 200)
      integer (omp_allocator_handle_kind) ompx_gnu_managed_mem_alloc
      parameter (ompx_gnu_managed_mem_alloc = 201)
      integer (omp_alloctrait_key_kind) omp_atk_sync_hint
      parameter (omp_atk_sync_hint = 1)
      integer (omp_alloctrait_key_kind) omp_atk_alignment
      parameter (omp_atk_alignment = 2)
      integer (omp_alloctrait_key_kind) omp_atk_access
      parameter (omp_atk_access = 3)
      integer (omp_alloctrait_key_kind) omp_atk_pool_size
      parameter (omp_atk_pool_size = 4)
      integer (omp_alloctrait_key_kind) omp_atk_fallback
      parameter (omp_atk_fallback = 5)
      integer (omp_alloctrait_key_kind) omp_atk_fb_data
      parameter (omp_atk_fb_data = 6)
      integer (omp_alloctrait_key_kind) omp_atk_pinned
      parameter (omp_atk_pinned = 7)
      integer (omp_alloctrait_key_kind) omp_atk_partition
      parameter (omp_atk_partition = 8)
      integer (omp_alloctrait_val_kind) omp_atv_default
      parameter (omp_atv_default = -1)
      integer (omp_alloctrait_val_kind) omp_atv_false
      parameter (omp_atv_false = 0)
      integer (omp_alloctrait_val_kind) omp_atv_true
      parameter (omp_atv_true = 1)
      integer (omp_alloctrait_val_kind) omp_atv_contended
      parameter (omp_atv_contended = 3)
      integer (omp_alloctrait_val_kind) omp_atv_uncontended
      parameter (omp_atv_uncontended = 4)
      integer (omp_alloctrait_val_kind) omp_atv_serialized
      parameter (omp_atv_serialized = 5)
      integer (omp_alloctrait_val_kind) omp_atv_sequential
      parameter (omp_atv_sequential = 5)
      integer (omp_alloctrait_val_kind) omp_atv_private
      parameter (omp_atv_private = 6)
      integer (omp_alloctrait_val_kind) omp_atv_all
      parameter (omp_atv_all = 7)
      integer (omp_alloctrait_val_kind) omp_atv_thread
      parameter (omp_atv_thread = 8)
      integer (omp_alloctrait_val_kind) omp_atv_pteam
      parameter (omp_atv_pteam = 9)
      integer (omp_alloctrait_val_kind) omp_atv_cgroup
      parameter (omp_atv_cgroup = 10)
      integer (omp_alloctrait_val_kind) omp_atv_default_mem_fb
      parameter (omp_atv_default_mem_fb = 11)
      integer (omp_alloctrait_val_kind) omp_atv_null_fb
      parameter (omp_atv_null_fb = 12)
      integer (omp_alloctrait_val_kind) omp_atv_abort_fb
      parameter (omp_atv_abort_fb = 13)
      integer (omp_alloctrait_val_kind) omp_atv_allocator_fb
      parameter (omp_atv_allocator_fb = 14)
      integer (omp_alloctrait_val_kind) omp_atv_environment
      parameter (omp_atv_environment = 15)
      integer (omp_alloctrait_val_kind) omp_atv_nearest
      parameter (omp_atv_nearest = 16)
      integer (omp_alloctrait_val_kind) omp_atv_blocked
      parameter (omp_atv_blocked = 17)
      integer (omp_alloctrait_val_kind) omp_atv_interleaved
      parameter (omp_atv_interleaved = 18)
      integer (omp_mempartitioner_lifetime_kind) omp_static_mempartition
      parameter (omp_static_mempartition = 1)
      integer (omp_mempartitioner_lifetime_kind)                        &
     &  omp_allocator_mempartition
      parameter (omp_allocator_mempartition = 2)
      integer (omp_mempartitioner_lifetime_kind)                        &
     &  omp_dynamic_mempartition
      parameter (omp_dynamic_mempartition = 3)
      integer (omp_control_tool_kind) omp_control_tool_start
      parameter (omp_control_tool_start = 1)
      integer (omp_control_tool_kind) omp_control_tool_pause
      parameter (omp_control_tool_pause = 2)
      integer (omp_control_tool_kind) omp_control_tool_flush
      parameter (omp_control_tool_flush = 3)
      integer (omp_control_tool_kind) omp_control_tool_end
      parameter (omp_control_tool_end = 4)
      integer (omp_control_tool_result_kind) omp_control_tool_notool
      parameter (omp_control_tool_notool = -2)
      integer (omp_control_tool_result_kind) omp_control_tool_nocallback
      parameter (omp_control_tool_nocallback = -1)
      integer (omp_control_tool_result_kind) omp_control_tool_success
      parameter (omp_control_tool_success = 0)
      integer (omp_control_tool_result_kind) omp_control_tool_ignored
      parameter (omp_control_tool_ignored = 1)
      integer (omp_interop_kind) omp_interop_none
      parameter (omp_interop_none = 0)
      integer (omp_interop_fr_kind) omp_ifr_cuda
      parameter (omp_ifr_cuda = 1)
      integer (omp_interop_fr_kind) omp_ifr_cuda_driver
      parameter (omp_ifr_cuda_driver = 2)
      integer (omp_interop_fr_kind) omp_ifr_opencl
      parameter (omp_ifr_opencl = 3)
      integer (omp_interop_fr_kind) omp_ifr_sycl
      parameter (omp_ifr_sycl = 4)
      integer (omp_interop_fr_kind) omp_ifr_hip
      parameter (omp_ifr_hip = 5)
      integer (omp_interop_fr_kind) omp_ifr_level_zero
      parameter (omp_ifr_level_zero = 6)
      integer (omp_interop_fr_kind) omp_ifr_hsa
      parameter (omp_ifr_hsa = 7)
      integer (omp_interop_fr_kind) omp_ifr_last
      parameter (omp_ifr_last = 7)
      integer (omp_interop_property_kind) omp_ipr_fr_id
      parameter (omp_ipr_fr_id = -1)
      integer (omp_interop_property_kind) omp_ipr_fr_name
      parameter (omp_ipr_fr_name = -2)
      integer (omp_interop_property_kind) omp_ipr_vendor
      parameter (omp_ipr_vendor = -3)
      integer (omp_interop_property_kind) omp_ipr_vendor_name
      parameter (omp_ipr_vendor_name = -4)
      integer (omp_interop_property_kind) omp_ipr_device_num
      parameter (omp_ipr_device_num = -5)
      integer (omp_interop_property_kind) omp_ipr_platform
      parameter (omp_ipr_platform = -6)
      integer (omp_interop_property_kind) omp_ipr_device
      parameter (omp_ipr_device = -7)
      integer (omp_interop_property_kind) omp_ipr_device_context
      parameter (omp_ipr_device_context = -8)
      integer (omp_interop_property_kind) omp_ipr_targetsync
      parameter (omp_ipr_targetsync = -9)
      integer (omp_interop_property_kind) omp_ipr_first
      parameter (omp_ipr_first = -9)
      integer (omp_interop_rc_kind) omp_irc_no_value
      parameter (omp_irc_no_value = 1)
      integer (omp_interop_rc_kind) omp_irc_success
      parameter (omp_irc_success = 0)
      integer (omp_interop_rc_kind) omp_irc_empty
      parameter (omp_irc_empty = -1)
      integer (omp_interop_rc_kind) omp_irc_out_of_range
      parameter (omp_irc_out_of_range = -2)
      integer (omp_interop_rc_kind) omp_irc_type_int
      parameter (omp_irc_type_int = -3)
      integer (omp_interop_rc_kind) omp_irc_type_ptr
      parameter (omp_irc_type_ptr = -4)
      integer (omp_interop_rc_kind) omp_irc_type_str
      parameter (omp_irc_type_str = -5)
      integer (omp_interop_rc_kind) omp_irc_other
      parameter (omp_irc_other = -6)
      integer, parameter :: openmp_version = 201511

      type omp_alloctrait
        sequence
        integer (omp_alloctrait_key_kind) key
        integer (omp_alloctrait_val_kind) value
      end type omp_alloctrait

      external omp_set_num_threads
      external omp_set_dynamic
      external omp_set_nested
      external omp_set_schedule
      external omp_get_schedule
      external omp_set_max_active_levels
      external omp_get_place_proc_ids
      external omp_get_partition_place_nums
      external omp_set_affinity_format
      external omp_display_affinity
      external omp_set_num_teams
      external omp_set_teams_thread_limit
      external omp_display_env
      external omp_set_default_device
      external omp_init_lock
      external omp_init_lock_with_hint
      external omp_destroy_lock
      external omp_set_lock
      external omp_unset_lock
      external omp_init_nest_lock
      external omp_init_nest_lock_with_hint
      external omp_destroy_nest_lock
      external omp_set_nest_lock
      external omp_unset_nest_lock
      external omp_destroy_allocator
      external omp_set_default_allocator

      integer (4) omp_get_num_threads
      external omp_get_num_threads
      integer (4) omp_get_max_threads
      external omp_get_max_threads
      integer (4) omp_get_thread_num
      external omp_get_thread_num
      integer (4) omp_get_thread_limit
      external omp_get_thread_limit
      integer (4) omp_get_supported_active_levels
      external omp_get_supported_active_levels
      integer (4) omp_get_max_active_levels
      external omp_get_max_active_levels
      integer (4) omp_get_level
      external omp_get_level
      integer (4) omp_get_active_level
      external omp_get_active_level
      integer (4) omp_get_ancestor_thread_num
      external omp_get_ancestor_thread_num
      integer (4) omp_get_team_size
      external omp_get_team_size
      integer (4) omp_get_num_places
      external omp_get_num_places
      integer (4) omp_get_place_num_procs
      external omp_get_place_num_procs
      integer (4) omp_get_place_num
      external omp_get_place_num
      integer (4) omp_get_partition_num_places
      external omp_get_partition_num_places
      integer (4) omp_get_affinity_format
      external omp_get_affinity_format
      integer (4) omp_capture_affinity
      external omp_capture_affinity
      integer (4) omp_get_num_teams
      external omp_get_num_teams
      integer (4) omp_get_team_num
      external omp_get_team_num
      integer (4) omp_get_max_teams
      external omp_get_max_teams
      integer (4) omp_get_teams_thread_limit
      external omp_get_teams_thread_limit
      integer (4) omp_get_max_task_priority
      external omp_get_max_task_priority
      integer (4) omp_pause_resource
      external omp_pause_resource
      integer (4) omp_pause_resource_all
      external omp_pause_resource_all
      integer (4) omp_control_tool
      external omp_control_tool
      integer (4) omp_get_num_procs
      external omp_get_num_procs
      integer (4) omp_get_default_device
      external omp_get_default_device
      integer (4) omp_get_num_devices
      external omp_get_num_devices
      integer (4) omp_get_device_num
      external omp_get_device_num
      integer (4) omp_get_initial_device
      external omp_get_initial_device
      integer (4) omp_get_device_from_uid
      external omp_get_device_from_uid
      integer (4) omp_get_supported_active_team_dims
      external omp_get_supported_active_team_dims
      integer (4) omp_get_supported_active_league_dims
      external omp_get_supported_active_league_dims
      integer (4) omp_test_nest_lock
      external omp_test_nest_lock
      logical (4) omp_in_parallel
      external omp_in_parallel
      logical (4) omp_get_dynamic
      external omp_get_dynamic
      logical (4) omp_get_cancellation
      external omp_get_cancellation
      logical (4) omp_get_nested
      external omp_get_nested
      logical (4) omp_in_explicit_task
      external omp_in_explicit_task
      logical (4) omp_in_final
      external omp_in_final
      logical (4) omp_is_free_agent
      external omp_is_free_agent
      logical (4) omp_ancestor_is_free_agent
      external omp_ancestor_is_free_agent
      logical (4) omp_is_initial_device
      external omp_is_initial_device
      logical (4) omp_test_lock
      external omp_test_lock
      integer (omp_proc_bind_kind) omp_get_proc_bind
      external omp_get_proc_bind
      integer (omp_allocator_handle_kind) omp_init_allocator
      external omp_init_allocator
      integer (omp_allocator_handle_kind) omp_get_default_allocator
      external omp_get_default_allocator
      double precision omp_get_wtime
      external omp_get_wtime
      double precision omp_get_wtick
      external omp_get_wtick

      abstract interface
        subroutine omp_mempartitioner_compute_proc_t (memspace,         &
     &    allocation_size, partitioner_arg, partition) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: memspace
          integer (c_size_t), value :: allocation_size
          integer (c_intptr_t), value :: partitioner_arg
          integer (c_intptr_t) :: partition
        end subroutine omp_mempartitioner_compute_proc_t
        subroutine omp_mempartitioner_release_proc_t (partition) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t) :: partition
        end subroutine omp_mempartitioner_release_proc_t
      end interface

      interface
        subroutine omp_fulfill_event (event)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: event
        end subroutine omp_fulfill_event
        function omp_target_alloc (size, device_num) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_size_t), value :: size
          integer (c_int), value :: device_num
          type (c_ptr) :: omp_target_alloc
        end function omp_target_alloc
        subroutine omp_target_free (device_ptr, device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: device_ptr
          integer (c_int), value :: device_num
        end subroutine omp_target_free
        function omp_target_is_present (ptr, device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_int), value :: device_num
          integer (c_int) :: omp_target_is_present
        end function omp_target_is_present
        function omp_target_is_accessible (ptr, size,                   &
     &    device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_size_t), value :: size
          integer (c_int), value :: device_num
          integer (c_int) :: omp_target_is_accessible
        end function omp_target_is_accessible
        function omp_target_memcpy (dst, src, length, dst_offset,       &
     &    src_offset, dst_device_num, src_device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: dst
          type (c_ptr), value :: src
          integer (c_size_t), value :: length
          integer (c_size_t), value :: dst_offset
          integer (c_size_t), value :: src_offset
          integer (c_int), value :: dst_device_num
          integer (c_int), value :: src_device_num
          integer (c_int) :: omp_target_memcpy
        end function omp_target_memcpy
        function omp_target_memcpy_rect (dst, src, element_size,        &
     &    num_dims, volume, dst_offsets, src_offsets, dst_dimensions,   &
     &    src_dimensions, dst_device_num, src_device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: dst
          type (c_ptr), value :: src
          integer (c_size_t), value :: element_size
          integer (c_int), value :: num_dims
          integer (c_size_t), intent(in) :: volume(*)
          integer (c_size_t), intent(in) :: dst_offsets(*)
          integer (c_size_t), intent(in) :: src_offsets(*)
          integer (c_size_t), intent(in) :: dst_dimensions(*)
          integer (c_size_t), intent(in) :: src_dimensions(*)
          integer (c_int), value :: dst_device_num
          integer (c_int), value :: src_device_num
          integer (c_int) :: omp_target_memcpy_rect
        end function omp_target_memcpy_rect
        function omp_target_memcpy_async (dst, src, length,             &
     &    dst_offset, src_offset, dst_device_num, src_device_num,       &
     &    depobj_count, depobj_list) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: dst
          type (c_ptr), value :: src
          integer (c_size_t), value :: length
          integer (c_size_t), value :: dst_offset
          integer (c_size_t), value :: src_offset
          integer (c_int), value :: dst_device_num
          integer (c_int), value :: src_device_num
          integer (c_int), value :: depobj_count
          integer (16), optional :: depobj_list(*)
          integer (c_int) :: omp_target_memcpy_async
        end function omp_target_memcpy_async
        function omp_target_memcpy_rect_async (dst, src, element_size,  &
     &    num_dims, volume, dst_offsets, src_offsets, dst_dimensions,   &
     &    src_dimensions, dst_device_num, src_device_num,               &
     &    depobj_count, depobj_list) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: dst
          type (c_ptr), value :: src
          integer (c_size_t), value :: element_size
          integer (c_int), value :: num_dims
          integer (c_size_t), intent(in) :: volume(*)
          integer (c_size_t), intent(in) :: dst_offsets(*)
          integer (c_size_t), intent(in) :: src_offsets(*)
          integer (c_size_t), intent(in) :: dst_dimensions(*)
          integer (c_size_t), intent(in) :: src_dimensions(*)
          integer (c_int), value :: dst_device_num
          integer (c_int), value :: src_device_num
          integer (c_int), value :: depobj_count
          integer (16), optional :: depobj_list(*)
          integer (c_int) :: omp_target_memcpy_rect_async
        end function omp_target_memcpy_rect_async
        function omp_target_memset (ptr, val, count, device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_int), value :: val
          integer (c_size_t), value :: count
          integer (c_int), value :: device_num
          type (c_ptr) :: omp_target_memset
        end function omp_target_memset
        function omp_target_memset_async (ptr, val, count, device_num,  &
     &    depobj_count, depobj_list) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_int), value :: val
          integer (c_size_t), value :: count
          integer (c_int), value :: device_num
          integer (c_int), value :: depobj_count
          integer (16), optional :: depobj_list(*)
          type (c_ptr) :: omp_target_memset_async
        end function omp_target_memset_async
        function omp_target_associate_ptr (host_ptr, device_ptr, size,  &
     &    device_offset, device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: host_ptr
          type (c_ptr), value :: device_ptr
          integer (c_size_t), value :: size
          integer (c_size_t), value :: device_offset
          integer (c_int), value :: device_num
          integer (c_int) :: omp_target_associate_ptr
        end function omp_target_associate_ptr
        function omp_target_disassociate_ptr (ptr, device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_int), value :: device_num
          integer (c_int) :: omp_target_disassociate_ptr
        end function omp_target_disassociate_ptr
        function omp_get_mapped_ptr (ptr, device_num) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_int), value :: device_num
          type (c_ptr) :: omp_get_mapped_ptr
        end function omp_get_mapped_ptr
        function omp_alloc (size, allocator) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_size_t), value :: size
          integer (c_intptr_t), value :: allocator
          type (c_ptr) :: omp_alloc
        end function omp_alloc
        function omp_aligned_alloc (alignment, size, allocator) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_size_t), value :: alignment
          integer (c_size_t), value :: size
          integer (c_intptr_t), value :: allocator
          type (c_ptr) :: omp_aligned_alloc
        end function omp_aligned_alloc
        function omp_calloc (nmemb, size, allocator) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_size_t), value :: nmemb
          integer (c_size_t), value :: size
          integer (c_intptr_t), value :: allocator
          type (c_ptr) :: omp_calloc
        end function omp_calloc
        function omp_aligned_calloc (alignment, nmemb, size,            &
     &    allocator) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_size_t), value :: alignment
          integer (c_size_t), value :: nmemb
          integer (c_size_t), value :: size
          integer (c_intptr_t), value :: allocator
          type (c_ptr) :: omp_aligned_calloc
        end function omp_aligned_calloc
        function omp_realloc (ptr, size, allocator,                     &
     &    free_allocator) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_size_t), value :: size
          integer (c_intptr_t), value :: allocator
          integer (c_intptr_t), value :: free_allocator
          type (c_ptr) :: omp_realloc
        end function omp_realloc
        subroutine omp_free (ptr, allocator) bind(c)
          use, intrinsic :: iso_c_binding
          type (c_ptr), value :: ptr
          integer (c_intptr_t), value :: allocator
        end subroutine omp_free
        function omp_get_num_teams_dim (dim) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dim
          integer (c_int) :: omp_get_num_teams_dim
        end function omp_get_num_teams_dim
        function omp_get_team_num_dim (dim) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dim
          integer (c_int) :: omp_get_team_num_dim
        end function omp_get_team_num_dim
        function omp_get_num_threads_dim (dim) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dim
          integer (c_int) :: omp_get_num_threads_dim
        end function omp_get_num_threads_dim
        function omp_get_thread_num_dim (dim) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dim
          integer (c_int) :: omp_get_thread_num_dim
        end function omp_get_thread_num_dim
        function omp_get_thread_limit_dim (dim) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dim
          integer (c_int) :: omp_get_thread_limit_dim
        end function omp_get_thread_limit_dim
        function omp_get_supported_teams_dim (device_num, dim) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: device_num
          integer (c_int), value :: dim
          integer (c_int) :: omp_get_supported_teams_dim
        end function omp_get_supported_teams_dim
        function omp_get_supported_threads_dim (device_num, dim) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: device_num
          integer (c_int), value :: dim
          integer (c_int) :: omp_get_supported_threads_dim
        end function omp_get_supported_threads_dim
        function omp_get_uid_from_device (device_num)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: device_num
          character (len=:), pointer :: omp_get_uid_from_device
        end function omp_get_uid_from_device
        function omp_get_max_progress_width (device_num) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: device_num
          integer (c_int) :: omp_get_max_progress_width
        end function omp_get_max_progress_width
        function omp_get_device_num_teams (device_num) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: device_num
          integer (c_int) :: omp_get_device_num_teams
        end function omp_get_device_num_teams
        function omp_get_device_teams_thread_limit (device_num) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: device_num
          integer (c_int) :: omp_get_device_teams_thread_limit
        end function omp_get_device_teams_thread_limit
        subroutine omp_set_device_num_teams (num_teams, device_num)     &
     &    bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: num_teams
          integer (c_int), value :: device_num
        end subroutine omp_set_device_num_teams
        subroutine omp_set_device_teams_thread_limit (thread_limit,     &
     &    device_num) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: thread_limit
          integer (c_int), value :: device_num
        end subroutine omp_set_device_teams_thread_limit
        subroutine omp_get_device_distances (ndevs, devs,               &
     &    distances) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: ndevs
          integer (c_int), intent(in) :: devs(*)
          integer (c_int), intent(out) :: distances(*)
        end subroutine omp_get_device_distances
        function omp_get_num_interop_properties (interop) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: interop
          integer (c_int) :: omp_get_num_interop_properties
        end function omp_get_num_interop_properties
        function omp_get_interop_int (interop, property_id, ret_code)   &
     &    bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: interop
          integer (c_int), value :: property_id
          integer (c_int), optional, intent(out) :: ret_code
          integer (c_intptr_t) :: omp_get_interop_int
        end function omp_get_interop_int
        function omp_get_interop_ptr (interop, property_id, ret_code)   &
     &    bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: interop
          integer (c_int), value :: property_id
          integer (c_int), optional, intent(out) :: ret_code
          type (c_ptr) :: omp_get_interop_ptr
        end function omp_get_interop_ptr
        function omp_get_interop_str (interop, property_id, ret_code)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: interop
          integer (c_int), value :: property_id
          integer (c_int), optional, intent(out) :: ret_code
          character (len=:), pointer :: omp_get_interop_str
        end function omp_get_interop_str
        function omp_get_interop_name (interop, property_id)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: interop
          integer (c_int), value :: property_id
          character (len=:), pointer :: omp_get_interop_name
        end function omp_get_interop_name
        function omp_get_interop_type_desc (interop, property_id)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: interop
          integer (c_int), value :: property_id
          character (len=:), pointer :: omp_get_interop_type_desc
        end function omp_get_interop_type_desc
        function omp_get_interop_rc_desc (interop, ret_code)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: interop
          integer (c_int), value :: ret_code
          character (len=:), pointer :: omp_get_interop_rc_desc
        end function omp_get_interop_rc_desc
        function omp_get_devices_memspace (ndevs, devs, memspace)       &
     &    bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: ndevs
          integer (c_int), intent(in) :: devs(*)
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_devices_memspace
        end function omp_get_devices_memspace
        function omp_get_device_memspace (dev, memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dev
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_device_memspace
        end function omp_get_device_memspace
        function omp_get_devices_and_host_memspace (ndevs, devs,        &
     &    memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: ndevs
          integer (c_int), intent(in) :: devs(*)
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_devices_and_host_memspace
        end function omp_get_devices_and_host_memspace
        function omp_get_device_and_host_memspace (dev, memspace)       &
     &    bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dev
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_device_and_host_memspace
        end function omp_get_device_and_host_memspace
        function omp_get_devices_all_memspace (memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_devices_all_memspace
        end function omp_get_devices_all_memspace
        function omp_get_devices_allocator (ndevs, devs, memspace)      &
     &    bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: ndevs
          integer (c_int), intent(in) :: devs(*)
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_devices_allocator
        end function omp_get_devices_allocator
        function omp_get_device_allocator (dev, memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dev
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_device_allocator
        end function omp_get_device_allocator
        function omp_get_devices_and_host_allocator (ndevs, devs,       &
     &    memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: ndevs
          integer (c_int), intent(in) :: devs(*)
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_devices_and_host_allocator
        end function omp_get_devices_and_host_allocator
        function omp_get_device_and_host_allocator (dev, memspace)      &
     &    bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_int), value :: dev
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_device_and_host_allocator
        end function omp_get_device_and_host_allocator
        function omp_get_devices_all_allocator (memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: memspace
          integer (c_intptr_t) :: omp_get_devices_all_allocator
        end function omp_get_devices_all_allocator
        function omp_get_memspace_num_resources (memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: memspace
          integer (c_int) :: omp_get_memspace_num_resources
        end function omp_get_memspace_num_resources
        function omp_get_memspace_pagesize (memspace) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: memspace
          integer (c_size_t) :: omp_get_memspace_pagesize
        end function omp_get_memspace_pagesize
        function omp_get_submemspace (memspace, num_resources,          &
     &    resources) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), value :: memspace
          integer (c_int), value :: num_resources
          integer (c_int), intent(in) :: resources(*)
          integer (c_intptr_t) :: omp_get_submemspace
        end function omp_get_submemspace
        subroutine omp_init_mempartitioner (partitioner, lifetime,      &
     &    compute_proc, release_proc) bind(c)
          use, intrinsic :: iso_c_binding
          import :: omp_mempartitioner_compute_proc_t
          import :: omp_mempartitioner_release_proc_t
          integer (c_intptr_t), intent(out) :: partitioner
          integer (c_int), value :: lifetime
          procedure (omp_mempartitioner_compute_proc_t) :: compute_proc
          procedure (omp_mempartitioner_release_proc_t) :: release_proc
        end subroutine omp_init_mempartitioner
        subroutine omp_destroy_mempartitioner (partitioner) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), intent(in) :: partitioner
        end subroutine omp_destroy_mempartitioner
        subroutine omp_init_mempartition (partition, nparts,            &
     &    user_data) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), intent(out) :: partition
          integer (c_size_t), value :: nparts
          type (c_ptr), value :: user_data
        end subroutine omp_init_mempartition
        subroutine omp_destroy_mempartition (partition) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), intent(inout) :: partition
        end subroutine omp_destroy_mempartition
        function omp_mempartition_set_part (partition, part, resource,  &
     &    size) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), intent(inout) :: partition
          integer (c_size_t), value :: part
          integer (c_intptr_t), value :: resource
          integer (c_size_t), value :: size
          integer (c_int) :: omp_mempartition_set_part
        end function omp_mempartition_set_part
        function omp_mempartition_get_user_data (partition) bind(c)
          use, intrinsic :: iso_c_binding
          integer (c_intptr_t), intent(in) :: partition
          type (c_ptr) :: omp_mempartition_get_user_data
        end function omp_mempartition_get_user_data
      end interface
