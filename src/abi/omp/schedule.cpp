// SPDX-License-Identifier: Apache-2.0
// omp_set_schedule and omp_get_schedule (OpenMP 5.2 sections 18.2.11, 18.2.12), C and Fortran.
// Called by user programs; the value is run-sched-var of the calling task.
#include "abi/export.hpp"
#include "construct/icvs.hpp"
#include "heddle.h"

using namespace heddle;

namespace {

constexpr unsigned monotonic_bit = 0x80000000; ///< omp_sched_monotonic
constexpr unsigned trapezoidal = 101;          ///< libomp's kmp_sched_trapezoidal
constexpr unsigned adaptive = heddle_sched_adaptive;

using config::ScheduleKind;

unsigned number(ScheduleKind kind) {
    return kind == ScheduleKind::trapezoidal ? trapezoidal
           : kind == ScheduleKind::adaptive  ? adaptive
                                             : static_cast<unsigned>(kind);
}

/// The kind of that number without a modifier; `runtime` when it is none that we know.
ScheduleKind kind_of(unsigned number) {
    if (number == trapezoidal)
        return ScheduleKind::trapezoidal;
    if (number == adaptive)
        return ScheduleKind::adaptive;
    return number <= 4 ? static_cast<ScheduleKind>(number) : ScheduleKind::runtime;
}

} // namespace

HEDDLE_EXPORT void omp_set_schedule(unsigned kind, int chunk) {
    const ScheduleKind plain = kind_of(kind & ~monotonic_bit);
    if (plain == ScheduleKind::runtime)
        return; // not a schedule that we know: the value stays
    config::Schedule& schedule = construct::task_icvs_for_write().run_sched;
    schedule.kind = plain;
    schedule.implied = schedule.implied_monotonic = false;
    schedule.monotonic = (kind & monotonic_bit) != 0;
    const bool is_auto = schedule.kind == ScheduleKind::auto_;
    const bool is_static = schedule.kind == ScheduleKind::static_;
    if (is_auto)
        return; // the chunk argument has no meaning then, and the old chunk stays
    schedule.chunk = chunk >= 1 ? chunk : is_static ? 0 : 1;
}

HEDDLE_EXPORT void omp_get_schedule(unsigned* kind, int* chunk) {
    const config::Schedule& schedule = construct::task_icvs().run_sched;
    *kind = number(schedule.kind) | (schedule.monotonic ? monotonic_bit : 0);
    *chunk = schedule.chunk;
}

/// omp_get_schedule as clang's programs ask for it, C and Fortran: while nobody has chosen a
/// schedule it is theirs, static; and a modifier that OMP_SCHEDULE does not name is not reported.
HEDDLE_EXPORT void heddle_version_omp_get_schedule(unsigned* kind, int* chunk) {
    omp_get_schedule(kind, chunk);
    const config::Schedule& schedule = construct::task_icvs().run_sched;
    if (schedule.implied) {
        *kind = number(ScheduleKind::static_);
        *chunk = 0;
    } else if (schedule.implied_monotonic) {
        *kind &= ~monotonic_bit;
    }
}

HEDDLE_EXPORT void omp_set_schedule_(const unsigned* kind, const int* chunk) {
    omp_set_schedule(*kind, *chunk);
}
HEDDLE_EXPORT void omp_set_schedule_8_(const unsigned* kind, const int64_t* chunk) {
    const int64_t value = *chunk;
    omp_set_schedule(*kind, value > 0x7fffffff ? 0x7fffffff
                            : value < 0        ? 0
                                               : static_cast<int>(value));
}
/// Without the modifier, which gfortran's omp_lib has no constant for.
HEDDLE_EXPORT void omp_get_schedule_(unsigned* kind, int* chunk) {
    omp_get_schedule(kind, chunk);
    *kind &= ~monotonic_bit;
}
HEDDLE_EXPORT void omp_get_schedule_8_(unsigned* kind, int64_t* chunk) {
    int value;
    omp_get_schedule_(kind, &value);
    *chunk = value;
}
