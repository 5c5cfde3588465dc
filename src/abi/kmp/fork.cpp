// SPDX-License-Identifier: Apache-2.0
// __kmpc_fork_call and the serialized parallel region, with the clauses that are pushed ahead.
// Called by code that clang, flang and icx generate, on the encountering thread, which becomes the
// primary; each thread of the team calls the outlined region. OpenMP 5.2 chapter 10; 6.0 section
// 12.1.2 for num_threads(strict) and lists.
#include "abi/kmp/invoke.hpp"
#include "construct/affinity_format.hpp"
#include "construct/parallel.hpp"
#include "schedule/told_tasks.hpp"
#include "tool/modules.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using abi::kmp::Microtask;
using abi::kmp::Outlined;
using team::ComingClauses;

namespace {

constexpr int32_t fatal = 2; ///< severity clause

ComingClauses& coming(team::Member& member) { return member.worker->coming; }

/// As run_outlined(), from a frame that a tool can know.
void run_outlined_told(void* data) {
    const team::Member& member = *team::self_or_null();
    abi::kmp::invoke_told(*static_cast<const Outlined*>(data), abi::kmp::global_number(member),
                          member.number, team::tool_of(member).task->frame.exit_frame.ptr);
}

void run_outlined(void* data) {
    const team::Member& member = *team::self_or_null();
    abi::kmp::invoke(*static_cast<const Outlined*>(data), abi::kmp::global_number(member),
                     member.number);
}

[[gnu::noinline]] void report_small_team(const ComingClauses& clauses, int got) {
    char text[512];
    __builtin_snprintf(text, sizeof text, "num_threads(strict: %d): the region has %d threads%s%s",
                       clauses.num_threads, got, clauses.message ? ": " : "",
                       clauses.message ? clauses.message : "");
    if (clauses.severity == fatal)
        platform::die(text);
    platform::warn(text);
}

/// The team of the next region, with the pushed clauses, which are used up.
team::Member& begin(team::Member& member, bool if_clause) {
    ComingClauses& pushed = coming(member);
    const config::ProcBind bind = pushed.bind;
    const int32_t wanted = pushed.num_threads;
    pushed.bind = config::ProcBind::false_;
    pushed.num_threads = 0;
    const unsigned requested = if_clause ? static_cast<unsigned>(wanted) : 1;
    if (HEDDLE_LIKELY(pushed.inner_threads_length == 0 && pushed.severity == 0))
        return construct::begin_parallel(requested, bind);
    ComingClauses clauses = pushed;
    clauses.num_threads = wanted;
    pushed.inner_threads_length = pushed.severity = 0;
    team::Member& primary = construct::begin_parallel(requested, bind);
    if (clauses.inner_threads_length > 0) {
        config::Icvs& icvs = primary.team->icvs;
        icvs.nthreads = clauses.inner_threads[0];
        icvs.inner = clauses.inner_threads + 1;
        icvs.inner_length = clauses.inner_threads_length - 1;
    }
    if (clauses.severity != 0 && if_clause && primary.team_size < wanted)
        report_small_team(clauses, primary.team_size);
    return primary;
}

/// Programs of clang display their threads' affinity on stdout.
void display(const team::Member& primary) {
    if ((primary.team->at_begin & team::displays) != 0)
        construct::display_on_output();
}

/// The region of a team that does more than run it.
[[gnu::noinline]] void run_specially(team::Member& primary, Outlined& outlined,
                                     team::Caller caller) {
    display(primary);
    construct::run_specially(primary, team::tells(primary) ? run_outlined_told : run_outlined,
                             &outlined, caller);
}

[[gnu::always_inline]] inline void fork(const Outlined& outlined, bool if_clause) {
    team::Member& primary = begin(team::self(), if_clause);
    auto* data = const_cast<Outlined*>(&outlined);
    if (HEDDLE_UNLIKELY(primary.team->at_begin != 0))
        return run_specially(primary, *data, HEDDLE_CALLER);
    construct::start_plainly(primary, run_outlined, data);
    abi::kmp::invoke(outlined, abi::kmp::global_number(primary), 0);
    construct::end_parallel();
}

__attribute__((constructor)) void tell_detour() {
    tool::add_detour(run_outlined, abi::kmp::outlined_code);
    tool::add_detour(run_outlined_told, abi::kmp::outlined_code);
}

} // namespace

