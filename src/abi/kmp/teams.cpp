// SPDX-License-Identifier: Apache-2.0
// kmpc teams on the host: the clauses, pushed ahead, and the fork; thread_limit of a target region.
// Called by code that clang, flang and icx generate, on the encountering thread, which runs the
// teams one after another. Without a clause or OMP_NUM_TEAMS a league has one team, as libomp's.
// OpenMP 5.2 sections 10.2 and 13.3.
#include "construct/teams.hpp"
#include "abi/kmp/invoke.hpp"
#include "construct/icvs.hpp"
#include "tool/modules.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using abi::kmp::Microtask;
using abi::kmp::Outlined;

namespace {

constexpr int default_league_size = 1;

/// A clause's value, which must be positive; 0 is none.
int32_t checked(int32_t value, const char* complaint) {
    if (HEDDLE_LIKELY(value >= 0))
        return value;
    platform::warn(complaint);
    return 1;
}

void run_team(void* outlined) {
    const Gtid global = abi::kmp::global_number(*team::self_or_null());
    abi::kmp::invoke(*static_cast<const Outlined*>(outlined), global, 0);
}

__attribute__((constructor)) void tell_detour() {
    tool::add_detour(run_team, abi::kmp::outlined_code);
}

} // namespace

/// num_teams(lower: upper) and thread_limit of the next teams region, 0 without the clause.
HEDDLE_EXPORT void __kmpc_push_num_teams_51(Ident*, Gtid, int32_t lower, int32_t upper,
                                            int32_t thread_limit) {
    team::ComingClauses& coming = team::self().worker->coming;
    const int32_t least = checked(lower, "num_teams: less than 1, 1 is taken");
    const int32_t most = checked(upper, "num_teams: less than 1, 1 is taken");
    coming.num_teams = most > least ? most : least;
    coming.teams_thread_limit = checked(thread_limit, "thread_limit: less than 1, 1 is taken");
}

HEDDLE_EXPORT void __kmpc_push_num_teams(Ident* ident, Gtid gtid, int32_t number,
                                         int32_t thread_limit) {
    __kmpc_push_num_teams_51(ident, gtid, number, number, thread_limit);
}

/// thread_limit on a target construct, called by the task that the target region is.
HEDDLE_EXPORT void __kmpc_set_thread_limit(Ident*, Gtid, int32_t thread_limit) {
    if (thread_limit > 0)
        construct::task_icvs_for_write().thread_limit = thread_limit;
}

/// The outlined region is called for each team with the `count` words that follow.
HEDDLE_EXPORT void __kmpc_fork_teams(Ident*, int32_t count, Microtask function, ...) {
    auto** const words = static_cast<void**>(__builtin_alloca(sizeof(void*) * (count ? count : 1)));
    va_list list;
    va_start(list, function);
    Outlined outlined = abi::kmp::gather(function, count, words, list);
    va_end(list);
    team::ComingClauses& coming = team::self().worker->coming;
    const auto teams = static_cast<unsigned>(coming.num_teams);
    const auto thread_limit = static_cast<unsigned>(coming.teams_thread_limit);
    coming.num_teams = coming.teams_thread_limit = 0;
    construct::host_teams(run_team, &outlined, teams, thread_limit, default_league_size,
                          HEDDLE_CALLER);
}
