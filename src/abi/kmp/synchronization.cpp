// SPDX-License-Identifier: Apache-2.0
// Barriers, flush, masked regions, and the error directive.
// Called by generated code on each thread of the team. The ends of masked regions are there for
// tools. Facts: LLVM's OpenMP runtime interface.
#include "abi/kmp/ident.hpp"
#include "schedule/wait.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;

namespace {

/// What generated code says of a barrier.
ompt_sync_region_t kind_of_barrier(const Ident* where) {
    return where && (where->flags & abi::kmp::ident_flag::implicit_barrier)
               ? ompt_sync_region_barrier_implicit_workshare
               : ompt_sync_region_barrier_explicit;
}

[[gnu::noinline]] void wait_as_new_thread() { schedule::wait_at_barrier(team::self()); }

} // namespace

HEDDLE_EXPORT void __kmpc_barrier(Ident* where, Gtid) {
    team::Member* const member = team::self_or_null();
    if (HEDDLE_UNLIKELY(!member))
        wait_as_new_thread();
    else if (HEDDLE_UNLIKELY(member->implicit_task.family != nullptr))
        schedule::wait_with_family(*member, kind_of_barrier(where), HEDDLE_CALLER);
    else
        schedule::wait_without_family(*member);
}

/// A barrier in whose middle thread 0 is alone: it is told 1, and lets the others go by the end.
HEDDLE_EXPORT int32_t __kmpc_barrier_master(Ident*, Gtid) {
    team::Member& member = team::self();
    schedule::wait_at_barrier(member);
    if (member.number == 0)
        return 1;
    schedule::wait_at_barrier(member);
    return 0;
}

HEDDLE_EXPORT void __kmpc_end_barrier_master(Ident*, Gtid) {
    schedule::wait_at_barrier(team::self());
}

/// __kmpc_barrier_master() where the others need not wait for thread 0, which calls no end.
HEDDLE_EXPORT int32_t __kmpc_barrier_master_nowait(Ident*, Gtid) {
    team::Member& member = team::self();
    schedule::wait_at_barrier(member);
    return member.number == 0;
}

namespace {

[[gnu::always_inline]] inline int32_t begin_masked(team::Member& member, int32_t filter) {
    const bool mine = member.number == filter;
    if (HEDDLE_UNLIKELY(team::counts(member)) && mine && team::tells(member))
        team::tell_masked(member, ompt_scope_begin, __builtin_return_address(0));
    return mine;
}

[[gnu::always_inline]] inline void end_masked() {
    if (team::tells_here())
        team::tell_masked(team::self(), ompt_scope_end, __builtin_return_address(0));
}

[[gnu::always_inline]] inline void flush() {
    __sync_synchronize();
    if (HEDDLE_UNLIKELY(tool::has_tool()))
        tool::tell<ompt_callback_flush>(&team::tool_of(team::self()).data,
                                        __builtin_return_address(0));
}

} // namespace

HEDDLE_EXPORT int32_t __kmpc_master(Ident*, Gtid) { return begin_masked(team::self(), 0); }
HEDDLE_EXPORT void __kmpc_end_master(Ident*, Gtid) { end_masked(); }
HEDDLE_EXPORT int32_t __kmpc_masked(Ident*, Gtid, int32_t filter) {
    return begin_masked(team::self(), filter);
}
HEDDLE_EXPORT void __kmpc_end_masked(Ident*, Gtid) { end_masked(); }

HEDDLE_EXPORT void __kmpc_flush(Ident*) { flush(); }
/// A flush with a list, whose items do not matter.
HEDDLE_EXPORT void __kmpc_flush_explicit(Ident*) { flush(); }

namespace {

/// One field of ";file;function;line;column;;".
struct Field {
    const char* text;
    int length;
};

Field field_of(const char* source, int number) {
    for (; number >= 0 && *source; ++source)
        number -= *source == ';';
    return {source, static_cast<int>(strcspn(source, ";"))};
}

/// The beginning is libomp's, for those who look for it.
void print_directive(const char* severity, const Ident* where, const char* message) {
    const char* source = where && where->source ? where->source : "";
    const Field file = field_of(source, 0), line = field_of(source, 2),
                column = field_of(source, 3);
    if (file.length > 0)
        fprintf(stderr, "OMP: %s: error directive encountered at %.*s:%.*s:%.*s: %s\n", severity,
                file.length, file.text, line.length, line.text, column.length, column.text,
                message);
    else
        fprintf(stderr, "OMP: %s: error directive encountered: %s\n", severity, message);
}

} // namespace

/// The error directive at execution (OpenMP 5.2 section 8.5). Severity 1 is a warning, 2 ends the
/// program.
HEDDLE_EXPORT void __kmpc_error(Ident* where, int32_t severity, const char* message) {
    const bool fatal = severity != 1;
    if (HEDDLE_UNLIKELY(tool::has_tool()))
        tool::tell<ompt_callback_error>(fatal ? ompt_fatal : ompt_warning, message,
                                        message ? strlen(message) : 0, __builtin_return_address(0));
    print_directive(fatal ? "Error" : "Warning", where, message ? message : "");
    if (fatal)
        exit(EXIT_FAILURE);
}
