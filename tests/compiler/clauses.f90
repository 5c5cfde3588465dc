! SPDX-License-Identifier: Apache-2.0
! The extension clauses in Fortran: without stealing, tasks run where they say.
program clauses
  use omp_lib
  implicit none
  integer, parameter :: threads = 4
  integer :: ran(30), k, m, first(0:3), begun, own, form, second, seen
  real :: x(100)
  interface
    subroutine heddle_set_task_stealing(stealing) bind(c)
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: stealing
    end subroutine
  end interface

  call heddle_set_task_stealing(0)
  m = 1
  !$omp parallel num_threads(threads) private(k)
  !$omp single
  !$omp task affinity(thread: & ! to be continued
  !$omp &   m + 1), shared(ran)
  ran(1) = omp_get_thread_num()
  !$omp end task
  !$OMP TASK AFFINITY(THREAD: 3) SHARED(ran) IF(m == 0)
  ran(2) = omp_get_thread_num()
  !$OMP END TASK
  !$omp task shared(ran)
  ran(3) = omp_get_thread_num()
  !$omp end task
  ! The undeferred task has not left its hint behind.
  if (ran(2) /= omp_get_thread_num()) stop 2
  !$omp taskloop affinity(spread) num_tasks(8) nogroup shared(ran)
  do k = 11, 18
    ran(k) = omp_get_thread_num()
  end do
  !$omp end taskloop
  !$omp taskloop affinity(primary: 8) num_tasks(8) nogroup shared(ran)
  do k = 21, 28
    ran(k) = omp_get_thread_num()
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
  if (ran(1) /= 2) stop 1
  do k = 0, 7
    if (ran(11 + k) /= k / 2) stop 3
    if (ran(21 + k) /= 0) stop 4
  end do

  seen = 0
  !$omp parallel num_threads(threads) private(k)
  !$omp single
  own = omp_get_thread_num()
  !$omp taskgroup affinity(close: 4)
  do k = 1, 4
    !$omp task shared(ran, seen)
    ran(k) = omp_get_thread_num()
    !$omp atomic
    seen = seen + 1
    !$omp end task
  end do
  do
    !$omp atomic read
    m = seen
    if (m == 3) exit
    !$omp flush
  end do
  !$omp end taskgroup
  !$omp end single
  !$omp end parallel
  do k = 1, 4
    if (ran(k) /= mod(own + k - 1, threads)) stop 5
  end do

  ! Who has run a task with the data gets the next one.
  do form = 1, 2
    own = -1
    second = -1
    !$omp parallel num_threads(threads)
    if (omp_get_thread_num() == 1) then
      if (form == 1) then
        !$omp task affinity(x(10:20)) shared(own)
        own = omp_get_thread_num()
        !$omp end task
      else
        !$omp task affinity(data: x(50:60), ran) shared(own)
        own = omp_get_thread_num()
        !$omp end task
      end if
    end if
    !$omp end parallel
    !$omp parallel num_threads(threads)
    if (omp_get_thread_num() == 3) then
      !$omp task affinity(data: x(40 * form - 30)) shared(second)
      second = omp_get_thread_num()
      !$omp end task
    end if
    !$omp end parallel
    if (own /= 1 .or. second /= 1) stop 6
  end do

  first = -1
  begun = 0
  !$omp parallel do schedule(adaptive, &
  !$omp   10) num_threads(threads) private(own, m)
  do k = 0, 399
    own = omp_get_thread_num()
    if (first(own) < 0) then
      first(own) = k
      !$omp atomic
      begun = begun + 1
      do
        !$omp atomic read
        m = begun
        if (m == threads) exit
      end do
    end if
  end do
  !$omp end parallel do
  if (any(first /= [0, 100, 200, 300])) stop 7
end program clauses
