! SPDX-License-Identifier: Apache-2.0
! What every random program in Fortran begins with: its sums, its checks, and its types with what
! makes, changes and weighs their objects. Read by fortran_program.py, which gives each __LINE__ its
! number and tells CELLS_END. `cells` and `reals` are the answer; `lost` may be cancelled.
module prelude
!$  use omp_lib
    use sizes, only: CELLS_END
    implicit none
    integer, parameter :: num = 8, WAYS = 5 ! of add_to(), by cell
    integer(num), parameter :: PRIME = 2147483647_num ! above all that mix() tells
    integer, parameter :: lock_kind = max(1, 4 &
!$      , omp_lock_kind &
        )
    integer, parameter :: nest_lock_kind = max(1, 8 &
!$      , omp_nest_lock_kind &
        )
    integer, parameter :: event_kind = max(1, 8 &
!$      , omp_event_handle_kind &
        )
    integer, parameter :: depend_kind = max(1, 8 &
!$      , omp_depend_kind &
        )
    complex(8), parameter :: UNITS(0:3) = [(1d0, 0d0), (0d0, 1d0), (-1d0, 0d0), (0d0, -1d0)]

    type pair
        integer(num) :: total, mixed
    end type
    type box
        integer(num) :: value = 0
        integer(num), allocatable :: list(:)
        character(8) :: text = ""
    end type
    type node
        integer(num) :: value
        type(node), pointer :: next
    end type

    integer(num) :: cells(0:CELLS_END) = 0, lost(0:CELLS_END) = 0
    real(8) :: reals(0:CELLS_END) = 0
    integer :: errors = 0, first_error = 0
    integer :: forall_k
    integer, volatile :: never = 0
    integer(num) :: mine
    character(8) :: my_text
    common /own/ mine
    common /own_text/ my_text
    integer(num), allocatable :: my_list(:)
    !$omp threadprivate(/own/, /own_text/, my_list)
    integer(lock_kind) :: lock
    integer(nest_lock_kind) :: nest_lock

    interface weight
        procedure number_weight, list_weight, box_weight, text_weight, complex_weight
    end interface
    interface spoil
        procedure spoil_number, spoil_list, spoil_box, spoil_text, spoil_complex
    end interface
    interface operator (+)
        procedure add_pairs
    end interface
    !$omp declare reduction(+ : pair : omp_out = omp_out + omp_in) &
    !$omp & initializer(omp_priv = pair(0, 0))

contains

    ! Below PRIME.
    elemental function mix(x) result(y)
        integer(num), intent(in) :: x
        integer(num) :: y
        y = modulo(x, PRIME)
        y = modulo(ieor(y, ishft(y, -13)) * 1103515245_num, PRIME)
        y = modulo(ieor(y, ishft(y, -15)), PRIME)
    end function

    recursive subroutine fail(line)
        integer, intent(in) :: line
        !$omp critical (failures)
        if (errors == 0) first_error = line
        errors = errors + 1
        !$omp end critical (failures)
    end subroutine

    ! A thread is at one of the places that its implicit task may use.
    recursive subroutine look_at_places()
!$      integer :: places(256), number, place
!$      number = omp_get_partition_num_places()
!$      place = omp_get_place_num()
!$      if (number == 0 .and. place /= -1) call fail(__LINE__)
!$      if (number == 0 .or. number > size(places)) return
!$      call omp_get_partition_place_nums(places)
!$      if (all(places(1:number) /= place)) call fail(__LINE__)
!$      if (place >= omp_get_num_places()) call fail(__LINE__)
    end subroutine

    ! What has to hold wherever a thread is.
    recursive subroutine look_around()
!$      integer :: level, active, thread, threads
!$      level = omp_get_level()
!$      active = omp_get_active_level()
!$      thread = omp_get_thread_num()
!$      threads = omp_get_num_threads()
!$      if (thread < 0 .or. thread >= threads) call fail(__LINE__)
!$      if (threads > omp_get_thread_limit()) call fail(__LINE__)
!$      if (omp_get_ancestor_thread_num(level) /= thread) call fail(__LINE__)
!$      if (omp_get_team_size(int(level, 8)) /= threads) call fail(__LINE__)
!$      if (omp_get_ancestor_thread_num(0) /= 0 .or. omp_get_team_size(0) /= 1) call fail(__LINE__)
!$      if (omp_get_ancestor_thread_num(level + 1_8) /= -1) call fail(__LINE__)
!$      if (omp_get_team_size(level + 1) /= -1) call fail(__LINE__)
!$      if (active > level .or. (active == 0 .and. threads > 1)) call fail(__LINE__)
!$      if (omp_in_parallel() .neqv. active > 0) call fail(__LINE__)
        call look_at_places()
    end subroutine

    recursive subroutine at_level(level, line)
        integer, intent(in) :: level, line
!$      if (omp_get_level() /= level) call fail(line)
    end subroutine

    recursive subroutine wants_threads(number, line)
        integer, intent(in) :: number, line
!$      if (omp_get_max_threads() /= number) call fail(line)
    end subroutine

    recursive subroutine in_final(is_final, line)
        logical, intent(in) :: is_final
        integer, intent(in) :: line
!$      if (is_final .and. .not. omp_in_final()) call fail(line)
    end subroutine

    ! `total` is a target: other threads change it meanwhile.
    recursive subroutine add_to(total, way, value)
        integer(num), target, intent(inout) :: total
        integer, intent(in) :: way
        integer(num), intent(in) :: value
        integer(num) :: old
        call look_around()
        select case (modulo(way, WAYS))
        case (0)
            !$omp atomic
            total = total + value
        case (1)
            !$omp critical (additions)
            total = total + value
            !$omp end critical (additions)
        case (2)
