// SPDX-License-Identifier: Apache-2.0
// What a debugger has to know to find teams and their threads in the memory of a process, or of one
// that is dead: the places of the few words that it reads. Exported, so that it works without
// debugging information. Read by python/heddle/debugger; nothing here is called.
#include "abi/export.hpp"
#include "team/worker.hpp"

#include <cstddef>

// Where the compilers that build this put them, which is all that is asked for.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace heddle::team {

namespace {

struct Entry {
    char name[32];
    uint64_t value;
};

#define HEDDLE_PLACE(type, member) {#type "." #member, offsetof(type, member)}
#define HEDDLE_VALUE(type, name) {#type "::" #name, static_cast<uint64_t>(type::name)}
#define HEDDLE_BIT(name) {#name, name}

constexpr Entry places[] = {
    HEDDLE_PLACE(Member, current),
    HEDDLE_PLACE(Member, team),
    HEDDLE_PLACE(Member, worker),
    HEDDLE_PLACE(Member, enclosing),
    HEDDLE_PLACE(Member, implicit_task),
    HEDDLE_PLACE(Member, wait),
    HEDDLE_PLACE(Member, part),
    HEDDLE_PLACE(Frame, parent),
    HEDDLE_PLACE(Part, state),
    HEDDLE_PLACE(Part, left.pointer),
    HEDDLE_PLACE(Team, size),
    HEDDLE_PLACE(Team, level),
    HEDDLE_PLACE(Team, members),
    HEDDLE_PLACE(Team, size_on_offer),
    HEDDLE_PLACE(Worker, mailbox.epoch),
    HEDDLE_PLACE(Worker, level),
    HEDDLE_PLACE(Worker, carrier.left),
    HEDDLE_PLACE(Worker::Level, member),
    HEDDLE_VALUE(PartState, active),
    HEDDLE_VALUE(Wait, left),
    HEDDLE_BIT(offered),
    HEDDLE_BIT(taken),
};
constexpr size_t count = sizeof places / sizeof places[0];

} // namespace

struct DebugTable {
    uint32_t version = 1; ///< of the entries' names and meanings
    uint32_t entries = count;
    /// Of the word that has a thread's member, from its thread pointer on; 0: not loaded yet.
    ptrdiff_t self_offset = 0;
    Entry entry[count];

    constexpr DebugTable() : entry{} {
        for (size_t i = 0; i < count; ++i)
            entry[i] = places[i];
    }
};

HEDDLE_EXPORT DebugTable heddle_debug_table;
constinit DebugTable heddle_debug_table;

namespace {
__attribute__((constructor)) void complete() {
    heddle_debug_table.self_offset = platform::self_offset();
}
} // namespace

} // namespace heddle::team
