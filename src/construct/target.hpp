// SPDX-License-Identifier: Apache-2.0
// The target construct (OpenMP 5.2 section 13.8) where the host is the only device.
// Called by the ABI layers on the encountering thread. A target region is a task, deferred with
// nowait, that runs as the initial task of a device: in an initial team of its own, with the
// environment's control variables. Mapping has nothing to do: host and device share all memory.
#pragma once

#include "schedule/throttle.hpp"

#include <cstdint>

namespace heddle::construct {

/// What generated code passes to its target regions.
struct TargetRegion {
    void (*function)(void* addresses);
    size_t count;           ///< of the three arrays below
    void* const* addresses; ///< of the mapped variables, or what generated code put there
    const size_t* sizes;    ///< bytes
    /// What each item is, in the low byte: one of the kinds below, or something the host need not
    /// care for; the logarithm of its alignment in the high byte.
    const uint16_t* kinds;
    int thread_limit; ///< of the thread_limit clause, 0 without one
};

inline constexpr unsigned firstprivate_kind = 12; ///< the region gets a copy of the item
/// Behind a firstprivate item: the pointer that is to name the copy (from gcc 14 on).
inline constexpr unsigned attach_kind = 80;

/// The region as a task whose captured data are the addresses and the firstprivate items. The
/// result refers to `region`, which must live until the task has been created.
schedule::NewTask target_task(TargetRegion& region);

/// Runs the region at once: function(addresses) in an initial team of its own.
void run_target(void (*function)(void*), void** addresses, int thread_limit);

/// Device numbers (OpenMP 5.2 section 18.7): the host is the one after the last device.
inline constexpr int num_devices = 0;
inline constexpr int host_device = num_devices;
inline constexpr int initial_device_alias = -1; ///< omp_initial_device
inline constexpr int default_device_alias = -5; ///< omp_default_device, the ICV's
inline constexpr int invalid_device = -4;       ///< omp_invalid_device

/// `device`, or the calling task's default-device-var for default_device_alias.
int resolve_device(int device);

/// Whether a device routine's `device` is the host.
bool is_host(int device);

/// The same for a device memory routine: with OMP_TARGET_OFFLOAD=mandatory any other device ends
/// the process with one message.
bool is_host_or_end(int device);

/// A construct asks for `device`. Ends the process with one message for
/// omp_invalid_device, and with OMP_TARGET_OFFLOAD=mandatory for all but the host; any other number
/// means the host.
void require_device(int device);

} // namespace heddle::construct
