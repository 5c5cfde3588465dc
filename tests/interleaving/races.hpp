// SPDX-License-Identifier: Apache-2.0
// Data races, by happens-before: two accesses to the same bytes, one of them a write and not both
// atomic, of fibers of which neither knows the other's. Plain accesses come from
// instrumentation.cpp, atomic ones from views.cpp. After FastTrack (Flanagan and Freund, PLDI
// 2009), with each word's accesses as in ThreadSanitizer.
#pragma once

#include "clock.hpp"

#include <array>
#include <vector>

namespace explore {

enum class Access : uint8_t { read = 0, write = 1, atomic_read = 2, atomic_write = 3 };

class Races {
public:
    /// An execution begins; races are looked for in it if `on`.
    void begin(bool on);

    bool are_looked_for() const { return on_; }

    /// By the current fiber; reports a race. `code`: the place in the program, for the report.
    void access(const void* address, size_t size, Access kind, const void* code = nullptr);

    /// What was there is over: the memory goes to a new owner, in no order that anybody promises.
    void forget(const void* address, size_t size);

    /// These bytes are the test's own account of what happens, not the program's.
    void unwatch(const void* address, size_t size);

private:
    static constexpr size_t word_size = 8;
    struct Entry {
        const void* code;
        uint32_t time;
        uint8_t fiber;
        uint8_t bytes; ///< of the word, one bit each
        Access kind;
    };
    struct Word {
        uintptr_t number = 0;   ///< address / word_size
        uint32_t execution = 0; ///< older ones are empty
        uint8_t count = 0, evicted = 0;
        std::array<Entry, 8> entries;
    };
    struct Range {
        uintptr_t begin, end;
    };

    Word& find(uintptr_t number);
    void grow();
    void check(Word& word, uint8_t bytes, Access kind, const void* code);
    void report(const Word& word, const Entry& before, const Entry& now) const;
    bool is_unwatched(uintptr_t number, uint8_t bytes) const;

    bool on_ = false;
    uint32_t execution_ = 0;
    size_t used_ = 0;
    std::vector<Word> words_;
    std::vector<Range> unwatched_;
};

} // namespace explore
