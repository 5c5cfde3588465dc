// SPDX-License-Identifier: Apache-2.0
// Successor lists in the small life of task records: a creator enters tasks that depend on others
// while these are finished elsewhere. Each successor becomes ready once, after its predecessors,
// and each record is freed once, after its last use. Protocol: docs/protocols/successor-list.md.
#include "concurrent/completion_count.hpp"
#include "concurrent/successor_list.hpp"

#include "explorer.hpp"

#include <memory>

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

} // namespace

int main(int argc, char** argv) {
    return explore::run(argc, argv,
                        {{"one_predecessor", one_predecessor},
                         {"two_predecessors", two_predecessors},
                         {"abandoned", abandoned}});
}
