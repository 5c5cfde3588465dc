// SPDX-License-Identifier: Apache-2.0
// Loop bounds and chunks: counts at the limits of the types, and every schedule's chunks on one
// thread, where the first chunk is the whole loop, and on a team made by hand.
#include "construct/loop.hpp"

#include "construct/parallel.hpp"

#include <climits>
#include <cstdint>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <vector>

using namespace heddle;
using config::Schedule;
using config::ScheduleKind;
using construct::signed_bounds;
using construct::unsigned_bounds;

TEST(LoopBounds, CountsSignedIterations) {
    EXPECT_EQ(signed_bounds(0, 10, 1).count, 10u);
    EXPECT_EQ(signed_bounds(0, 10, 3).count, 4u);
    EXPECT_EQ(signed_bounds(10, 0, -1).count, 10u);
    EXPECT_EQ(signed_bounds(10, 0, -3).count, 4u);
    EXPECT_EQ(signed_bounds(-5, 5, 2).count, 5u);
}

TEST(LoopBounds, CountsNothingInTheWrongDirection) {
    EXPECT_EQ(signed_bounds(10, 0, 1).count, 0u);
    EXPECT_EQ(signed_bounds(0, 10, -1).count, 0u);
    EXPECT_EQ(signed_bounds(4, 4, 1).count, 0u);
    EXPECT_EQ(unsigned_bounds(true, 10, 0, 1).count, 0u);
    EXPECT_EQ(unsigned_bounds(false, 0, 10, ~0ull).count, 0u);
}

TEST(LoopBounds, CountsAtTheLimitsOfTheTypes) {
    EXPECT_EQ(signed_bounds(LONG_MIN, LONG_MAX, 1).count, ULLONG_MAX);
    EXPECT_EQ(signed_bounds(LONG_MAX, LONG_MIN, -1).count, ULLONG_MAX);
    EXPECT_EQ(signed_bounds(LONG_MAX, LONG_MIN, LONG_MIN).count, 2u);
    EXPECT_EQ(unsigned_bounds(true, 0, ULLONG_MAX, 1).count, ULLONG_MAX);
    EXPECT_EQ(unsigned_bounds(true, ULLONG_MAX - 5, ULLONG_MAX, 4).count, 2u);
    EXPECT_EQ(unsigned_bounds(false, ULLONG_MAX, 0, 0ull - 2).count, 1ull << 63);
}

namespace {

struct Chunk {
    uint64_t begin, end;
};

struct Gathered {
    construct::LoopRequest request;
    bool ordered = false;
    std::mutex mutex;
    std::vector<std::vector<Chunk>> by_thread;
};

/// One member's part of the region: takes all the chunks it gets.
void take_chunks(void* raw) {
    auto& gathered = *static_cast<Gathered*>(raw);
    team::Member& member = team::self();
    construct::begin_loop(member, gathered.request);
    std::vector<Chunk> mine;
    Chunk chunk;
    auto next = gathered.request.ordered ? construct::next_ordered_chunk : construct::next_chunk;
    while (next(member, &chunk.begin, &chunk.end)) {
        if (gathered.request.ordered)
            construct::begin_ordered(member);
        mine.push_back(chunk);
    }
    std::lock_guard guard(gathered.mutex);
    gathered.by_thread[static_cast<size_t>(member.number)] = mine;
}

std::vector<std::vector<Chunk>> run(unsigned threads, const construct::LoopRequest& request) {
    Gathered gathered{request, false, {}, std::vector<std::vector<Chunk>>(threads)};
    construct::parallel(take_chunks, &gathered, threads);
    return gathered.by_thread;
}

/// Each iteration of [0, count) in exactly one chunk; no chunk but the last shorter than `least`.
void expect_partition(const std::vector<std::vector<Chunk>>& by_thread, uint64_t count,
                      uint64_t least) {
    std::set<uint64_t> seen;
    for (const auto& chunks : by_thread)
        for (const Chunk& chunk : chunks) {
            ASSERT_LT(chunk.begin, chunk.end);
            if (chunk.end != count) {
                EXPECT_GE(chunk.end - chunk.begin, least);
            }
            for (uint64_t i = chunk.begin; i < chunk.end; ++i)
                EXPECT_TRUE(seen.insert(i).second) << "iteration " << i << " twice";
        }
    EXPECT_EQ(seen.size(), count);
}

constexpr Schedule schedule(ScheduleKind kind, bool monotonic) { return {kind, monotonic, 0}; }

} // namespace

TEST(LoopChunks, EveryScheduleHandsOutEachIterationOnce) {
    for (unsigned threads : {1u, 2u, 3u, 8u})
        for (ScheduleKind kind : {ScheduleKind::static_, ScheduleKind::dynamic,
                                  ScheduleKind::guided, ScheduleKind::adaptive})
            for (bool monotonic : {false, true})
                for (uint64_t chunk : {1u, 3u, 64u})
                    for (long count : {0l, 1l, 2l, 7l, 100l, 1001l}) {
                        const auto chunks =
                            run(threads, {signed_bounds(0, count, 1), schedule(kind, monotonic),
                                          chunk, false, 0});
                        expect_partition(chunks, static_cast<uint64_t>(count), chunk);
                    }
}

