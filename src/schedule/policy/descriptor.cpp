// SPDX-License-Identifier: Apache-2.0
// Making and executing descriptors. The memory returns to its creator, through the block pool or
// by the Exec flag. Runs on the encountering and on the executing thread.
#include "schedule/policy/descriptor.hpp"

#include "schedule/cancel.hpp"
#include "schedule/capture.hpp"
#include "schedule/inbox.hpp"
#include "team/watching.hpp"

namespace heddle::schedule::policy {

Need need_of(const Member& member, const Group* group) {
    // No family: the task has deferred nothing, and nothing may run but the group's.
    Need need{false, member.number, ~uint64_t{0}, group};
    for (const Family* family = member.current->family; family; family = family->older)
        need.since = family->serial < need.since ? family->serial : need.since;
    return need;
}

bool accepts(const Descriptor& descriptor, const Need& need) {
    return need.anything || descriptor.lineage.descends(need.number, need.since) ||
           is_inside(need.group, descriptor.family());
}

Descriptor* make_descriptor(Member& member, const NewTask& task, const Descriptor* running,
                            int32_t level) {
    Family* family = current_family(member, *member.current);
    team::Capture* block =
        family ? take_block(member, sizeof(Descriptor) + room_for_data(task)) : nullptr;
    if (!block)
        return nullptr;
    auto* descriptor = reinterpret_cast<Descriptor*>(block);
    descriptor->capture.data = capture_into(member, task, descriptor + 1);
    descriptor->function = task.function;
    descriptor->tag = tag_of(task, *family);
    // An untied task that yields may have let other tasks begin above it: those are no descendants.
    const bool inherits = running && !(running->tag & team::slot_tag::untied);
    descriptor->lineage.begin(member.number, member.policy_tasks++,
                              inherits ? &running->lineage : nullptr);
    descriptor->level = level;
    descriptor->pending = false;
    family->children.add_local();
    return descriptor;
}

namespace {

void run(Member& member, Descriptor& descriptor, const Context& context, uintptr_t tag) {
    const bool stolen = (tag & team::slot_tag::stolen) != 0;
    const team::WatchedTask watched(member, descriptor.function, descriptor.capture.data,
                                    stolen ? team::Start::stolen : team::Start::taken_back,
                                    &descriptor.family());
    run_by_tag(member, descriptor.function, descriptor.capture.data, context, tag);
}

} // namespace

void execute(Member& member, Descriptor& descriptor) {
    const Family& family = descriptor.family();
    const bool stolen = family.home != &member.worker->families;
    const uintptr_t tag = descriptor.tag | (stolen ? team::slot_tag::stolen : 0);
    const Context& context = context_for(family, stolen);
    if (HEDDLE_UNLIKELY(count_run_or_discard(member, context, stolen)))
        ; // tasks with something to destroy have a record, not a descriptor
    else
        run(member, descriptor, context, tag);
    if (descriptor.pending)
        // release: pairs with the creator's acquire, who uses the memory anew
        descriptor.executed.store(true, platform::release);
    else
        free_capture(member.worker, &descriptor.capture);
    finish_child(member, tag);
}

} // namespace heddle::schedule::policy
