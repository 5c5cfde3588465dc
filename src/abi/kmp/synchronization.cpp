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

HEDDLE_EXPORT void __kmpc_barrier(Ident*, Gtid) { schedule::wait_at_barrier(team::self()); }

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

/// The same where the others need not wait for thread 0, which calls no end.
HEDDLE_EXPORT int32_t __kmpc_barrier_master_nowait(Ident*, Gtid) {
    team::Member& member = team::self();
    schedule::wait_at_barrier(member);
    return member.number == 0;
}

HEDDLE_EXPORT int32_t __kmpc_master(Ident*, Gtid) { return team::self().number == 0; }
HEDDLE_EXPORT void __kmpc_end_master(Ident*, Gtid) {}
HEDDLE_EXPORT int32_t __kmpc_masked(Ident*, Gtid, int32_t filter) {
    return team::self().number == filter;
}
HEDDLE_EXPORT void __kmpc_end_masked(Ident*, Gtid) {}

HEDDLE_EXPORT void __kmpc_flush(Ident*) { __sync_synchronize(); }
/// A flush with a list, whose items do not matter.
HEDDLE_EXPORT void __kmpc_flush_explicit(Ident*) { __sync_synchronize(); }

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
    print_directive(fatal ? "Error" : "Warning", where, message ? message : "");
    if (fatal)
        exit(EXIT_FAILURE);
}
