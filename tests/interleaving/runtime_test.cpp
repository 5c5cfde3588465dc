// SPDX-License-Identifier: Apache-2.0
// The real team/ and schedule/ sources on fibers: small regions with tasks, taskwaits, taskgroups
// and barriers. Every task runs once, a wait ends after what it waits for, and everything comes to
// an end. Naps are allowed, as in the runtime. Four threads are a large team here, with a barrier
// tree and a fork that is passed on. The same under policies of the papers, with a ring
// of two for OMPi's. With fewer CPUs than threads these stand in for each other.
// Protocols: task-waiting.md, task-contexts.md, team-barrier.md, mailbox.md, stand-in.md.
#include "construct/parallel.cpp"

#include "construct/cancel.cpp"
#include "construct/icvs.cpp"
#include "construct/single.hpp"
#include "construct/task.hpp"
#include "construct/taskgroup.cpp"
#include "schedule/affinity.cpp"
#include "schedule/boxes.cpp"
#include "schedule/capture.cpp"
#include "schedule/create.cpp"
#include "schedule/dependences.cpp"
#include "schedule/family.cpp"
#include "schedule/hints.cpp"
#include "schedule/inbox.cpp"
#include "schedule/own_context.cpp"
#include "schedule/policy/cut_off.cpp"
#include "schedule/policy/descriptor.cpp"
#include "schedule/policy/ompi.cpp"
#include "schedule/policy/policy.cpp"
#include "schedule/priority_queue.cpp"
#include "schedule/record.cpp"
#include "schedule/remaining.cpp"
#include "schedule/run_task.cpp"
#include "schedule/stand_in.cpp"
#include "schedule/steal.cpp"
#include "schedule/throttle.cpp"
#include "schedule/told_tasks.hpp"
#include "schedule/wait.cpp"
#include "schedule/wait_at_barrier.cpp"
#include "team/attach.cpp"
#include "team/counting.cpp"
#include "team/fork_join.cpp"
#include "team/hosts.cpp"
#include "team/large_team.cpp"
#include "team/listener.cpp"
#include "team/lookout.cpp"
#include "team/mailbox.cpp"
#include "team/pool.cpp"
#include "team/pool_thread.cpp"
#include "team/region_memory.cpp"
#include "team/seats.cpp"
#include "team/served_host.cpp"
#include "team/stand_in.cpp"
#include "team/task_watch.cpp"
#include "team/worker.cpp"
#include "team/workshare.cpp"

#include "team_stubs.hpp"

#include <memory>

// No tool is told of tasks.
namespace heddle::schedule {
void run_told_task(void*) { explore::fail("a tool here"); }
void create_told_task(Member&, const NewTask&, const TaskClauses&, bool) {}
void tell_and_wait_for_dependences(Member&, const Dependences&) {}
ToldTask* told_task_of(const TaskRecord&) { return nullptr; }
void free_told_task(ToldTask*) {}
void tell_fulfilled(const TaskRecord&) {}
void tell_dependence(const TaskRecord&, const TaskRecord&) {}
} // namespace heddle::schedule

namespace construct = heddle::construct;
namespace platform = heddle::platform;
namespace team = heddle::team;

namespace heddle::config {
Settings& changeable_settings() {
    static Settings settings = [] {
        Settings made{};
        made.initial.nthreads = 2;
        made.initial.thread_limit = 0x7fffffff;
        made.initial.max_active_levels = 1;
        made.available_cpus = 8;
        made.spin_count = -1;
        made.kmp_task_throttling = true; // else tasks leave the fast path
        return made;
    }();
    return settings;
}
const Settings& settings() { return changeable_settings(); }
size_t stack_size(const Settings&) { return 0; }
void restart_in_forked_child() {}
} // namespace heddle::config

