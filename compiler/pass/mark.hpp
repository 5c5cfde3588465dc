// SPDX-License-Identifier: Apache-2.0
// The first half of the pass: makes of each construct's calls of the runtime one call of a function
// that does not exist, a mark, which LLVM carries through its passes at no more cost than the
// runtime's, and which expand replaces by both forms. Called by task_pass.
#pragma once

#include "ordinary.hpp"
#include "site.hpp"

namespace heddle::pass {

// The marks. `construct` is OrdinaryForm::describe()'s constant, `final` and `undeferred` are 0 or
// not; `room` and `shareds` are memory on this stack, the second nullptr if nothing is shared.
//
// heddle.task(construct, room, shareds, final, undeferred): the construct, its captures in `room`
// and `shareds`.
//
// task = heddle.memory(construct, room, shareds, final): the captures of a constructed task go
// there, which is `room` or not; then heddle.run(construct, task, room, undeferred).
inline constexpr const char *task_mark = "heddle.task", *memory_mark = "heddle.memory",
                            *run_mark = "heddle.run";

/// Replaces the construct's calls by marks.
void mark(const Site& site, OrdinaryForm& ordinary);

} // namespace heddle::pass
