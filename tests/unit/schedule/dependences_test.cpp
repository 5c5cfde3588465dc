// SPDX-License-Identifier: Apache-2.0
// The dependence table on a team of one thread: a task whose event is not fulfilled stays
// unfinished, so who waits for it is certain. Every pair of kinds, chains, sets, all memory, one
// address twice, tables that grow and forget; events fulfilled before and after.
#include "schedule/create.hpp"

#include "construct/parallel.hpp"
#include "schedule/wait.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace heddle;
using schedule::Dependence;
using schedule::DependenceKind;

namespace {

constexpr DependenceKind in = DependenceKind::in, out = DependenceKind::out,
                         set = DependenceKind::inoutset;

/// A region of one thread whose implicit task creates the tasks of the test.
class Dependences : public testing::Test {
protected:
    void SetUp() override { member_ = &construct::begin_parallel(1); }
    void TearDown() override {
        for (void* event : events_)
            if (event)
                schedule::fulfill(*static_cast<schedule::TaskRecord*>(event));
        construct::end_parallel();
    }

    struct Captured {
        void* event;
        std::vector<int>* log;
        int number;
    };

    void create(int number, const std::vector<Dependence>& list, void** event = nullptr,
                bool deferrable = true) {
        Captured captured{nullptr, &log_, number};
        schedule::NewTask task{};
        task.function = [](void* data) {
            const auto& mine = *static_cast<Captured*>(data);
            mine.log->push_back(mine.number);
        };
        task.data = &captured;
        task.size = sizeof captured;
        task.alignment = alignof(Captured);
        schedule::TaskClauses clauses;
        clauses.dependences = {list.data(), list.size()};
        if (event) {
            clauses.event = &schedule::make_event(*member_);
            *event = captured.event = clauses.event;
        }
        schedule::create_task(*member_, task, clauses, deferrable);
    }

    /// A task that stays unfinished until complete(number); its body runs when it may.
    void create_open(int number, const std::vector<Dependence>& list) {
        if (events_.size() <= static_cast<size_t>(number))
            events_.resize(static_cast<size_t>(number) + 1);
        create(number, list, &events_[static_cast<size_t>(number)]);
    }
    void complete(int number) {
        void*& event = events_[static_cast<size_t>(number)];
        schedule::fulfill(*static_cast<schedule::TaskRecord*>(event));
        event = nullptr;
        while (schedule::run_from_inbox(*member_, nullptr) || schedule::run_one(*member_)) {
        }
    }
    /// What has run, where the order is not specified.
    std::vector<int> sorted_log() const {
        std::vector<int> log = log_;
        std::sort(log.begin(), log.end());
        return log;
    }
    size_t predecessors(const std::vector<Dependence>& list) {
        return schedule::count_predecessors(*member_, {list.data(), list.size()});
    }