!$          call omp_set_lock(lock)
            total = total + value
!$          call omp_unset_lock(lock)
        case (3)
!$          call omp_set_nest_lock(nest_lock)
!$          call omp_set_nest_lock(nest_lock)
            total = total + value
!$          call omp_unset_nest_lock(nest_lock)
!$          call omp_unset_nest_lock(nest_lock)
        case default
            !$omp atomic capture
            old = total
            total = total + value
            !$omp end atomic
        end select
    end subroutine

    recursive subroutine add(cell, value)
        integer, intent(in) :: cell
        integer(num), intent(in) :: value
        real(8) :: now
        call add_to(cells(cell), cell, value)
        !$omp atomic read
        now = reals(cell)
        if (now < 0) call fail(__LINE__)
        !$omp atomic update
        reals(cell) = reals(cell) + real(modulo(value, 1024_num), 8)
    end subroutine

    recursive subroutine lose(cell, value)
        integer, intent(in) :: cell
        integer(num), intent(in) :: value
        call add_to(lost(cell), cell, value)
    end subroutine

    ! An iteration is to be done once in each of `times` executions of its loop, or not at all.
    recursive subroutine see(seen, times, line)
        integer, intent(inout) :: seen
        integer, intent(in) :: times, line
        integer :: now
        !$omp atomic capture
        seen = seen + 1
        now = seen
        !$omp end atomic
        if (now > times) call fail(line)
    end subroutine

    ! Objects by a number, what they weigh, and other ones in their place

    pure function list_of(value) result(list)
        integer(num), intent(in) :: value
        integer(num) :: list(3)
        list = mix(value + [1, 2, 3])
    end function

    pure function box_of(value) result(object)
        integer(num), intent(in) :: value
        type(box) :: object
        object = box(value, list_of(value), text_of(value))
    end function

    pure function text_of(value) result(text)
        integer(num), intent(in) :: value
        character(8) :: text
        integer :: k
        do k = 1, len(text)
            text(k:k) = achar(97 + modulo(mix(value + k), 26_num))
        end do
    end function

    pure function complex_of(value) result(number)
        integer(num), intent(in) :: value
        complex(8) :: number
        number = cmplx(value, mix(value), 8)
    end function

    pure function number_weight(number) result(sum)
        integer(num), intent(in) :: number
        integer(num) :: sum
        sum = mix(number)
    end function

    pure function list_weight(list) result(sum)
        integer(num), intent(in) :: list(:)
        integer(num) :: sum
        integer :: k
        sum = size(list)
        do k = 1, size(list)
            sum = mix(sum + list(k))
        end do
    end function

    pure function box_weight(object) result(sum)
        type(box), intent(in) :: object
        integer(num) :: sum
        sum = object%value + list_weight(object%list) + text_weight(object%text)
    end function

    pure function text_weight(text) result(sum)
        character(*), intent(in) :: text
        integer(num) :: sum
        integer :: k
        sum = len(text)
        do k = 1, len(text)
            sum = mix(sum + iachar(text(k:k)))
        end do
    end function

    pure function complex_weight(number) result(sum)
        complex(8), intent(in) :: number
        integer(num) :: sum
        sum = mix(int(real(number), num) + 3 * int(aimag(number), num))
    end function

    pure subroutine spoil_number(number)
        integer(num), intent(inout) :: number
        number = number + 1
    end subroutine

    pure subroutine spoil_list(list)
        integer(num), intent(inout) :: list(:)
        list = list + 1
    end subroutine

    pure subroutine spoil_box(object)
        type(box), intent(inout) :: object
        object%value = object%value + 1
        object%list(2) = 0
        object%text(3:4) = "AB"
    end subroutine

    pure subroutine spoil_text(text)
        character(*), intent(inout) :: text
        text(2:3) = "AB"
    end subroutine

    pure subroutine spoil_complex(number)
        complex(8), intent(inout) :: number
        number = number + (1d0, 1d0)
    end subroutine

    ! Lists with pointers

    recursive subroutine make_nodes(first, number, value)
        type(node), pointer, intent(out) :: first
        integer, intent(in) :: number
        integer(num), intent(in) :: value
        first => null()
        if (number == 0) return
        allocate(first)
        first%value = mix(value + number)
        call make_nodes(first%next, number - 1, value)
    end subroutine

    recursive subroutine free_nodes(first)
        type(node), pointer, intent(inout) :: first
        if (.not. associated(first)) return
        call free_nodes(first%next)
        deallocate(first)
    end subroutine

    ! Reductions

    elemental function add_pairs(one, other) result(both)
        type(pair), intent(in) :: one, other
        type(pair) :: both
        both = pair(one%total + other%total, ieor(one%mixed, other%mixed))
    end function

    subroutine join(object, other)
        type(box), intent(inout) :: object
        type(box), intent(in) :: other
        object%value = object%value + other%value
        object%list = object%list + other%list
    end subroutine

    subroutine empty(object)
        type(box), intent(out) :: object
        object%list = [0, 0, 0]
    end subroutine

    subroutine begin()
!$      call omp_init_lock(lock)
!$      call omp_init_nest_lock(nest_lock)
    end subroutine

    subroutine tell()
        print "(*(z0, 1x))", cells, int(reals, num)
        print "(2(a, i0))", "errors ", errors, ", the first in line ", first_error
    end subroutine
end module
