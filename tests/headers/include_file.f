! SPDX-License-Identifier: Apache-2.0
! Uses omp_lib.h. Compiled as fixed and as free form by test_headers.py.
! Stops with a number of its own where an answer is wrong.
      program include_file
      use, intrinsic :: iso_c_binding
      implicit none
      include 'omp_lib.h'
      integer (omp_lock_kind) lock
      integer (omp_nest_lock_kind) nest
      integer (omp_sched_kind) schedule
      integer (omp_allocator_handle_kind) allocator
      integer chunk, threads, distances(1)
      type (omp_alloctrait) traits(1)
      type (c_ptr) block
      character (len=20) text

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
      end program include_file
