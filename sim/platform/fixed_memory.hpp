// SPDX-License-Identifier: Apache-2.0
// Memory at addresses that are the same in every process: what a run does may depend on addresses
// (hashes of storage, lines, banks), and the system would place it elsewhere each time.
// Called for stacks, for pages, and by the heap in fixed_heap.cpp. One OS thread.
#pragma once

#include <cstddef>

namespace heddle::sim {

/// Pages of zeroes, which take no memory before they are touched; nullptr when there are none.
void* fixed_pages(size_t size);

/// From here on malloc() and its kin serve from a heap of their own, so that its addresses do not
/// depend on what the process did before the run, as with the length of a path.
void begin_run_heap();

} // namespace heddle::sim