/// As programs expect that put the longest iterations in front.
TEST(LoopChunks, DynamicGivesNoThreadWhatPrecedesItsFirstChunk) {
    for (unsigned threads : {2u, 3u, 8u})
        for (uint64_t chunk : {1u, 4u})
            for (long count : {2l, 7l, 33l, 5000l})
                for (const auto& chunks :
                     run(threads, {signed_bounds(0, count, 1),
                                   schedule(ScheduleKind::dynamic, false), chunk, false, 0}))
                    for (const Chunk& later : chunks)
                        EXPECT_GE(later.begin, chunks.front().begin);
}

TEST(LoopChunks, MonotonicSchedulesAscendOnEachThread) {
    for (ScheduleKind kind : {ScheduleKind::static_, ScheduleKind::dynamic, ScheduleKind::guided})
        for (const auto& chunks :
             run(4, {signed_bounds(0, 5000, 1), schedule(kind, true), 2, false, 0}))
            for (size_t i = 1; i < chunks.size(); ++i)
                EXPECT_LE(chunks[i - 1].end, chunks[i].begin);
}

TEST(LoopChunks, OrderedLoopsAscendOnEachThread) {
    for (ScheduleKind kind : {ScheduleKind::static_, ScheduleKind::dynamic, ScheduleKind::guided})
        for (const auto& chunks :
             run(4, {signed_bounds(0, 500, 1), schedule(kind, false), 1, true, 0}))
            for (size_t i = 1; i < chunks.size(); ++i)
                EXPECT_LE(chunks[i - 1].end, chunks[i].begin);
}

namespace {

struct InTurns {
    construct::LoopRequest request;
    uint64_t next = 0; ///< iteration; plain, for the turn alone protects it
    uint64_t wrong = 0;
};

void take_turns(void* raw) {
    auto& turns = *static_cast<InTurns*>(raw);
    team::Member& member = team::self();
    construct::begin_loop(member, turns.request);
    Chunk chunk;
    while (construct::next_ordered_chunk(member, &chunk.begin, &chunk.end)) {
        for (uint64_t i = chunk.begin; i < chunk.end; ++i) {
            construct::begin_ordered(member);
            turns.wrong += turns.next != i;
            turns.next = i + 1;
            construct::end_ordered(member);
        }
    }
}

} // namespace

TEST(LoopChunks, OrderedRegionsTakeTurnsInSmallAndLargeTeams) {
    constexpr unsigned large = team::Turn::least_team;
    for (unsigned threads : {2u, large - 1, large, large + 5})
        for (ScheduleKind kind :
             {ScheduleKind::static_, ScheduleKind::dynamic, ScheduleKind::guided})
            for (uint64_t chunk : {1u, 4u}) {
                InTurns turns{{signed_bounds(0, 203, 1), schedule(kind, false), chunk, true, 0}};
                construct::parallel(take_turns, &turns, threads);
                EXPECT_EQ(turns.next, 203u);
                EXPECT_EQ(turns.wrong, 0u);
            }
}

TEST(LoopChunks, TheLastIterationIsAThreadsLast) {
    for (int round = 0; round < 200; ++round)
        for (const auto& chunks :
             run(4, {signed_bounds(0, 64, 1), schedule(ScheduleKind::dynamic, false), 1, false, 0}))
            for (size_t i = 0; i + 1 < chunks.size(); ++i)
                EXPECT_NE(chunks[i].end, 64u); // lastprivate is copied out after a thread's chunks
}

TEST(LoopChunks, DynamicChunksHaveTheirSize) {
    for (uint64_t chunk : {1u, 7u, 100u})
        for (const auto& chunks : run(3, {signed_bounds(0, 10000, 1),
                                          schedule(ScheduleKind::dynamic, false), chunk, false, 0}))
            for (const Chunk& taken : chunks) {
                EXPECT_EQ(taken.begin % chunk, 0u);
                if (taken.end != 10000) {
                    EXPECT_EQ(taken.end - taken.begin, chunk);
                }
            }
}

TEST(LoopChunks, AnAutomaticLoopIgnoresItsChunk) {
    for (bool monotonic : {false, true}) {
        const auto by_thread = run(
            2, {signed_bounds(0, 100, 1), schedule(ScheduleKind::auto_, monotonic), 30, false, 0});
        expect_partition(by_thread, 100, 1);
        if (monotonic) {
            EXPECT_EQ(by_thread[1].at(0).begin, 50u); // blocks, not chunks
        }
    }
}

