// SPDX-License-Identifier: Apache-2.0
// Combining the parts of a reduction (OpenMP 5.2 section 5.5) pairwise in a tree over the threads
// of the team, always in the same order. Called by the ABI layer on each member; `combine` runs on
// whichever member comes second to a pair. Protocol: docs/protocols/reduction-tree.md.
#pragma once

#include "team/team.hpp"

namespace heddle::construct {

/// Combines the part `from` into the part `into`, of two threads of the team.
using CombineParts = void (*)(void* into, void* from);

/// True on thread 0, whose part then has all the others in it. The other members of a team of two
/// or more get false: with `wait` when nobody needs their part any more, else at once; then the
/// part stays where it is until the team's next barrier.
bool combine_in_tree(team::Member& member, void* part, CombineParts combine, bool wait);

} // namespace heddle::construct
