// SPDX-License-Identifier: Apache-2.0
// How an array lies on locality domains: one contiguous part for each (`block`), or blocks dealt
// out in turn (`cyclic`). Arithmetic on offsets; called by place/distributed and by tests.
// Constant once made. Paper: adaptive loops, section 3.2 (bloc1d and bloc1dcyclic).
#pragma once

#include "platform.hpp"

namespace heddle::place {

/// Domains over which something is distributed, in order, and how large the share of each is.
struct DomainShares {
    int count = 0;
    int16_t domain[platform::most_nodes];
    int32_t weight[platform::most_nodes]; ///< 1 or more: threads or CPUs of the domain

    void add(int domain_number, int32_t weight_of_it) {
        domain[count] = static_cast<int16_t>(domain_number);
        weight[count++] = weight_of_it;
    }
    /// The index of a domain; -1 when it is not among them.
    int index_of(int domain_number) const {
        for (int i = 0; i < count; ++i)
            if (domain[i] == domain_number)
                return i;
        return -1;
    }
};

class Layout {
public:
    /// The layout of an array of `size` bytes, a multiple of `page`, 1 or more of them. `block` is
    /// 0 for one part a domain, in proportion to their weights; else the bytes of a block, rounded
    /// up to pages, which are dealt out in turn, whatever the weights. nullptr without memory.
    static Layout* create(size_t size, size_t block, size_t page, const DomainShares& shares);

    /// The domain on which the byte at `offset`, below size(), is to lie.
    int domain_at(size_t offset) const;

    /// Calls run(offset, end, domain) for each piece of the array on one domain, from the front.
    template <class Run>
    void for_each_run(Run&& run) const {
        for (size_t begin = 0; begin < size_;) {
            const size_t end = end_of_run(begin);
            run(begin, end, domain_at(begin));
            begin = end;
        }
    }

    size_t size() const { return size_; }
    size_t block() const { return block_; } ///< bytes; 0: one part a domain
    size_t runs() const { return block_ && count_ > 1 ? (size_ - 1) / block_ + 1 : runs_; }
    int domains() const { return count_; }
    int domain(int index) const { return parts()[index].domain; }

private:
    struct Part {
        size_t end; ///< offset; of no meaning in blocks that are dealt out
        int domain;
    };
    Part* parts() { return reinterpret_cast<Part*>(this + 1); }
    const Part* parts() const { return reinterpret_cast<const Part*>(this + 1); }
    const Part& part_at(size_t offset) const;
    size_t end_of_run(size_t begin) const;

    size_t size_ = 0;
    size_t block_ = 0;
    size_t runs_ = 0; ///< parts that are not empty
    int count_ = 0;
};

} // namespace heddle::place
