// SPDX-License-Identifier: Apache-2.0
// The table of dependences. For each location two lists: `current`, the children that used it last
// and in the same way, and `previous`, what those had to wait for, as long as more may join them.
// One out is a list of its own; in joins in, inoutset joins inoutset. A new user that joins waits
// for `previous`, any other for `current`, and everybody for the last user of all memory.
#include "schedule/dependences.hpp"

#include "concurrent/scatter.hpp"
#include "schedule/told_tasks.hpp"

namespace heddle::team {

struct DependenceEntry {
    const void* address; ///< nullptr: free
    schedule::DependenceUse* current;
    schedule::DependenceUse* previous;
    schedule::DependenceKind kind; ///< of all in `current`
};

/// Behind Family::dependences. Open addressing with linear probing, at most half full.
struct DependenceTable {
    DependenceEntry* entries = nullptr;
    DependenceEntry* spare = nullptr;              ///< as large, or nullptr
    size_t capacity = 0;                           ///< a power of two, or 0
    size_t used = 0;                               ///< entries with an address
    size_t entered = 0;                            ///< uses since the last sweep
    size_t sweep_at = 0;                           ///< value of `entered` at which to sweep
    schedule::DependenceUse* everything = nullptr; ///< the last user of all memory
};

} // namespace heddle::team

namespace heddle::schedule {

namespace {

using concurrent::SuccessorList;
using team::DependenceEntry;
using team::DependenceTable;

constexpr size_t first_capacity = 64, first_sweep = 256;

bool joins(DependenceKind kind) { return kind != DependenceKind::out; }

bool is_all_memory(const Dependence& dependence) { return dependence.address == nullptr; }

DependenceTable* find_table(const Frame& frame) {
    for (const Family* family = frame.family; family; family = family->older)
        if (family->dependences)
            return family->dependences;
    return nullptr;
}

/// Where `address` is, or the free entry where it belongs; the table has one.
DependenceEntry& locate(const DependenceTable& table, const void* address) {
    const size_t mask = table.capacity - 1;
    size_t i = concurrent::scattered_bits(reinterpret_cast<uintptr_t>(address) >> 3, 32);
    while (table.entries[i & mask].address && table.entries[i & mask].address != address)
        ++i;
    return table.entries[i & mask];
}

/// What a new user of `entry` in the manner `kind` has to wait for.
DependenceUse* predecessors(const DependenceEntry& entry, DependenceKind kind) {
    return joins(kind) && entry.kind == kind ? entry.previous : entry.current;
}

size_t count_unfinished(const DependenceUse* use) {
    size_t count = 0;
    for (; use; use = use->next)
        count += use->task->successors.closed() ? 0 : 1;
    return count;
}

/// The table forgets one use; the last use of a finished task frees it.
void drop(Member& member, DependenceUse* use) {
    TaskRecord& task = *use->task;
    if (--task.uses == 0 && (task.successors.closed() || task.successors.abandon()))
        release_record(member.worker, task);
}

void drop_all(Member& member, DependenceUse*& list) {
    while (DependenceUse* use = list) {
        list = use->next;
        drop(member, use);
    }
}

/// Drops the finished ones of `list`; returns how many are left.
size_t prune(Member& member, DependenceUse*& list) {
    size_t left = 0;
    DependenceUse** link = &list;
    while (DependenceUse* use = *link) {
        if (use->task->successors.closed()) {
            *link = use->next;
            drop(member, use);
        } else {
            link = &use->next;
            ++left;
        }
    }
    return left;
}

/// Collects links to predecessors for one successor.
class Linker {
public:
    explicit Linker(TaskRecord& successor) : successor_(successor), links_(links_of(successor)) {}

    /// `successor` waits for everyone in `list` who is unfinished.
    void link_all(const DependenceUse* list) {
        for (; list; list = list->next) {
            if (list->task == &successor_ || list->task->successors.closed())
                continue;
            HEDDLE_CHECK(count_ < successor_.links);
            SuccessorList::Link& link = links_[count_];
            link.successor = &successor_;
            if (!list->task->successors.add(link))
                continue;
            ++count_;
            if (HEDDLE_UNLIKELY(list->task->function == run_told_task))
                tell_dependence(*list->task, successor_); // in the table, so its record is there
        }
    }

