// SPDX-License-Identifier: Apache-2.0
// __kmpc_doacross_*: ordered(n) with depend clauses (OpenMP 5.2 section 15.10.2). Called by code
// that clang, flang and icx generate, on each thread of the team: init, then the loop through
// static_loop or dispatch, then fini. A sink outside of the loops is ignored.
#include "abi/kmp/ident.hpp"
#include "construct/iteration_flags.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using construct::NamedLoop;

static_assert(sizeof(NamedLoop) == 24, "a loop is what generated code passes, bounds inclusive");

HEDDLE_EXPORT void __kmpc_doacross_init(Ident*, Gtid, int32_t dimensions, const NamedLoop* loops) {
    construct::begin_iteration_flags(team::self(), static_cast<uint32_t>(dimensions), loops);
}

HEDDLE_EXPORT void __kmpc_doacross_wait(Ident*, Gtid, const int64_t* iteration) {
    construct::await_iteration(team::self(), iteration);
}

HEDDLE_EXPORT void __kmpc_doacross_post(Ident*, Gtid, const int64_t* iteration) {
    construct::flag_iteration(team::self(), iteration);
}

HEDDLE_EXPORT void __kmpc_doacross_fini(Ident*, Gtid) {
    construct::end_iteration_flags(team::self());
}