namespace heddle::place { // nothing is bound
int count_usable_cpus() { return 0; }
bool may_share(const config::Settings&) { return false; }
void restart_in_forked_child() {}
void restart_domains_in_forked_child() {}
void restart_arrays_in_forked_child() {}
void unbind_in_forked_child(ThreadBinding&) {}
platform::Atomic<int32_t> known_domains{1};
int find_domains() { return 1; }
int planned_domain(const void*) { return -1; }
int domain_of_page(const void*) { return -1; }
void undo_foreign_binding() {}
const config::PlaceList& places() { explore::fail("no places here"); }
Position position_of(const Placement&, int32_t, int32_t) { return {}; }
config::CpuSet online_cpus(const char*) { return {}; }
void read_topology(config::PlaceUnit, int, const config::CpuSet&, const char*, config::PlaceList&) {
}
} // namespace heddle::place

namespace heddle::construct {
void display_affinity(std::string_view) {}
void note_given_loop(Member&) { explore::fail("a watched loop"); }
} // namespace heddle::construct

namespace heddle::team {
void place_team(Team&, Member&, config::ProcBind) {}
void take_place(Member&) {}
int domain_of_self(const Member&) { return 0; }
int domain_of(const Team&, int32_t) { return 0; }
void leave_place(Team&, Member&) {}
void set_up_cpu_pressure() {}            // choose_wait_limits() has done it
void forget_cpu_pressure_after_fork() {} // nobody forks
} // namespace heddle::team

