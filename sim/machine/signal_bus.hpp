// SPDX-License-Identifier: Apache-2.0
// A bus that joins all thread units of a chip: each drives some lines, and who reads finds a line
// up while anybody drives it (Cyclops-64 paper, section 5.3: the logical OR of what each thread
// unit has written last). Written and read by sim/platform/chip_barrier.cpp, in the order of
// virtual time; what that costs is charged there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::sim {

class SignalBus {
public:
    static constexpr int most_lines = 16;

    /// What `unit` drives from now on, instead of what it did.
    void write(size_t unit, uint16_t lines) {
        if (unit >= driven_.size())
            driven_.resize(unit + 1);
        const auto changed = static_cast<uint16_t>(driven_[unit] ^ lines);
        driven_[unit] = lines;
        for (int line = 0; line < most_lines; ++line)
            if ((changed >> line & 1) != 0)
                drivers_[line] += (lines >> line & 1) != 0 ? 1 : -1;
    }

    uint16_t driven_by(size_t unit) const { return unit < driven_.size() ? driven_[unit] : 0; }

    uint16_t read() const {
        unsigned lines = 0;
        for (int line = 0; line < most_lines; ++line)
            lines |= drivers_[line] > 0 ? 1u << line : 0;
        return static_cast<uint16_t>(lines);
    }

private:
    std::vector<uint16_t> driven_; ///< by unit
    int drivers_[most_lines] = {};
};

} // namespace heddle::sim
