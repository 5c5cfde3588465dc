// SPDX-License-Identifier: Apache-2.0
// How many units of its range a member takes at a time: as many as last some microseconds at the
// pace of those before, and a small part of what is left, for nobody can take them back. Called by
// construct/loop_ranges.cpp on each member, with what that member alone writes. Adaptive loop
// scheduling of the adaptive-loops paper, whose batches are a fixed part; docs/loops.md.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::construct {

/// How batches are cut. docs/loops.md tells where the numbers come from.
struct BatchRule {
    uint64_t ns;     ///< a batch is to last so long at the pace of the last one
    uint32_t most;   ///< units
    uint32_t part;   ///< it is at most this part of what is left in the range,
    uint32_t least;  ///< unless so few units are less than an eighth of `ns`,
    uint32_t brief;  ///< or half of what is left lasts such a part of `ns`; 0: not then either
    uint32_t growth; ///< over the last batch, and over what the pace was, by so much at most
};

/// Of the mode ranges.
inline constexpr BatchRule chunk_rule{
    .ns = 4000, .most = 64, .part = 8, .least = 1, .brief = 0, .growth = 4};
/// Of the mode adaptive.
inline constexpr BatchRule adaptive_rule{
    .ns = 10000, .most = 0xffffffff, .part = 4, .least = 16, .brief = 16, .growth = 8};

inline constexpr uint64_t batch_alignment = 8; ///< of longer batches, in units

/// What is known of the next units of a range.
struct Pace {
    uint32_t units; ///< so many last rule.ns, as far as batches are trusted; at least 1
    uint32_t brief; ///< so many are brief, if they are as fast as the last batch
};

/// After a batch of `batch` > 0 units that took `took_ns`; `pace`: how many lasted rule.ns by those
/// before. A batch that was faster is mistrusted, one that was slower is believed; and batches that
/// are short only because little is left don't make the pace less.
inline Pace pace_after(const BatchRule& rule, uint32_t batch, uint32_t pace, uint64_t took_ns) {
    const uint64_t units = batch * rule.ns / (took_ns ? took_ns : 1);
    const uint64_t brief = rule.brief ? std::min<uint64_t>(units / rule.brief, rule.most) : 0;
    const uint64_t most = std::max<uint64_t>(batch * uint64_t{rule.growth}, pace);
    return {
        static_cast<uint32_t>(std::clamp<uint64_t>(units, 1, std::min<uint64_t>(most, rule.most))),
        static_cast<uint32_t>(brief)};
}

/// Of another's range the back half was taken, which may be just what takes long: the pace is
/// forgotten, but where at most few_units were taken, which may last eight times as long as those
/// before.
inline constexpr uint32_t few_units = 16, slow_factor = 8;
inline uint32_t pace_after_theft(uint32_t pace, uint32_t stolen) {
    return stolen <= few_units ? pace / slow_factor : 0;
}

/// The size of the next batch of the `left` > 0 units in a range.
inline uint32_t batch_size(const BatchRule& rule, Pace pace, uint32_t left) {
    const uint32_t least = std::clamp<uint32_t>(pace.units / 8, 1, rule.least);
    const uint32_t part = std::max(left / rule.part, std::min(left / 2, pace.brief));
    uint64_t size = std::min(pace.units, std::max(part, least));
    if (size > batch_alignment)
        size -= size % batch_alignment;
    return static_cast<uint32_t>(std::min<uint64_t>(size, left));
}

} // namespace heddle::construct
