// SPDX-License-Identifier: Apache-2.0
// Target regions on the host: capture of the firstprivate items, then the region in an initial team
// of its own on whichever thread runs the task.
// The captured block holds all that the region reads, for generated code reuses its arrays.
// Called through construct/task. Source: libgomp's documented
// behaviour without a device.
#include "construct/target.hpp"

#include "config/kmp_runtime.hpp"
#include "construct/icvs.hpp"
#include "schedule/wait.hpp"
#include "team/fork_join.hpp"
#include "team/told_league.hpp"
#include "tool/modules.hpp"

#include <cstdlib>
#include <cstring>
#include <functional>

namespace heddle::construct {

namespace {

/// The captured block: this, the addresses, the firstprivate items.
struct Captured {
    void (*function)(void*);
    int thread_limit;
    void** addresses() { return reinterpret_cast<void**>(this + 1); }
};

unsigned kind_of(const TargetRegion& region, size_t item) { return region.kinds[item] & 0xff; }

bool is_private(const TargetRegion& region, size_t item) {
    return kind_of(region, item) == firstprivate_kind && region.addresses[item];
}

size_t alignment_of(uint16_t kind) { return size_t{1} << (kind >> 8); }

size_t round_up(size_t size, size_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

/// Calls place(item, offset) for each firstprivate item; returns the size of the whole block.
template <class Place>
size_t lay_out(const TargetRegion& region, Place&& place) {
    size_t size = sizeof(Captured) + region.count * sizeof(void*);
    for (size_t i = 0; i < region.count; ++i) {
        if (!is_private(region, i))
            continue;
        size = round_up(size, alignment_of(region.kinds[i]));
        place(i, size);
        size += region.sizes[i];
    }
    return size;
}

/// The item after a private one, where it says which pointer is to name the copy: an allocatable's
/// data come so, after its descriptor. The item's address is that of a pointer to the descriptor,
/// as a rule in the caller's own list of addresses, where the task's list now has the copy; its
/// size is the offset of the pointer in there.
void attach(const TargetRegion& region, size_t item, void* copy, void** addresses) {
    if (item == region.count || kind_of(region, item) != attach_kind || !region.addresses[item])
        return;
    auto* const slot = static_cast<void* const*>(region.addresses[item]);
    const bool in_list = std::less_equal<>()(region.addresses, slot) &&
                         std::less<>()(slot, region.addresses + region.count);
    char* descriptor = static_cast<char*>(in_list ? addresses[slot - region.addresses] : *slot);
    memcpy(descriptor + region.sizes[item], &copy, sizeof copy);
}

/// The task's copy function.
void capture(void* to, void* from) {
    const auto& region = *static_cast<const TargetRegion*>(from);
    auto* captured = ::new (to) Captured{region.function, region.thread_limit};
    void** addresses = captured->addresses();
    for (size_t i = 0; i < region.count; ++i)
        addresses[i] = region.addresses[i];
    lay_out(region, [&](size_t item, size_t offset) {
        char* copy = static_cast<char*>(to) + offset;
        memcpy(copy, region.addresses[item], region.sizes[item]);
        addresses[item] = copy;
        attach(region, item + 1, copy, addresses);
    });
}

/// The task's function.
void run(void* data) {
    auto& captured = *static_cast<Captured*>(data);
    run_target(captured.function, captured.addresses(), captured.thread_limit);
}

const void* code_of(const void* data) {
    return reinterpret_cast<const void*>(static_cast<const Captured*>(data)->function);
}

__attribute__((constructor)) void tell_detour() { tool::add_detour(run, code_of); }

[[noreturn]] void end_process(const char* message) {
    platform::warn(message);
    exit(EXIT_FAILURE);
}

} // namespace

schedule::NewTask target_task(TargetRegion& region) {
    size_t alignment = alignof(Captured);
    const size_t size = lay_out(region, [&](size_t item, size_t) {
        const size_t wanted = alignment_of(region.kinds[item]);
        alignment = wanted > alignment ? wanted : alignment;
    });
    schedule::NewTask task{run, &region, capture, size, alignment, false, false};
    task.target = true;
    return task;
}

void run_target(void (*function)(void*), void** addresses, int thread_limit) {
    team::Member& outer = team::self();
    config::Icvs icvs = team::initial_icvs();
    if (thread_limit)
        icvs.thread_limit = thread_limit;
    team::Member& initial = team::begin_initial_team(outer, icvs);
    function(addresses);
    schedule::wait_at_barrier(initial);
    team::tell_next_team(initial, true); // a league of GOMP_teams, which is called once
    team::end_initial_team(initial);
}

int resolve_device(int device) {
    return device == default_device_alias ? task_icvs().default_device : device;
}

bool is_host(int device) {
    device = resolve_device(device);
    return device == host_device || device == initial_device_alias;
}

bool is_host_or_end(int device) {
    if (is_host(device))
        return true;
    if (config::target_offload(config::settings()) == config::TargetOffload::mandatory)
        end_process("OMP_TARGET_OFFLOAD is set to MANDATORY, but the host is the only device");
    return false;
}

void require_device(int device) {
    device = resolve_device(device);
    if (!is_host_or_end(device) && device == invalid_device)
        end_process("a device construct was given the device number omp_invalid_device");
}

} // namespace heddle::construct
