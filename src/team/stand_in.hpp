// SPDX-License-Identifier: Apache-2.0
// Standing in: where a team has more threads than there are CPUs, its primary offers their parts of
// the region, and wakes as many as there are CPUs. A thread that has finished its own part takes
// parts that nobody has begun, instead of waiting until the system runs their threads.
// Written by the primary (the offer) and by all threads of the team. docs/protocols/stand-in.md.
#pragma once

#include "team/cpu_pressure.hpp"
#include "team/worker.hpp"

namespace heddle::team {

/// How many threads of a team with more threads than CPUs a region keeps awake.
enum class Crowd {
    all,     ///< each begins its part, and all run tasks at barriers
    seated,  ///< the same, but as many run tasks as there are CPUs: team/seats.hpp
    on_offer ///< as many as there are CPUs begin all parts
};

/// By the primary. Some execute what others would have, but where that could be noticed: threads
/// are bound or watched, or programs have data with them.
Crowd crowd_of(Team& team, TaskFunction function, const void* data);

/// start() of fork_join for such a team.
void offer_parts(Team& team, TaskFunction function, void* data,
                 void (*run)(Member&, TaskFunction, void*));

/// By the primary: the region is over.
void end_offers(Member& primary);

/// On a thread of the pool that begins a region with that epoch, where such regions begin or end.
/// `was_long`: its part was on offer for so long that all others are called. Returns for how many
/// threads it is to wait, when it waits for the next one.
int note_offers(Member& member, uint32_t epoch, bool was_long);

/// Before a thread waits for others of its team, and cannot go on with their parts meanwhile: those
/// that are still to begin are woken.
void call_others(Member& member);

/// By a lookout: threads of the team wait for each other in ways that we don't see.
void note_stuck(Team& team);

/// By a lookout that runs tasks. `tasks_block`: its team needs all its threads for them.
void note_help(Team& team, bool tasks_block);

/// Wakes all whose parts are on offer. False: there are none.
bool call_waiting(Team& team, int32_t size);

/// A worker of the member's team whose part was on offer and is now to be executed by the thread of
/// `taker`; else nullptr: there is none among `untried`.
Worker* take_part(Member& member, Worker& taker, Untried& untried);

/// Are all threads to run tasks of the region on offer? They block: see team/task_watch.hpp.
inline bool wants_all(const Team& team) {
    return team.tasks_sleep.load(platform::relaxed) != 0 ||
           team.on_offer.is_stuck.load(platform::relaxed) != 0;
}

/// How many threads run the parts and tasks of the member's team, as a rule: where the region is on
/// offer one for each CPU. The CPUs are a hint.
inline int32_t threads_running(const Member& member) {
    if (HEDDLE_LIKELY(!member.offers))
        return member.team_size;
    const int32_t cpus = cpu_pressure.cpus.load(platform::relaxed);
    return cpus < member.team_size ? cpus : member.team_size;
}

/// How many threads of the member's team want a CPU: all, once one has been called; but those that
/// stand back from its tasks.
inline int32_t threads_awake(const Member& member) {
    const int32_t few = threads_running(member);
    if (HEDDLE_LIKELY(!member.offers))
        return few;
    const Team& team = *member.team;
    if (!member.meets_awake && team.on_offer.is_crowded.load(platform::relaxed) == 0)
        return few;
    const bool stand_back = team.has_tasks.load(platform::relaxed) != 0 && !wants_all(team);
    return stand_back ? few : member.team_size;
}

/// Does the member's thread leave tasks to those that find a CPU? In a region on offer it has begun
/// because it was awake, or late; otherwise all have. If these will not do, one is woken.
inline bool stands_back(const Member& member, uint32_t epoch, bool after_nap) {
    Team& team = *member.team;
    if (HEDDLE_UNLIKELY(member.offers))
        return !member.part.carrier->carrier.finds_cpu && !wants_all(team);
    const int32_t seats = team.seat_count.load(platform::relaxed);
    return HEDDLE_UNLIKELY(seats != 0) && !wants_all(team) &&
           !take_seat(team.seats, seats, epoch, member.number, after_nap);
}

/// By a thread that shares its tasks out.
inline void note_creator(const Member& member) {
    Team& team = *member.team;
    const int32_t seats = team.seat_count.load(platform::relaxed);
    if (HEDDLE_UNLIKELY(seats != 0) && !member.in_barrier) // there it has one
        take_seat(team.seats, seats, team.barrier.epoch(), member.number, false);
}

/// The bounds for an episode of waiting by the member's thread. In a region on offer no policy lets
/// it spin for ever: where another process has threads as well, Linux 6.18 was seen to leave the
/// awaited one without a CPU for 92 s while its team's other thread spun on the CPU beside.
inline concurrent::WaitLimits wait_limits(const Member& member) {
    const concurrent::WaitLimits limits = wait_limits(threads_awake(member));
    return HEDDLE_UNLIKELY(member.offers) ? bounded(limits) : limits;
}

} // namespace heddle::team
