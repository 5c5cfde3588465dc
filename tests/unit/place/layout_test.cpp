// SPDX-License-Identifier: Apache-2.0
// How arrays lie on domains: every byte on one, in whole pages, in proportion or in turn.
#include "place/layout.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace heddle::place {
namespace {

constexpr size_t page = 4096;

DomainShares shares_of(std::initializer_list<std::pair<int, int>> domains) {
    DomainShares shares;
    for (const auto& [domain, weight] : domains)
        shares.add(domain, weight);
    return shares;
}

/// The runs as `domain:pages`; checks that they make up the array.
std::string shown(const Layout& layout) {
    std::string text;
    size_t expected = 0, runs = 0;
    layout.for_each_run([&](size_t begin, size_t end, int domain) {
        EXPECT_EQ(begin, expected);
        EXPECT_LT(begin, end);
        EXPECT_EQ(end % page, 0u);
        EXPECT_EQ(layout.domain_at(begin), domain);
        EXPECT_EQ(layout.domain_at(end - 1), domain);
        text += (text.empty() ? "" : " ") + std::to_string(domain) + ":" +
                std::to_string((end - begin) / page);
        expected = end;
        ++runs;
    });
    EXPECT_EQ(expected, layout.size());
    EXPECT_EQ(runs, layout.runs());
    return text;
}

std::string made(size_t pages, size_t block, const DomainShares& shares) {
    Layout* layout = Layout::create(pages * page, block, page, shares);
    const std::string text = shown(*layout);
    platform::deallocate(layout);
    return text;
}

TEST(Layout, OnePartADomain) {
    const DomainShares four = shares_of({{0, 2}, {1, 2}, {2, 2}, {3, 2}});
    EXPECT_EQ(made(8, 0, four), "0:2 1:2 2:2 3:2");
    EXPECT_EQ(made(10, 0, four), "0:3 1:2 2:3 3:2");
    EXPECT_EQ(made(2, 0, four), "0:1 2:1");
    EXPECT_EQ(made(1, 0, four), "0:1");
    EXPECT_EQ(made(5, 0, shares_of({{7, 1}})), "7:5");
}

TEST(Layout, InProportion) {
    EXPECT_EQ(made(12, 0, shares_of({{1, 4}, {5, 2}})), "1:8 5:4");
    EXPECT_EQ(made(100, 0, shares_of({{0, 1}, {1, 8}, {2, 1}})), "0:10 1:80 2:10");
}

TEST(Layout, InTurn) {
    const DomainShares three = shares_of({{2, 9}, {0, 1}, {1, 1}});
    EXPECT_EQ(made(7, 2 * page, three), "2:2 0:2 1:2 2:1");
    EXPECT_EQ(made(4, 1, three), "2:1 0:1 1:1 2:1");          // rounded up to a page
    EXPECT_EQ(made(4, page + 1, three), "2:2 0:2");           // to two
    EXPECT_EQ(made(4, SIZE_MAX, three), "2:4");               // all in one
    EXPECT_EQ(made(9, 2 * page, shares_of({{3, 1}})), "3:9"); // nothing to take turns with
}

TEST(Layout, LargeSizesDoNotOverflow) {
    DomainShares shares;
    for (int i = 0; i < platform::most_nodes; ++i)
        shares.add(i, 8192);
    Layout* layout = Layout::create(size_t{1} << 62, 0, page, shares);
    EXPECT_EQ(layout->runs(), static_cast<size_t>(platform::most_nodes));
    EXPECT_EQ(layout->domain_at((size_t{1} << 62) - 1), platform::most_nodes - 1);
    EXPECT_EQ(layout->domain_at(size_t{1} << 61), platform::most_nodes / 2);
    platform::deallocate(layout);
}

TEST(Layout, RandomOnesAreWhole) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 300; ++trial) {
        DomainShares shares;
        for (int i = 0, count = 1 + static_cast<int>(random() % 9); i < count; ++i)
            shares.add(static_cast<int>(random() % 64), 1 + static_cast<int>(random() % 5));
        made(1 + random() % 200, random() % 3 == 0 ? 0 : 1 + random() % (9 * page), shares);
    }
}

} // namespace
} // namespace heddle::place
