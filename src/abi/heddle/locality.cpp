// SPDX-License-Identifier: Apache-2.0
// Locality domains and arrays distributed over them, and the data of loops (include/heddle.h).
// Called by users' programs on any thread. Numbers of domains count those of the calling thread's
// region, as the adaptive-loops paper has them; place/ numbers those of the process.
#include "heddle.h"

#include "abi/export.hpp"
#include "place/distributed.hpp"
#include "team/locality.hpp"
#include "team/loop_data.hpp"

using namespace heddle;

namespace {

/// The number in the calling thread's region of a domain of the process; -1 when it is not there.
int number_in_region(int domain) {
    if (domain < 0 || place::domain_count() == 1)
        return domain;
    place::DomainShares shares;
    team::domains_of_region(team::self(), shares);
    return shares.index_of(domain);
}

void* allocate_on_region(size_t size, size_t block) {
    place::DomainShares shares;
    team::domains_of_region(team::self(), shares);
    return place::allocate_distributed(size, block, shares);
}

} // namespace

HEDDLE_EXPORT int omp_get_num_locality_domains() noexcept {
    place::DomainShares shares;
    team::domains_of_region(team::self(), shares);
    return shares.count;
}

HEDDLE_EXPORT int omp_get_locality_domain_num() noexcept {
    const int number = number_in_region(team::domain_of_self(team::self()));
    return number < 0 ? 0 : number;
}

HEDDLE_EXPORT void* omp_locality_domain_allocate_bloc1d(size_t size) noexcept {
    return allocate_on_region(size, 0);
}

HEDDLE_EXPORT void* omp_locality_domain_allocate_bloc1dcyclic(size_t size,
                                                              size_t blocsize) noexcept {
    return allocate_on_region(size, blocsize > 0 ? blocsize : 1);
}

HEDDLE_EXPORT void omp_locality_domain_free(void* array) noexcept {
    if (array && !place::free_distributed(array))
        platform::warn("omp_locality_domain_free: no array of locality domains begins there; "
                       "nothing is freed");
}

HEDDLE_EXPORT size_t omp_get_locality_domain_size(const void* array) noexcept {
    return place::size_of_distributed(array);
}

HEDDLE_EXPORT int omp_get_locality_domain_of_block(const void* address) noexcept {
    return number_in_region(place::planned_domain(address));
}

HEDDLE_EXPORT int omp_get_locality_domain_of_page(const void* address) noexcept {
    return number_in_region(place::domain_of_page(address));
}

HEDDLE_EXPORT void heddle_loop_data(const void* first, size_t element_size) noexcept {
    team::note_loop_data(team::self(), first, element_size);
}
