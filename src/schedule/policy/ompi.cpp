// SPDX-License-Identifier: Apache-2.0
// OMPi's throttling and its PENDING_QUEUE: a bounded ring of descriptors for each thread, and a
// list of those that others may still be executing, whose memory comes back by the Exec flag.
// Called by policy on the thread that creates the task or looks for one. All but the ring belongs
// to the encountering thread; the flag is released by who has executed the task.
// Source: Agathos et al., Speeding Up OpenMP Tasking, sections 2.1, 3.
#include "schedule/policy/ompi.hpp"

#include "schedule/capture.hpp"

namespace heddle::schedule::policy {

namespace {

uint32_t slots() { return static_cast<uint32_t>(config::settings().heddle.task_policy.slots); }

/// Hysteresis: true while the queue has been full and is not yet 30 % empty.
bool is_throttled(PolicyState& state) {
    const uint32_t free = state.ring.free_slots();
    if (free == 0)
        state.throttled = true;
    else if (free * 10 >= slots() * 3)
        state.throttled = false;
    return state.throttled;
}

/// Gives back the executed descriptors. The list has no more than those in the ring and those that
/// threads execute, so once in as many creations as there are slots is often enough.
void recycle(Member& member, PolicyState& state) {
    if (++state.created < slots())
        return;
    state.created = 0;
    for (Descriptor** link = &state.pending; *link;) {
        Descriptor& descriptor = **link;
        // acquire: pairs with execute(), whose thread has done with the memory
        if (!descriptor.executed.load(platform::acquire)) {
            link = &descriptor.next;
            continue;
        }
        *link = descriptor.next;
        free_capture(member.worker, &descriptor.capture);
    }
}

} // namespace

bool put_into_ring(Member& member, PolicyState& state, const NewTask& task) {
    if (is_throttled(state))
        return false;
    recycle(member, state);
    Descriptor* descriptor = make_descriptor(member, task, state.running, state.level + 1);
    if (!descriptor)
        return false;
    descriptor->pending = true;
    descriptor->executed.store(false, platform::relaxed); // the ring releases it
    descriptor->next = state.pending;
    state.pending = descriptor;
    team::Team& team = *member.team;
    if (!state.ring.put(*descriptor, [&team] { begin_offer(team); }, [&team] { end_offer(team); }))
        execute_here(member, state, *descriptor); // copying its data has filled the ring
    return true;
}

Descriptor* take_from_ring(Member& member, PolicyState& state, PolicyState& holder,
                           const Need& need) {
    concurrent::OwnerRing<Descriptor>::Request request{
        [](const Descriptor& descriptor, const void* asked) {
            return accepts(descriptor, *static_cast<const Need*>(asked));
        },
        &need, &holder == &state};
    team::Team& team = *member.team;
    return holder.ring.take(
        state.handle, request, [&team] { begin_offer(team); }, [&team] { end_offer(team); });
}

} // namespace heddle::schedule::policy
