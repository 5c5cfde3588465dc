// SPDX-License-Identifier: Apache-2.0
// Maps pages, tells the system where each run of them is to lie, and keeps a list of the arrays.
// Called on any thread; an array and its layout are constant while they are in the list, and every
// store to the list leaves a whole one, for a forked child.
#include "place/distributed.hpp"

#include "concurrent/futex_lock.hpp"
#include "place/locality.hpp"

#include <cstring>

namespace heddle::place {

namespace {

/// A run of pages with a policy of its own is a mapping of its own, of which the system gives a
/// process 65530, and the program needs them too. Where an array would have more runs than the
/// first, or all arrays more than the second, its pages are touched at once instead.
constexpr size_t most_policies = 4096, most_policies_of_all = 16384;

struct Array {
    Array* next;
    char* start;
    size_t size;     ///< asked for
    void* mapping;   ///< what was mapped, `start` in it; nullptr: plain memory
    size_t mapped;   ///< bytes
    Layout* layout;  ///< of whole pages
    size_t policies; ///< its runs that have one, counted in `policies`
};

constinit concurrent::FutexLock lock;
constinit Array* arrays = nullptr;              ///< under the lock
constinit platform::Atomic<size_t> policies{0}; ///< relaxed: a count, it publishes nothing
constinit platform::Atomic<uint32_t> warned{0}; // relaxed: it publishes nothing

/// The array that `address` is in; nullptr when there is none. With the lock held.
const Array* find(const void* address) {
    const auto* byte = static_cast<const char*>(address);
    for (const Array* array = arrays; array; array = array->next)
        if (byte >= array->start && byte - array->start < static_cast<ptrdiff_t>(array->size))
            return array;
    return nullptr;
}

size_t rounded_up(size_t size, size_t page) { return (size + page - 1) / page * page; }

void warn_refused() {
    if (warned.exchange(1, platform::relaxed) == 0)
        platform::warn("the system refuses to place memory on NUMA nodes: "
                       "pages of distributed arrays lie where they are touched first");
}

/// Whether blocks of one page go to nodes of ascending numbers, as the system interleaves them.
bool is_interleaving(const Layout& layout, size_t page) {
    if (layout.block() != page)
        return false;
    for (int i = 1; i < layout.domains(); ++i)
        if (domains().node_of(layout.domain(i - 1)) >= domains().node_of(layout.domain(i)))
            return false;
    return true;
}

bool interleave(char* start, const Layout& layout) {
    uint64_t nodes[platform::most_nodes / 64] = {};
    for (int i = 0; i < layout.domains(); ++i) {
        const int node = domains().node_of(layout.domain(i));
        nodes[node / 64] |= uint64_t{1} << (node % 64);
    }
    platform::use_small_pages(start, layout.size());
    return platform::interleave_on(start, layout.size(), nodes);
}

/// Touches every page while the thread prefers the domain that it is to lie on.
bool touch_on_domains(char* start, const Layout& layout, size_t page) {
    platform::MemoryPolicy before;
    if (!platform::read_memory_policy(before))
        return false;
    platform::use_small_pages(start, layout.size());
    bool done = true;
    for (int i = 0; i < layout.domains() && done; ++i) {
        const int domain = layout.domain(i);
        done = platform::set_memory_policy(platform::preferring(domains().node_of(domain)));
        if (done)
            layout.for_each_run([&](size_t begin, size_t end, int run_domain) {
                for (size_t offset = begin; run_domain == domain && offset < end; offset += page)
                    static_cast<volatile char*>(start)[offset] = 0;
            });
    }
    platform::set_memory_policy(before);
    return done;
}

/// Counts the runs of `array` among the policies; false, and nothing is counted, if there would be
/// too many.
bool take_policies(Array& array) {
    const size_t runs = array.layout->runs();
    if (runs > most_policies)
        return false;
    if (policies.fetch_add(runs, platform::relaxed) + runs > most_policies_of_all) {
        policies.fetch_sub(runs, platform::relaxed);
        return false;
    }
    array.policies = runs;
    return true;
}

bool place_runs(char* start, const Layout& layout) {
    bool done = true;
    layout.for_each_run([&](size_t begin, size_t end, int domain) {
        done = done &&
               platform::prefer_node_for(start + begin, end - begin, domains().node_of(domain));
    });
    return done;
}

/// Maps the pages of `array`; false when there are none. On several domains.
bool map(Array& array, size_t page) {
    const Layout& layout = *array.layout;
    const bool interleaves = is_interleaving(layout, page);
    // The system counts pages from address 0: the first one's number must divide by the domains.
    const size_t cycle = page * static_cast<size_t>(layout.domains());
    if (__builtin_add_overflow(layout.size(), interleaves ? cycle - page : 0, &array.mapped))
        return false;
    array.mapping = platform::map_pages(array.mapped);
    if (!array.mapping)
        return false;
    array.start = static_cast<char*>(array.mapping);
    if (interleaves)
        array.start += (cycle - reinterpret_cast<uintptr_t>(array.start) % cycle) % cycle;
    const bool placed = interleaves            ? interleave(array.start, layout)
                        : take_policies(array) ? place_runs(array.start, layout)
                                               : touch_on_domains(array.start, layout, page);
    if (!placed)
        warn_refused();
    return true;
}

void destroy(Array* array) {
    if (array->mapping)
        platform::unmap_pages(array->mapping, array->mapped);
    else
        platform::deallocate(array->start);
    policies.fetch_sub(array->policies, platform::relaxed);
    platform::deallocate(array->layout);
    platform::deallocate(array);
}

} // namespace

void* allocate_distributed(size_t size, size_t block, const DomainShares& shares) {
    const size_t page = platform::page_size();
    if (size == 0 || size > SIZE_MAX / 2)
        return nullptr;
    void* memory = platform::allocate(sizeof(Array), alignof(Array));
    if (!memory)
        return nullptr;
    auto* array = ::new (memory) Array{nullptr, nullptr, size, nullptr, 0, nullptr, 0};
    array->layout = Layout::create(rounded_up(size, page), block, page, shares);
    if (array->layout && domain_count() > 1)
        map(*array, page);
    if (array->layout && !array->mapping) {
        array->start = static_cast<char*>(platform::allocate(array->layout->size(), page));
        if (array->start && domain_count() > 1)
            memset(array->start, 0, array->layout->size()); // as pages are
    }
    if (!array->start) {
        destroy(array);
        return nullptr;
    }
    const concurrent::LockGuard guard(lock);
    array->next = arrays;
    arrays = array;
    return array->start;
}

bool free_distributed(void* address) {
    Array* array = nullptr;
    {
        const concurrent::LockGuard guard(lock);
        for (Array** link = &arrays; *link; link = &(*link)->next)
            if ((*link)->start == address) {
                array = *link;
                *link = array->next;
                break;
            }
    }
    if (array)
        destroy(array);
    return array != nullptr;
}

size_t size_of_distributed(const void* address) {
    const concurrent::LockGuard guard(lock);
    const Array* array = find(address);
    return array && array->start == address ? array->size : 0;
}

int planned_domain(const void* address) {
    const concurrent::LockGuard guard(lock);
    const Array* array = find(address);
    if (!array)
        return -1;
    return array->layout->domain_at(
        static_cast<size_t>(static_cast<const char*>(address) - array->start));
}

int domain_of_page(const void* address) {
    if (domain_count() == 1)
        return 0;
    const uintptr_t page = platform::page_size();
    const uintptr_t start = reinterpret_cast<uintptr_t>(address) & ~(page - 1);
    const int node = platform::node_of_page(reinterpret_cast<const void*>(start));
    return node < 0 ? -1 : domains().of_node(node);
}

int iteration_parts(const void* first, size_t element, uint64_t count, IterationPart* parts,
                    int limit) {
    if (element == 0 || count == 0)
        return 0;
    const concurrent::LockGuard guard(lock);
    const Array* array = find(first);
    if (!array || array->layout->block() != 0 || array->layout->runs() > static_cast<size_t>(limit))
        return 0;
    const auto offset = static_cast<size_t>(static_cast<const char*>(first) - array->start);
    int written = 0;
    array->layout->for_each_run([&](size_t, size_t end, int domain) {
        if (end <= offset || (written > 0 && parts[written - 1].end == count))
            return;
        // An element that lies on a boundary belongs to where it begins.
        const uint64_t begins_before = (end - offset - 1) / element + 1;
        parts[written++] = {begins_before < count ? begins_before : count, domain};
    });
    if (written > 0) // what reaches beyond the array
        parts[written - 1].end = count;
    return written;
}

void restart_arrays_in_forked_child() {
    if (lock.is_held())
        ::new (&lock) concurrent::FutexLock;
}

} // namespace heddle::place
