! SPDX-License-Identifier: Apache-2.0
! Uses omp_lib.h: routines of every way in which it declares them.
! Compiled as fixed and as free form by test_headers.py.
! Stops with a number of its own where an answer is wrong.
      program include_file
      use, intrinsic :: iso_c_binding
      implicit none
      include 'omp_lib.h'
      integer (omp_lock_kind) lock
      integer (omp_nest_lock_kind) nest
      integer (omp_sched_kind) schedule
      integer (omp_allocator_handle_kind) allocator
      integer (omp_interop_rc_kind) code
      integer (omp_mempartitioner_kind) partitioner
      integer (omp_mempartition_kind) partition
      integer chunk, threads, distances(1), host(1), other(1)
      integer, target :: user
      type (omp_alloctrait) traits(1)
      type (c_ptr) block
      character (len=20) text
      character (len=:), pointer :: words

      call omp_set_num_threads (3)
      if (omp_get_max_threads () /= 3) stop 1
      call omp_set_dynamic (.false.)
      if (omp_get_dynamic ()) stop 2
      call omp_set_schedule (omp_sched_dynamic, 7)
      call omp_get_schedule (schedule, chunk)
      if (chunk /= 7) stop 3
      if (iand (schedule, 15) /= omp_sched_dynamic) stop 4
      threads = 0
!$omp parallel reduction (+: threads)
      threads = threads + 1
      if (omp_get_num_threads () /= 3) stop 5
