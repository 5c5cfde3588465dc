// SPDX-License-Identifier: Apache-2.0
// Depth: a chain of a million tasks, each the child of the last, must not use a million frames of
// stack; recursion that waits at every level must get as deep as its own frames allow.
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::expect;

std::atomic<long> links{0};

void chain(long left) {
    links.fetch_add(1, std::memory_order_relaxed);
    if (left > 1) {
#pragma omp task firstprivate(left)
        chain(left - 1);
    }
}

void chain_untied(long left) {
    links.fetch_add(1, std::memory_order_relaxed);
    if (left > 1) {
#pragma omp task untied firstprivate(left)
        chain_untied(left - 1);
    }
}

/// Two children each, of which one goes on: thieves take pieces of the chain.
void comb(long left) {
    links.fetch_add(1, std::memory_order_relaxed);
    if (left > 1) {
#pragma omp task firstprivate(left)
        comb(left - 1);
#pragma omp task
        links.fetch_add(1, std::memory_order_relaxed);
    }
}

long recursion(long depth) {
    if (depth == 0)
        return 0;
    long below = 0;
#pragma omp task shared(below) firstprivate(depth)
    below = recursion(depth - 1);
#pragma omp taskwait
    return below + 1;
}

long grouped(long depth) {
    if (depth == 0)
        return 0;
    long left = 0, right = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(left) firstprivate(depth)
        left = grouped(depth - 1);
#pragma omp task shared(right)
        right = 1;
    }
    return left + right;
}

template <class Chain>
void check_chain(Chain chain_from, long length, long tasks, const char* name) {
    links.store(0);
#pragma omp parallel
#pragma omp single nowait
    chain_from(length);
    expect(links.load() == tasks, "%s: %ld of %ld links", name, links.load(), tasks);
}

void check_group_outside(long length) {
    links.store(0);
#pragma omp taskgroup
    chain(length);
    expect(links.load() == length, "chain outside of regions: %ld of %ld", links.load(), length);
}

} // namespace

int main() {
    const long length = stress::scaled(1000000);
    const long depth = stress::sanitized() ? 1000 : 8000;
    for (int round = 0; round < 3; ++round) {
        check_chain(chain, length, length, "chain");
        check_chain(chain_untied, length, length, "untied chain");
        check_chain(comb, length / 2, length / 2 * 2 - 1, "comb");
        check_group_outside(length);
        long deepest = 0, deepest_group = 0;
#pragma omp parallel
#pragma omp single
        {
            deepest = recursion(depth);
            deepest_group = grouped(depth);
        }
        expect(deepest == depth, "recursion with taskwait: %ld of %ld", deepest, depth);
        expect(deepest_group == depth, "recursion in taskgroups: %ld of %ld", deepest_group, depth);
        expect(recursion(depth) == depth, "recursion outside of regions");
    }
    return stress::result("deep");
}
