// SPDX-License-Identifier: Apache-2.0
// The table of a tool's callbacks: which events may be set, and how completely they are told.
// Written by the tool, through abi/ompt, on any of its threads at any time, and emptied at its end;
// read by callback() wherever something happens. A callback's address is released here.
// Source: OpenMP 5.2 sections 19.2.4 and 19.6. docs/ompt.md.
#include "tool/ompt.hpp"

namespace heddle::tool {

platform::Atomic<ompt_callback_t> callbacks[most_events];
platform::Atomic<uint32_t> active{0};
void (*start_tool)() = nullptr;
void (*end_tool)() = nullptr;
void (*forget_starter)() = nullptr;

namespace {

platform::Atomic<uint64_t> newest_id{0};

bool is_told(ompt_callbacks_t event) {
    switch (event) {
#define HEDDLE_HOST(name, type) case ompt_callback_##name:
        HEDDLE_OMPT_EVENTS(HEDDLE_HOST)
#undef HEDDLE_HOST
        return true;
    default:
        return false;
    }
}

/// Some of these happen in code that never calls the runtime, or are not told: see docs/ompt.md.
bool is_told_in_part(ompt_callbacks_t event) {
    switch (event) {
    case ompt_callback_dependences:
    case ompt_callback_reduction:
    case ompt_callback_work:
    case ompt_callback_dispatch:
    case ompt_callback_masked:
    case ompt_callback_flush:
        return true;
    default:
        return false;
    }
}

} // namespace

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t function) {
    if (event < ompt_callback_thread_begin || event >= most_events)
        return ompt_set_error;
    if (!is_told(event))
        return ompt_set_never;
    callbacks[event].store(function, platform::release); // to callback()
    return is_told_in_part(event) ? ompt_set_sometimes : ompt_set_always;
}

void forget_callbacks() {
    for (auto& function : callbacks)
        function.store(nullptr, platform::relaxed);
}

uint64_t unique_id() { return newest_id.fetch_add(1, platform::relaxed) + 1; }

} // namespace heddle::tool