// More iterations than a range can number, of which nobody could execute each: large units.
TEST(LoopChunks, AdaptiveLoopsCanHaveAnyNumberOfIterations) {
    for (ScheduleKind kind : {ScheduleKind::adaptive, ScheduleKind::guided, ScheduleKind::auto_})
        for (uint64_t count : {uint64_t{0xfffffffe}, uint64_t{0xffffffff}, uint64_t{1} << 32,
                               (uint64_t{1} << 40) + 12345, ~uint64_t{0} - 1, ~uint64_t{0}})
            for (uint64_t step : {uint64_t{1}, ~uint64_t{0}}) {
                const uint64_t chunk = count / 1000; // few chunks, so that the test ends
                const bool up = step == 1;
                const auto by_thread =
                    run(3, {unsigned_bounds(up, up ? 0 : count, up ? count : 0, step),
                            schedule(kind, false), chunk, false, 0});
                uint64_t sum = 0, pieces = 0;
                for (const auto& chunks : by_thread)
                    for (const Chunk& taken : chunks) {
                        sum += up ? taken.end - taken.begin : taken.begin - taken.end;
                        ++pieces;
                    }
                EXPECT_EQ(sum, count);
                EXPECT_GT(pieces, 1u);
            }
}

TEST(LoopRanges, UnitsAreFewEnoughAndMultiplesOfTheChunk) {
    constexpr uint64_t most = construct::most_range_units;
    const auto units = [](uint64_t count, uint64_t unit) {
        return count / unit + (count % unit != 0);
    };
    for (uint64_t count : {uint64_t{0}, uint64_t{1}, most - 1, most, most + 1, most * 5, most << 20,
                           ~uint64_t{0} - 1, ~uint64_t{0}})
        for (uint64_t chunk : {uint64_t{1}, uint64_t{2}, uint64_t{1000}, most, most + 1,
                               ~uint64_t{0} / 2, ~uint64_t{0}}) {
            const uint64_t unit = construct::range_unit(count, chunk);
            EXPECT_EQ(unit % chunk, 0u);
            EXPECT_GE(unit, chunk);
            EXPECT_LE(units(count, unit), most);
            if (unit > chunk) {
                EXPECT_GT(units(count, unit - chunk), most);
            }
        }
}

/// What each range holds at first, taken by its owner, is its block of a loop of so many units.
void take_blocks(team::Workshare& node, team::Member& primary, uint64_t units) {
    const auto size = static_cast<uint32_t>(primary.team_size);
    const auto share = static_cast<uint32_t>(units) / size;
    const concurrent::Deal deal{static_cast<uint32_t>(units ? units - 1 : 0), share,
                                static_cast<uint32_t>(units) - share * size, node.odd};
    uint64_t next = 0;
    for (uint32_t i = 0; i < size; ++i) {
        const uint64_t block = units / size + (i < units % size);
        concurrent::Units taken;
        const auto all = [](uint32_t left) { return left; };
        const uint64_t dealt = next + block == units && block ? block - 1 : block;
        EXPECT_EQ(node.ranges()[i].left(deal, i), dealt);
        EXPECT_EQ(node.ranges()[i].take(deal, i, all, taken), dealt > 0);
        if (dealt) {
            EXPECT_EQ(taken.first, next);
            EXPECT_EQ(taken.end, next + dealt);
        }
        EXPECT_FALSE(node.ranges()[i].take(deal, i, all, taken));
        next += block;
    }
}

/// Also where the ranges are as the last loop has left them, and when another thread was faster.
TEST(LoopRanges, BlocksAreThoseOfAStaticLoop) {
    team::Workshare* node = team::Workshare::create(8);
    for (uint32_t size : {1u, 2u, 3u, 3u, 8u, 8u, 2u})
        for (uint64_t units : {0u, 1u, 2u, 7u, 8u, 9u, 100u, 1001u})
            for (bool described_twice : {false, true}) {
                node->chunks = units;
                node->chunk = 1;
                team::Member& primary = construct::begin_parallel(size);
                construct::start_parallel(primary, [](void*) {}, nullptr);
                construct::deal_ranges(*node, primary);
                if (described_twice) {
                    node->chunks = units + 5; // of a loop that has come first meanwhile
                    construct::deal_ranges(*node, primary);
                    node->chunks = units;
                    construct::deal_ranges(*node, primary);
                }
                construct::note_ranges(*node, primary);
                construct::end_parallel();
                take_blocks(*node, primary, units);
            }
    platform::deallocate(node);
}

TEST(LoopChunks, AStaticLoopWithoutChunkIsOneBlockAThread) {
    const auto by_thread =
        run(3, {signed_bounds(0, 10, 1), schedule(ScheduleKind::static_, true), 0, false, 0});
    const uint64_t ends[] = {4, 7, 10};
    for (size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(by_thread[i].size(), 1u);
        EXPECT_EQ(by_thread[i][0].end, ends[i]);
    }
}

TEST(LoopChunks, TheLastChunkEndsAtTheUsersEnd) {
    const auto by_thread =
        run(1, {signed_bounds(10, 0, -3), schedule(ScheduleKind::dynamic, true), 1, false, 0});
    ASSERT_FALSE(by_thread[0].empty());
    EXPECT_EQ(by_thread[0].back().end, 0u); // 10, 7, 4, 1: not -2
}
