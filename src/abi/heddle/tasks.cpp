// SPDX-License-Identifier: Apache-2.0
// Heddle's own interface (include/heddle.h): spawn, sync, the root of a computation.
// Called by users' programs, mostly through heddle.hpp, on the encountering thread. A spawned task
// is OpenMP's task construct, sync its taskwait; the layout that heddle.hpp knows is checked here.
#include "heddle.h"

#include "abi/export.hpp"
#include "construct/parallel.hpp"
#include "construct/task.hpp"
#include "construct/taskgroup.hpp"
#include "team/worker.hpp"
#include "tool/modules.hpp"

using namespace heddle;

// Only what heddle.hpp reads. A change of these asks for another name than heddle_thread_1.
static_assert(offsetof(heddle_thread, current) == offsetof(team::Member, current));
static_assert(offsetof(heddle_thread, stack_limit) == offsetof(team::Member, stack_limit));
static_assert(offsetof(heddle_thread, deferring) == offsetof(team::Member, deferring));
static_assert(offsetof(heddle_thread, number) == offsetof(team::Member, number));
static_assert(offsetof(heddle_thread, wants_tasks) ==
              offsetof(team::Member, deque) + concurrent::TaskDeque::wants_tasks_offset());
static_assert(sizeof(heddle_frame) == sizeof(team::Frame));
static_assert(offsetof(heddle_frame, parent) == offsetof(team::Frame, parent));
static_assert(offsetof(heddle_frame, children) == offsetof(team::Frame, family));
static_assert(offsetof(heddle_frame, inherited) == offsetof(team::Frame, context_bits));
static_assert(HEDDLE_NOT_INHERITED == team::Frame::own_bits);

HEDDLE_EXPORT const char* heddle_version() noexcept { return HEDDLE_VERSION; }

namespace {

/// What the other threads of a region of heddle_run() do before they look for tasks. It is known by
/// `function`, which the primary calls.
void await_tasks(void* /*function*/) {}

} // namespace

HEDDLE_EXPORT void heddle_run(void (*function)(void*), void* data, int threads) {
    team::Member& member = team::self();
    if (threads <= 0 && member.team->level > 0) {
        construct::begin_taskgroup(member);
        schedule::run_now(member, function, data, 0);
        construct::end_taskgroup(member);
        return;
    }
    team::Member& primary =
        construct::begin_parallel(threads > 0 ? static_cast<unsigned>(threads) : 0);
    construct::start_parallel(primary, await_tasks, reinterpret_cast<void*>(function));
    function(data);
    construct::end_parallel();
}

HEDDLE_EXPORT void heddle_spawn(void (*function)(void*), void* data, size_t size,
                                size_t alignment) {
    construct::task(team::self(), function, data, size, alignment, 0, true);
}

namespace {

/// A task that owns one object.
struct Owner {
    void (*function)(void*);
    void (*discard)(void*);
    void* object;
};

void run_owner(void* data) {
    const auto* owner = static_cast<const Owner*>(data);
    owner->function(owner->object);
}

const void* owner_code(const void* data) {
    return reinterpret_cast<const void*>(static_cast<const Owner*>(data)->function);
}

void discard_owner(void* data) {
    const auto* owner = static_cast<const Owner*>(data);
    owner->discard(owner->object);
}

__attribute__((constructor)) void tell_detours() {
    tool::add_detour(await_tasks, [](const void* function) { return function; });
    tool::add_detour(run_owner, owner_code);
    tool::add_detour(discard_owner, owner_code);
}

} // namespace

HEDDLE_EXPORT void heddle_spawn_object(void (*function)(void*), void (*discard)(void*),
                                       void* object) {
    Owner owner{function, discard, object};
    construct::general_task(team::self(),
                            {run_owner, &owner, nullptr, sizeof owner, alignof(Owner), false, false,
                             nullptr, discard_owner},
                            true);
}

HEDDLE_EXPORT void heddle_sync() {
    if (team::Member* member = team::self_or_null())
        construct::taskwait(*member);
}

HEDDLE_EXPORT void heddle_leave_children(heddle_thread* thread, heddle_frame* frame) noexcept {
    schedule::leave_families(*reinterpret_cast<team::Member*>(thread),
                             *reinterpret_cast<team::Frame*>(frame));
}

HEDDLE_EXPORT ptrdiff_t heddle_thread_offset_1() noexcept { return platform::self_offset(); }

HEDDLE_EXPORT int heddle_worker_number() { return team::self().worker->global_number; }

HEDDLE_EXPORT int heddle_worker_count() { return team::workers_made(); }
