// SPDX-License-Identifier: Apache-2.0
// GOMP_target* on the host, the only device: regions run in the calling thread or, with nowait, as
// deferred tasks; target data and update only wait for what they depend on.
// Called by code that gcc generates, on the encountering thread.
// The entry points without `_ext` are those of gcc 4.9 and 5: no firstprivate items, no clauses.
#include "construct/target.hpp"

#include "abi/export.hpp"
#include "abi/gomp/depend.hpp"
#include "construct/call_task.hpp"
#include "construct/task.hpp"

#include <climits>

using namespace heddle;

namespace {

constexpr unsigned nowait_flag = 1; ///< of the `flags` arguments; the others don't matter here

/// Generated code passes -1 for no device clause and -2 for if(false). The user's own negative
/// numbers come one lower since gcc 13, but for omp_invalid_device; earlier there were none.
void require_device(int device) {
    constexpr int no_clause = -1, if_false = -2;
    if (device != if_false)
        construct::require_device(device == no_clause ? construct::default_device_alias : device);
}

/// The thread_limit clause among the arguments of a target construct, a list that ends with null:
/// words of a device (bits 0 to 6, 0 for all), an identifier (bits 8 to 15) and a value, in the
/// next word if bit 7 is set, else from bit 16 on. 0 when there is none.
int thread_limit_of(void** arguments) {
    constexpr intptr_t device_mask = 0x7f, value_follows = 0x80, id_mask = 0xff00;
    constexpr intptr_t thread_limit = 0x200;
    while (arguments && *arguments) {
        const auto word = reinterpret_cast<intptr_t>(*arguments++);
        const intptr_t value =
            word & value_follows ? reinterpret_cast<intptr_t>(*arguments++) : word >> 16;
        if ((word & device_mask) == 0 && (word & id_mask) == thread_limit)
            return static_cast<int>(value > INT_MAX ? INT_MAX : value);
    }
    return 0;
}

/// A target task with nowait. `depend` is null without the clause.
void submit(const schedule::NewTask& task, void** depend, team::Caller caller) {
    team::Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    if (!depend) {
        construct::general_task(member, task, true);
        return;
    }
    const abi::DependList list(depend);
    construct::general_task(member, task, true, {list.get()});
}

void wait_for(void** depend, team::Caller caller) {
    if (!depend)
        return;
    team::Member& member = team::self();
    const team::ToldEntry entry(member, caller);
    schedule::wait_for_dependences(member, abi::DependList(depend).get());
}

/// target update, enter data, exit data: all memory is shared, so only the order matters.
void data_construct(int device, unsigned flags, void** depend, team::Caller caller) {
    require_device(device);
    if (!depend)
        return;
    if (!(flags & nowait_flag))
        return wait_for(depend, caller);
    construct::Call nothing{caller.code};
    schedule::NewTask task = construct::call_task(nothing);
    task.target = true;
    submit(task, depend, caller);
}

} // namespace

HEDDLE_EXPORT void GOMP_target_ext(int device, void (*function)(void*), size_t count,
                                   void** addresses, size_t* sizes, unsigned short* kinds,
                                   unsigned flags, void** depend, void** arguments) {
    require_device(device);
    construct::TargetRegion region{function, count, addresses,
                                   sizes,    kinds, thread_limit_of(arguments)};
    const schedule::NewTask task = construct::target_task(region);
    if (flags & nowait_flag) {
        submit(task, depend, HEDDLE_CALLER);
        return;
    }
    // Cancellation does not discard it: the code behind relies on what the region computes.
    wait_for(depend, HEDDLE_CALLER);
    schedule::run_undeferred(team::self(), task);
}

HEDDLE_EXPORT void GOMP_target(int device, void (*function)(void*), const void* /*unused*/,
                               size_t /*count*/, void** addresses, size_t* /*sizes*/,
                               unsigned char* /*kinds*/) {
    require_device(device);
    construct::run_target(function, addresses, 0);
}

/// Generated code reads `addresses` for use_device_ptr: the host's addresses are right as they are.
HEDDLE_EXPORT void GOMP_target_data_ext(int device, size_t, void** /*addresses*/, size_t*,
                                        unsigned short*) {
    require_device(device);
}

HEDDLE_EXPORT void GOMP_target_data(int device, const void*, size_t, void**, size_t*,
                                    unsigned char*) {
    require_device(device);
}

HEDDLE_EXPORT void GOMP_target_end_data() {}

HEDDLE_EXPORT void GOMP_target_update_ext(int device, size_t, void**, size_t*, unsigned short*,
                                          unsigned flags, void** depend) {
    data_construct(device, flags, depend, HEDDLE_CALLER);
}

HEDDLE_EXPORT void GOMP_target_update(int device, const void*, size_t, void**, size_t*,
                                      unsigned char*) {
    require_device(device);
}

HEDDLE_EXPORT void GOMP_target_enter_exit_data(int device, size_t, void**, size_t*, unsigned short*,
                                               unsigned flags, void** depend) {
    data_construct(device, flags, depend, HEDDLE_CALLER);
}

/// Images of functions on a device: the host's pointers are what they say.
HEDDLE_EXPORT void* GOMP_target_map_indirect_ptr(void* pointer) { return pointer; }
