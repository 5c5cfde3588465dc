// SPDX-License-Identifier: Apache-2.0
// The variables that threads have copies of, in a list that only grows, and making, finding and
// destroying copies. Under one lock: the list, the tables, every slot that is written. Functions of
// the program run outside of it, for they may use other threadprivate variables.
// Called on the thread concerned.
#include "construct/threadprivate.hpp"

#include "concurrent/futex_lock.hpp"

#include <cstring>

namespace heddle::construct {

namespace {

struct Variable {
    void* original;
    Variable* next; ///< constant; older ones
    CopyFunctions functions;
    // Under the lock.
    void* image = nullptr; ///< of a variable without constructor: its bytes before the first use
    CopyTable* table = nullptr;
};

concurrent::FutexLock threadprivate_lock;
Variable* newest_variable = nullptr; // under the lock

void* allocate_zeroed(size_t size) {
    void* memory = platform::allocate(size, concurrent::cache_line);
    if (!memory)
        platform::die("no memory for threadprivate data");
    return memset(memory, 0, size);
}

/// Under the lock.
Variable& variable_at(void* original, const CopyFunctions& functions) {
    for (Variable* variable = newest_variable; variable; variable = variable->next)
        if (variable->original == original)
            return *variable;
    newest_variable =
        ::new (allocate_zeroed(sizeof(Variable))) Variable{original, newest_variable, functions};
    return *newest_variable;
}

/// Under the lock.
void* copy_of(const Variable& variable, int32_t number) {
    CopyTable* table = variable.table;
    return table && number < table->capacity ? table->slots()[number].load(platform::relaxed)
                                             : nullptr;
}

/// Under the lock: a table with room for `number`, and with all copies.
CopyTable& reserve(Variable& variable, int32_t number) {
    CopyTable* old = variable.table;
    int64_t capacity = old ? old->capacity : 64;
    if (old && number < capacity)
        return *old;
    while (capacity <= number)
        capacity *= 2;
    void* memory =
        allocate_zeroed(sizeof(CopyTable) + static_cast<size_t>(capacity) * sizeof(CopySlot));
    auto* table = ::new (memory) CopyTable{old, capacity};
    for (int64_t i = 0; i < capacity; ++i)
        ::new (&table->slots()[i])
            CopySlot(old && i < old->capacity ? old->slots()[i].load(platform::relaxed) : nullptr);
    variable.table = table;
    return *table;
}

void* make_copy(const Variable& variable, size_t size) {
    if (platform::is_main_thread())
        return variable.original;
    void* copy = allocate_zeroed(size);
    const CopyFunctions& with = variable.functions;
    if (with.make && with.elements)
        with.make_array(copy, with.elements);
    else if (with.make)
        with.make(copy);
    else if (with.make_from && with.elements)
        with.make_array_from(copy, variable.original, with.elements);
    else if (with.make_from)
        with.make_from(copy, variable.original);
    else
        memcpy(copy, variable.image, size);
    return copy;
}

void destroy(const Variable& variable, void* copy) {
    const CopyFunctions& with = variable.functions;
    if (!copy || copy == variable.original || !with.destroy)
        return;
    if (with.elements)
        with.destroy_array(copy, with.elements);
    else
        with.destroy(copy);
}

/// Under the lock: nobody who inherits `number` finds the copy.
void forget_copy(const Variable& variable, int32_t number) {
    void* copy = copy_of(variable, number);
    for (CopyTable* table = variable.table; table; table = table->older)
        if (number < table->capacity)
            table->slots()[number].store(nullptr, platform::relaxed);
    if (copy != variable.original)
        platform::deallocate(copy);
}

} // namespace

// Copies stay readable until all destructors have run, for these may use the other variables.
void destroy_threadprivate_copies(team::Worker& worker) {
    const int32_t number = worker.global_number;
    Variable* newest;
    {
        const concurrent::LockGuard guard(threadprivate_lock);
        newest = newest_variable;
    }
    for (Variable* variable = newest; variable; variable = variable->next) {
        void* copy;
        {
            const concurrent::LockGuard guard(threadprivate_lock);
            copy = copy_of(*variable, number);
        }
        destroy(*variable, copy);
    }
    const concurrent::LockGuard guard(threadprivate_lock);
    for (Variable* variable = newest_variable; variable; variable = variable->next)
        forget_copy(*variable, number);
}

// What its holder was doing is whole: stores put it in place.
void remake_threadprivate_lock() { ::new (&threadprivate_lock) concurrent::FutexLock; }

void announce_threadprivate(void* original, const CopyFunctions& functions) {
    const concurrent::LockGuard guard(threadprivate_lock);
    variable_at(original, functions);
}

void* find_threadprivate_copy(team::Member& member, void* original, size_t size, CopyCache* cache) {
    const int32_t number = member.worker->global_number;
    Variable* variable;
    void* copy;
    {
        const concurrent::LockGuard guard(threadprivate_lock);
        variable = &variable_at(original, {});
        const CopyFunctions& with = variable->functions;
        if (!variable->image && !with.make && !with.make_from)
            variable->image = memcpy(allocate_zeroed(size), original, size);
        copy = copy_of(*variable, number);
    }
    if (!copy)
        copy = make_copy(*variable, size);
    const concurrent::LockGuard guard(threadprivate_lock);
    CopyTable& table = reserve(*variable, number);
    table.slots()[number].store(copy, platform::relaxed);
    if (cache)
        cache->store(table.slots(), platform::release); // pairs with threadprivate_copy()
    return copy;
}

} // namespace heddle::construct
