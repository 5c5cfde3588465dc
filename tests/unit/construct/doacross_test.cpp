// SPDX-License-Identifier: Apache-2.0
// Doacross loops below the ABI: the chunks of every schedule, how much memory a loop takes, nests
// whose iterations cannot be counted in 64 bits, and what ends a wait.
#include "construct/doacross.hpp"

#include "construct/loop.hpp"
#include "construct/parallel.hpp"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <vector>

using namespace heddle;
using config::ScheduleKind;
using construct::Doacross;
using construct::DoacrossRequest;

namespace {

struct Chunk {
    uint64_t begin, end;
    bool operator==(const Chunk&) const = default;
};

/// Runs `body` on each member of a team.
void on_team(unsigned threads, const std::function<void(team::Member&)>& body) {
    auto copy = body;
    construct::parallel(
        [](void* raw) { (*static_cast<std::function<void(team::Member&)>*>(raw))(team::self()); },
        &copy, threads);
}

/// The chunks of a loop that `begin` enters, by thread.
std::vector<std::vector<Chunk>> chunks_of(unsigned threads,
                                          const std::function<void(team::Member&)>& begin) {
    std::vector<std::vector<Chunk>> by_thread(threads);
    on_team(threads, [&](team::Member& member) {
        begin(member);
        Chunk chunk;
        while (construct::next_chunk(member, &chunk.begin, &chunk.end))
            by_thread[static_cast<size_t>(member.number)].push_back(chunk);
    });
    return by_thread;
}

/// The rest of an iteration's numbers, one at a time.
auto inner(std::vector<uint64_t> numbers) {
    return [numbers, i = size_t{0}]() mutable { return numbers[i++]; };
}

constexpr ScheduleKind kinds[] = {ScheduleKind::static_, ScheduleKind::dynamic,
                                  ScheduleKind::guided};

} // namespace

TEST(DoacrossChunks, EveryScheduleHandsOutEachIterationOnceAndAscends) {
    for (unsigned threads : {1u, 2u, 3u, 8u})
        for (ScheduleKind kind : kinds)
            for (uint64_t chunk : {0u, 1u, 3u, 64u})
                for (uint64_t count : {0u, 1u, 2u, 7u, 100u, 1001u}) {
                    const uint64_t counts[] = {count, 2};
                    const auto by_thread = chunks_of(threads, [&](team::Member& member) {
                        construct::begin_doacross(member, {2, counts, kind, chunk, 0});
                    });
                    std::set<uint64_t> seen;
                    for (const auto& chunks : by_thread)
                        for (size_t i = 0; i < chunks.size(); ++i) {
                            if (i > 0) {
                                EXPECT_LE(chunks[i - 1].end, chunks[i].begin);
                            }
                            for (uint64_t k = chunks[i].begin; k < chunks[i].end; ++k)
                                EXPECT_TRUE(seen.insert(k).second);
                        }
                    EXPECT_EQ(seen.size(), count);
                }
}

TEST(DoacrossChunks, StaticOnesAreThoseOfAnyLoop) {
    for (unsigned threads : {2u, 3u, 8u})
        for (uint64_t chunk : {0u, 1u, 3u})
            for (uint64_t count : {1u, 2u, 7u, 100u}) {
                const auto across = chunks_of(threads, [&](team::Member& member) {
                    construct::begin_doacross(member, {1, &count, ScheduleKind::static_, chunk, 0});
                });
                const auto plain = chunks_of(threads, [&](team::Member& member) {
                    construct::begin_loop(
                        member,
                        {{0, count, 1, count}, {ScheduleKind::static_, true, 0}, chunk, false, 0});
                });
                EXPECT_EQ(across, plain);
            }
}

TEST(DoacrossMemory, DoesNotGrowWithTheLoop) {
    const uint64_t counts[] = {~uint64_t{0} >> 1};
    for (ScheduleKind kind : kinds)
        for (uint64_t chunk : {0u, 1u})
            on_team(2, [&](team::Member& member) {
                construct::begin_doacross(member, {1, counts, kind, chunk, 0});
                const Doacross& loop = *construct::doacross_of(member);
                const uint64_t chunks = member.workshare.node->chunks;
                if (!loop.starts) {
                    EXPECT_EQ(loop.entry_mask, 63u);
                    return;
                }
                EXPECT_LE(chunks, 2u * 64);
                EXPECT_EQ(loop.starts[chunks], counts[0]);
                for (uint64_t i = 0; i < chunks; ++i)
                    EXPECT_LT(loop.starts[i], loop.starts[i + 1]);
            });
}

