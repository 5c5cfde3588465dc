// SPDX-License-Identifier: Apache-2.0
// Arrays that are distributed over locality domains: their pages come from the nodes that a layout
// says, and the runtime remembers it, so that loops and tasks can go where their data are.
// Called by construct/allocator and the routines of heddle.h, on any thread. One lock guards the
// list of arrays: it is asked once a loop. Paper: adaptive loops, section 3.2.
#pragma once

#include "place/layout.hpp"

namespace heddle::place {

/// `size` bytes on `shares`, beginning at a page: see Layout::create() for `block`. They are zero.
/// Where the system refuses to place them they lie where they are touched first, which is one
/// warning in the life of the process; on a machine of one domain they are plain memory, not
/// zeroed. nullptr for a size of 0 and when there is no memory.
void* allocate_distributed(size_t size, size_t block, const DomainShares& shares);

/// Gives an array back; false, and nothing happens, when `array` is none.
bool free_distributed(void* array);

/// The bytes asked for, of the array that begins at `array`; 0 when there is none.
size_t size_of_distributed(const void* array);

/// The domain on which the layout puts the page at `address`; -1 when it is in no array.
int planned_domain(const void* address);

/// The domain whose memory the system has given to the page at `address`; -1 when it has not been
/// touched, or the system does not tell. A system call, but on one domain.
int domain_of_page(const void* address);

/// A part of a loop's iterations whose data are on one domain.
struct IterationPart {
    uint64_t end; ///< they are those before it that are in no earlier part
    int domain;
};

/// For a loop of `count` iterations, of which number i works on the `element` bytes at
/// `first` + i * `element`: writes the parts in order, `limit` at most, and returns how many there
/// are. 0 when the data are in no array, in one that is dealt out in blocks, or in too many parts.
int iteration_parts(const void* first, size_t element, uint64_t count, IterationPart* parts,
                    int limit);

/// For the handler of fork() in the child: the thread that held the lock may be no more.
void restart_arrays_in_forked_child();

} // namespace heddle::place