    int32_t count() const { return count_; }

private:
    TaskRecord& successor_;
    SuccessorList::Link* links_;
    int32_t count_ = 0;
};

/// Forgets finished tasks everywhere. Returns how many entries still name a task.
size_t sweep(Member& member, DependenceTable& table) {
    size_t uses = 0, live = 0;
    for (size_t i = 0; i < table.capacity; ++i) {
        DependenceEntry& entry = table.entries[i];
        const size_t left = prune(member, entry.current);
        uses += left + prune(member, entry.previous);
        live += left != 0 ? 1 : 0;
    }
    table.entered = 0;
    table.sweep_at = first_sweep + 2 * uses + table.capacity / 2;
    return live;
}

DependenceEntry* allocate_entries(size_t capacity) {
    return static_cast<DependenceEntry*>(
        platform::allocate(capacity * sizeof(DependenceEntry), concurrent::cache_line));
}

/// Moves the live entries, `live` of them, to an array with room for `more`. The old one is kept
/// for the next time, if it is as large. False without memory.
bool rebuild(DependenceTable& table, size_t live, size_t more) {
    size_t capacity = table.capacity ? table.capacity : first_capacity;
    while (capacity < (live + more) * 4)
        capacity *= 2;
    while (capacity > first_capacity && capacity > (live + more) * 32)
        capacity /= 2;
    DependenceEntry* entries = table.spare;
    if (!entries || capacity != table.capacity) {
        entries = allocate_entries(capacity);
        if (!entries)
            return false;
        platform::deallocate(table.spare);
    }
    __builtin_memset(entries, 0, capacity * sizeof(DependenceEntry));
    const DependenceTable old = table;
    table.entries = entries;
    table.capacity = capacity;
    table.used = live;
    for (size_t i = 0; i < old.capacity; ++i)
        if (old.entries[i].current)
            locate(table, old.entries[i].address) = old.entries[i];
    table.spare = capacity == old.capacity ? old.entries : nullptr;
    if (!table.spare)
        platform::deallocate(old.entries);
    return true;
}

/// Makes room for `more` entries. Entries without tasks stay as long as there is room, for the same
/// locations are often used again. False without memory.
bool make_room(Member& member, DependenceTable& table, size_t more) {
    if ((table.used + more) * 2 > table.capacity)
        return rebuild(table, sweep(member, table), more);
    if (table.entered >= table.sweep_at)
        sweep(member, table);
    return true;
}

/// The table of the current task, with room for `more` entries; nullptr without memory. The family
/// comes first, for the table belongs to one.
DependenceTable* table_with_room(Member& member, size_t more) {
    Family* family = current_family(member, *member.current);
    DependenceTable* table = find_table(*member.current);
    if (!table) {
        void* memory = family ? platform::allocate(sizeof(DependenceTable), 16) : nullptr;
        if (!memory)
            return nullptr;
        family->dependences = table = ::new (memory) DependenceTable;
    }
    return make_room(member, *table, more) ? table : nullptr;
}

/// Lets `task` wait for all that is in the table.
void link_to_all(const DependenceTable& table, Linker& linker) {
    for (size_t i = 0; i < table.capacity; ++i)
        linker.link_all(table.entries[i].current);
}

void forget_entries(Member& member, DependenceTable& table) {
    for (size_t i = 0; i < table.capacity; ++i) {
        drop_all(member, table.entries[i].current);
        drop_all(member, table.entries[i].previous);
    }
}

bool uses_all_memory(const Dependences& dependences) {
    for (size_t i = 0; i < dependences.count; ++i)
        if (is_all_memory(dependences.list[i]))
            return true;
    return false;
}

/// `task` becomes the last user of the location, in the manner `kind`.
void record_use(Member& member, DependenceEntry& entry, DependenceUse& use, DependenceKind kind) {
    if (!joins(kind) || entry.kind != kind || !entry.current) {
        drop_all(member, entry.previous);
        if (joins(kind))
            entry.previous = entry.current;
        else
            drop_all(member, entry.current);
        entry.current = nullptr;
        entry.kind = kind;
    }
    use.next = entry.current;
    entry.current = &use;
}

} // namespace

size_t count_predecessors(Member& member, const Dependences& dependences) {
    const DependenceTable* table = find_table(*member.current);
    if (!table || !table->capacity)
        return 0;
    size_t count = count_unfinished(table->everything);
    if (uses_all_memory(dependences)) {
        for (size_t i = 0; i < table->capacity; ++i)
            count += count_unfinished(table->entries[i].current);
        return count;
    }
    for (size_t i = 0; i < dependences.count; ++i) {
        const Dependence& dependence = dependences.list[i];
        const DependenceEntry& entry = locate(*table, dependence.address);
        if (entry.address)
            count += count_unfinished(predecessors(entry, dependence.kind));
    }
    return count;
}

bool enter(Member& member, TaskRecord& record, const Dependences& dependences) {
    DependenceTable& table = *find_table(*member.current);
    auto* use = reinterpret_cast<DependenceUse*>(links_of(record) + record.links);
    Linker linker(record);
    linker.link_all(table.everything);
    const bool all_memory = uses_all_memory(dependences);
    record.uses = all_memory ? 1 : static_cast<int32_t>(dependences.count);
    if (all_memory) {
        link_to_all(table, linker);
        forget_entries(member, table);
        drop_all(member, table.everything);
        *use = {nullptr, &record};
        table.everything = use;
    }
    for (size_t i = 0; i < dependences.count && !all_memory; ++i, ++use) {
        const Dependence& dependence = dependences.list[i];
        DependenceEntry& entry = locate(table, dependence.address);
        if (!entry.address) {
            entry = {dependence.address, nullptr, nullptr, dependence.kind};
            ++table.used;
        }
        linker.link_all(predecessors(entry, dependence.kind));
        use->task = &record;
        record_use(member, entry, *use, dependence.kind);
        ++table.entered;
    }
    return record.missing.abandon(linker.count());
}

bool await_predecessors(Member& member, TaskRecord& waiter, const Dependences& dependences) {
    const DependenceTable& table = *find_table(*member.current);
    Linker linker(waiter);
    linker.link_all(table.everything);
    if (uses_all_memory(dependences))
        link_to_all(table, linker);
    else
        for (size_t i = 0; i < dependences.count; ++i) {
            const DependenceEntry& entry = locate(table, dependences.list[i].address);
            if (entry.address)
                linker.link_all(predecessors(entry, dependences.list[i].kind));
        }
    waiter.missing.add(linker.count());
    return waiter.missing.outstanding() == 0;
}

bool prepare_table(Member& member, const Dependences& dependences) {
    return table_with_room(member, dependences.count) != nullptr;
}

void release_dependences(Member& member, Family& family) {
    DependenceTable& table = *family.dependences;
    family.dependences = nullptr;
    forget_entries(member, table);
    drop_all(member, table.everything);
    platform::deallocate(table.entries);
    platform::deallocate(table.spare);
    platform::deallocate(&table);
}

} // namespace heddle::schedule