!$omp end parallel
      if (threads /= 3) stop 6

      call omp_init_lock (lock)
      if (.not. omp_test_lock (lock)) stop 7
      call omp_unset_lock (lock)
      call omp_destroy_lock (lock)
      call omp_init_nest_lock (nest)
      call omp_set_nest_lock (nest)
      if (omp_test_nest_lock (nest) /= 2) stop 8
      call omp_unset_nest_lock (nest)
      call omp_unset_nest_lock (nest)
      call omp_destroy_nest_lock (nest)

      if (omp_get_proc_bind () < omp_proc_bind_false) stop 9
      if (omp_get_wtime () < 0 .or. omp_get_wtick () <= 0) stop 10
      call omp_set_affinity_format ('%n')
      if (omp_get_affinity_format (text) /= 2) stop 11
      if (omp_get_num_devices () /= 0) stop 12
      if (.not. omp_is_initial_device ()) stop 13
      if (omp_in_explicit_task ()) stop 14
      if (omp_is_free_agent ()) stop 15
      if (omp_control_tool (omp_control_tool_flush, 0)                  &
     &    /= omp_control_tool_notool) stop 16

      traits(1) % key = omp_atk_alignment
      traits(1) % value = 128
      allocator = omp_init_allocator (omp_default_mem_space, 1, traits)
      if (allocator == omp_null_allocator) stop 17
      block = omp_alloc (10_c_size_t, allocator)
      if (.not. c_associated (block)) stop 18
      call omp_free (block, allocator)
      call omp_destroy_allocator (allocator)
      block = omp_target_alloc (10_c_size_t, omp_initial_device)
      if (omp_target_is_present (block, 0) == 0) stop 19
      call omp_target_free (block, omp_initial_device)
      if (omp_get_num_threads_dim (0) /= 1) stop 20
      call omp_get_device_distances (1, (/ omp_initial_device /),       &
     &                               distances)
      if (distances(1) /= 0) stop 21

      words => omp_get_uid_from_device (omp_initial_device)
      if (len (words) == 0) stop 22
      if (omp_get_device_from_uid (words) /= 0) stop 23
      if (omp_get_max_progress_width (omp_initial_device) /= 1) stop 24
      call omp_set_device_num_teams (5, omp_initial_device)
      if (omp_get_device_num_teams (0) /= 5) stop 25
      call omp_set_device_teams_thread_limit (4, omp_initial_device)
      if (omp_get_device_teams_thread_limit (0) /= 4) stop 26

      if (omp_get_num_interop_properties (omp_interop_none) /= 0)       &
     &  stop 27
      code = omp_irc_other
      if (omp_get_interop_int (omp_interop_none, omp_ipr_vendor, code)  &
     &    /= 0) stop 28
      if (code /= omp_irc_empty) stop 29
      block = omp_get_interop_ptr (omp_interop_none, omp_ipr_device)
      if (c_associated (block)) stop 30
      code = omp_irc_other
      words => omp_get_interop_str (omp_interop_none,                   &
     &                              omp_ipr_vendor_name, code)
      if (associated (words) .or. code /= omp_irc_empty) stop 31
      words => omp_get_interop_name (omp_interop_none, omp_ipr_vendor)
      if (words /= 'vendor') stop 32
      words => omp_get_interop_rc_desc (omp_interop_none,               &
     &                                  omp_irc_empty)
      if (len (words) == 0) stop 33
      words => omp_get_interop_type_desc (omp_interop_none,             &
     &                                    omp_ipr_vendor)
      if (associated (words)) stop 34

      host = omp_initial_device
      other = omp_invalid_device
      if (omp_get_devices_memspace (1, host, omp_const_mem_space)       &
     &    /= omp_const_mem_space) stop 35
      if (omp_get_device_memspace (other(1), omp_const_mem_space)       &
     &    /= omp_null_mem_space) stop 36
      if (omp_get_devices_and_host_memspace (1, other,                  &
     &    omp_const_mem_space) /= omp_null_mem_space) stop 37
      if (omp_get_device_and_host_memspace (host(1),                    &
     &    omp_large_cap_mem_space) /= omp_large_cap_mem_space) stop 38
      if (omp_get_devices_all_memspace (omp_low_lat_mem_space)          &
     &    /= omp_low_lat_mem_space) stop 39
      if (omp_get_devices_allocator (1, host, omp_default_mem_space)    &
     &    /= omp_default_mem_alloc) stop 40
      if (omp_get_device_allocator (other(1), omp_default_mem_space)    &
     &    /= omp_null_allocator) stop 41
      if (omp_get_devices_and_host_allocator (1, host,                  &
     &    omp_large_cap_mem_space) /= omp_large_cap_mem_alloc) stop 42
      if (omp_get_device_and_host_allocator (host(1),                   &
     &    omp_high_bw_mem_space) /= omp_high_bw_mem_alloc) stop 43
      if (omp_get_devices_all_allocator (omp_low_lat_mem_space)         &
     &    /= omp_low_lat_mem_alloc) stop 44
      if (omp_get_memspace_num_resources (omp_default_mem_space)        &
     &    /= 1) stop 45
      if (omp_get_memspace_pagesize (omp_default_mem_space) < 4096)     &
     &  stop 46
      if (omp_get_submemspace (omp_const_mem_space, 1, (/ 0 /))         &
     &    /= omp_const_mem_space) stop 47

      call omp_init_mempartitioner (partitioner,                        &
     &    omp_dynamic_mempartition, compute, release)
      call omp_init_mempartition (partition, 2_c_size_t, c_loc (user))
      block = omp_mempartition_get_user_data (partition)
      if (.not. c_associated (block, c_loc (user))) stop 48
      if (omp_mempartition_set_part (partition, 0_c_size_t,             &
     &    0_c_intptr_t, 1_c_size_t) /= -1) stop 49
      if (omp_mempartition_set_part (partition, 1_c_size_t,             &
     &    0_c_intptr_t, 1_c_size_t) /= 0) stop 50
      call omp_destroy_mempartition (partition)
      call omp_destroy_mempartitioner (partitioner)

      contains
      subroutine compute (memspace, allocation_size, partitioner_arg,   &
     &                    partition) bind(c)
      integer (omp_memspace_handle_kind), value :: memspace
      integer (c_size_t), value :: allocation_size
      integer (omp_alloctrait_val_kind), value :: partitioner_arg
      integer (omp_mempartition_kind) :: partition
      partition = memspace + allocation_size + partitioner_arg
      end subroutine compute

      subroutine release (partition) bind(c)
      integer (omp_mempartition_kind) :: partition
      partition = 0
      end subroutine release
      end program include_file