    team::Member* member_ = nullptr;
    std::vector<int> log_;
    std::vector<void*> events_;
    int x_ = 0, y_ = 0, z_ = 0;
};

using Log = std::vector<int>;

TEST_F(Dependences, EveryPairOfKinds) {
    int places[9];
    int number = 0;
    for (const DependenceKind first : {in, out, set})
        for (const DependenceKind second : {in, out, set}) {
            const void* place = &places[number];
            log_.clear();
            create_open(number, {{place, first}});
            create(100, {{place, second}});
            const bool independent = first == second && first != out;
            EXPECT_EQ(log_, independent ? (Log{number, 100}) : Log{number});
            complete(number++);
            EXPECT_EQ(log_, (Log{number - 1, 100}));
        }
}

TEST_F(Dependences, OfOtherPlacesAreIndependent) {
    create_open(0, {{&x_, out}});
    create(1, {{&y_, out}});
    create(2, {});
    EXPECT_EQ(log_, (Log{0, 1, 2}));
}

TEST_F(Dependences, ReadersWaitForTheWriterAndTheNextWriterForAll) {
    create_open(0, {{&x_, out}});
    create_open(1, {{&x_, in}});
    create_open(2, {{&x_, in}});
    create_open(3, {{&x_, out}});
    create(4, {{&x_, in}});
    EXPECT_EQ(sorted_log(), Log{0});
    complete(0);
    EXPECT_EQ(sorted_log(), (Log{0, 1, 2}));
    complete(2);
    EXPECT_EQ(sorted_log(), (Log{0, 1, 2}));
    complete(1);
    EXPECT_EQ(sorted_log(), (Log{0, 1, 2, 3}));
    complete(3);
    EXPECT_EQ(sorted_log(), (Log{0, 1, 2, 3, 4}));
}

TEST_F(Dependences, ALateMemberOfASetWaitsForWhatTheSetWaitedFor) {
    create_open(0, {{&x_, out}});
    create_open(1, {{&x_, set}});
    create_open(2, {{&x_, set}});
    EXPECT_EQ(predecessors({{&x_, set}}), 1u);
    EXPECT_EQ(predecessors({{&x_, in}}), 2u);
    complete(0);
    EXPECT_EQ(sorted_log(), (Log{0, 1, 2}));
    EXPECT_EQ(predecessors({{&x_, set}}), 0u);
    complete(1);
    EXPECT_EQ(predecessors({{&x_, out}}), 1u);
    complete(2);
    EXPECT_EQ(predecessors({{&x_, out}}), 0u);
}

TEST_F(Dependences, OneAddressTwiceInOneTask) {
    create_open(0, {{&x_, in}});
    create_open(1, {{&x_, in}, {&x_, out}, {&x_, in}});
    EXPECT_EQ(log_, Log{0});
    create(2, {{&x_, in}, {&x_, in}});
    complete(0);
    EXPECT_EQ(log_, (Log{0, 1}));
    complete(1);
    EXPECT_EQ(log_, (Log{0, 1, 2}));
    create_open(3, {{&x_, set}, {&x_, in}});
    create(4, {{&x_, set}});
    EXPECT_EQ(log_, (Log{0, 1, 2, 3}));
    complete(3);
    EXPECT_EQ(log_, (Log{0, 1, 2, 3, 4}));
}

TEST_F(Dependences, AllMemoryWaitsForAllAndAllForIt) {
    create_open(0, {{&x_, in}});
    create_open(1, {{&y_, out}});
    create_open(2, {{nullptr, out}, {&z_, in}});
    create(3, {{&z_, in}});
    EXPECT_EQ(predecessors({{&z_, out}}), 2u); // it, and task 3
    complete(0);
    EXPECT_EQ(log_, (Log{0, 1}));
    complete(1);
    EXPECT_EQ(log_, (Log{0, 1, 2}));
    complete(2);
    EXPECT_EQ(log_, (Log{0, 1, 2, 3}));
    EXPECT_EQ(predecessors({{nullptr, out}}), 0u);
}

TEST_F(Dependences, AnUndeferredTaskIsNotRemembered) {
    create(0, {{&x_, out}}, nullptr, false);
    EXPECT_EQ(log_, Log{0});
    EXPECT_EQ(predecessors({{&x_, out}}), 0u);
}

TEST_F(Dependences, ManyPlacesAndManyTasks) {
    std::vector<int> places(3000);
    create_open(0, {{&x_, out}});
    int number = 1;
    for (int round = 0; round < 3; ++round)
        for (const int& place : places)
            create(number++, {{&x_, in}, {&place, out}});
    EXPECT_EQ(log_, Log{0});
    EXPECT_EQ(predecessors({{&places[7], in}}), 1u);
    EXPECT_EQ(predecessors({{&x_, out}}), 9000u); // the readers, which wait for task 0
    complete(0);
    ASSERT_EQ(log_.size(), 9001u);
    std::vector<int> last(places.size(), -1); // the tasks of one place run in order
    for (size_t i = 1; i < log_.size(); ++i) {
        int& before = last[static_cast<size_t>(log_[i] - 1) % places.size()];
        EXPECT_LT(before, log_[i]);
        before = log_[i];
    }
    EXPECT_EQ(predecessors({{&x_, out}}), 0u);
    for (const int& place : places)
        create(number++, {{&place, out}}); // the table forgets meanwhile
    EXPECT_EQ(log_.size(), 12001u);
}

TEST_F(Dependences, AnEventFulfilledInTheBodyCompletesTheTask) {
    struct Data {
        void* event;
        std::vector<int>* log;
    } data{nullptr, &log_};
    schedule::NewTask task{};
    task.function = [](void* raw) {
        schedule::fulfill(*static_cast<schedule::TaskRecord*>(static_cast<Data*>(raw)->event));
        static_cast<Data*>(raw)->log->push_back(1);
    };
    task.data = &data;
    task.size = sizeof data;
    task.alignment = alignof(Data);
    const Dependence list[] = {{&x_, out}};
    schedule::TaskRecord& event = schedule::make_event(*member_);
    data.event = &event;
    schedule::create_task(*member_, task, {{list, 1}, 0, &event}, true);
    EXPECT_EQ(log_, Log{1});
    EXPECT_EQ(predecessors({{&x_, in}}), 0u);
    schedule::TaskRecord& another = schedule::make_event(*member_);
    data.event = &another;
    schedule::create_task(*member_, task, {{}, 0, &another}, false); // undeferred: it waits
    EXPECT_EQ(log_, (Log{1, 1}));
}

TEST_F(Dependences, AnEventMayBeFulfilledBeforeItsTaskExists) {
    for (const bool deferrable : {true, false}) {
        schedule::TaskRecord& event = schedule::make_event(*member_);
        schedule::fulfill(event);
        schedule::NewTask task{};
        task.function = [](void* data) { ++**static_cast<int**>(data); };
        int runs = 0;
        int* data = &runs;
        task.data = &data;
        task.size = sizeof data;
        task.alignment = alignof(int*);
        const Dependence list[] = {{&x_, out}};
        schedule::create_task(*member_, task, {{list, 1}, 0, &event}, deferrable);
        schedule::wait_for_children(*member_);
        EXPECT_EQ(runs, 1);
        EXPECT_EQ(predecessors({{&x_, in}}), 0u);
    }
}

TEST_F(Dependences, AnEventFulfilledBeforeTheBodyBegins) {
    create_open(0, {{&x_, out}});
    create_open(1, {{&x_, out}});
    create(2, {{&x_, in}});
    complete(1);
    EXPECT_EQ(log_, Log{0});
    complete(0);
    EXPECT_EQ(log_, (Log{0, 1, 2}));
}

} // namespace
