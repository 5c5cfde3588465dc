// SPDX-License-Identifier: Apache-2.0
// kmpc explicit tasks: allocate, create, run undeferred, wait, yield; dependences; detached and
// proxy tasks. Called by code that clang, flang and icx generate, on the encountering thread; the
// completion of an event or a proxy task by any thread. OpenMP 5.2 sections 12.5, 12.7, 15.5, 15.9.
#include "construct/task.hpp"

#include "abi/kmp/depend.hpp"
#include "abi/kmp/task_block.hpp"
#include "construct/call_task.hpp"
#include "schedule/capture.hpp"
#include "schedule/hints.hpp"
#include "schedule/told_tasks.hpp"
#include "team/watching.hpp"

using namespace heddle;
using abi::kmp::DependInfo;
using abi::kmp::DependList;
using abi::kmp::Gtid;
using abi::kmp::Ident;
using abi::kmp::Task;
using abi::kmp::TaskBlock;
using abi::kmp::TaskEntry;
namespace flag = abi::kmp::task_flag;

namespace {

/// What a task construct returns: the task is created, and nothing is left for generated code.
constexpr int32_t created = 0;

/// Nothing about the task keeps it from being run at once, and it is tied.
bool is_plain(const TaskBlock& block) { return block.flags == (flag::tied | abi::kmp::small); }

/// Runs a task on this stack. The block is this thread's, so its cache takes it unasked.
template <uintptr_t untied = 0>
inline void run_at_once(team::Member& member, Gtid gtid, TaskBlock& block) {
    team::Frame frame{member.current, nullptr,
                      (member.current->context_bits & ~team::Frame::own_bits) | untied};
    member.current = &frame;
    if constexpr (untied != 0) {
        block.running = block.again = true;
        abi::kmp::run_parts(block, gtid);
    } else {
        block.task().routine(gtid, &block.task());
    }
    member.current = frame.parent;
    if (HEDDLE_UNLIKELY(frame.family != nullptr))
        schedule::leave_families(member, frame);
    if (HEDDLE_UNLIKELY(!member.worker->task_blocks.put(&block)))
        abi::kmp::free_task(member.worker, block);
}

/// All but plain tasks in a block that is at hand.
[[gnu::noinline]] Task* allocate(int32_t flags, size_t size, size_t shareds, TaskEntry routine) {
    return &abi::kmp::allocate_task(team::self(), flags, size, shareds, routine).task();
}

/// All but plain tasks that run at once.
[[gnu::noinline]] int32_t submit(Gtid gtid, TaskBlock& block, team::Caller caller) {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    if (!(block.flags & flag::tied) && block.running)
        block.again = true; // by its own routine: run_parts() goes on with it
    else if (block.flags == abi::kmp::small && schedule::runs_at_once(member))
        run_at_once<team::Frame::untied_bit>(member, gtid, block);
    else if ((block.flags & ~flag::tied) == abi::kmp::small)
        abi::kmp::queue_plain(member, block);
    else
        abi::kmp::create_task(member, block, true);
    return created;
}

[[gnu::noinline]] void submit_with_dependences(TaskBlock& block, const DependList& list,
                                               team::Caller caller) {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    abi::kmp::create_task(member, block, true, list.get());
}

void wait_for_dependences(const DependList& list, team::Caller caller) {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    schedule::wait_for_dependences(member, list.get());
}

/// The frame of an undeferred task, between begin_if0 and complete_if0.
struct Undeferred {
    team::Capture capture;
    schedule::ToldTask* told; ///< for the tool, if one is told of it
    team::Frame frame;
    team::Context context; ///< of a final task
};

/// Its begin. Code of the program calls the task: it leaves the runtime at the frame of that.
schedule::ToldTask* tell_undeferred(team::Member& member, const TaskBlock& block,
                                    team::Caller caller, void* program_frame) {
    const bool target = (block.flags & abi::kmp::told_as_target) != 0;
    const int flags = schedule::told_kind(target) |
                      (block.flags & flag::tied ? 0 : ompt_task_untied) |
                      (block.flags & flag::final ? ompt_task_final : 0);
    return schedule::begin_told_undeferred(member, flags,
                                           block.flags & abi::kmp::special ? block.event : nullptr,
                                           caller, program_frame);
}

Undeferred& undeferred(TaskBlock& block) { return *static_cast<Undeferred*>(block.capture.data); }

} // namespace

