! SPDX-License-Identifier: Apache-2.0
! The user interface of OpenMP 5.2 for Fortran, with the host routines of 6.0 and 6.1 and libgomp's
! extensions: modules omp_lib_kinds and omp_lib. Compile it with the compiler of the program, once,
! and put the folder of the module files before the compiler's own. A routine without bind(c) is
! called by the name that gfortran gives it, with arguments by reference; those that take integers
! or logicals have a second version for programs compiled with 8-byte default kinds.
module omp_lib_kinds
  use, intrinsic :: iso_c_binding
  implicit none
  private :: c_int, c_int32_t, c_int64_t, c_intptr_t, c_size_t, c_ptr
  public

  integer, parameter :: omp_lock_kind = c_int32_t
  integer, parameter :: omp_nest_lock_kind = c_int64_t
  integer, parameter :: omp_depend_kind = 16
  integer, parameter :: omp_event_handle_kind = c_intptr_t
  integer, parameter :: omp_sched_kind = c_int32_t
  integer, parameter :: omp_proc_bind_kind = c_int32_t
  integer, parameter :: omp_sync_hint_kind = c_int32_t
  integer, parameter :: omp_lock_hint_kind = omp_sync_hint_kind
  integer, parameter :: omp_pause_resource_kind = c_int32_t
  integer, parameter :: omp_memspace_handle_kind = c_intptr_t
  integer, parameter :: omp_allocator_handle_kind = c_intptr_t
  integer, parameter :: omp_alloctrait_key_kind = c_int32_t
  integer, parameter :: omp_alloctrait_val_kind = c_intptr_t
  integer, parameter :: omp_mempartition_kind = c_intptr_t
  integer, parameter :: omp_mempartitioner_kind = c_intptr_t
  integer, parameter :: omp_mempartitioner_lifetime_kind = c_int32_t
  integer, parameter :: omp_control_tool_kind = c_int32_t
  integer, parameter :: omp_control_tool_result_kind = c_int32_t
  integer, parameter :: omp_interop_kind = c_intptr_t
  integer, parameter :: omp_interop_fr_kind = c_int32_t
  integer, parameter :: omp_interop_property_kind = c_int32_t
  integer, parameter :: omp_interop_rc_kind = c_int32_t

  integer(kind=omp_sched_kind), parameter :: &
    omp_sched_static = 1, &
    omp_sched_dynamic = 2, &
    omp_sched_guided = 3, &
    omp_sched_auto = 4, &
    omp_sched_monotonic = -huge(1_4) - 1

  integer(kind=omp_proc_bind_kind), parameter :: &
    omp_proc_bind_false = 0, &
    omp_proc_bind_true = 1, &
    omp_proc_bind_primary = 2, &
    omp_proc_bind_master = 2, &
    omp_proc_bind_close = 3, &
    omp_proc_bind_spread = 4

  integer(kind=omp_sync_hint_kind), parameter :: &
    omp_sync_hint_none = 0, &
    omp_sync_hint_uncontended = 1, &
    omp_sync_hint_contended = 2, &
    omp_sync_hint_nonspeculative = 4, &
    omp_sync_hint_speculative = 8

  integer(kind=omp_lock_hint_kind), parameter :: &
    omp_lock_hint_none = 0, &
    omp_lock_hint_uncontended = 1, &
    omp_lock_hint_contended = 2, &
    omp_lock_hint_nonspeculative = 4, &
    omp_lock_hint_speculative = 8

  integer(kind=omp_pause_resource_kind), parameter :: &
    omp_pause_soft = 1, &
    omp_pause_hard = 2, &
    omp_pause_stop_tool = 3

  integer, parameter :: &
    omp_initial_device = -1, &
    omp_invalid_device = -4, &
    omp_default_device = -5

  integer(kind=omp_memspace_handle_kind), parameter :: &
    omp_default_mem_space = 0, &
    omp_large_cap_mem_space = 1, &
    omp_const_mem_space = 2, &
    omp_high_bw_mem_space = 3, &
    omp_low_lat_mem_space = 4, &
    ompx_gnu_managed_mem_space = 200, &
    omp_null_mem_space = -1

  integer(kind=omp_allocator_handle_kind), parameter :: &
    omp_null_allocator = 0, &
    omp_default_mem_alloc = 1, &
    omp_large_cap_mem_alloc = 2, &
    omp_const_mem_alloc = 3, &
    omp_high_bw_mem_alloc = 4, &
    omp_low_lat_mem_alloc = 5, &
    omp_cgroup_mem_alloc = 6, &
    omp_pteam_mem_alloc = 7, &
    omp_thread_mem_alloc = 8, &
    ompx_gnu_pinned_mem_alloc = 200, &
    ompx_gnu_managed_mem_alloc = 201

  integer(kind=omp_alloctrait_key_kind), parameter :: &
    omp_atk_sync_hint = 1, &
    omp_atk_alignment = 2, &
    omp_atk_access = 3, &
    omp_atk_pool_size = 4, &
    omp_atk_fallback = 5, &
    omp_atk_fb_data = 6, &
    omp_atk_pinned = 7, &
    omp_atk_partition = 8

  integer(kind=omp_alloctrait_val_kind), parameter :: &
    omp_atv_default = -1, &
    omp_atv_false = 0, &
    omp_atv_true = 1, &
    omp_atv_contended = 3, &
    omp_atv_uncontended = 4, &
    omp_atv_serialized = 5, &
    omp_atv_sequential = 5, &
    omp_atv_private = 6, &
    omp_atv_all = 7, &
    omp_atv_thread = 8, &
    omp_atv_pteam = 9, &
    omp_atv_cgroup = 10, &
    omp_atv_default_mem_fb = 11, &
    omp_atv_null_fb = 12, &
    omp_atv_abort_fb = 13, &
    omp_atv_allocator_fb = 14, &
    omp_atv_environment = 15, &
    omp_atv_nearest = 16, &
    omp_atv_blocked = 17, &
    omp_atv_interleaved = 18

  integer(kind=omp_mempartitioner_lifetime_kind), parameter :: &
    omp_static_mempartition = 1, &
    omp_allocator_mempartition = 2, &
    omp_dynamic_mempartition = 3

  integer(kind=omp_control_tool_kind), parameter :: &
    omp_control_tool_start = 1, &
    omp_control_tool_pause = 2, &
    omp_control_tool_flush = 3, &
    omp_control_tool_end = 4

  integer(kind=omp_control_tool_result_kind), parameter :: &
    omp_control_tool_notool = -2, &
    omp_control_tool_nocallback = -1, &
    omp_control_tool_success = 0, &
    omp_control_tool_ignored = 1

  integer(kind=omp_interop_kind), parameter :: &
    omp_interop_none = 0

  integer(kind=omp_interop_fr_kind), parameter :: &
    omp_ifr_cuda = 1, &
    omp_ifr_cuda_driver = 2, &
    omp_ifr_opencl = 3, &
    omp_ifr_sycl = 4, &
    omp_ifr_hip = 5, &
    omp_ifr_level_zero = 6, &
    omp_ifr_hsa = 7, &
    omp_ifr_last = 7

  integer(kind=omp_interop_property_kind), parameter :: &
    omp_ipr_fr_id = -1, &
    omp_ipr_fr_name = -2, &
    omp_ipr_vendor = -3, &
    omp_ipr_vendor_name = -4, &
    omp_ipr_device_num = -5, &
    omp_ipr_platform = -6, &
    omp_ipr_device = -7, &
    omp_ipr_device_context = -8, &
    omp_ipr_targetsync = -9, &
    omp_ipr_first = -9

  integer(kind=omp_interop_rc_kind), parameter :: &
    omp_irc_no_value = 1, &
    omp_irc_success = 0, &
    omp_irc_empty = -1, &
    omp_irc_out_of_range = -2, &
    omp_irc_type_int = -3, &
    omp_irc_type_ptr = -4, &
    omp_irc_type_str = -5, &
    omp_irc_other = -6

  type omp_alloctrait
    integer(kind=omp_alloctrait_key_kind) :: key
    integer(kind=omp_alloctrait_val_kind) :: value
  end type omp_alloctrait

  abstract interface
    subroutine omp_mempartitioner_compute_proc_t(memspace, allocation_size, partitioner_arg, &
                                                 partition) bind(c)
      import :: c_size_t, omp_memspace_handle_kind, omp_alloctrait_val_kind, omp_mempartition_kind
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=c_size_t), value :: allocation_size
      integer(kind=omp_alloctrait_val_kind), value :: partitioner_arg
      integer(kind=omp_mempartition_kind) :: partition
    end subroutine omp_mempartitioner_compute_proc_t
    subroutine omp_mempartitioner_release_proc_t(partition) bind(c)
      import :: omp_mempartition_kind
      integer(kind=omp_mempartition_kind) :: partition
    end subroutine omp_mempartitioner_release_proc_t
  end interface