/// The outlined region is called by each thread with the `count` words that follow.
HEDDLE_EXPORT void __kmpc_fork_call(Ident*, int32_t count, Microtask function, ...) {
    auto** const words = static_cast<void**>(__builtin_alloca(sizeof(void*) * (count ? count : 1)));
    va_list list;
    va_start(list, function);
    const Outlined outlined = abi::kmp::gather(function, count, words, list);
    va_end(list);
    fork(outlined, true);
}

/// With an if clause; all captured variables are in one block, or there are none.
HEDDLE_EXPORT void __kmpc_fork_call_if(Ident*, int32_t count, Microtask function, int32_t if_clause,
                                       void* argument) {
    fork({function, count, &argument}, if_clause != 0);
}

/// if(false): generated code calls the outlined region itself. The region is known by where.
HEDDLE_EXPORT void __kmpc_serialized_parallel(Ident*, Gtid) {
    team::Member& primary = begin(team::self(), false);
    display(primary);
    construct::start_parallel(primary, nullptr, __builtin_return_address(0));
    if (HEDDLE_UNLIKELY(primary.team->tool != nullptr)) {
        ompt_frame_t& frame = team::tool_of(primary).task->frame;
        frame.exit_frame.ptr = HEDDLE_PROGRAM_FRAME;
        frame.exit_frame_flags = team::program_frame;
    }
}

HEDDLE_EXPORT void __kmpc_end_serialized_parallel(Ident*, Gtid) {
    const team::Member& primary = team::self();
    if (HEDDLE_UNLIKELY(primary.team->tool != nullptr))
        team::tool_of(primary).task->frame.exit_frame.ptr = nullptr;
    construct::end_parallel();
}

/// A value below 1 is not allowed; it counts as 1.
HEDDLE_EXPORT void __kmpc_push_num_threads(Ident*, Gtid, int32_t number) {
    coming(team::self()).num_threads = number > 0 ? number : 1;
}

HEDDLE_EXPORT void __kmpc_push_num_threads_strict(Ident* ident, Gtid gtid, int32_t number,
                                                  int32_t severity, const char* message) {
    __kmpc_push_num_threads(ident, gtid, number);
    ComingClauses& clauses = coming(team::self());
    clauses.severity = severity;
    clauses.message = message;
}

/// num_threads(list): the first number for the next region, the others for the levels inside it.
/// The list lives until the region has ended.
HEDDLE_EXPORT void __kmpc_push_num_threads_list(Ident* ident, Gtid gtid, uint32_t length,
                                                int32_t* list) {
    if (length == 0)
        return;
    __kmpc_push_num_threads(ident, gtid, list[0]);
    ComingClauses& clauses = coming(team::self());
    clauses.inner_threads = list + 1;
    clauses.inner_threads_length = static_cast<int32_t>(length) - 1;
}

HEDDLE_EXPORT void __kmpc_push_num_threads_list_strict(Ident* ident, Gtid gtid, uint32_t length,
                                                       int32_t* list, int32_t severity,
                                                       const char* message) {
    __kmpc_push_num_threads_list(ident, gtid, length, list);
    ComingClauses& clauses = coming(team::self());
    clauses.severity = severity;
    clauses.message = message;
}

/// The region has used the number up.
HEDDLE_EXPORT void __kmpc_pop_num_threads(Ident*, Gtid) {}

HEDDLE_EXPORT void __kmpc_push_proc_bind(Ident*, Gtid, int32_t bind) {
    if (bind >= 0 && bind <= static_cast<int32_t>(config::ProcBind::spread))
        coming(team::self()).bind = static_cast<config::ProcBind>(bind);
}