HEDDLE_EXPORT Task* __kmpc_omp_task_alloc(Ident*, Gtid, int32_t flags, size_t size, size_t shareds,
                                          TaskEntry routine) {
    team::Member* member = team::self_or_null();
    if (HEDDLE_LIKELY(member && (flags & ~flag::tied) == 0))
        if (TaskBlock* block = abi::kmp::take_plain(*member, flags, size, shareds, routine))
            return &block->task();
    return allocate(flags, size, shareds, routine);
}

/// For a target construct with nowait, which without a device is a task of this host.
HEDDLE_EXPORT Task* __kmpc_omp_target_task_alloc(Ident* ident, Gtid gtid, int32_t flags,
                                                 size_t size, size_t shareds, TaskEntry routine,
                                                 int64_t) {
    Task* const task = __kmpc_omp_task_alloc(ident, gtid, flags, size, shareds, routine);
    if (HEDDLE_UNLIKELY(team::tells(*team::self_or_null())))
        TaskBlock::of(*task).flags |= abi::kmp::told_as_target;
    return task;
}

/// An item of an affinity clause.
struct AffinityInfo {
    intptr_t base;
    size_t length;
    int32_t flags;
};

/// affinity clause, before the task is created. The first location of the list is the one that
/// counts; a detached task has none.
HEDDLE_EXPORT int32_t __kmpc_omp_reg_task_with_affinity(Ident*, Gtid, Task* task, int32_t count,
                                                        const AffinityInfo* list) {
    TaskBlock& block = TaskBlock::of(*task);
    if (count > 0 && list[0].base != 0 && !(block.flags & abi::kmp::special)) {
        block.flags |= abi::kmp::with_affinity;
        block.affinity = reinterpret_cast<const void*>(list[0].base);
        block.affinity_size = list[0].length;
    }
    return created;
}

HEDDLE_EXPORT int32_t __kmpc_omp_task(Ident*, Gtid gtid, Task* task) {
    team::Member& member = *team::self_or_null(); // attached by the allocation
    TaskBlock& block = TaskBlock::of(*task);
    if (HEDDLE_UNLIKELY(!is_plain(block) || !schedule::runs_at_once(member)))
        return submit(gtid, block, HEDDLE_CALLER);
    run_at_once(member, gtid, block);
    return created;
}

/// The same for the parts of an untied task.
HEDDLE_EXPORT int32_t __kmpc_omp_task_parts(Ident* ident, Gtid gtid, Task* task) {
    return __kmpc_omp_task(ident, gtid, task);
}

HEDDLE_EXPORT int32_t __kmpc_omp_task_with_deps(Ident*, Gtid gtid, Task* task, int32_t count,
                                                const DependInfo* list, int32_t more_count,
                                                const DependInfo* more) {
    team::Member& member = *team::self_or_null();
    TaskBlock& block = TaskBlock::of(*task);
    if (HEDDLE_UNLIKELY(!task->routine)) // a taskwait with nowait, as some compilers pass it
        task->routine = [](Gtid, Task*) { return created; };
    // With no unfinished child there is none to wait for: the addresses need not be looked at.
    if (is_plain(block) && schedule::runs_at_once(member) &&
        !schedule::has_unfinished_children(*member.current)) {
        run_at_once(member, gtid, block);
        return created;
    }
    submit_with_dependences(block, DependList(list, count, more, more_count), HEDDLE_CALLER);
    return created;
}

/// An undeferred task: generated code calls the routine between these two.
HEDDLE_EXPORT void __kmpc_omp_task_begin_if0(Ident*, Gtid, Task* task) {
    team::Member& member = *team::self_or_null();
    TaskBlock& block = TaskBlock::of(*task);
    auto* own = reinterpret_cast<Undeferred*>(schedule::take_block(member, sizeof(Undeferred)));
    if (HEDDLE_UNLIKELY(!own))
        platform::die("no memory for a task");
    uintptr_t bits = member.current->context_bits & ~team::Frame::own_bits;
    if (block.flags & flag::final) {
        const team::Context& inherited = *member.current->context();
        own->context.set(inherited.icvs, inherited.group, true);
        bits = reinterpret_cast<uintptr_t>(&own->context);
    }
    if (!(block.flags & flag::tied)) {
        bits |= team::Frame::untied_bit;
        block.running = true; // generated code calls the routine for the first part
    }
    team::count(member, team::Counter::at_once);
    team::watch_undeferred(member, reinterpret_cast<const void*>(block.task().routine));
    if (HEDDLE_UNLIKELY((member.deferring & team::hint_given) != 0))
        schedule::destination_of(member, nullptr, 0); // it runs here: its hint is used up
    own->told = nullptr;
    if (HEDDLE_UNLIKELY(team::tells(member)))
        own->told = tell_undeferred(member, block, HEDDLE_CALLER, HEDDLE_PROGRAM_FRAME);
    if (HEDDLE_UNLIKELY((block.flags & abi::kmp::special) && block.event))
        schedule::begin_undeferred_record(member, *block.event, own->told);
    own->frame = {member.current, nullptr, bits};
    block.capture.data = own;
    member.current = &own->frame;
    if (HEDDLE_UNLIKELY(own->told != nullptr))
        team::keep_in_sight(member);
}

