! SPDX-License-Identifier: Apache-2.0
! Every routine of module heddle_lib, on any machine: arrays that hold what is written to them.
program locality
  use, intrinsic :: iso_c_binding
  use heddle_lib
  implicit none
  integer, parameter :: n = 100000
  integer(c_size_t), parameter :: bytes = 8_c_size_t * n
  type(c_ptr) :: memory
  real(c_double), pointer :: values(:)
  integer :: domains, way, i

  domains = omp_get_num_locality_domains()
  if (domains < 1) stop 1
  if (omp_get_locality_domain_num() < 0 .or. omp_get_locality_domain_num() >= domains) stop 2
  do way = 1, 2
    if (way == 1) then
      memory = omp_locality_domain_allocate_bloc1d(bytes)
    else
      memory = omp_locality_domain_allocate_bloc1dcyclic(bytes, 8192_c_size_t)
    end if
    if (.not. c_associated(memory)) stop 3
    if (omp_get_locality_domain_size(memory) /= bytes) stop 4
    call c_f_pointer(memory, values, [n])
    call heddle_loop_data(memory, 8_c_size_t)
    !$omp parallel do schedule(nonmonotonic: dynamic, 64)
    do i = 1, n
      values(i) = i
    end do
    call heddle_loop_data(c_null_ptr, 0_c_size_t)
    do i = 1, n
      if (nint(values(i)) /= i) stop 5
    end do
    if (omp_get_locality_domain_of_block(memory) /= 0) stop 6
    if (omp_get_locality_domain_of_page(memory) >= domains) stop 7
    call omp_locality_domain_free(memory)
    if (omp_get_locality_domain_of_block(memory) /= -1) stop 8
  end do
  call omp_locality_domain_free(c_null_ptr)
end program locality
