// SPDX-License-Identifier: Apache-2.0
// Addresses of Fortran allocatables that an allocate directive gave to an OpenMP allocator: their
// deallocation must go to omp_free(), that of all others to free() (OpenMP 5.2 section 6.7).
// Called by code of gcc 14 and newer, on any thread.
// Each bucket is guarded by its lock: what remove() finds was released by the unlock in add().
#pragma once

namespace heddle::construct {

/// Notes that `block` came from an allocator. A null pointer is ignored. Ends the program without
/// memory for the note, for the block could never be released correctly.
void add_allocation(void* block);

/// Forgets `block`; whether it was noted. The caller then releases or reallocates it.
bool remove_allocation(void* block);

/// In a forked child, where a lock's holder may be a thread that is no more.
void remake_allocation_locks();

} // namespace heddle::construct