HEDDLE_EXPORT void __kmpc_omp_task_complete_if0(Ident*, Gtid gtid, Task* task) {
    team::Member& member = *team::self_or_null();
    TaskBlock& block = TaskBlock::of(*task);
    Undeferred& own = undeferred(block);
    team::TaskRecord* const event = block.flags & abi::kmp::special ? block.event : nullptr;
    if (HEDDLE_UNLIKELY(!(block.flags & flag::tied)))
        abi::kmp::run_parts(block, gtid);
    team::watch_undeferred_end(member);
    if (HEDDLE_UNLIKELY(own.told != nullptr))
        schedule::end_told_undeferred(member, own.told);
    member.current = own.frame.parent;
    if (own.frame.family)
        schedule::leave_families(member, own.frame);
    schedule::free_capture(member.worker, &own.capture);
    abi::kmp::finish_task(member, block);
    if (HEDDLE_UNLIKELY(event != nullptr))
        schedule::end_undeferred_record(member, *event);
}

HEDDLE_EXPORT int32_t __kmpc_omp_taskwait(Ident*, Gtid) {
    if (team::Member* member = team::self_or_null())
        construct::taskwait(*member);
    return created;
}

/// end_part: nothing to do, the routine says itself when a part of an untied task ends.
HEDDLE_EXPORT int32_t __kmpc_omp_taskyield(Ident*, Gtid, int32_t) {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, HEDDLE_CALLER);
    construct::taskyield(member);
    return created;
}

HEDDLE_EXPORT void __kmpc_omp_wait_deps(Ident*, Gtid, int32_t count, const DependInfo* list,
                                        int32_t more_count, const DependInfo* more) {
    wait_for_dependences(DependList(list, count, more, more_count), HEDDLE_CALLER);
}

/// taskwait with depend, and before an undeferred task with depend; with `nowait` it becomes an
/// empty task that later siblings may depend on.
HEDDLE_EXPORT void __kmpc_omp_taskwait_deps_51(Ident*, Gtid, int32_t count, const DependInfo* list,
                                               int32_t more_count, const DependInfo* more,
                                               int32_t nowait) {
    const DependList translated(list, count, more, more_count);
    if (!nowait)
        return wait_for_dependences(translated, HEDDLE_CALLER);
    team::Member& member = team::self();
    const team::ToldEntry entry(member, HEDDLE_CALLER);
    construct::Call nothing{__builtin_return_address(0)};
    construct::general_task(member, construct::call_task(nothing), true, {translated.get()});
}

/// detach clause, before the task is created: the handle for omp_fulfill_event().
HEDDLE_EXPORT void* __kmpc_task_allow_completion_event(Ident*, Gtid, Task* task) {
    TaskBlock& block = TaskBlock::of(*task); // allocated with the flag `detachable`
    if (!block.event)
        block.event = &schedule::make_event(team::self());
    return block.event;
}

/// A proxy task is complete; by any thread, also one that OpenMP does not know.
HEDDLE_EXPORT void __kmpc_proxy_task_completed_ooo(Task* task) {
    TaskBlock& block = TaskBlock::of(*task);
    schedule::fulfill(*block.event);
    team::Member* const member = team::self_or_null();
    if (abi::kmp::leave_proxy(block, abi::kmp::completed))
        abi::kmp::free_task(member ? member->worker : nullptr, block);
}

/// The same, by a thread of the team.
HEDDLE_EXPORT void __kmpc_proxy_task_completed(Gtid, Task* task) {
    __kmpc_proxy_task_completed_ooo(task);
}
