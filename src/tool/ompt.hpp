// SPDX-License-Identifier: Apache-2.0
// Which callbacks a tool has set, and how one is called (OpenMP 5.2 chapter 19). docs/ompt.md.
// Called wherever something happens that a tool may hear of, on the thread concerned; set by
// abi/ompt on any thread. `active` changes only before the first worker and at the tool's end.
// Ordering: a callback's address is released with what the tool has prepared, and acquired here.
#pragma once

#include "omp-tools.h"
#include "platform.hpp"

namespace heddle::tool {

// The events that are told; those of devices are not among them. HOST(name, type)
#define HEDDLE_OMPT_EVENTS(HOST)                                                                   \
    HOST(thread_begin, thread_begin)                                                               \
    HOST(thread_end, thread_end)                                                                   \
    HOST(parallel_begin, parallel_begin)                                                           \
    HOST(parallel_end, parallel_end)                                                               \
    HOST(task_create, task_create)                                                                 \
    HOST(task_schedule, task_schedule)                                                             \
    HOST(implicit_task, implicit_task)                                                             \
    HOST(control_tool, control_tool)                                                               \
    HOST(sync_region_wait, sync_region)                                                            \
    HOST(mutex_released, mutex)                                                                    \
    HOST(dependences, dependences)                                                                 \
    HOST(task_dependence, task_dependence)                                                         \
    HOST(work, work)                                                                               \
    HOST(masked, masked)                                                                           \
    HOST(sync_region, sync_region)                                                                 \
    HOST(lock_init, mutex_acquire)                                                                 \
    HOST(lock_destroy, mutex)                                                                      \
    HOST(mutex_acquire, mutex_acquire)                                                             \
    HOST(mutex_acquired, mutex)                                                                    \
    HOST(nest_lock, nest_lock)                                                                     \
    HOST(flush, flush)                                                                             \
    HOST(cancel, cancel)                                                                           \
    HOST(reduction, sync_region)                                                                   \
    HOST(dispatch, dispatch)                                                                       \
    HOST(error, error)

inline constexpr int most_events = ompt_callback_error + 1;

// Hidden, so that a look at them is one instruction.
#define HEDDLE_HIDDEN __attribute__((visibility("hidden")))
/// By event; nullptr where the tool has set none.
extern HEDDLE_HIDDEN platform::Atomic<ompt_callback_t> callbacks[most_events];
/// 1: a tool has been started and not ended.
extern HEDDLE_HIDDEN platform::Atomic<uint32_t> active;
#undef HEDDLE_HIDDEN

/// Relaxed: a thread that sees a tool's end late calls nothing, for its callbacks are gone.
inline bool has_tool() { return active.load(platform::relaxed) != 0; }

template <ompt_callbacks_t event>
struct CallbackType;
#define HEDDLE_HOST(name, type)                                                                    \
    template <>                                                                                    \
    struct CallbackType<ompt_callback_##name> {                                                    \
        using Type = ompt_callback_##type##_t;                                                     \
    };
HEDDLE_OMPT_EVENTS(HEDDLE_HOST)
#undef HEDDLE_HOST

/// The tool's function for `event`, or nullptr.
template <ompt_callbacks_t event>
typename CallbackType<event>::Type callback() {
    return reinterpret_cast<typename CallbackType<event>::Type>(
        callbacks[event].load(platform::acquire)); // pairs with set_callback()
}

/// Calls it, if there is one.
template <ompt_callbacks_t event, class... Arguments>
void tell(Arguments... arguments) {
    if (const auto function = callback<event>())
        function(arguments...);
}

/// What ompt_set_callback answers, and does.
ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t function);
/// Sets them all to nothing.
void forget_callbacks();

/// A number that nobody else gets, from 1 on.
uint64_t unique_id();

/// Looks for a tool, once; by the thread that attaches first. Set by abi/ompt when the library is
/// loaded; nullptr where that is not part of the program.
extern void (*start_tool)();
/// The process ends, or the tool or the program wants no more of it. The same.
extern void (*end_tool)();
/// In a forked child: who was looking for a tool may be no more. The same.
extern void (*forget_starter)();

} // namespace heddle::tool