namespace {

struct Shared {
    int made = 0, run = 0;
    int passed = 0; ///< threads behind the barrier in the middle
    int parts[4] = {};
    int last = 0; ///< who cancels the region
    int cancels = 0;
    platform::Atomic<uint32_t> begun{0};
    platform::Atomic<team::TaskRecord*> event{nullptr}; ///< to be fulfilled
    int* notes = nullptr; ///< two, watched: of the block of a detached task, and of who fulfills it
};
Shared* shared; // of the current execution

template <class Body>
void task(Body body, bool deferrable = true, bool untied = false) {
    ++shared->made;
    construct::task(
        team::self(), [](void* data) { (*static_cast<Body*>(data))(); }, &body, sizeof body,
        alignof(Body), untied, deferrable);
}

/// One scheduling point of work, and the count.
void leaf() {
    platform::yield();
    ++shared->run;
}

void taskwait() { construct::taskwait(team::self()); }
bool primary() { return team::self().number == 0; }
void barrier() { heddle::schedule::wait_at_barrier(team::self()); }

template <void (*region)()>
void run_region_of(explore::World& world, unsigned threads, int regions) {
    team::choose_wait_limits();
    team::cpu_pressure.borrowed.store(0, platform::relaxed);
    heddle::concurrent::lock_slots.open_all();
    team::forget_pool_after_fork(false);
    auto state = std::make_shared<Shared>();
    world.thread([state, threads, regions] {
        shared = state.get();
        explore::unwatch(*state);
        for (int i = 0; i < regions; ++i) {
            team::Member& member = construct::begin_parallel(threads);
            construct::start_parallel(member, [](void*) { region(); }, nullptr);
            region();
            construct::end_parallel();
            explore::expect(shared->made == shared->run, "the region ended before its tasks");
            shared->passed = shared->cancels = 0;
            shared->begun.store(0, platform::relaxed);
        }
        team::pause_resources();
    });
}

void flat() {
    if (primary())
        for (int i = 0; i < 6; ++i)
            task(leaf);
}

void tree(int depth) {
    if (depth == 0)
        return leaf();
    int done[2] = {};
    for (int& child : done)
        task([depth, &child] {
            tree(depth - 1);
            child = 1;
        });
    taskwait();
    explore::expect(done[0] + done[1] == 2, "a taskwait ended before the children");
    ++shared->run;
}
void tree_of_waits() {
    if (primary())
        task([] { tree(2); });
}

/// A taskwait in a taskgroup empties the deque below the index at which the group began.
void wait_below_group() {
    if (!primary())
        return;
    for (int i = 0; i < 4; ++i)
        task(leaf);
    construct::begin_taskgroup(team::self());
    taskwait();
    explore::expect(shared->run >= 4, "a taskwait ended before the children");
    for (int i = 0; i < 4; ++i)
        task(leaf);
    construct::end_taskgroup(team::self());
    explore::expect(shared->made == shared->run, "a taskgroup ended before its tasks");
}

/// An undeferred task leaves children; a barrier empties the deque; then the base is too high.
void wait_after_barrier() {
    if (primary()) {
        task(
            [] {
                for (int i = 0; i < 3; ++i)
                    task(leaf);
                ++shared->run;
            },
            false);
        task(leaf);
    }
    barrier();
    if (primary()) {
        explore::expect(shared->made == shared->run, "a barrier ended before the tasks");
        for (int i = 0; i < 3; ++i)
            task(leaf);
        taskwait();
        explore::expect(shared->made == shared->run, "a taskwait ended before the children");
    }
}

/// Grandchildren that nobody waits for but the group and the barrier.
void grandchildren() {
    if (!primary())
        return;
    construct::begin_taskgroup(team::self());
    for (int i = 0; i < 3; ++i)
        task([] {
            for (int k = 0; k < 2; ++k)
                task(leaf);
            ++shared->run;
        });
    construct::end_taskgroup(team::self());
    explore::expect(shared->made == shared->run, "a taskgroup ended before its tasks");
}

void has_value(int value) {
    explore::expect(construct::task_icvs().nthreads == value, "a value that a task did not have");
}

/// What a task does that has inherited it, while others change theirs.
void keeps_value(int value) {
    has_value(value);
    leaf();
    has_value(value);
}

/// A task changes a control variable again and again. Its children have what it had when it made
/// them, and so have theirs, whom it does not wait for.
void own_values() {
    if (!primary())
        return;
    task([] {
        for (int value = 10; value < 13; ++value) {
            construct::task_icvs_for_write().nthreads = value;
            task([value] {
                task([value] { keeps_value(value); });
                has_value(value);
                ++shared->run;
            });
            if (value == 10)
                taskwait();
            has_value(value);
        }
        ++shared->run;
    });
}

/// So often that it leaves those of its contexts that nobody has any more.
void own_values_often() {
    if (!primary())
        return;
    task([] {
        for (int value = 10; value < 18; ++value) {
            construct::task_icvs_for_write().nthreads = value;
            task([value] { keeps_value(value); });
            has_value(value);
        }
        ++shared->run;
    });
}

/// All threads make tasks and wait for them.
void everybody() {
    int done[2] = {};
    for (int& child : done)
        task([&child] {
            task(leaf);
            task(leaf);
            taskwait();
            child = 1;
            ++shared->run;
        });
    taskwait();
    explore::expect(done[0] + done[1] == 2, "a taskwait ended before the children");
    barrier();
    explore::expect(shared->made == shared->run, "a barrier ended before the tasks");
}

void check_notes() {
    explore::expect(shared->notes[0] == 1 && shared->notes[1] == 1,
                    "a task was complete before its block or its event");
}

/// A task and its event, which the last thread fulfills before the block, in it, or after it. A
/// successor, and who waits for the task, see what both have done.
void detached() {
    team::Member& member = team::self();
    if (member.number == member.team_size - 1) {
        team::TaskRecord* event;
        while (!(event = shared->event.load(platform::acquire))) // pairs with the store below
            platform::relax();
        ++shared->notes[1];
        heddle::schedule::fulfill(*event);
    } else if (primary()) {
        int notes[2] = {};
        shared->notes = notes;
        team::TaskRecord& event = heddle::schedule::make_event(member);
        shared->event.store(&event, platform::release);
        shared->made += 2;
        const heddle::schedule::Dependence both{notes, heddle::schedule::DependenceKind::out};
        heddle::schedule::TaskClauses clauses;
        clauses.dependences = {&both, 1};
        clauses.event = &event;
        heddle::schedule::create_task(member,
                                      {[](void*) {
                                           ++shared->notes[0];
                                           leaf();
                                       },
                                       nullptr, nullptr, 0, 1, false, false},
                                      clauses, true);
        clauses.event = nullptr;
        heddle::schedule::create_task(member,
                                      {[](void*) {
                                           check_notes();
                                           leaf();
                                       },
                                       nullptr, nullptr, 0, 1, false, false},
                                      clauses, true);
        taskwait();
        check_notes();
        shared->event.store(nullptr, platform::relaxed); // released by the barrier
    }
}

/// The same, and each part is counted.
void everybody_in_parts() {
    ++shared->parts[team::self().number];
    everybody();
}

/// Each thread has a part of its own; from the third region on, when they have long been on offer,
/// one has tasks for all.
void parts() {
    if (++shared->parts[team::self().number] > 2)
        flat();
}

/// The same, with barriers, at which a thread goes from one part to another.
void parts_with_barrier() {
    const int number = team::self().number;
    ++shared->parts[number];
    for (int i = 1; i <= 2; ++i) {
        ++shared->passed;
        barrier();
        explore::expect(shared->passed >= 3 * i, "a barrier ended early");
        explore::expect(team::self().number == number, "a thread goes on as another one");
    }
}

/// The same, and behind a barrier the threads wait for each other in a way of their own: those that
/// have others to go on with, too.
void parts_that_meet_later() {
    ++shared->parts[team::self().number];
    barrier();
    team::meet(shared->begun, static_cast<uint32_t>(team::self().team_size));
}

heddle::concurrent::EventCount changed; // without sleepers between two executions

/// Two tasks of the primary that nobody runs but a second thread: the newer one waits for the other
/// in a way of its own.
void tasks_that_meet() {
    task([] {
        shared->begun.fetch_add(1, platform::acq_rel);
        platform::wake(shared->begun, 8);
        ++shared->run;
    });
    task([] {
        while (shared->begun.load(platform::acquire) == 0)
            platform::wait_on(shared->begun, 0, platform::forever);
        ++shared->run;
    });
}

/// Each part goes through a barrier, and the primary has such tasks while the other parts wait at
/// the next one, or are over.
void parts_at_barrier() {
    ++shared->parts[team::self().number];
    barrier();
    if (primary())
        tasks_that_meet();
    barrier();
}
void parts_over() {
    ++shared->parts[team::self().number];
    barrier();
    if (primary())
        tasks_that_meet();
}

/// The same, and each waits for the one before it, as at an ordered region.
void parts_in_turn() {
    team::Member& member = team::self();
    ++shared->parts[member.number];
    const auto mine = static_cast<uint32_t>(member.number);
    heddle::schedule::await(member, changed, [mine](platform::Order order) {
        return shared->begun.load(order) == mine;
    });
    shared->begun.fetch_add(1, platform::seq_cst);
    changed.notify_all();
    barrier();
}

/// Each part passes a barrier that nobody cancels, and has run tasks there. The next one never
/// opens: some part cancels the region, while others wait there, or are at other parts.
void parts_cancelled() {
    team::Member& member = team::self();
    ++shared->parts[member.number];
    if (++shared->passed == 1)
        shared->last = static_cast<int>(explore::choose(3));
    if (primary())
        flat();
    const bool is_over = heddle::schedule::wait_at_cancellable_barrier(member);
    explore::expect(!is_over || shared->cancels == 1, "nobody has cancelled");
    explore::expect(shared->passed == 3, "a barrier ended early");
    explore::expect(shared->made == shared->run, "a barrier ended before the tasks");
    if (is_over)
        return;
    if (member.number == shared->last) {
        shared->cancels = 1;
        explore::expect(construct::cancel(member, construct::CancelKind::parallel), "not allowed");
    }
    explore::expect(heddle::schedule::wait_at_cancellable_barrier(member), "a cancelled barrier");
    explore::expect(&team::self() == &member, "a part goes on as another one");
}

/// The same, and the threads wait for each other in a way of their own, so that all have to begin.
void parts_that_meet() {
    ++shared->parts[team::self().number];
    team::meet(shared->begun, static_cast<uint32_t>(team::self().team_size));
}

/// Untied tasks wait for children that others have, and take each other meanwhile.
void untied_waits() {
    if (!primary())
        return;
    for (int i = 0; i < 3; ++i)
        task(
            [] {
                int done[2] = {};
                for (int& child : done)
                    task([&child] {
                        platform::yield();
                        child = 1;
                        ++shared->run;
                    });
                taskwait();
                explore::expect(done[0] + done[1] == 2, "a taskwait ended before the children");
                ++shared->run;
            },
            true, true);
}

/// An untied task yields to older tasks, which empties the deque below its base, and goes on. All
/// threads do, so that nobody is left to help.
void yield_below_base() {
    for (int i = 0; i < 3; ++i)
        task(leaf);
    task(
        [] {
            task(leaf);
            for (int i = 0; i < 4; ++i)
                construct::taskyield(team::self());
            task(leaf);
            taskwait();
            ++shared->run;
        },
        false, true);
}

/// The same in a taskgroup, with a grandchild below the index at which the group began.
void yield_in_group() {
    for (int i = 0; i < 3; ++i)
        task(leaf);
    task(
        [] {
            construct::begin_taskgroup(team::self());
            for (int i = 0; i < 4; ++i)
                construct::taskyield(team::self());
            task(
                [] {
                    task(leaf);
                    ++shared->run;
                },
                false);
            construct::end_taskgroup(team::self());
            ++shared->run;
        },
        false, true);
}

void hint(int thread) {
    heddle::schedule::give_hint(
        team::self(), {team::HintKind::thread, thread % team::self().team_size, nullptr, 0});
}

/// Tasks for each thread in turn, in a group and outside.
void hinted_flat() {
    if (!primary())
        return;
    for (int i = 0; i < 3; ++i) {
        hint(i);
        task(leaf);
    }
    const uint32_t groups = team::self().team->hinted_groups.load(platform::relaxed);
    heddle::schedule::give_hint(team::self(), {team::HintKind::spread, 0, nullptr, 0});
    construct::begin_taskgroup(team::self());
    explore::expect(team::self().team->hinted_groups.load(platform::relaxed) == groups + 1,
                    "thieves do not learn of a hinted group");
    for (int i = 0; i < 3; ++i)
        task(leaf);
    construct::end_taskgroup(team::self());
    explore::expect(shared->run >= 3, "a taskgroup ended before its tasks");
}

/// Each thread waits for a task that is meant for the next one, which does the same.
void hinted_ring() {
    int done = 0;
    hint(team::self().number + 1);
    task([&done] {
        const team::Wait below = team::self().wait.load(platform::relaxed);
        hint(team::self().number + 1);
        task(leaf);
        taskwait();
        explore::expect(team::self().wait.load(platform::relaxed) == below,
                        "a wait that ended hides that a task below it waits");
        ++done;
        ++shared->run;
    });
    taskwait();
    explore::expect(done == 1, "a taskwait ended before the child");
}

/// Untied tasks wait for children in boxes, and take what is meant for their thread meanwhile.
void hinted_untied() {
    if (!primary())
        return;
    for (int i = 0; i < 2; ++i) {
        hint(1);
        task(
            [] {
                hint(0);
                task(leaf);
                task(leaf);
                taskwait();
                ++shared->run;
            },
            true, true);
    }
}

/// A team of three with fewer CPUs. The parts of its regions are on offer.
template <void (*region)(), int cpus, int regions = 2, bool offers = true>
void on_offer(explore::World& world) {
    team::stealing_is_off.store(0, platform::relaxed);
    heddle::config::changeable_settings().heddle.stand_in = offers;
    heddle::config::changeable_settings().cancellation = false;
    run_region_of<region>(world, 3, regions);
    team::cpu_pressure.cpus.store(cpus, platform::relaxed);
    world.at_end([] {
        for (int i = 0; i < 3; ++i)
            explore::expect(shared->parts[i] == regions, "a part not executed once");
    });
}

/// One thread cancels the region and goes to its end. The others give each other what lies on their
/// stacks, and no stack is used for anything else before all have copied.
void copies_cancelled() {
    team::Member& member = team::self();
    ++shared->parts[member.number];
    if (++shared->passed == 1)
        shared->last = static_cast<int>(explore::choose(3));
    if (member.number == shared->last) {
        explore::expect(construct::cancel(member, construct::CancelKind::parallel), "not allowed");
        return;
    }
    bool is_over = false;
    for (int copy = 0; copy < 3 && !is_over; ++copy) {
        volatile int value = 0;
        void* given = nullptr;
        if (construct::begin_copyprivate(member, &given)) {
            value = copy + 7;
            construct::end_copyprivate(member, const_cast<int*>(&value));
        } else {
            platform::yield();
            explore::expect(*static_cast<volatile int*>(given) == copy + 7, "another value");
        }
        if (copy == 1)
            is_over = heddle::schedule::wait_at_cancellable_barrier(member);
        else
            heddle::schedule::wait_for_copies(member, nullptr);
        value = -1;
    }
    explore::expect(&team::self() == &member, "a part goes on as another one");
}

/// Each thread begins its own part, and as many run tasks as there are CPUs.
template <void (*region)(), int cpus>
void seated(explore::World& world) {
    on_offer<region, cpus, 2, false>(world);
}

/// Where regions may be cancelled.
template <int cpus, bool offers = true, void (*region)() = parts_cancelled>
void cancelled(explore::World& world) {
    on_offer<region, cpus, 2, offers>(world);
    heddle::config::changeable_settings().cancellation = true;
}

using Policy = heddle::config::TaskPolicyKind;

template <void (*region)(), unsigned threads, int regions = 1, Policy policy = Policy::heddle>
void with(explore::World& world) {
    heddle::config::TaskPolicy& chosen = heddle::config::changeable_settings().heddle.task_policy;
    chosen.kind = policy;
    chosen.slots = 2;
    heddle::config::changeable_settings().cancellation = false;
    team::stealing_is_off.store(0, platform::relaxed);
    run_region_of<region>(world, threads, regions);
}

template <void (*region)(), unsigned threads>
void without_stealing(explore::World& world) {
    with<region, threads>(world);
    team::stealing_is_off.store(1, platform::relaxed);
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"flat", with<flat, 2, 2>, 0.5, 0},
                         {"flat_three", with<flat, 3, 2>, 0.5, 0},
                         {"tree", with<tree_of_waits, 2>, 0.5, 0},
                         {"tree_three", with<tree_of_waits, 3>, 0.5, 0},
                         {"wait_below_group", with<wait_below_group, 2>, 0.5, 0},
                         {"wait_after_barrier", with<wait_after_barrier, 2>, 0.5, 0},
                         {"grandchildren", with<grandchildren, 3>, 0.5, 0},
                         {"own_values", with<own_values, 2>, 0.5, 0},
                         {"own_values_three", with<own_values, 3>, 0.5, 0},
                         {"own_values_often", with<own_values_often, 2>, 0.5, 0},
                         {"untied_waits", with<untied_waits, 2>, 0.5, 0},
                         {"untied_waits_three", with<untied_waits, 3>, 0.5, 0},
                         {"yield_below_base", with<yield_below_base, 2>, 0.5, 0},
                         {"yield_in_group", with<yield_in_group, 2>, 0.5, 0},
                         {"everybody", with<everybody, 2, 2>, 0.5, 0},
                         {"everybody_three", with<everybody, 3>, 0.5, 0},
                         {"detached", with<detached, 2, 2>, 0.5, 0},
                         {"detached_three", with<detached, 3>, 0.5, 0},
                         {"large_flat", with<flat, 4, 2>, 0.5, 0},
                         {"large_tree", with<tree_of_waits, 4>, 0.5, 0},
                         {"large_everybody", with<everybody, 4, 2>, 0.5, 0},
                         {"hinted_flat", with<hinted_flat, 2, 2>, 0.5, 0},
                         {"hinted_flat_three", with<hinted_flat, 3>, 0.5, 0},
                         {"hinted_ring", with<hinted_ring, 2>, 0.5, 0},
                         {"hinted_ring_three", with<hinted_ring, 3>, 0.5, 0},
                         {"hinted_ring_alone", without_stealing<hinted_ring, 2>, 0.5, 0},
                         {"hinted_flat_alone", without_stealing<hinted_flat, 3>, 0.5, 0},
                         {"hinted_untied", with<hinted_untied, 2>, 0.5, 0},
                         {"large_hinted", with<hinted_ring, 4>, 0.5, 0},
                         {"parts_one_cpu", on_offer<parts, 1, 3>, 0.5, 0},
                         {"parts_two_cpus", on_offer<parts, 2, 3>, 0.5, 0},
                         {"parts_meet_one_cpu", on_offer<parts_that_meet, 1>, 0.5, 0},
                         {"parts_meet_two_cpus", on_offer<parts_that_meet, 2>, 0.5, 0},
                         {"parts_barrier", on_offer<parts_with_barrier, 1>, 0.5, 0},
                         {"parts_barrier_two_cpus", on_offer<parts_with_barrier, 2>, 0.5, 0},
                         {"parts_meet_later", on_offer<parts_that_meet_later, 1>, 0.5, 0},
                         {"parts_meet_later_two_cpus", on_offer<parts_that_meet_later, 2>, 0.5, 0},
                         {"parts_at_barrier", on_offer<parts_at_barrier, 1>, 0.5, 0},
                         {"parts_at_barrier_two_cpus", on_offer<parts_at_barrier, 2>, 0.5, 0},
                         {"parts_over", on_offer<parts_over, 1>, 0.5, 0},
                         {"parts_over_two_cpus", on_offer<parts_over, 2>, 0.5, 0},
                         {"parts_in_turn", on_offer<parts_in_turn, 1>, 0.5, 0},
                         {"parts_in_turn_two_cpus", on_offer<parts_in_turn, 2>, 0.5, 0},
                         {"parts_cancelled", cancelled<1>, 0.5, 0},
                         {"parts_cancelled_two_cpus", cancelled<2>, 0.5, 0},
                         {"seated_barrier", seated<parts_at_barrier, 1>, 0.5, 0},
                         {"seated_barrier_two_cpus", seated<parts_at_barrier, 2>, 0.5, 0},
                         {"seated_cancelled", cancelled<2, false>, 0.5, 0},
                         {"copies_cancelled", cancelled<3, false, copies_cancelled>, 0.5, 0},
                         {"copies_on_offer", cancelled<2, true, copies_cancelled>, 0.5, 0},
                         {"seated_over", seated<parts_over, 1>, 0.5, 0},
                         {"seated_over_two_cpus", seated<parts_over, 2>, 0.5, 0},
                         {"seated_tree", seated<everybody_in_parts, 1>, 0.5, 0},
                         {"seated_tree_two_cpus", seated<everybody_in_parts, 2>, 0.5, 0},
                         {"pool_flat", with<flat, 3, 2, Policy::bff>, 0.2, 0},
                         {"pool_grandchildren", with<grandchildren, 3, 1, Policy::bfl>, 0.2, 0},
                         {"pool_everybody", with<everybody, 3, 1, Policy::bff>, 0.2, 0},
                         {"queues_tree", with<tree_of_waits, 3, 1, Policy::wffl>, 0.2, 0},
                         {"queues_group", with<wait_below_group, 2, 1, Policy::wlll>, 0.2, 0},
                         {"queues_everybody", with<everybody, 3, 1, Policy::cilk>, 0.2, 0},
                         {"ring_flat", with<flat, 3, 2, Policy::ompi>, 0.2, 0},
                         {"ring_tree", with<tree_of_waits, 2, 1, Policy::ompi>, 0.2, 0},
                         {"ring_yield", with<yield_in_group, 2, 1, Policy::ompi>, 0.2, 0},
                         {"ring_everybody", with<everybody, 3, 1, Policy::ompi>, 0.2, 0}});
}
