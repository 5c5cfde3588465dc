! SPDX-License-Identifier: Apache-2.0
! Calls every routine of module omp_lib and checks what can be known of its answer, in default and
! in 8-byte integers where there are both. Started by test_headers.py, which also checks that no
! routine is left out. Stops with the number of the check that fails, counted in each subroutine.
module checks
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  integer :: number = 0
  character(len=20) :: part = ''
contains
  subroutine begin(name)
    character(len=*), intent(in) :: name
    part = name
    number = 0
  end subroutine begin

  subroutine check(condition)
    logical, intent(in) :: condition
    number = number + 1
    if (.not. condition) then
      print *, 'check', number, 'of ', trim(part)
      stop 1
    end if
  end subroutine check

  subroutine compute(memspace, allocation_size, partitioner_arg, partition) bind(c)
    integer(kind=omp_memspace_handle_kind), value :: memspace
    integer(kind=c_size_t), value :: allocation_size
    integer(kind=omp_alloctrait_val_kind), value :: partitioner_arg
    integer(kind=omp_mempartition_kind) :: partition
    partition = memspace + int(allocation_size, kind(partition)) + partitioner_arg
  end subroutine compute

  subroutine release(partition) bind(c)
    integer(kind=omp_mempartition_kind) :: partition
    partition = 0
  end subroutine release

  subroutine threads()
    integer(kind=omp_sched_kind) :: kind
    integer :: chunk, masters
    integer(8) :: chunk8
    call begin('threads')
    call omp_set_num_threads(3)
    call omp_set_num_threads(3_8)
    call check(omp_get_max_threads() == 3)
    call check(omp_get_num_threads() == 1 .and. omp_get_thread_num() == 0)
    call check(.not. omp_in_parallel())
    call omp_set_dynamic(.true.)
    call check(omp_get_dynamic())
    call omp_set_dynamic(.false._8)
    call check(.not. omp_get_dynamic())
    call check(.not. omp_get_cancellation())
    call omp_set_nested(.true._8)
    call check(omp_get_nested())
    call omp_set_nested(.false.)
    call check(.not. omp_get_nested() .and. omp_get_max_active_levels() == 1)
    call omp_set_schedule(omp_sched_guided, 4)
    call omp_get_schedule(kind, chunk)
    call check(kind == omp_sched_guided .and. chunk == 4)
    call omp_set_schedule(ior(omp_sched_static, omp_sched_monotonic), 4)
    call omp_get_schedule(kind, chunk) ! the modifier is not told
    call check(kind == omp_sched_static .and. chunk == 4)
    call omp_set_schedule(ior(omp_sched_guided, omp_sched_monotonic), 5_8)
    call omp_get_schedule(kind, chunk8)
    call check(kind == omp_sched_guided .and. chunk8 == 5)
    call check(omp_get_thread_limit() >= 3)
    call check(omp_get_thread_limit_dim(0) == omp_get_thread_limit())
    call check(omp_get_supported_active_levels() >= 2)
    call omp_set_max_active_levels(3_8)
    call omp_set_max_active_levels(2)
    call check(omp_get_max_active_levels() == 2)
    call check(omp_get_level() == 0 .and. omp_get_active_level() == 0)
    masters = 0
    !$omp parallel reduction(+: masters)
    if (omp_get_num_threads() /= 3 .or. .not. omp_in_parallel()) stop 2
    if (omp_get_level() /= 1 .or. omp_get_active_level() /= 1) stop 3
    if (omp_get_ancestor_thread_num(0) /= 0) stop 4
    if (omp_get_ancestor_thread_num(1_8) /= omp_get_thread_num()) stop 5
    if (omp_get_team_size(0) /= 1 .or. omp_get_team_size(1_8) /= 3) stop 6
    if (omp_get_num_threads_dim(0) /= 3 .or. omp_get_thread_num_dim(1) /= 0) stop 7
    if (omp_get_thread_num() == 0) masters = masters + 1
    !$omp end parallel
    call check(masters == 1)
  end subroutine threads

  subroutine affinity()
    integer :: places, i, nothing(1)
    integer(8) :: nothing8(1)
    integer, allocatable :: ids(:)
    character(len=30) :: text
    call begin('affinity')
    call check(omp_get_proc_bind() >= omp_proc_bind_false)
    places = omp_get_num_places()
    call check(places >= 0 .and. omp_get_partition_num_places() <= places)
    call check(omp_get_place_num() >= -1)
    do i = 0, places - 1
      call check(omp_get_place_num_procs(i) > 0)
      allocate(ids(omp_get_place_num_procs(int(i, 8))))
      call omp_get_place_proc_ids(i, ids)
      call check(ids(1) >= 0)
      deallocate(ids)
    end do
    call omp_get_place_proc_ids(-1, nothing)
    call omp_get_place_proc_ids(-1_8, nothing8)
    allocate(ids(omp_get_partition_num_places() + 1))
    call omp_get_partition_place_nums(ids)
    if (places == 0) call omp_get_partition_place_nums(nothing8)
    call omp_set_affinity_format('%n of %N')
    call check(omp_get_affinity_format(text) == 8 .and. text == '%n of %N')
    call check(omp_capture_affinity(text, 'level %L') == 7 .and. text == 'level 0')
    call omp_display_affinity('affinity %n')
  end subroutine affinity

  subroutine teams_and_tasks()
    logical :: explicit_task, final_task
    call begin('teams_and_tasks')
    call check(omp_get_num_teams() == 1 .and. omp_get_team_num() == 0)
    call check(omp_get_num_teams_dim(0) == 1 .and. omp_get_team_num_dim(0) == 0)
    call omp_set_num_teams(6)
    call omp_set_num_teams(7_8)
    call check(omp_get_max_teams() == 7)
    call omp_set_device_num_teams(5, omp_initial_device)
    call check(omp_get_device_num_teams(omp_get_initial_device()) == 5)
    call omp_set_teams_thread_limit(5_8)
    call omp_set_teams_thread_limit(6)
    call check(omp_get_teams_thread_limit() == 6)
    call omp_set_device_teams_thread_limit(4, omp_initial_device)
    call check(omp_get_device_teams_thread_limit(omp_initial_device) == 4)
    call check(omp_get_max_task_priority() >= 0)
    call check(.not. omp_in_explicit_task() .and. .not. omp_in_final())
    call check(.not. omp_is_free_agent() .and. .not. omp_ancestor_is_free_agent(0))
    !$omp task final(.true.) if(.false.) shared(explicit_task, final_task)
    explicit_task = omp_in_explicit_task()
    final_task = omp_in_final()
    !$omp end task
    call check(explicit_task .and. final_task)
  end subroutine teams_and_tasks

  subroutine events()
    integer(kind=omp_event_handle_kind) :: event
    integer :: done
    call begin('events')
    done = 0
    !$omp parallel num_threads(2)
    !$omp single
    !$omp task detach(event) shared(done)
    done = 1
    call omp_fulfill_event(event)
    !$omp end task
    !$omp taskwait
    if (done /= 1) stop 8
    !$omp end single
    !$omp end parallel
  end subroutine events

  subroutine resources()
    double precision :: start
    call begin('resources')
    call check(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0)
    call check(omp_pause_resource_all(omp_pause_hard) == 0)
    call check(omp_control_tool(omp_control_tool_start, 0) == omp_control_tool_notool)
    call omp_display_env(.false.)
    call omp_display_env(.false._8)
    start = omp_get_wtime()
    call check(start >= 0 .and. omp_get_wtime() >= start .and. omp_get_wtick() > 0)
  end subroutine resources

  subroutine devices()
    character(len=:), pointer :: uid
    integer :: host, distances(2)
    call begin('devices')
    host = omp_get_initial_device()
    call check(omp_get_num_procs() >= 1)
    call check(omp_get_num_devices() == 0 .and. host == 0)
    call check(omp_is_initial_device() .and. omp_get_device_num() == host)
    call omp_set_default_device(1_8)
    call omp_set_default_device(0)
    call check(omp_get_default_device() == 0)
    call check(omp_get_max_progress_width(host) == 1)
    uid => omp_get_uid_from_device(host)
    call check(len(uid) > 0 .and. omp_get_device_from_uid(uid) == host)
    uid => omp_get_uid_from_device(int(host, 8))
    call check(omp_get_device_from_uid(uid) == host)
    call check(omp_get_device_from_uid('no such device') == omp_invalid_device)
    call omp_get_device_distances(2, [host, omp_invalid_device], distances)
    call check(distances(1) == 0 .and. distances(2) == -1)
    call check(omp_get_supported_active_team_dims(host, .true.) == 1)
    call check(omp_get_supported_active_league_dims(host, .false.) == 1)
    call check(omp_get_supported_teams_dim(host, 1) == 1)
    call check(omp_get_supported_threads_dim(host, 1) == 1)
  end subroutine devices

  subroutine device_memory()
    integer :: host, result
    integer(c_int8_t), target :: from(20)
    integer(c_int8_t), pointer :: to(:)
    integer(c_size_t) :: volume(2), zero(2), one(2), wide(2)
    type(c_ptr) :: block
    call begin('device_memory')
    host = omp_get_initial_device()
    volume = [2, 3]
    zero = 0
    one = 1
    wide = [4, 5]
    from = [(int(result, c_int8_t), result = 0, 19)]
    block = omp_target_alloc(20_c_size_t, host)
    call check(c_associated(block))
    call c_f_pointer(block, to, [20])
    call check(omp_target_is_present(block, host) /= 0)
    call check(omp_target_is_accessible(block, 20_c_size_t, host) /= 0)
    call check(omp_target_memcpy(block, c_loc(from), 10_c_size_t, 4_c_size_t, 2_c_size_t, host, &
                                 host) == 0 .and. to(5) == 2)
    call check(omp_target_memcpy_rect(block, c_loc(from), 1_c_size_t, 2, volume, zero, one, &
                                      volume, wide, host, host) == 0 .and. to(6) == 13)
    call check(omp_target_memcpy_async(block, c_loc(from), 5_c_size_t, 0_c_size_t, 1_c_size_t, &
                                       host, host, 0) == 0)
    !$omp taskwait
    call check(to(1) == 1)
    call check(omp_target_memcpy_rect_async(block, c_loc(from), 1_c_size_t, 2, volume, zero, &
                                            one, volume, wide, host, host, 0) == 0)
    !$omp taskwait
    call check(to(6) == 13)
    call check(c_associated(omp_target_memset(block, 9, 20_c_size_t, host), block))
    call check(to(20) == 9)
    call check(c_associated(omp_target_memset_async(block, 8, 20_c_size_t, host, 0), block))
    !$omp taskwait
    call check(to(20) == 8)
    call check(c_associated(omp_get_mapped_ptr(block, host), block))
    call check(omp_target_associate_ptr(c_loc(from), block, 20_c_size_t, 0_c_size_t, host) /= 0)
    call check(omp_target_disassociate_ptr(c_loc(from), host) /= 0)
    call omp_target_free(block, host)
  end subroutine device_memory

  subroutine locks()
    integer(kind=omp_lock_kind) :: lock
    integer(kind=omp_nest_lock_kind) :: nest
    integer :: count, i
    call begin('locks')
    call omp_init_lock(lock)
    call check(omp_test_lock(lock))
    call check(.not. omp_test_lock(lock))
    call omp_unset_lock(lock)
    call omp_destroy_lock(lock)
    call omp_init_lock_with_hint(lock, omp_sync_hint_contended)
    call omp_init_nest_lock(nest)
    call check(omp_test_nest_lock(nest) == 1)
    call check(omp_test_nest_lock(nest) == 2)
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    call omp_destroy_nest_lock(nest)
    call omp_init_nest_lock_with_hint(nest, omp_sync_hint_uncontended)
    count = 0
    !$omp parallel do num_threads(4) shared(count, lock, nest)
    do i = 1, 400
      call omp_set_lock(lock)
      call omp_set_nest_lock(nest)
      count = count + 1
      call omp_unset_nest_lock(nest)
      call omp_unset_lock(lock)
    end do
    call check(count == 400)
    call omp_destroy_nest_lock(nest)
    call omp_destroy_lock(lock)
  end subroutine locks

  subroutine interoperability()
    integer(kind=omp_interop_rc_kind) :: code
    character(len=:), pointer :: text
    call begin('interoperability')
    call check(omp_get_num_interop_properties(omp_interop_none) == 0)
    call check(omp_get_interop_int(omp_interop_none, omp_ipr_fr_id, code) == 0)
    call check(code == omp_irc_empty)
    call check(.not. c_associated(omp_get_interop_ptr(omp_interop_none, omp_ipr_platform, code)))
    text => omp_get_interop_str(omp_interop_none, omp_ipr_vendor_name, code)
    call check(.not. associated(text) .and. code == omp_irc_empty)
    text => omp_get_interop_name(omp_interop_none, omp_ipr_fr_id)
    call check(text == 'fr_id')
    text => omp_get_interop_type_desc(omp_interop_none, omp_ipr_fr_id)
    call check(.not. associated(text) .or. len(text) > 0)
    text => omp_get_interop_rc_desc(omp_interop_none, omp_irc_empty)
    call check(len(text) > 0)
  end subroutine interoperability

  subroutine allocators()
    type(omp_alloctrait) :: traits(2)
    integer(kind=omp_allocator_handle_kind) :: handle
    integer(c_intptr_t) :: address
    type(c_ptr) :: block
    call begin('allocators')
    traits = [omp_alloctrait(omp_atk_alignment, 256), &
              omp_alloctrait(omp_atk_fallback, omp_atv_null_fb)]
    handle = omp_init_allocator(omp_default_mem_space, 2_8, traits)
    call omp_destroy_allocator(handle)
    handle = omp_init_allocator(omp_default_mem_space, 2, traits)
    call check(handle /= omp_null_allocator)
    block = omp_alloc(100_c_size_t, handle)
    address = transfer(block, address)
    call check(c_associated(block) .and. mod(address, 256_c_intptr_t) == 0)
    call omp_free(block, handle)
    call check(omp_get_default_allocator() == omp_default_mem_alloc)
    call omp_set_default_allocator(handle)
    call check(omp_get_default_allocator() == handle)
    block = omp_aligned_alloc(512_c_size_t, 1024_c_size_t, omp_null_allocator)
    call check(c_associated(block))
    block = omp_realloc(block, 2048_c_size_t, handle, omp_null_allocator)
    call check(c_associated(block))
    call omp_free(block, omp_null_allocator)
    call omp_set_default_allocator(omp_default_mem_alloc)
    block = omp_calloc(10_c_size_t, 10_c_size_t, handle)
    call check(c_associated(block))
    call omp_free(block, handle)
    block = omp_aligned_calloc(64_c_size_t, 10_c_size_t, 10_c_size_t, ompx_gnu_managed_mem_alloc)
    call check(c_associated(block))
    call omp_free(block, ompx_gnu_managed_mem_alloc)
    call omp_destroy_allocator(handle)
  end subroutine allocators

  subroutine memory_spaces()
    integer :: host(1), other(1), resources(1)
    call begin('memory_spaces')
    host = omp_initial_device
    other = omp_invalid_device
    resources = 0
    call check(omp_get_devices_memspace(1, host, omp_large_cap_mem_space) &
               == omp_large_cap_mem_space)
    call check(omp_get_device_memspace(other(1), omp_const_mem_space) == omp_null_mem_space)
    call check(omp_get_devices_and_host_memspace(1, other, omp_const_mem_space) &
               == omp_null_mem_space)
    call check(omp_get_device_and_host_memspace(host(1), omp_const_mem_space) &
               == omp_const_mem_space)
    call check(omp_get_devices_all_memspace(omp_low_lat_mem_space) == omp_low_lat_mem_space)
    call check(omp_get_devices_allocator(1, host, omp_default_mem_space) == omp_default_mem_alloc)
    call check(omp_get_device_allocator(other(1), omp_default_mem_space) == omp_null_allocator)
    call check(omp_get_devices_and_host_allocator(1, host, omp_large_cap_mem_space) &
               == omp_large_cap_mem_alloc)
    call check(omp_get_device_and_host_allocator(host(1), omp_high_bw_mem_space) &
               == omp_high_bw_mem_alloc)
    call check(omp_get_devices_all_allocator(omp_low_lat_mem_space) == omp_low_lat_mem_alloc)
    call check(omp_get_memspace_num_resources(omp_default_mem_space) == 1)
    call check(omp_get_memspace_pagesize(omp_default_mem_space) >= 4096)
    call check(omp_get_submemspace(omp_default_mem_space, 1, resources) == omp_default_mem_space)
  end subroutine memory_spaces

  subroutine partitions()
    integer(kind=omp_mempartitioner_kind) :: partitioner
    integer(kind=omp_mempartition_kind) :: partition
    integer, target :: data
    call begin('partitions')
    call omp_init_mempartitioner(partitioner, omp_dynamic_mempartition, compute, release)
    call omp_init_mempartition(partition, 2_c_size_t, c_loc(data))
    call check(c_associated(omp_mempartition_get_user_data(partition), c_loc(data)))
    call check(omp_mempartition_set_part(partition, 0_c_size_t, 0_c_intptr_t, 1_c_size_t) == -1)
    call check(omp_mempartition_set_part(partition, 1_c_size_t, 0_c_intptr_t, 1_c_size_t) == 0)
    call omp_destroy_mempartition(partition)
    call omp_destroy_mempartitioner(partitioner)
  end subroutine partitions
end module checks

program every_routine
  use checks
  implicit none
  call begin('kinds')
  call check(omp_lock_kind == 4 .and. omp_nest_lock_kind == 8 .and. omp_depend_kind == 16)
  call check(omp_allocator_handle_kind == c_intptr_t .and. omp_sched_kind == 4)
  call threads()
  call affinity()
  call teams_and_tasks()
  call events()
  call resources()
  call devices()
  call device_memory()
  call locks()
  call interoperability()
  call allocators()
  call memory_spaces()
  call partitions()
end program every_routine
