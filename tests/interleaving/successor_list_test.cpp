// SPDX-License-Identifier: Apache-2.0
// Successor lists in the small life of task records: a creator enters tasks that depend on others
// while these are finished elsewhere. Each successor becomes ready once, after its predecessors,
// and each record is freed once, after its last use. Protocol: docs/protocols/successor-list.md.
#include "concurrent/completion_count.hpp"
#include "concurrent/successor_list.hpp"

#include "linearizability.hpp"

#include <memory>
#include <vector>

using heddle::concurrent::Completion;
using heddle::concurrent::CompletionCount;
using heddle::concurrent::SuccessorList;
namespace platform = heddle::platform;

namespace {

struct Record {
    SuccessorList list;
    CompletionCount missing;
    SuccessorList::Link links[2];
    int made_links = 0;
    bool done = false, freed = false;
    int runs = 0;
    Record* predecessors[2] = {};
};

struct Shared {
    Record records[4];

    Shared() {
        for (Record& record : records) {
            record.list.reset(false);
            record.missing.reset();
        }
    }

    static Record& alive(Record& record) {
        explore::expect(!record.freed, "used after it was freed");
        return record;
    }
    static void free(Record& record) {
        alive(record).freed = true;
        record.links[0] = record.links[1] = {nullptr, nullptr};
    }

    /// By whoever executes a ready task.
    void finish(Record& record) {
        for (const Record* predecessor : alive(record).predecessors)
            explore::expect(!predecessor || predecessor->done, "ran before a predecessor");
        ++record.runs;
        record.done = true;
        const SuccessorList::Closing closing = record.list.close();
        for (SuccessorList::Link* link = closing.newest; link;) {
            SuccessorList::Link* const next = link->next;
            auto& successor = alive(*static_cast<Record*>(link->successor));
            if (successor.missing.done() == Completion::reclaim)
                finish(successor);
            link = next;
        }
        if (closing.abandoned)
            free(record);
    }

    // ---- the creator ----

    void link(Record& successor, Record& predecessor) {
        successor.predecessors[successor.predecessors[0] ? 1 : 0] = &predecessor;
        if (alive(predecessor).list.closed())
            return;
        SuccessorList::Link& link = successor.links[successor.made_links];
        link.successor = &successor;
        if (predecessor.list.add(link))
            ++successor.made_links;
    }
    void enter(Record& record) {
        if (record.missing.abandon(record.made_links))
            finish(record);
    }
    /// The table forgets the record.
    void drop(Record& record) {
        if (alive(record).list.closed() || record.list.abandon())
            free(record);
    }

    void expect_end(int count) {
        for (int i = 0; i < count; ++i) {
            explore::expect(records[i].runs == 1, "a task did not run once");
            explore::expect(records[i].freed, "a record was not freed");
        }
    }
};

/// Two successors of one task that another thread finishes meanwhile.
void one_predecessor(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    Record* const records = shared->records;
    world.thread([=] { shared->finish(records[0]); });
    world.thread([=] {
        for (int i = 1; i < 3; ++i) {
            shared->link(records[i], records[0]);
            shared->enter(records[i]);
        }
        for (int i = 0; i < 3; ++i)
            shared->drop(records[i]);
    });
    world.at_end([=] { shared->expect_end(3); });
}

/// Two tasks finish on two threads; one depends on both, another on that one.
void two_predecessors(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    Record* const records = shared->records;
    for (int i = 0; i < 2; ++i)
        world.thread([=] { shared->finish(records[i]); });
    world.thread([=] {
        shared->link(records[2], records[0]);
        shared->link(records[2], records[1]);
        shared->enter(records[2]);
        shared->drop(records[0]);
        shared->link(records[3], records[2]);
        shared->enter(records[3]);
        for (int i = 1; i < 4; ++i)
            shared->drop(records[i]);
    });
    world.at_end([=] { shared->expect_end(4); });
}

/// The creator forgets a task to which it has just added a successor.
void abandoned(explore::World& world) {
    auto shared = std::make_shared<Shared>();
    Record* const records = shared->records;
    world.thread([=] { shared->finish(records[0]); });
    world.thread([=] {
        shared->link(records[1], records[0]);
        shared->drop(records[0]);
        shared->enter(records[1]);
        shared->drop(records[1]);
    });
    world.at_end([=] { shared->expect_end(2); });
}

/// The list to one thread: links are numbers here.
struct Links {
    enum class Kind { add, closed, abandon, close };
    struct Operation {
        Kind kind;
        bool yes;               ///< the answer
        std::vector<int> links; ///< added, or those that close() returned, newest first
    };
    std::vector<int> links;
    bool is_abandoned = false, is_closed = false;

    bool apply(const Operation& operation) {
        switch (operation.kind) {
        case Kind::add:
            if (!is_closed)
                links.insert(links.begin(), operation.links[0]);
            return operation.yes == !is_closed;
        case Kind::closed:
            return operation.yes == is_closed;
        case Kind::abandon:
            is_abandoned = true;
            return operation.yes == is_closed;
        case Kind::close:
            is_closed = true;
            return operation.yes == is_abandoned && operation.links == links;
        }
        return false;
    }
};

struct Recorded {
    SuccessorList list;
    SuccessorList::Link links[3];
    explore::History<Links> history;

    void enter() {
        for (int i = 0; i < 3; ++i) {
            auto asked = explore::now();
            history.add({Links::Kind::closed, list.closed(), {}}, asked);
            asked = explore::now();
            history.add({Links::Kind::add, list.add(links[i]), {i}}, asked);
        }
        const auto asked = explore::now();
        history.add({Links::Kind::abandon, list.abandon(), {}}, asked);
    }
    void finish() {
        const auto asked = explore::now();
        const SuccessorList::Closing closing = list.close();
        const size_t entry = history.add({Links::Kind::close, closing.abandoned, {}}, asked);
        for (const auto* link = closing.newest; link; link = link->next)
            history.at(entry).links.push_back(static_cast<int>(link - links));
    }
};

void linearizable(explore::World& world) {
    auto recorded = std::make_shared<Recorded>();
    recorded->list.reset(false);
    world.thread([=] { recorded->enter(); });
    world.thread([=] {
        for (uint32_t i = explore::choose(8); i > 0; --i)
            platform::yield();
        recorded->finish();
    });
    world.at_end([=] { recorded->history.check({}); });
}

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"one_predecessor", one_predecessor},
                         {"two_predecessors", two_predecessors},
                         {"abandoned", abandoned},
                         {"linearizable", linearizable, 0.5}});
}
