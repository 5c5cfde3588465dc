// SPDX-License-Identifier: Apache-2.0
// kmpc taskgroups and task reductions. Called by code that clang, flang and icx generate, on the
// encountering thread; get_th_data by the thread that executes the participating task.
// A thread alone needs no copies: its tasks use the originals. OpenMP 5.2 sections 15.4, 5.5.9 to
// 5.5.11. Facts: LLVM's OpenMP runtime interface.
#include "construct/taskgroup.hpp"

#include "abi/kmp/ident.hpp"
#include "construct/task_reduction.hpp"
#include "team/tool_events.hpp"

using namespace heddle;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using construct::ReductionItem;
using team::Group;
using team::Member;

namespace {

using Initialize = void (*)(void* copy, void* source);
using Finalize = void (*)(void* copy);
using Combine = void (*)(void* original, void* copy);

/// A list item as generated code describes it. `flags` says which copies to make lazily: all are.
struct Input {
    void* original;
    void* source; ///< what the initializer sees as the original; nullptr: the original
    size_t size;
    Initialize initialize;
    Finalize finalize;
    Combine combine;
    uint32_t flags;
};
static_assert(sizeof(Input) == 56);

/// The same of compilers whose initializers have one parameter, and ignore the other.
struct OldInput {
    void* original;
    size_t size;
    Initialize initialize;
    Finalize finalize;
    Combine combine;
    uint32_t flags;
};
static_assert(sizeof(OldInput) == 48);

ReductionItem item_of(const Input& input) {
    return {input.original, input.source ? input.source : input.original,
            input.size,     input.initialize,
            input.finalize, input.combine};
}

ReductionItem item_of(const OldInput& input) {
    return {input.original, nullptr, input.size, input.initialize, input.finalize, input.combine};
}

template <class AnyInput>
construct::TaskReductions& describe(int32_t count, const AnyInput* inputs) {
    const auto number = static_cast<size_t>(count);
    construct::TaskReductions& reductions = construct::make_task_reductions(number);
    for (size_t i = 0; i < number; ++i)
        construct::items_of(reductions)[i] = item_of(inputs[i]);
    return reductions;
}

Group* current_group(const Member& member) { return member.current->context()->group; }

template <class AnyInput>
void* begin_reductions(int32_t count, const AnyInput* inputs) {
    Member& member = team::self();
    if (member.team_size > 1)
        construct::begin_task_reductions(member, describe(count, inputs));
    return current_group(member);
}

template <class AnyInput>
void* begin_team_reductions(int32_t count, const AnyInput* inputs) {
    Member& member = team::self();
    if (member.team_size > 1)
        construct::begin_team_task_reductions(member, describe(count, inputs));
    else
        construct::begin_taskgroup(member);
    return current_group(member);
}

[[gnu::noinline]] void begin_told_taskgroup(Member& member, team::Caller caller) {
    const team::ToldEntry entry(member, caller);
    construct::tell_and_open_taskgroup(member);
}
[[gnu::noinline]] void end_told_taskgroup(Member& member, team::Caller caller) {
    const team::ToldEntry entry(member, caller);
    construct::end_reducing_taskgroup(member);
}

} // namespace

HEDDLE_EXPORT void __kmpc_taskgroup(Ident*, Gtid) {
    Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        return begin_told_taskgroup(member, HEDDLE_CALLER);
    construct::open_taskgroup(member);
}

HEDDLE_EXPORT void __kmpc_end_taskgroup(Ident*, Gtid) {
    Member& member = team::self();
    if (HEDDLE_UNLIKELY(team::tells(member)))
        return end_told_taskgroup(member, HEDDLE_CALLER);
    construct::end_reducing_taskgroup(member);
}

/// task_reduction, right after the taskgroup began. Answers with the taskgroup, for get_th_data.
HEDDLE_EXPORT void* __kmpc_taskred_init(Gtid, int32_t count, const Input* inputs) {
    return begin_reductions(count, inputs);
}

HEDDLE_EXPORT void* __kmpc_task_reduction_init(Gtid, int32_t count, const OldInput* inputs) {
    return begin_reductions(count, inputs);
}

/// reduction(task, ...) on a parallel (0) or worksharing (1) construct, by each thread of the team.
HEDDLE_EXPORT void* __kmpc_taskred_modifier_init(Ident*, Gtid, int32_t, int32_t count,
                                                 const Input* inputs) {
    return begin_team_reductions(count, inputs);
}

HEDDLE_EXPORT void* __kmpc_task_reduction_modifier_init(Ident*, Gtid, int32_t, int32_t count,
                                                        const OldInput* inputs) {
    return begin_team_reductions(count, inputs);
}

/// Before the reduction of the threads' own variables, of which one has got the tasks' share.
HEDDLE_EXPORT void __kmpc_task_reduction_modifier_fini(Ident*, Gtid, int32_t) {
    construct::end_reducing_taskgroup(team::self());
}

/// The calling thread's copy of `item`; `group` is what an init function answered, or nullptr.
HEDDLE_EXPORT void* __kmpc_task_reduction_get_th_data(Gtid, const Group* group, void* item) {
    return construct::find_task_copy(team::self(), group, item);
}
