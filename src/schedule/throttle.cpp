// SPDX-License-Identifier: Apache-2.0
// The deferral policy: when somebody is hungry, fill the queue up to a limit that thieves adjust,
// then run at once until somebody is hungry again. docs/task-policy.md. Sources: OMPi paper
// (bounded queue, hysteresis), with the limit learnt from how long stolen batches last
// (schedule/steal.cpp). Owner thread only.
#include "schedule/throttle.hpp"

#include "schedule/cancel.hpp"
#include "schedule/capture.hpp"
#include "schedule/create.hpp"
#include "team/counting.hpp"
#include "team/cpu_pressure.hpp"
#include "team/large_team.hpp"
#include "team/stand_in.hpp"
#include "team/watching.hpp"

namespace heddle::schedule {

namespace {

/// How many more tasks go to the deque: `deferring` without its flags.
uint32_t deferrals(const Member& member) { return member.deferring & ~team::deferring_flags; }
void set_deferrals(Member& member, uint32_t count) {
    member.deferring = (member.deferring & team::deferring_flags) | count;
}

/// How many tasks to publish at once: a grain, if requests have come one after another. Tasks that
/// sleep need a thread each.
uint32_t gathered(const Member& member) {
    if (HEDDLE_UNLIKELY(member.team->tasks_sleep.load(platform::relaxed))) // a hint: see expose()
        return 1;
    const uint32_t grain = member.deque.grain();
    return grain < member.gathers ? grain : member.gathers;
}

/// Memory for 64 KiB of tasks; LLVM's suite wants a bound below 2000.
constexpr uint32_t outermost_limit = 1024;

/// Do the current task's children wait for each other?
bool creates_dependent_tasks(const Member& member) {
    const Family* const family = member.current->family;
    return family && family->dependences;
}

/// And do thieves find them tiny? Each that is queued makes records of all that depend on it, as
/// long as it takes to come back.
bool creates_tiny_dependent_tasks(const Member& member) {
    return creates_dependent_tasks(member) &&
           member.deque.task_size() == concurrent::TaskDeque::tiny;
}

/// Up to what length the queue is filled: a few tasks for each thread that runs, whatever thieves
/// said of how long theirs last. Fewer tasks of 100 us reach a third of 16 threads only. Where
/// stealing is worth it the outermost tasks are all queued before the first is run: theirs are the
/// largest trees, and who waits for them may run anything. And at least one for each thread, for
/// tasks may wait for each other.
uint32_t queue_limit(const Member& member) {
    const uint32_t limit = member.deque.limit();
    if (creates_tiny_dependent_tasks(member))
        return limit;
    if (member.current == &member.implicit_task &&
        member.deque.task_size() != concurrent::TaskDeque::tiny)
        return outermost_limit;
    const int32_t few = 4 * team::threads_running(member);
    const auto least = static_cast<uint32_t>(few < member.team_size ? member.team_size : few);
    return limit < least ? least : limit;
}

/// Who waits inside a task may run its descendants only. Tasks of outer levels, with large trees
/// below them, cannot be had once their creators are busy with inner ones. So where such a thread
/// has found leaves only, a stock of tasks stays queued: twice as many after each request of that
/// kind, half after as many others in a row as other threads run, and a quarter where it
/// takes more deferrals than a theft is worth: the more, the more threads would wait without it.
constexpr uint16_t largest_stock = 256, deferrals_for_each_thread = 32, most_deferrals = 1 << 14;

uint32_t deferrals_for_a_theft(const Member& member) {
    const uint32_t worth =
        deferrals_for_each_thread * static_cast<uint32_t>(team::threads_running(member));
    return worth < most_deferrals ? worth : most_deferrals;
}

void adapt_stock(Member& member) {
    const uint32_t wants = member.deque.wants_tasks();
    if (wants == concurrent::TaskDeque::roots_wanted) {
        member.stocked = member.other_requests = 0;
        if (member.stock < largest_stock)
            member.stock = static_cast<uint16_t>(member.stock * 2);
    } else if (wants == concurrent::TaskDeque::wanted && member.stock > 1 &&
               ++member.other_requests >= team::threads_running(member) - 1) {
        member.other_requests = 0;
        member.stock = member.stock / 2;
    }
}

/// From now on tasks are queued, until there are as many.
void begin_filling(Member& member, uint32_t limit) {
    member.creator = member.current;
    const bool looks = member.deque.task_size() == concurrent::TaskDeque::large;
    set_deferrals(member, limit + (looks ? 1 : 0));
}

/// Tasks are wanted. If those that may be published are worth a steal, they are; else the owner
/// gathers some more first. True: the next task is one of them. It begins with one, for it may be
/// about to do other things for long, and twice as many with each request until the next barrier:
/// where tasks depend on each other only if there was something to publish, for a thief that takes
/// one of the few may be making others ready.
bool answer_request(Member& member, uint64_t queued) {
    concurrent::TaskDeque& deque = member.deque;
    adapt_stock(member);
    team::note_creator(member);
    const uint32_t limit = queue_limit(member), grain = gathered(member);
    const uint64_t own = deque.private_size();
    if (own < grain && grain > 1 && deque.has_request()) {
        deque.note_request();
        const uint64_t missing = grain - own;
        if (missing == 1 && queued < limit / 2) { // it is shared with this one, and filled then
            begin_filling(member, limit);
            deque.fill(limit - queued);
        } else {
            set_deferrals(member, static_cast<uint32_t>(missing));
            deque.fill(missing - 1); // the last one looks here again
        }
        return true;
    }
    const bool grows = own != 0 || !creates_dependent_tasks(member);
    if (grows && member.gathers == grain && grain < deque.grain())
        member.gathers = static_cast<uint16_t>(2 * grain);
    if (own != 0)
        expose(member);
    // Hysteresis: a half-full queue is only shared out, an emptier one is filled again.
    if (own == 0 || queued < limit / 2)
        begin_filling(member, limit);
    return false;
}

/// The queue is filled with large tasks, and its owner about to run one itself: it shares out all
/// of them, and comes here again at its next task if others have taken some since the last time.
/// True: the next task runs at once.
bool look_before_leaving(Member& member, uint64_t queued, uint32_t limit) {
    const auto taken = static_cast<uint32_t>(member.deque.taken());
    const bool robbed = taken != member.seen_taken;
    member.seen_taken = taken;
    if (robbed && queued < limit / 2) {
        set_deferrals(member, limit + 1);
        member.deque.fill(limit - queued);
        return false;
    }
    if (member.deque.has_private())
        expose(member, true);
    set_deferrals(member, robbed ? 1 : 0);
    member.deque.fill(0);
    return true;
}

/// Is the next task just one more to fill the queue with? Not one of another parent: a tree's
/// creator has hungry threads wait no longer.
inline bool goes_on_filling(const Member& member) {
    const Frame& frame = *member.current;
    const Family* family = frame.family; // of a final task too, whose children depend on others
    return !member.deque.has_request() && member.deque.is_filling() && family &&
           family->context == frame.context() && !family->context->final &&
           member.deque.bottom() >= family->base;
}

/// Updates the throttle; true when the next task runs at once.
bool queue_is_full(Member& member) {
    if (member.team_size == 1) { // a thief of the last region may have asked when that was over
        member.deque.ask_no_more();
        set_deferrals(member, 0);
        return true;
    }
    const uint32_t limit = queue_limit(member), wants = member.deque.wants_tasks();
    if (wants == concurrent::TaskDeque::noted && goes_on_filling(member))
        return false; // also where each task is counted, or has clauses
    const uint64_t queued = member.deque.size();
    if (wants != 0 && answer_request(member, queued))
        return false;
    if ((queued >= limit || deferrals(member) == 1) && creates_large_tasks(member))
        return look_before_leaving(member, queued, limit);
    if (queued >= limit)
        set_deferrals(member, 0);
    else
        member.deque.fill(limit - queued);
    return deferrals(member) == 0;
}

[[gnu::noinline]] void run_on_stack_copy(Member& member, const NewTask& task, uintptr_t bits) {
    run_on_stack(member, task.function, task.size, task.alignment, bits,
                 [&task](void* room) { construct_copy(task, room); });
}

void run_with_copy(Member& member, const NewTask& task, uintptr_t bits) {
    if (!task.copy) {
        run_region(member, task.function, task.data, bits);
    } else if (task.size <= largest_stack_copy) {
        run_on_stack_copy(member, task, bits);
    } else {
        team::Capture* capture = capture_outside(member, task);
        if (!capture)
            platform::die("no memory for the data of a task");
        run_region(member, task.function, capture->data, bits);
        free_capture(member.worker, capture);
    }
}

/// May the initial team defer a task? It has no barrier to run it. The outermost explicit task
/// around it gets a family, so that its end comes to leave_families(), which drains the deque.
bool will_drain(Member& member) {
    if (member.drain != team::Drain::no)
        return true;
    Frame* outermost = member.current;
    if (outermost == &member.implicit_task)
        return false;
    while (outermost->parent != &member.implicit_task)
        outermost = outermost->parent;
    if (!outermost->family && !new_family(member, *outermost))
        return false;
    member.drain = team::Drain::due;
    return true;
}

} // namespace

void drain_initial_task(Member& member) {
    member.drain = team::Drain::going_on; // what is deferred meanwhile is run by this loop
    while (TaskSlot* slot = member.deque.pop(0))
        run_slot(member, *slot);
    member.drain = team::Drain::no;
}

namespace {
/// Tasks that sleep need a thread each, and their creator may be asleep when the next one is free.
[[gnu::noinline]] void expose_all(Member& member) {
    while (member.deque.has_private())
        member.deque.publish();
    member.deque.ask_for_tasks();
    member.team->sleep.notify(1);
}
} // namespace

void expose(Member& member, bool all) {
    member.deque.publish(all);
    team::Team& team = *member.team;
    if (HEDDLE_UNLIKELY(team.tasks_sleep.load(platform::relaxed))) {
        expose_all(member);
        return;
    }
    if (HEDDLE_LIKELY(!team.sleep.has_sleepers()))
        return;
    // As many awake as there are CPUs is enough; those that sleep in a taskwait don't count.
    const int32_t enough = team::share_of_host(team::cpu_pressure.cpus.load(platform::relaxed)) +
                           team.parked.load(platform::relaxed);
    if (team::active_threads(team, enough) < enough)
        team.sleep.notify(1);
}

void run_undeferred(Member& member, const NewTask& task) {
    const uintptr_t untied = task.untied ? Frame::untied_bit : 0;
    if (HEDDLE_UNLIKELY(task.final)) {
        // A final context may live on this stack: its children are never deferred.
        const Context& inherited = *member.current->context();
        Context context;
        context.set(inherited.icvs, inherited.group, true);
        run_with_copy(member, task, reinterpret_cast<uintptr_t>(&context) | untied);
        return;
    }
    run_with_copy(member, task, (member.current->context_bits & ~Frame::own_bits) | untied);
}

namespace {

/// Is the next task, if plain and small, queued without another question?
inline bool is_filling(const Member& member) {
    return member.deferring - 1 < team::cancellable - 1 && goes_on_filling(member);
}

[[gnu::noinline]] void decide_on_plain_task(Member& member, TaskFunction function, void* data,
                                            size_t size, size_t alignment, unsigned bits) {
    const NewTask task{function, data,    nullptr, size, alignment, (bits & plain_untied) != 0,
                       false,    nullptr, nullptr};
    const bool deferrable = (bits & plain_undeferred) == 0;
    if (HEDDLE_UNLIKELY((member.deferring & team::deferring_flags & ~team::cancellable) != 0))
        create_task(member, task, {}, deferrable);
    else if (HEDDLE_UNLIKELY(is_cancelled(member, *member.current->context())))
        return;
    else if (!deferrable || would_run_at_once(member) || is_turned_away(member) ||
             !defer(member, task))
        run_undeferred(member, task);
}

} // namespace

void create_plain_task(Member& member, TaskFunction function, void* data, size_t size,
                       size_t alignment, unsigned bits) {
    if (HEDDLE_UNLIKELY(size > TaskSlot::payload_size || !is_whole_words(size) || alignment > 16 ||
                        (bits & plain_undeferred) || !is_filling(member))) {
        decide_on_plain_task(member, function, data, size, alignment, bits);
        return;
    }
    Family& family = *member.current->family;
    TaskSlot& slot = member.deque.next_slot();
    copy_words(slot.payload, data, size);
    slot.function = function;
    slot.tag =
        reinterpret_cast<uintptr_t>(&family) | (bits & plain_untied ? team::slot_tag::untied : 0);
    family.children.add_local();
    member.deque.push();
    --member.deferring;
}

bool defer(Member& member, const NewTask& task) {
    Frame& frame = *member.current;
    Family* family = current_family(member, frame);
    TaskSlot* slot = family ? member.deque.reserve() : nullptr;
    if (!slot)
        return false;
    uintptr_t tag = tag_of(task, *family);
    if (HEDDLE_LIKELY(fits_slot(task))) {
        if (HEDDLE_LIKELY(is_whole_words(task.size)))
            copy_words(slot->payload, task.data, task.size);
        else
            __builtin_memcpy(slot->payload, task.data, task.size);
    } else {
        team::Capture* capture = capture_outside(member, task);
        if (!capture)
            return false;
        // The copy constructor may have created tasks itself: take the slot anew.
        slot = member.deque.reserve();
        if (!slot)
            platform::die("no memory for a task whose data are already copied");
        __builtin_memcpy(slot->payload, &capture, sizeof capture);
        tag |= team::slot_tag::external;
    }
    slot->function = task.function;
    slot->tag = tag;
    family->children.add_local();
    if (HEDDLE_UNLIKELY(member.deque.bottom() < family->base))
        lower_base(member, *family); // a barrier or an older family's wait has emptied the deque
    member.deque.push();
    note_deferral(member);
    return true;
}

void keep_stock(Member& member) {
    const uint64_t queued = member.deque.size();
    if (deferrals(member) != 0 || queued >= member.stock || member.team_size == 1)
        return;
    const uint64_t missing = member.stock - queued;
    set_deferrals(member, static_cast<uint32_t>(missing));
    member.deque.fill(missing);
    member.stocked = static_cast<uint16_t>(member.stocked + missing);
    if (member.stocked <= deferrals_for_a_theft(member))
        return;
    member.stocked = 0;
    member.stock = member.stock < 4 ? 1 : member.stock / 4;
}

bool is_turned_away(Member& member) {
    const bool throttles =
        platform::stack_pointer() > member.stack_limit && config::settings().kmp_task_throttling;
    return member.current->context()->final || (throttles && queue_is_full(member)) ||
           (member.team->level == 0 && !will_drain(member));
}

namespace {

[[gnu::noinline]] void look_after_deferral(Member& member) {
    if (team::counts(member)) {
        team::count(member, team::Counter::deferred);
        team::note_deferred(member);
    }
    // Where queued tasks are meant to wait for others, the owner may not come back to share them.
    if ((member.deque.wants_tasks() && member.deque.private_size() >= gathered(member)) ||
        (needs_attention(member) && member.deque.has_private()))
        expose(member);
}

} // namespace

void note_deferral(Member& member) {
    // Counted down, for a queue that its owner empties as fast never reaches the limit.
    if (deferrals(member) != 0)
        --member.deferring;
    if (member.deque.wants_tasks() || (member.deferring & team::deferring_flags) != 0)
        look_after_deferral(member);
}

} // namespace heddle::schedule
