! SPDX-License-Identifier: Apache-2.0
! What heddle.h has for Fortran: locality domains, arrays distributed over them, and where tasks
! should run. heddle.h, docs/locality.md and docs/task-affinity.md say what each routine does. Compile it with the compiler of the program, once;
! programs link with -lheddle. An array is a type(c_ptr): c_f_pointer() makes a pointer of it.
module heddle_lib
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
  implicit none
  private :: c_int, c_ptr, c_size_t
  public

  integer(c_int), parameter :: heddle_affinity_close = 1
  integer(c_int), parameter :: heddle_affinity_spread = 2
  integer(c_int), parameter :: heddle_affinity_primary = 3

  interface
    function omp_get_num_locality_domains() bind(c)
      import :: c_int
      integer(c_int) :: omp_get_num_locality_domains
    end function omp_get_num_locality_domains

    function omp_get_locality_domain_num() bind(c)
      import :: c_int
      integer(c_int) :: omp_get_locality_domain_num
    end function omp_get_locality_domain_num

    function omp_locality_domain_allocate_bloc1d(size) bind(c)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size
      type(c_ptr) :: omp_locality_domain_allocate_bloc1d
    end function omp_locality_domain_allocate_bloc1d

    function omp_locality_domain_allocate_bloc1dcyclic(size, blocsize) bind(c)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size, blocsize
      type(c_ptr) :: omp_locality_domain_allocate_bloc1dcyclic
    end function omp_locality_domain_allocate_bloc1dcyclic

    subroutine omp_locality_domain_free(array) bind(c)
      import :: c_ptr
      type(c_ptr), value :: array
    end subroutine omp_locality_domain_free

    function omp_get_locality_domain_size(array) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: array
      integer(c_size_t) :: omp_get_locality_domain_size
    end function omp_get_locality_domain_size

    function omp_get_locality_domain_of_block(address) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: address
      integer(c_int) :: omp_get_locality_domain_of_block
    end function omp_get_locality_domain_of_block

    function omp_get_locality_domain_of_page(address) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: address
      integer(c_int) :: omp_get_locality_domain_of_page
    end function omp_get_locality_domain_of_page

    subroutine heddle_loop_data(first, element_size) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: first
      integer(c_size_t), value :: element_size
    end subroutine heddle_loop_data

    function heddle_affinity_thread(thread) bind(c)
      import :: c_int
      integer(c_int), value :: thread
      integer(c_int) :: heddle_affinity_thread
    end function heddle_affinity_thread

    function heddle_affinity_data(data, size) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: data
      integer(c_size_t), value :: size
      integer(c_int) :: heddle_affinity_data
    end function heddle_affinity_data

    function heddle_taskgroup_affinity(kind, tasks) bind(c)
      import :: c_int
      integer(c_int), value :: kind, tasks
      integer(c_int) :: heddle_taskgroup_affinity
    end function heddle_taskgroup_affinity

    subroutine heddle_affinity_none() bind(c)
    end subroutine heddle_affinity_none

    function heddle_task_stealing() bind(c)
      import :: c_int
      integer(c_int) :: heddle_task_stealing
    end function heddle_task_stealing

    subroutine heddle_set_task_stealing(stealing) bind(c)
      import :: c_int
      integer(c_int), value :: stealing
    end subroutine heddle_set_task_stealing
  end interface
end module heddle_lib
