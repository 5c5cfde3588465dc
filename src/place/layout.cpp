// SPDX-License-Identifier: Apache-2.0
// The parts of a distributed array. Boundaries are whole pages, for memory cannot lie otherwise.
// Called by one thread for each layout.
#include "place/layout.hpp"

#include "concurrent/check.hpp"

namespace heddle::place {

Layout* Layout::create(size_t size, size_t block, size_t page, const DomainShares& shares) {
    HEDDLE_CHECK(size > 0 && size % page == 0 && shares.count > 0);
    const auto count = static_cast<size_t>(shares.count);
    void* memory = platform::allocate(sizeof(Layout) + sizeof(Part) * count, alignof(Layout));
    if (!memory)
        return nullptr;
    auto* layout = ::new (memory) Layout;
    layout->size_ = size;
    layout->count_ = shares.count;
    // One block may be as large as the array: that keeps the rounding from overflowing.
    if (block != 0)
        layout->block_ = block < size ? (block + page - 1) / page * page : size;
    uint64_t total = 0, until = 0;
    for (int i = 0; i < shares.count; ++i)
        total += static_cast<uint64_t>(shares.weight[i]);
    // In quotient and remainder of the pages, so that no product has more than 64 bits.
    const uint64_t pages = size / page, share = pages / total, more = pages % total;
    size_t end = 0;
    for (int i = 0; i < shares.count; ++i) {
        until += static_cast<uint64_t>(shares.weight[i]);
        const size_t next = (share * until + (more * until + total - 1) / total) * page;
        layout->runs_ += next > end;
        end = next;
        ::new (&layout->parts()[i]) Part{end, shares.domain[i]};
    }
    HEDDLE_CHECK(end == size);
    return layout;
}

const Layout::Part& Layout::part_at(size_t offset) const {
    int low = 0;
    for (int high = count_ - 1; low < high;) {
        const int middle = (low + high) / 2;
        if (offset < parts()[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    return parts()[low];
}

int Layout::domain_at(size_t offset) const {
    if (block_ != 0)
        return parts()[offset / block_ % static_cast<size_t>(count_)].domain;
    return part_at(offset).domain;
}

size_t Layout::end_of_run(size_t begin) const {
    if (block_ == 0 || count_ == 1)
        return count_ == 1 ? size_ : part_at(begin).end;
    const size_t left = size_ - begin;
    return begin + (block_ < left ? block_ : left);
}

} // namespace heddle::place
