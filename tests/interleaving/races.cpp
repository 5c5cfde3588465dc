// SPDX-License-Identifier: Apache-2.0
// Who has accessed which bytes. See races.hpp.
#include "races.hpp"

#include "engine.hpp"

#include <cstdio>
#include <dlfcn.h>

namespace explore {

namespace {

constexpr size_t largest_block = 16384; // of a test's containers

bool writes(Access kind) { return kind == Access::write || kind == Access::atomic_write; }
bool is_atomic(Access kind) { return kind >= Access::atomic_read; }

/// Whoever races with `before` races with `after` too, if he knows it no better.
bool covers(Access after, Access before) {
    return (writes(after) || !writes(before)) && (!is_atomic(after) || is_atomic(before));
}

const char* name(Access kind) {
    constexpr const char* names[] = {"reads", "writes", "reads (atomic)", "writes (atomic)"};
    return names[static_cast<size_t>(kind)];
}

/// As addr2line -e <program> wants it.
unsigned long offset_in_program(const void* code) {
    Dl_info info{};
    if (!code || !dladdr(code, &info))
        return 0;
    return static_cast<unsigned long>(static_cast<const char*>(code) -
                                      static_cast<const char*>(info.dli_fbase));
}

} // namespace

void Races::begin(bool on) {
    on_ = on;
    ++execution_;
    used_ = 0;
    unwatched_.clear();
    if (words_.empty())
        words_.resize(4096);
}

Races::Word& Races::find(uintptr_t number) {
    const size_t mask = words_.size() - 1;
    for (size_t i = (number * 0x9e3779b97f4a7c15) >> 20;; ++i) {
        Word& word = words_[i & mask];
        if (word.execution != execution_) {
            if (++used_ * 2 > words_.size()) {
                grow();
                return find(number);
            }
            word.number = number;
            word.execution = execution_;
            word.count = word.evicted = 0;
            return word;
        }
        if (word.number == number)
            return word;
    }
}

void Races::grow() {
    std::vector<Word> old(words_.size() * 2);
    old.swap(words_);
    used_ = 0;
    for (const Word& word : old)
        if (word.execution == execution_)
            find(word.number) = word;
}

void Races::access(const void* address, size_t size, Access kind, const void* code) {
    if (!on_ || !engine.current || engine.current->unwatched != 0)
        return;
    auto at = reinterpret_cast<uintptr_t>(address);
    while (size > 0) {
        const size_t first = at % word_size, part = std::min(size, word_size - first);
        check(find(at / word_size), static_cast<uint8_t>(((1u << part) - 1) << first), kind, code);
        at += part;
        size -= part;
    }
}

void Races::check(Word& word, uint8_t bytes, Access kind, const void* code) {
    const Clock& clock = engine.current->clock;
    const auto me = static_cast<uint8_t>(number(engine.current));
    const Entry now{code, clock.times[me], me, bytes, kind};
    size_t kept = 0;
    for (size_t i = 0; i < word.count; ++i) {
        const Entry& before = word.entries[i];
        const bool known = before.fiber == me || clock.knows(before.fiber, before.time);
        const bool overlaps = (before.bytes & bytes) != 0;
        if (overlaps && !known && (writes(kind) || writes(before.kind)) &&
            !(is_atomic(kind) && is_atomic(before.kind)))
            report(word, before, now);
        if (known && (before.bytes & ~bytes) == 0 && covers(kind, before.kind))
            continue;
        // The same again, or less.
        if (before.fiber == me && before.time == now.time && (bytes & ~before.bytes) == 0 &&
            covers(before.kind, kind)) {
            for (; i < word.count; ++i)
                word.entries[kept++] = word.entries[i];
            word.count = static_cast<uint8_t>(kept);
            return;
        }
        word.entries[kept++] = before;
    }
    if (kept == word.entries.size()) // the oldest goes: a race with it will be missed
        word.entries[word.evicted++ % kept] = now;
    else
        word.entries[kept++] = now;
    word.count = static_cast<uint8_t>(kept);
}

void Races::forget(const void* address, size_t size) {
    if (!on_ || !engine.current || size > largest_block) // larger ones are the explorer's own
        return;
    const auto begin = reinterpret_cast<uintptr_t>(address);
    for (uintptr_t i = begin / word_size; i * word_size < begin + size; ++i)
        find(i).count = 0;
}

void Races::unwatch(const void* address, size_t size) {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    unwatched_.push_back({begin, begin + size});
}

bool Races::is_unwatched(uintptr_t number, uint8_t bytes) const {
    for (size_t i = 0; i < word_size; ++i) {
        if ((bytes >> i & 1) == 0)
            continue;
        bool found = false;
        for (const Range& range : unwatched_)
            found |= number * word_size + i >= range.begin && number * word_size + i < range.end;
        if (!found)
            return false;
    }
    return true;
}

void Races::report(const Word& word, const Entry& before, const Entry& now) const {
    const auto bytes = static_cast<uint8_t>(before.bytes & now.bytes);
    if (is_unwatched(word.number, bytes))
        return;
    printf("data race at 0x%lx: fiber %u %s (code at 0x%lx), and fiber %u, which does not know of "
           "it, %s (code at 0x%lx)\n",
           static_cast<unsigned long>(word.number * word_size), before.fiber, name(before.kind),
           offset_in_program(before.code), now.fiber, name(now.kind), offset_in_program(now.code));
    fail("a data race");
}

} // namespace explore
