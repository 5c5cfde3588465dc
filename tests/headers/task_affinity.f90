! SPDX-License-Identifier: Apache-2.0
! Module heddle_lib's hints for tasks: without stealing they run where they are told to.
program task_affinity
  use, intrinsic :: iso_c_binding
  use omp_lib
  use heddle_lib
  implicit none
  integer :: ran(40), i, threads, refused
  real(c_double), target :: values(40)

  call heddle_set_task_stealing(0_c_int)
  if (heddle_task_stealing() /= 0) stop 1
  refused = 0
  threads = 1
  !$omp parallel num_threads(4) shared(ran, threads, refused)
  !$omp single
  threads = omp_get_num_threads()
  do i = 1, 40
    refused = refused + heddle_affinity_thread(int(mod(i, threads), c_int))
    !$omp task firstprivate(i) shared(ran)
    ran(i) = omp_get_thread_num()
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (refused /= 0) stop 2
  do i = 1, 40
    if (ran(i) /= mod(i, threads)) stop 3
  end do
  !$omp parallel num_threads(4) shared(ran, values, refused)
  !$omp single
  refused = heddle_taskgroup_affinity(heddle_affinity_spread, 40_c_int)
  !$omp taskloop num_tasks(40) nogroup shared(ran)
  do i = 1, 40
    ran(i) = omp_get_thread_num()
  end do
  !$omp end taskloop
  refused = refused + heddle_affinity_data(c_loc(values), 320_c_size_t)
  !$omp task shared(values)
  values = 1
  !$omp end task
  call heddle_affinity_none()
  !$omp end single
  !$omp end parallel
  if (refused /= 0 .or. any(nint(values) /= 1)) stop 4
  do i = 1, 40
    if (ran(i) /= (i - 1) * threads / 40) stop 5
  end do
end program task_affinity