TEST(DoacrossMemory, IsMadeOnlyWhereSomebodyMayWait) {
    const uint64_t counts[] = {5, 5}, none[] = {5, 0};
    const auto state = [](unsigned threads, const uint64_t* of) {
        Doacross* found = nullptr;
        on_team(threads, [&](team::Member& member) {
            construct::begin_doacross(member, {2, of, ScheduleKind::dynamic, 1, 0});
            if (member.number == 0)
                found = construct::doacross_of(member);
        });
        return found != nullptr;
    };
    EXPECT_TRUE(state(2, counts));
    EXPECT_FALSE(state(1, counts));
    EXPECT_FALSE(state(2, none));
}

TEST(DoacrossMemory, IsSharedAndZeroedWhenAskedFor) {
    for (unsigned threads : {1u, 3u})
        for (int round = 0; round < 3; ++round) {
            const uint64_t counts[] = {8};
            std::mutex mutex;
            std::set<void*> addresses;
            on_team(threads, [&](team::Member& member) {
                construct::begin_doacross(member, {1, counts, ScheduleKind::guided, 1, 100});
                auto* memory = static_cast<unsigned char*>(construct::doacross_memory(member));
                memory[static_cast<size_t>(member.number)] += 1; // 0, whatever was there before
                EXPECT_EQ(memory[static_cast<size_t>(member.number)], 1);
                std::lock_guard guard(mutex);
                addresses.insert(memory);
            });
            EXPECT_EQ(addresses.size(), 1u);
        }
}

TEST(DoacrossWaits, EndWithTheChunkWhenAnIterationHasNoSource) {
    const uint64_t count = 40;
    uint64_t value = 0; // plain: the waits alone order the accesses
    on_team(2, [&](team::Member& member) {
        construct::begin_doacross(member, {1, &count, ScheduleKind::static_, 1, 0});
        Chunk chunk;
        while (construct::next_chunk(member, &chunk.begin, &chunk.end)) {
            if (chunk.begin > 0)
                construct::wait_doacross(member, chunk.begin - 1, inner({}));
            EXPECT_EQ(value++, chunk.begin);
        }
    });
    EXPECT_EQ(value, count);
}

TEST(DoacrossWaits, AreRightWhereIterationsCannotBeCounted) {
    const uint64_t big = uint64_t{1} << 40, counts[] = {2, big, big};
    int value = 0;
    on_team(2, [&](team::Member& member) {
        construct::begin_doacross(member, {3, counts, ScheduleKind::static_, 1, 0});
        const Doacross& loop = *construct::doacross_of(member);
        EXPECT_EQ(loop.dimensions, 2u);
        Chunk chunk;
        ASSERT_TRUE(construct::next_chunk(member, &chunk.begin, &chunk.end));
        if (member.number == 0) {
            construct::post_doacross(member, 0, inner({5, 7})); // (0, 5, 8) is not done
            EXPECT_EQ(loop.entries[0].posted.load(platform::acquire), 5u);
            value = 1;
            construct::post_doacross(member, 0, inner({6, 0}));
            EXPECT_EQ(loop.entries[0].posted.load(platform::acquire), 6u);
        } else {
            construct::wait_doacross(member, 0, inner({5, 8}));
            EXPECT_EQ(value, 1);
            construct::wait_doacross(member, 0, inner({big - 1, big - 1})); // the chunk's end
        }
        EXPECT_FALSE(construct::next_chunk(member, &chunk.begin, &chunk.end));
    });
}

TEST(DoacrossWaits, NeverGoBack) {
    const uint64_t counts[] = {2, 10};
    on_team(2, [&](team::Member& member) {
        construct::begin_doacross(member, {2, counts, ScheduleKind::static_, 1, 0});
        Chunk chunk;
        ASSERT_TRUE(construct::next_chunk(member, &chunk.begin, &chunk.end));
        construct::post_doacross(member, chunk.begin, inner({4}));
        construct::post_doacross(member, chunk.begin, inner({3}));
        const auto& own = *construct::doacross_of(member)->members[member.number].own;
        EXPECT_EQ(own.posted.load(platform::acquire), chunk.begin * 10 + 5);
        EXPECT_FALSE(construct::next_chunk(member, &chunk.begin, &chunk.end));
        EXPECT_EQ(own.posted.load(platform::acquire), chunk.begin * 10 + 10);
    });
}
