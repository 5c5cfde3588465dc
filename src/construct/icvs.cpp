// SPDX-License-Identifier: Apache-2.0
// Copy on write of a task's control variables.
// Runs on the task's own thread; a copy that deferred children refer to is never changed again.
#include "construct/icvs.hpp"

namespace heddle::construct {

namespace {

using team::Context;
using team::Frame;
using team::Member;

config::Icvs& adopt(Frame& frame, Context& context, config::Icvs& icvs) {
    const Context& inherited = *frame.context();
    icvs = *inherited.icvs;
    context.set(&icvs, inherited.group, inherited.final);
    frame.context_bits = reinterpret_cast<uintptr_t>(&context) | Frame::owned_bit |
                         (frame.context_bits & Frame::untied_bit);
    return icvs;
}

} // namespace

const config::Icvs& task_icvs() { return *team::self().current->context()->icvs; }

config::Icvs& task_icvs_for_write() {
    Member& member = team::self();
    Frame& frame = *member.current;
    const Context& context = *frame.context();
    const bool owned = (frame.context_bits & Frame::owned_bit) != 0;
    if (owned && !context.referred_to.load(platform::relaxed))
        return *context.icvs;
    if (&frame == &member.implicit_task && !owned && !context.group)
        return adopt(frame, member.own_context, member.own_icvs);
    struct Owned {
        alignas(16) Context context;
        config::Icvs icvs;
    };
    auto* fresh = static_cast<Owned*>(team::allocate_for_region(*member.team, sizeof(Owned)));
    return adopt(frame, fresh->context, fresh->icvs);
}

} // namespace heddle::construct