end module omp_lib_kinds

module omp_lib
  use omp_lib_kinds
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_intptr_t, c_size_t, c_ptr
  implicit none
  private :: c_int, c_int32_t, c_int64_t, c_intptr_t, c_size_t, c_ptr
  public

  ! _OPENMP of gfortran: the version whose directives it takes.
  integer, parameter :: openmp_version = 201511

  ! Threads, teams of a parallel region and levels (18.2).
  interface omp_set_num_threads
    subroutine omp_set_num_threads(num_threads)
      import
      integer(kind=c_int32_t), intent(in) :: num_threads
    end subroutine omp_set_num_threads
    subroutine omp_set_num_threads_8(num_threads)
      import
      integer(kind=c_int64_t), intent(in) :: num_threads
    end subroutine omp_set_num_threads_8
  end interface omp_set_num_threads

  interface omp_set_dynamic
    subroutine omp_set_dynamic(dynamic_threads)
      import
      logical(kind=4), intent(in) :: dynamic_threads
    end subroutine omp_set_dynamic
    subroutine omp_set_dynamic_8(dynamic_threads)
      import
      logical(kind=8), intent(in) :: dynamic_threads
    end subroutine omp_set_dynamic_8
  end interface omp_set_dynamic

  interface omp_set_nested
    subroutine omp_set_nested(nested)
      import
      logical(kind=4), intent(in) :: nested
    end subroutine omp_set_nested
    subroutine omp_set_nested_8(nested)
      import
      logical(kind=8), intent(in) :: nested
    end subroutine omp_set_nested_8
  end interface omp_set_nested

  interface omp_set_schedule
    subroutine omp_set_schedule(kind, chunk_size)
      import
      integer(kind=omp_sched_kind), intent(in) :: kind
      integer(kind=c_int32_t), intent(in) :: chunk_size
    end subroutine omp_set_schedule
    subroutine omp_set_schedule_8(kind, chunk_size)
      import
      integer(kind=omp_sched_kind), intent(in) :: kind
      integer(kind=c_int64_t), intent(in) :: chunk_size
    end subroutine omp_set_schedule_8
  end interface omp_set_schedule

  interface omp_get_schedule
    subroutine omp_get_schedule(kind, chunk_size)
      import
      integer(kind=omp_sched_kind), intent(out) :: kind
      integer(kind=c_int32_t), intent(out) :: chunk_size
    end subroutine omp_get_schedule
    subroutine omp_get_schedule_8(kind, chunk_size)
      import
      integer(kind=omp_sched_kind), intent(out) :: kind
      integer(kind=c_int64_t), intent(out) :: chunk_size
    end subroutine omp_get_schedule_8
  end interface omp_get_schedule

  interface omp_set_max_active_levels
    subroutine omp_set_max_active_levels(max_levels)
      import
      integer(kind=c_int32_t), intent(in) :: max_levels
    end subroutine omp_set_max_active_levels
    subroutine omp_set_max_active_levels_8(max_levels)
      import
      integer(kind=c_int64_t), intent(in) :: max_levels
    end subroutine omp_set_max_active_levels_8
  end interface omp_set_max_active_levels

  interface omp_get_ancestor_thread_num
    function omp_get_ancestor_thread_num(level)
      import
      integer(kind=c_int32_t), intent(in) :: level
      integer(kind=c_int32_t) :: omp_get_ancestor_thread_num
    end function omp_get_ancestor_thread_num
    function omp_get_ancestor_thread_num_8(level)
      import
      integer(kind=c_int64_t), intent(in) :: level
      integer(kind=c_int32_t) :: omp_get_ancestor_thread_num_8
    end function omp_get_ancestor_thread_num_8
  end interface omp_get_ancestor_thread_num

  interface omp_get_team_size
    function omp_get_team_size(level)
      import
      integer(kind=c_int32_t), intent(in) :: level
      integer(kind=c_int32_t) :: omp_get_team_size
    end function omp_get_team_size
    function omp_get_team_size_8(level)
      import
      integer(kind=c_int64_t), intent(in) :: level
      integer(kind=c_int32_t) :: omp_get_team_size_8
    end function omp_get_team_size_8
  end interface omp_get_team_size

  interface
    function omp_get_num_threads()
      import
      integer(kind=c_int32_t) :: omp_get_num_threads
    end function omp_get_num_threads
    function omp_get_max_threads()
      import
      integer(kind=c_int32_t) :: omp_get_max_threads
    end function omp_get_max_threads
    function omp_get_thread_num()
      import
      integer(kind=c_int32_t) :: omp_get_thread_num
    end function omp_get_thread_num
    function omp_get_thread_limit()
      import
      integer(kind=c_int32_t) :: omp_get_thread_limit
    end function omp_get_thread_limit
    function omp_get_supported_active_levels()
      import
      integer(kind=c_int32_t) :: omp_get_supported_active_levels
    end function omp_get_supported_active_levels
    function omp_get_max_active_levels()
      import
      integer(kind=c_int32_t) :: omp_get_max_active_levels
    end function omp_get_max_active_levels
    function omp_get_level()
      import
      integer(kind=c_int32_t) :: omp_get_level
    end function omp_get_level
    function omp_get_active_level()
      import
      integer(kind=c_int32_t) :: omp_get_active_level
    end function omp_get_active_level
    function omp_in_parallel()
      import
      logical(kind=4) :: omp_in_parallel
    end function omp_in_parallel
    function omp_get_dynamic()
      import
      logical(kind=4) :: omp_get_dynamic
    end function omp_get_dynamic
    function omp_get_cancellation()
      import
      logical(kind=4) :: omp_get_cancellation
    end function omp_get_cancellation
    function omp_get_nested()
      import
      logical(kind=4) :: omp_get_nested
    end function omp_get_nested
  end interface

  ! Places and binding (18.3).
  interface omp_get_place_num_procs
    function omp_get_place_num_procs(place_num)
      import
      integer(kind=c_int32_t), intent(in) :: place_num
      integer(kind=c_int32_t) :: omp_get_place_num_procs
    end function omp_get_place_num_procs
    function omp_get_place_num_procs_8(place_num)
      import
      integer(kind=c_int64_t), intent(in) :: place_num
      integer(kind=c_int32_t) :: omp_get_place_num_procs_8
    end function omp_get_place_num_procs_8
  end interface omp_get_place_num_procs

  interface omp_get_place_proc_ids
    subroutine omp_get_place_proc_ids(place_num, ids)
      import
      integer(kind=c_int32_t), intent(in) :: place_num
      integer(kind=c_int32_t), intent(out) :: ids(*)
    end subroutine omp_get_place_proc_ids
    subroutine omp_get_place_proc_ids_8(place_num, ids)
      import
      integer(kind=c_int64_t), intent(in) :: place_num
      integer(kind=c_int64_t), intent(out) :: ids(*)
    end subroutine omp_get_place_proc_ids_8
  end interface omp_get_place_proc_ids

  interface omp_get_partition_place_nums
    subroutine omp_get_partition_place_nums(place_nums)
      import
      integer(kind=c_int32_t), intent(out) :: place_nums(*)
    end subroutine omp_get_partition_place_nums
    subroutine omp_get_partition_place_nums_8(place_nums)
      import
      integer(kind=c_int64_t), intent(out) :: place_nums(*)
    end subroutine omp_get_partition_place_nums_8
  end interface omp_get_partition_place_nums

  interface
    function omp_get_proc_bind()
      import
      integer(kind=omp_proc_bind_kind) :: omp_get_proc_bind
    end function omp_get_proc_bind
    function omp_get_num_places()
      import
      integer(kind=c_int32_t) :: omp_get_num_places
    end function omp_get_num_places
    function omp_get_place_num()
      import
      integer(kind=c_int32_t) :: omp_get_place_num
    end function omp_get_place_num
    function omp_get_partition_num_places()
      import
      integer(kind=c_int32_t) :: omp_get_partition_num_places
    end function omp_get_partition_num_places
    subroutine omp_set_affinity_format(format)
      import
      character(len=*), intent(in) :: format
    end subroutine omp_set_affinity_format
    function omp_get_affinity_format(buffer)
      import
      character(len=*), intent(out) :: buffer
      integer(kind=c_int32_t) :: omp_get_affinity_format
    end function omp_get_affinity_format
    subroutine omp_display_affinity(format)
      import
      character(len=*), intent(in) :: format
    end subroutine omp_display_affinity
    function omp_capture_affinity(buffer, format)
      import
      character(len=*), intent(out) :: buffer
      character(len=*), intent(in) :: format
      integer(kind=c_int32_t) :: omp_capture_affinity
    end function omp_capture_affinity
  end interface

  ! Leagues (18.4).
  interface omp_set_num_teams
    subroutine omp_set_num_teams(num_teams)
      import
      integer(kind=c_int32_t), intent(in) :: num_teams
    end subroutine omp_set_num_teams
    subroutine omp_set_num_teams_8(num_teams)
      import
      integer(kind=c_int64_t), intent(in) :: num_teams
    end subroutine omp_set_num_teams_8
  end interface omp_set_num_teams

  interface omp_set_teams_thread_limit
    subroutine omp_set_teams_thread_limit(thread_limit)
      import
      integer(kind=c_int32_t), intent(in) :: thread_limit
    end subroutine omp_set_teams_thread_limit
    subroutine omp_set_teams_thread_limit_8(thread_limit)
      import
      integer(kind=c_int64_t), intent(in) :: thread_limit
    end subroutine omp_set_teams_thread_limit_8
  end interface omp_set_teams_thread_limit

  interface
    function omp_get_num_teams()
      import
      integer(kind=c_int32_t) :: omp_get_num_teams
    end function omp_get_num_teams
    function omp_get_team_num()
      import
      integer(kind=c_int32_t) :: omp_get_team_num
    end function omp_get_team_num
    function omp_get_max_teams()
      import
      integer(kind=c_int32_t) :: omp_get_max_teams
    end function omp_get_max_teams
    function omp_get_teams_thread_limit()
      import
      integer(kind=c_int32_t) :: omp_get_teams_thread_limit
    end function omp_get_teams_thread_limit
  end interface

  ! Tasks (18.5), free agents (6.0: 21), events (18.11).
  interface
    function omp_get_max_task_priority()
      import
      integer(kind=c_int32_t) :: omp_get_max_task_priority
    end function omp_get_max_task_priority
    function omp_in_explicit_task()
      import
      logical(kind=4) :: omp_in_explicit_task
    end function omp_in_explicit_task
    function omp_in_final()
      import
      logical(kind=4) :: omp_in_final
    end function omp_in_final
    function omp_is_free_agent()
      import
      logical(kind=4) :: omp_is_free_agent
    end function omp_is_free_agent
    function omp_ancestor_is_free_agent(level)
      import
      integer(kind=c_int32_t), intent(in) :: level
      logical(kind=4) :: omp_ancestor_is_free_agent
    end function omp_ancestor_is_free_agent
    subroutine omp_fulfill_event(event)
      import
      integer(kind=omp_event_handle_kind), value :: event
    end subroutine omp_fulfill_event
  end interface

  ! Resources (18.6), time (18.10), tools (18.14), the environment (18.15).
  interface omp_display_env
    subroutine omp_display_env(verbose)
      import
      logical(kind=4), intent(in) :: verbose
    end subroutine omp_display_env
    subroutine omp_display_env_8(verbose)
      import
      logical(kind=8), intent(in) :: verbose
    end subroutine omp_display_env_8
  end interface omp_display_env

  interface
    function omp_pause_resource(kind, device_num)
      import
      integer(kind=omp_pause_resource_kind), intent(in) :: kind
      integer(kind=c_int32_t), intent(in) :: device_num
      integer(kind=c_int32_t) :: omp_pause_resource
    end function omp_pause_resource
    function omp_pause_resource_all(kind)
      import
      integer(kind=omp_pause_resource_kind), intent(in) :: kind
      integer(kind=c_int32_t) :: omp_pause_resource_all
    end function omp_pause_resource_all
    function omp_control_tool(command, modifier)
      import
      integer(kind=omp_control_tool_kind), intent(in) :: command
      integer(kind=c_int32_t), intent(in) :: modifier
      integer(kind=omp_control_tool_result_kind) :: omp_control_tool
    end function omp_control_tool
    function omp_get_wtime()
      import
      real(kind=kind(1d0)) :: omp_get_wtime
    end function omp_get_wtime
    function omp_get_wtick()
      import
      real(kind=kind(1d0)) :: omp_get_wtick
    end function omp_get_wtick
  end interface

  ! Devices (18.7; 6.0: 24; 6.1).
  interface omp_set_default_device
    subroutine omp_set_default_device(device_num)
      import
      integer(kind=c_int32_t), intent(in) :: device_num
    end subroutine omp_set_default_device
    subroutine omp_set_default_device_8(device_num)
      import
      integer(kind=c_int64_t), intent(in) :: device_num
    end subroutine omp_set_default_device_8
  end interface omp_set_default_device

  interface omp_get_uid_from_device
    function omp_get_uid_from_device(device_num)
      import
      integer(kind=c_int32_t), value :: device_num
      character(len=:), pointer :: omp_get_uid_from_device
    end function omp_get_uid_from_device
    function omp_get_uid_from_device_8(device_num)
      import
      integer(kind=c_int64_t), value :: device_num
      character(len=:), pointer :: omp_get_uid_from_device_8
    end function omp_get_uid_from_device_8
  end interface omp_get_uid_from_device

  interface
    function omp_get_num_procs()
      import
      integer(kind=c_int32_t) :: omp_get_num_procs
    end function omp_get_num_procs
    function omp_get_default_device()
      import
      integer(kind=c_int32_t) :: omp_get_default_device
    end function omp_get_default_device
    function omp_get_num_devices()
      import
      integer(kind=c_int32_t) :: omp_get_num_devices
    end function omp_get_num_devices
    function omp_get_device_num()
      import
      integer(kind=c_int32_t) :: omp_get_device_num
    end function omp_get_device_num
    function omp_get_initial_device()
      import
      integer(kind=c_int32_t) :: omp_get_initial_device
    end function omp_get_initial_device
    function omp_is_initial_device()
      import
      logical(kind=4) :: omp_is_initial_device
    end function omp_is_initial_device
    function omp_get_device_from_uid(uid)
      import
      character(len=*), intent(in) :: uid
      integer(kind=c_int32_t) :: omp_get_device_from_uid
    end function omp_get_device_from_uid
    function omp_get_max_progress_width(device_num) bind(c)
      import
      integer(kind=c_int), value :: device_num
      integer(kind=c_int) :: omp_get_max_progress_width
    end function omp_get_max_progress_width
    function omp_get_device_num_teams(device_num) bind(c)
      import
      integer(kind=c_int), value :: device_num
      integer(kind=c_int) :: omp_get_device_num_teams
    end function omp_get_device_num_teams
    function omp_get_device_teams_thread_limit(device_num) bind(c)
      import
      integer(kind=c_int), value :: device_num
      integer(kind=c_int) :: omp_get_device_teams_thread_limit
    end function omp_get_device_teams_thread_limit
    subroutine omp_set_device_num_teams(num_teams, device_num) bind(c)
      import
      integer(kind=c_int), value :: num_teams
      integer(kind=c_int), value :: device_num
    end subroutine omp_set_device_num_teams
    subroutine omp_set_device_teams_thread_limit(thread_limit, device_num) bind(c)
      import
      integer(kind=c_int), value :: thread_limit
      integer(kind=c_int), value :: device_num
    end subroutine omp_set_device_teams_thread_limit
    subroutine omp_get_device_distances(ndevs, devs, distances) bind(c)
      import
      integer(kind=c_int), value :: ndevs
      integer(kind=c_int), intent(in) :: devs(*)
      integer(kind=c_int), intent(out) :: distances(*)
    end subroutine omp_get_device_distances
  end interface

  ! Teams and leagues of several dimensions (6.1); dimensions count from 0.
  interface
    function omp_get_num_teams_dim(dim) bind(c)
      import
      integer(kind=c_int), value :: dim
      integer(kind=c_int) :: omp_get_num_teams_dim
    end function omp_get_num_teams_dim
    function omp_get_team_num_dim(dim) bind(c)
      import
      integer(kind=c_int), value :: dim
      integer(kind=c_int) :: omp_get_team_num_dim
    end function omp_get_team_num_dim
    function omp_get_num_threads_dim(dim) bind(c)
      import
      integer(kind=c_int), value :: dim
      integer(kind=c_int) :: omp_get_num_threads_dim
    end function omp_get_num_threads_dim
    function omp_get_thread_num_dim(dim) bind(c)
      import
      integer(kind=c_int), value :: dim
      integer(kind=c_int) :: omp_get_thread_num_dim
    end function omp_get_thread_num_dim
    function omp_get_thread_limit_dim(dim) bind(c)
      import
      integer(kind=c_int), value :: dim
      integer(kind=c_int) :: omp_get_thread_limit_dim
    end function omp_get_thread_limit_dim
    function omp_get_supported_active_team_dims(device_num, native_support)
      import
      integer(kind=c_int32_t), intent(in) :: device_num
      logical(kind=4), intent(in) :: native_support
      integer(kind=c_int32_t) :: omp_get_supported_active_team_dims
    end function omp_get_supported_active_team_dims
    function omp_get_supported_active_league_dims(device_num, native_support)
      import
      integer(kind=c_int32_t), intent(in) :: device_num
      logical(kind=4), intent(in) :: native_support
      integer(kind=c_int32_t) :: omp_get_supported_active_league_dims
    end function omp_get_supported_active_league_dims
    function omp_get_supported_teams_dim(device_num, dim) bind(c)
      import
      integer(kind=c_int), value :: device_num
      integer(kind=c_int), value :: dim
      integer(kind=c_int) :: omp_get_supported_teams_dim
    end function omp_get_supported_teams_dim
    function omp_get_supported_threads_dim(device_num, dim) bind(c)
      import
      integer(kind=c_int), value :: device_num
      integer(kind=c_int), value :: dim
      integer(kind=c_int) :: omp_get_supported_threads_dim
    end function omp_get_supported_threads_dim
  end interface

  ! Memory of devices (18.8; 6.0: 25).
  interface
    function omp_target_alloc(size, device_num) bind(c)
      import
      integer(kind=c_size_t), value :: size
      integer(kind=c_int), value :: device_num
      type(c_ptr) :: omp_target_alloc
    end function omp_target_alloc
    subroutine omp_target_free(device_ptr, device_num) bind(c)
      import
      type(c_ptr), value :: device_ptr
      integer(kind=c_int), value :: device_num
    end subroutine omp_target_free
    function omp_target_is_present(ptr, device_num) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=c_int), value :: device_num
      integer(kind=c_int) :: omp_target_is_present
    end function omp_target_is_present
    function omp_target_is_accessible(ptr, size, device_num) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=c_size_t), value :: size
      integer(kind=c_int), value :: device_num
      integer(kind=c_int) :: omp_target_is_accessible
    end function omp_target_is_accessible
    function omp_target_memcpy(dst, src, length, dst_offset, src_offset, dst_device_num, &
                               src_device_num) bind(c)
      import
      type(c_ptr), value :: dst
      type(c_ptr), value :: src
      integer(kind=c_size_t), value :: length
      integer(kind=c_size_t), value :: dst_offset
      integer(kind=c_size_t), value :: src_offset
      integer(kind=c_int), value :: dst_device_num
      integer(kind=c_int), value :: src_device_num
      integer(kind=c_int) :: omp_target_memcpy
    end function omp_target_memcpy
    function omp_target_memcpy_rect(dst, src, element_size, num_dims, volume, dst_offsets, &
                                    src_offsets, dst_dimensions, src_dimensions, &
                                    dst_device_num, src_device_num) bind(c)
      import
      type(c_ptr), value :: dst
      type(c_ptr), value :: src
      integer(kind=c_size_t), value :: element_size
      integer(kind=c_int), value :: num_dims
      integer(kind=c_size_t), intent(in) :: volume(*)
      integer(kind=c_size_t), intent(in) :: dst_offsets(*)
      integer(kind=c_size_t), intent(in) :: src_offsets(*)
      integer(kind=c_size_t), intent(in) :: dst_dimensions(*)
      integer(kind=c_size_t), intent(in) :: src_dimensions(*)
      integer(kind=c_int), value :: dst_device_num
      integer(kind=c_int), value :: src_device_num
      integer(kind=c_int) :: omp_target_memcpy_rect
    end function omp_target_memcpy_rect
    function omp_target_memcpy_async(dst, src, length, dst_offset, src_offset, dst_device_num, &
                                     src_device_num, depobj_count, depobj_list) bind(c)
      import
      type(c_ptr), value :: dst
      type(c_ptr), value :: src
      integer(kind=c_size_t), value :: length
      integer(kind=c_size_t), value :: dst_offset
      integer(kind=c_size_t), value :: src_offset
      integer(kind=c_int), value :: dst_device_num
      integer(kind=c_int), value :: src_device_num
      integer(kind=c_int), value :: depobj_count
      integer(kind=omp_depend_kind), optional :: depobj_list(*)
      integer(kind=c_int) :: omp_target_memcpy_async
    end function omp_target_memcpy_async
    function omp_target_memcpy_rect_async(dst, src, element_size, num_dims, volume, &
                                          dst_offsets, src_offsets, dst_dimensions, &
                                          src_dimensions, dst_device_num, src_device_num, &
                                          depobj_count, depobj_list) bind(c)
      import
      type(c_ptr), value :: dst
      type(c_ptr), value :: src
      integer(kind=c_size_t), value :: element_size
      integer(kind=c_int), value :: num_dims
      integer(kind=c_size_t), intent(in) :: volume(*)
      integer(kind=c_size_t), intent(in) :: dst_offsets(*)
      integer(kind=c_size_t), intent(in) :: src_offsets(*)
      integer(kind=c_size_t), intent(in) :: dst_dimensions(*)
      integer(kind=c_size_t), intent(in) :: src_dimensions(*)
      integer(kind=c_int), value :: dst_device_num
      integer(kind=c_int), value :: src_device_num
      integer(kind=c_int), value :: depobj_count
      integer(kind=omp_depend_kind), optional :: depobj_list(*)
      integer(kind=c_int) :: omp_target_memcpy_rect_async
    end function omp_target_memcpy_rect_async
    function omp_target_memset(ptr, val, count, device_num) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=c_int), value :: val
      integer(kind=c_size_t), value :: count
      integer(kind=c_int), value :: device_num
      type(c_ptr) :: omp_target_memset
    end function omp_target_memset
    function omp_target_memset_async(ptr, val, count, device_num, depobj_count, &
                                     depobj_list) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=c_int), value :: val
      integer(kind=c_size_t), value :: count
      integer(kind=c_int), value :: device_num
      integer(kind=c_int), value :: depobj_count
      integer(kind=omp_depend_kind), optional :: depobj_list(*)
      type(c_ptr) :: omp_target_memset_async
    end function omp_target_memset_async
    function omp_target_associate_ptr(host_ptr, device_ptr, size, device_offset, &
                                      device_num) bind(c)
      import
      type(c_ptr), value :: host_ptr
      type(c_ptr), value :: device_ptr
      integer(kind=c_size_t), value :: size
      integer(kind=c_size_t), value :: device_offset
      integer(kind=c_int), value :: device_num
      integer(kind=c_int) :: omp_target_associate_ptr
    end function omp_target_associate_ptr
    function omp_target_disassociate_ptr(ptr, device_num) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=c_int), value :: device_num
      integer(kind=c_int) :: omp_target_disassociate_ptr
    end function omp_target_disassociate_ptr
    function omp_get_mapped_ptr(ptr, device_num) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=c_int), value :: device_num
      type(c_ptr) :: omp_get_mapped_ptr
    end function omp_get_mapped_ptr
  end interface

  ! Locks (18.9).
  interface
    subroutine omp_init_lock(svar)
      import
      integer(kind=omp_lock_kind), intent(out) :: svar
    end subroutine omp_init_lock
    subroutine omp_init_lock_with_hint(svar, hint)
      import
      integer(kind=omp_lock_kind), intent(out) :: svar
      integer(kind=omp_sync_hint_kind), intent(in) :: hint
    end subroutine omp_init_lock_with_hint
    subroutine omp_destroy_lock(svar)
      import
      integer(kind=omp_lock_kind), intent(inout) :: svar
    end subroutine omp_destroy_lock
    subroutine omp_set_lock(svar)
      import
      integer(kind=omp_lock_kind), intent(inout) :: svar
    end subroutine omp_set_lock
    subroutine omp_unset_lock(svar)
      import
      integer(kind=omp_lock_kind), intent(inout) :: svar
    end subroutine omp_unset_lock
    function omp_test_lock(svar)
      import
      integer(kind=omp_lock_kind), intent(inout) :: svar
      logical(kind=4) :: omp_test_lock
    end function omp_test_lock
    subroutine omp_init_nest_lock(nvar)
      import
      integer(kind=omp_nest_lock_kind), intent(out) :: nvar
    end subroutine omp_init_nest_lock
    subroutine omp_init_nest_lock_with_hint(nvar, hint)
      import
      integer(kind=omp_nest_lock_kind), intent(out) :: nvar
      integer(kind=omp_sync_hint_kind), intent(in) :: hint
    end subroutine omp_init_nest_lock_with_hint
    subroutine omp_destroy_nest_lock(nvar)
      import
      integer(kind=omp_nest_lock_kind), intent(inout) :: nvar
    end subroutine omp_destroy_nest_lock
    subroutine omp_set_nest_lock(nvar)
      import
      integer(kind=omp_nest_lock_kind), intent(inout) :: nvar
    end subroutine omp_set_nest_lock
    subroutine omp_unset_nest_lock(nvar)
      import
      integer(kind=omp_nest_lock_kind), intent(inout) :: nvar
    end subroutine omp_unset_nest_lock
    function omp_test_nest_lock(nvar)
      import
      integer(kind=omp_nest_lock_kind), intent(inout) :: nvar
      integer(kind=c_int32_t) :: omp_test_nest_lock
    end function omp_test_nest_lock
  end interface

  ! Interoperability (18.12).
  interface
    function omp_get_num_interop_properties(interop) bind(c)
      import
      integer(kind=omp_interop_kind), value :: interop
      integer(kind=c_int) :: omp_get_num_interop_properties
    end function omp_get_num_interop_properties
    function omp_get_interop_int(interop, property_id, ret_code) bind(c)
      import
      integer(kind=omp_interop_kind), value :: interop
      integer(kind=omp_interop_property_kind), value :: property_id
      integer(kind=omp_interop_rc_kind), optional, intent(out) :: ret_code
      integer(kind=c_intptr_t) :: omp_get_interop_int
    end function omp_get_interop_int
    function omp_get_interop_ptr(interop, property_id, ret_code) bind(c)
      import
      integer(kind=omp_interop_kind), value :: interop
      integer(kind=omp_interop_property_kind), value :: property_id
      integer(kind=omp_interop_rc_kind), optional, intent(out) :: ret_code
      type(c_ptr) :: omp_get_interop_ptr
    end function omp_get_interop_ptr
    function omp_get_interop_str(interop, property_id, ret_code)
      import
      integer(kind=omp_interop_kind), value :: interop
      integer(kind=omp_interop_property_kind), value :: property_id
      integer(kind=omp_interop_rc_kind), optional, intent(out) :: ret_code
      character(len=:), pointer :: omp_get_interop_str
    end function omp_get_interop_str
    function omp_get_interop_name(interop, property_id)
      import
      integer(kind=omp_interop_kind), value :: interop
      integer(kind=omp_interop_property_kind), value :: property_id
      character(len=:), pointer :: omp_get_interop_name
    end function omp_get_interop_name
    function omp_get_interop_type_desc(interop, property_id)
      import
      integer(kind=omp_interop_kind), value :: interop
      integer(kind=omp_interop_property_kind), value :: property_id
      character(len=:), pointer :: omp_get_interop_type_desc
    end function omp_get_interop_type_desc
    function omp_get_interop_rc_desc(interop, ret_code)
      import
      integer(kind=omp_interop_kind), value :: interop
      integer(kind=omp_interop_rc_kind), value :: ret_code
      character(len=:), pointer :: omp_get_interop_rc_desc
    end function omp_get_interop_rc_desc
  end interface

  ! Allocators (18.13).
  interface omp_init_allocator
    function omp_init_allocator(memspace, ntraits, traits)
      import
      integer(kind=omp_memspace_handle_kind), intent(in) :: memspace
      integer(kind=c_int32_t), intent(in) :: ntraits
      type(omp_alloctrait), intent(in) :: traits(*)
      integer(kind=omp_allocator_handle_kind) :: omp_init_allocator
    end function omp_init_allocator
    function omp_init_allocator_8(memspace, ntraits, traits)
      import
      integer(kind=omp_memspace_handle_kind), intent(in) :: memspace
      integer(kind=c_int64_t), intent(in) :: ntraits
      type(omp_alloctrait), intent(in) :: traits(*)
      integer(kind=omp_allocator_handle_kind) :: omp_init_allocator_8
    end function omp_init_allocator_8
  end interface omp_init_allocator

  interface
    subroutine omp_destroy_allocator(allocator)
      import
      integer(kind=omp_allocator_handle_kind), intent(in) :: allocator
    end subroutine omp_destroy_allocator
    subroutine omp_set_default_allocator(allocator)
      import
      integer(kind=omp_allocator_handle_kind), intent(in) :: allocator
    end subroutine omp_set_default_allocator
    function omp_get_default_allocator()
      import
      integer(kind=omp_allocator_handle_kind) :: omp_get_default_allocator
    end function omp_get_default_allocator
    function omp_alloc(size, allocator) bind(c)
      import
      integer(kind=c_size_t), value :: size
      integer(kind=omp_allocator_handle_kind), value :: allocator
      type(c_ptr) :: omp_alloc
    end function omp_alloc
    function omp_aligned_alloc(alignment, size, allocator) bind(c)
      import
      integer(kind=c_size_t), value :: alignment
      integer(kind=c_size_t), value :: size
      integer(kind=omp_allocator_handle_kind), value :: allocator
      type(c_ptr) :: omp_aligned_alloc
    end function omp_aligned_alloc
    function omp_calloc(nmemb, size, allocator) bind(c)
      import
      integer(kind=c_size_t), value :: nmemb
      integer(kind=c_size_t), value :: size
      integer(kind=omp_allocator_handle_kind), value :: allocator
      type(c_ptr) :: omp_calloc
    end function omp_calloc
    function omp_aligned_calloc(alignment, nmemb, size, allocator) bind(c)
      import
      integer(kind=c_size_t), value :: alignment
      integer(kind=c_size_t), value :: nmemb
      integer(kind=c_size_t), value :: size
      integer(kind=omp_allocator_handle_kind), value :: allocator
      type(c_ptr) :: omp_aligned_calloc
    end function omp_aligned_calloc
    function omp_realloc(ptr, size, allocator, free_allocator) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=c_size_t), value :: size
      integer(kind=omp_allocator_handle_kind), value :: allocator
      integer(kind=omp_allocator_handle_kind), value :: free_allocator
      type(c_ptr) :: omp_realloc
    end function omp_realloc
    subroutine omp_free(ptr, allocator) bind(c)
      import
      type(c_ptr), value :: ptr
      integer(kind=omp_allocator_handle_kind), value :: allocator
    end subroutine omp_free
  end interface

  ! Memory spaces and allocators of devices (6.0: 27).
  interface
    function omp_get_devices_memspace(ndevs, devs, memspace) bind(c)
      import
      integer(kind=c_int), value :: ndevs
      integer(kind=c_int), intent(in) :: devs(*)
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_memspace_handle_kind) :: omp_get_devices_memspace
    end function omp_get_devices_memspace
    function omp_get_device_memspace(dev, memspace) bind(c)
      import
      integer(kind=c_int), value :: dev
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_memspace_handle_kind) :: omp_get_device_memspace
    end function omp_get_device_memspace
    function omp_get_devices_and_host_memspace(ndevs, devs, memspace) bind(c)
      import
      integer(kind=c_int), value :: ndevs
      integer(kind=c_int), intent(in) :: devs(*)
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_memspace_handle_kind) :: omp_get_devices_and_host_memspace
    end function omp_get_devices_and_host_memspace
    function omp_get_device_and_host_memspace(dev, memspace) bind(c)
      import
      integer(kind=c_int), value :: dev
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_memspace_handle_kind) :: omp_get_device_and_host_memspace
    end function omp_get_device_and_host_memspace
    function omp_get_devices_all_memspace(memspace) bind(c)
      import
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_memspace_handle_kind) :: omp_get_devices_all_memspace
    end function omp_get_devices_all_memspace
    function omp_get_devices_allocator(ndevs, devs, memspace) bind(c)
      import
      integer(kind=c_int), value :: ndevs
      integer(kind=c_int), intent(in) :: devs(*)
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_allocator_handle_kind) :: omp_get_devices_allocator
    end function omp_get_devices_allocator
    function omp_get_device_allocator(dev, memspace) bind(c)
      import
      integer(kind=c_int), value :: dev
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_allocator_handle_kind) :: omp_get_device_allocator
    end function omp_get_device_allocator
    function omp_get_devices_and_host_allocator(ndevs, devs, memspace) bind(c)
      import
      integer(kind=c_int), value :: ndevs
      integer(kind=c_int), intent(in) :: devs(*)
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_allocator_handle_kind) :: omp_get_devices_and_host_allocator
    end function omp_get_devices_and_host_allocator
    function omp_get_device_and_host_allocator(dev, memspace) bind(c)
      import
      integer(kind=c_int), value :: dev
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_allocator_handle_kind) :: omp_get_device_and_host_allocator
    end function omp_get_device_and_host_allocator
    function omp_get_devices_all_allocator(memspace) bind(c)
      import
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=omp_allocator_handle_kind) :: omp_get_devices_all_allocator
    end function omp_get_devices_all_allocator
    function omp_get_memspace_num_resources(memspace) bind(c)
      import
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=c_int) :: omp_get_memspace_num_resources
    end function omp_get_memspace_num_resources
    function omp_get_memspace_pagesize(memspace) bind(c)
      import
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=c_size_t) :: omp_get_memspace_pagesize
    end function omp_get_memspace_pagesize
    function omp_get_submemspace(memspace, num_resources, resources) bind(c)
      import
      integer(kind=omp_memspace_handle_kind), value :: memspace
      integer(kind=c_int), value :: num_resources
      integer(kind=c_int), intent(in) :: resources(*)
      integer(kind=omp_memspace_handle_kind) :: omp_get_submemspace
    end function omp_get_submemspace
  end interface

  ! Partitions of allocations (6.0: 27.5).
  interface
    subroutine omp_init_mempartitioner(partitioner, lifetime, compute_proc, release_proc) bind(c)
      import
      integer(kind=omp_mempartitioner_kind), intent(out) :: partitioner
      integer(kind=omp_mempartitioner_lifetime_kind), value :: lifetime
      procedure(omp_mempartitioner_compute_proc_t) :: compute_proc
      procedure(omp_mempartitioner_release_proc_t) :: release_proc
    end subroutine omp_init_mempartitioner
    subroutine omp_destroy_mempartitioner(partitioner) bind(c)
      import
      integer(kind=omp_mempartitioner_kind), intent(in) :: partitioner
    end subroutine omp_destroy_mempartitioner
    subroutine omp_init_mempartition(partition, nparts, user_data) bind(c)
      import
      integer(kind=omp_mempartition_kind), intent(out) :: partition
      integer(kind=c_size_t), value :: nparts
      type(c_ptr), value :: user_data
    end subroutine omp_init_mempartition
    subroutine omp_destroy_mempartition(partition) bind(c)
      import
      integer(kind=omp_mempartition_kind), intent(inout) :: partition
    end subroutine omp_destroy_mempartition
    function omp_mempartition_set_part(partition, part, resource, size) bind(c)
      import
      integer(kind=omp_mempartition_kind), intent(inout) :: partition
      integer(kind=c_size_t), value :: part
      integer(kind=c_intptr_t), value :: resource
      integer(kind=c_size_t), value :: size
      integer(kind=c_int) :: omp_mempartition_set_part
    end function omp_mempartition_set_part
    function omp_mempartition_get_user_data(partition) bind(c)
      import
      integer(kind=omp_mempartition_kind), intent(in) :: partition
      type(c_ptr) :: omp_mempartition_get_user_data
    end function omp_mempartition_get_user_data
  end interface
end module omp_lib
