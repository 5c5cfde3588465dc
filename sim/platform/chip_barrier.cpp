// SPDX-License-Identifier: Apache-2.0
// Teams' barriers on the signal bus; own_means.hpp says how they use its lines.
// To turn active again a thread drives the group's `returning` line, then looks: if somebody is
// still active, so is it, and drives the barrier's line; nobody leaves while either is up. One read
// gives all lines of one moment, and a barrier's line never comes up again once it is down and
// `returning` too, so whoever sees both down leaves with all others.
#include "platform/contract.hpp"

#include "engine/engine.hpp"
#include "machine/signal_bus.hpp"

namespace heddle::platform::own {

using sim::ChipRuntime;
using sim::engine;
using sim::SignalBus;

namespace {

constexpr int phases = 3, lines_of_group = 5;
constexpr int most_groups = SignalBus::most_lines / lines_of_group;
constexpr unsigned returning = 1u << 3, tasks = 1u << 4; ///< of a group's lines

/// What one thread knows of a group. In its scratchpad, and plain.
struct Seat {
    bool enrolled = false;
    bool active_again = false; ///< it has arrived at the barrier before `barriers`, and come back
    uint32_t barriers = 0;     ///< at which it has arrived
    uint64_t task_region = 0;  ///< the last one in which it has deferred tasks
};

} // namespace

/// The lines of one team.
struct Group {
    const void* team = nullptr;
    int32_t size = 0;
    bool in_use = false; ///< by the team's current region
    uint64_t region = 0;
    int first_line = 0;
    std::vector<Seat> seats; ///< by thread

    Seat& seat(const sim::Fiber& thread) {
        if (thread.number >= seats.size())
            seats.resize(thread.number + 1);
        return seats[thread.number];
    }
    uint16_t mask() const {
        return static_cast<uint16_t>(((1u << lines_of_group) - 1) << first_line);
    }
};

namespace {

/// The chip's bus, and whose its lines are.
struct Bus {
    Bus() { engine.lines().place(port, sizeof port, sim::Home::signal_bus); }

    alignas(64) char port[64] = {}; ///< stands for it where accesses are charged
    SignalBus lines;
    Group groups[most_groups];
    int given_out = 0;
};

Bus& bus() { return sim::of_this_run<Bus>(); }

bool has_bus() {
    return engine.is_on() && engine.machine().scratch &&
           engine.machine().scratch->runtime.barrier == ChipRuntime::Barrier::signal_bus &&
           engine.machine().scratch->signal_bus_bits >= lines_of_group;
}

unsigned line_of(uint32_t barrier) { return 1u << barrier % phases; }

/// The calling thread drives these lines of the group; others of its own stay as they are.
void drive(const Group& group, unsigned lines) {
    Bus& chip = bus();
    const size_t unit = engine.current().number; // alone on its unit
    engine.store(chip.port, false);
    const auto others = static_cast<unsigned>(chip.lines.driven_by(unit) & ~group.mask());
    chip.lines.write(unit, static_cast<uint16_t>(others | lines << group.first_line));
}

unsigned look(const Group& group) {
    Bus& chip = bus();
    engine.load(chip.port);
    return static_cast<unsigned>((chip.lines.read() & group.mask()) >> group.first_line);
}

/// What the thread with that seat drives, but for `returning`.
unsigned lines_of(const Group& group, const Seat& seat) {
    unsigned lines = line_of(seat.barriers);
    if (seat.active_again)
        lines |= line_of(seat.barriers - 1);
    return seat.task_region == group.region ? lines | tasks : lines;
}

Group* find(const void* team) {
    Bus& chip = bus();
    for (int i = 0; i < chip.given_out; ++i)
        if (chip.groups[i].team == team && chip.groups[i].in_use)
            return &chip.groups[i];
    return nullptr;
}

} // namespace

void Barrier::begin_region(const void* team, int32_t size, bool has_new_threads) {
    if (!has_bus())
        return;
    Bus& chip = bus();
    Group* chosen = nullptr;
    for (int i = 0; i < chip.given_out; ++i) {
        Group& group = chip.groups[i];
        if (group.team != team)
            continue;
        group.in_use = false;
        if (has_new_threads)
            group.team = nullptr; // threads that have left would keep its lines up
        else if (group.size == size)
            chosen = &group;
    }
    const int most = engine.machine().scratch->signal_bus_bits / lines_of_group;
    if (!chosen && chip.given_out < most && size <= engine.machine().cpus()) {
        chosen = &chip.groups[chip.given_out];
        chosen->team = team;
        chosen->size = size;
        chosen->first_line = lines_of_group * chip.given_out++;
    }
    if (!chosen)
        return;
    chosen->in_use = true;
    ++chosen->region;
}

bool Barrier::serves(const void* team, int32_t size) {
    if (!has_bus() || size == 1)
        return false;
    Group* const group = find(team);
    if (!group)
        return false;
    Seat& seat = group->seat(engine.current());
    if (seat.enrolled)
        return true;
    seat.enrolled = true;
    drive(*group, line_of(0)); // before it arrives in memory, and so before others look
    return false;
}

void Barrier::announce_tasks(const void* team) {
    Group* const group = has_bus() ? find(team) : nullptr;
    if (!group)
        return;
    Seat& seat = group->seat(engine.current());
    if (seat.task_region == group->region)
        return;
    seat.task_region = group->region;
    if (seat.enrolled) // else all meet in memory, where tasks are looked for
        drive(*group, lines_of(*group, seat));
}

Barrier::Barrier(const void* team) : group_(*find(team)) {}

bool Barrier::arrive(uint32_t& epoch) {
    Seat& seat = group_.seat(engine.current());
    const bool first = !seat.active_again;
    seat.barriers += first ? 1 : 0;
    seat.active_again = false;
    epoch = seat.barriers - 1;
    drive(group_, lines_of(group_, seat));
    if (!first)
        return false;
    while (!completed(epoch)) {
        if (has_tasks_)
            return false;
        relax();
    }
    return !has_tasks_;
}

bool Barrier::completed(uint32_t epoch) {
    const unsigned lines = look(group_);
    has_tasks_ = (lines & tasks) != 0;
    return (lines & (line_of(epoch) | returning)) == 0;
}

bool Barrier::rejoin(uint32_t epoch) {
    Seat& seat = group_.seat(engine.current());
    drive(group_, lines_of(group_, seat) | returning);
    seat.active_again = (look(group_) & line_of(epoch)) != 0;
    drive(group_, lines_of(group_, seat));
    return seat.active_again;
}

} // namespace heddle::platform::own
