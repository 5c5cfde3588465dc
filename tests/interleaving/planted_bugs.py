# SPDX-License-Identifier: Apache-2.0
# The bugs that the explorer has to find, as replacements in copies of the real sources.
# Usage: planted_bugs.py list | orders | copies | make <source folder> <target folder>
# `make` fails when a string is not there exactly once: then the source has moved on, and so must this.
import pathlib
import sys

DEQUE = "concurrent/task_deque.hpp"
BATCHES = "concurrent/stolen_batches.hpp"
COUNT = "concurrent/completion_count.hpp"
SUCCESSORS = "concurrent/successor_list.hpp"
BARRIER = "concurrent/team_barrier.hpp"
NODES = "concurrent/tree_barrier.hpp"
ARRIVAL = "concurrent/arrival_flags.hpp"
TEAM = "team/team.hpp"
SINGLE = "construct/single.hpp"
LARGE = "team/large_team.hpp"
END = "team/region_end.hpp"
MAILBOX = "team/mailbox.cpp"
STAND_IN = "team/stand_in.cpp"
LOOKOUT = "team/lookout.cpp"
PART = "team/part.hpp"
TASK_WATCH = "team/task_watch.cpp"
PARTS = "schedule/stand_in.cpp"
CARRIED = "schedule/carried_parts.hpp"
EVENT = "concurrent/event_count.hpp"
PARKER = "concurrent/parker.hpp"
WAITING = "concurrent/waiting.hpp"
LOCK = "concurrent/futex_lock.hpp"
SLOTS = "concurrent/lock_slots.hpp"
HAND = "concurrent/hand_over.hpp"
TAS = "concurrent/locks/test_and_set.hpp"
BACKOFF = "concurrent/locks/test_and_set_backoff.hpp"
TICKET = "concurrent/locks/ticket.hpp"
QUEUE = "concurrent/locks/mcs_queue.hpp"
MCS = "concurrent/locks/mcs.hpp"
SLEEP = "concurrent/locks/mcs_sleep.hpp"
POOL = "concurrent/block_pool.hpp"
RANGE = "concurrent/steal_range.hpp"
SYNCH = "concurrent/cc_synch.hpp"
RING = "concurrent/owner_ring.hpp"
BOX = "concurrent/task_box.hpp"
BOXES = "schedule/boxes.cpp"
HUNGER = "schedule/boxes.hpp"
INBOX = "schedule/inbox.cpp"
NEST = "construct/lock.cpp"
NEST_H = "construct/lock.hpp"
SHARE = "construct/worksharing.hpp"
SHARED_OUT = "construct/worksharing.cpp"
LOOP = "construct/loop_ranges.cpp"
IN_ORDER = "construct/loop_in_order.cpp"
ACROSS = "construct/doacross.cpp"
ORDERED = "construct/ordered.cpp"
NODE = "team/workshare.hpp"
FLAGS = "construct/iteration_flags.cpp"
TREE = "construct/reduction_tree.cpp"
OWN = "schedule/own_context.cpp"
FAMILY = "schedule/family.cpp"

# What every test of a protocol gets: not bugs, but small rings, short patience, and scheduling points in
# copies.
BASE = {
    "task_deque": [
        (DEQUE, "first_capacity = 64", "first_capacity = 2"),
        (DEQUE, "largest_batch = 512", "largest_batch = 4"),
        (DEQUE, "        to = from;\n",
         '        platform::model::point("copy a slot", &from);\n        to = from;\n'),
        (DEQUE, "            ring[i & (capacity - 1)] = ring_[i & mask_];\n",
         '            platform::model::point("move a slot", ring),'
         " ring[i & (capacity - 1)] = ring_[i & mask_];\n"),
    ],
}
BASE["tree_barrier"] = BASE["task_deque"][:2]
BASE["team_barrier"] = BASE["arrival_flags"] = BASE["tree_barrier"]
BASE["parts"] = [
    (LOOKOUT, "patience = 10;", "patience = 1;"),
    (LOOKOUT, "most_naps = 16", "most_naps = 0"),
]
BASE["runtime"] = [
    (LOOKOUT, "patience = 10;", "patience = 1;"),
    (TASK_WATCH, "longest_standstill_ns = 250'000'000", "longest_standstill_ns = 100"),
    (LARGE, "largest_central_team = 16", "largest_central_team = 3"),
    (LARGE, "largest_flat_fork = 11", "largest_flat_fork = 2"),
    (TEAM, "most_counted_threads = 4", "most_counted_threads = 2"),
    (LARGE, "fork_width = 4", "fork_width = 1"),
    (NODES, "widest = 4", "widest = 2"),
]
BASE["mailbox"] = [
    (LARGE, "fork_width = 4", "fork_width = 1"),
    (END, "polls_a_look = 32", "polls_a_look = 2"),
]
BASE["cc_synch"] = [
    (SYNCH, "        node->request = request;\n",
     '        platform::model::point("write a request", node);\n        node->request = request;\n'),
]
BASE["futex_lock"] = BASE["nest_lock"] = [(HAND, "late_after_ns = 1'000'000", "late_after_ns = 0")]
BASE["locks"] = [(WAITING, "longest_pause = 64", "longest_pause = 2")]
BASE["iteration_flags"] = [(FLAGS, "bits = 64;", "bits = 2;")]
BASE["workshare_list"] = [
    (SHARED_OUT, "most_returned = 63;", "most_returned = 1;"),
    (NODE, "fewest = 32;", "fewest = 3;"),
    (NODE, "bits = 4;", "bits = 1;"),
]
BASE["ordered"] = [
    (NODE, "least_team = 8;", "least_team = 2;"),
    (NODE, "fewest = 64;", "fewest = 1;"),
    (NODE, "bits = 4,", "bits = 1,"),
]
BASE["doacross"] = [
    (ACROSS, "smallest_ring = 64", "smallest_ring = 4"),
    (ACROSS, "ring_entries_a_thread = 4", "ring_entries_a_thread = 1"),
]

# name: (test, replacements)
BUGS = {
    "deque_publish_early": ("task_deque", [
        (DEQUE, "    void push() { bottom_.set_own(bottom() + 1, platform::release); }\n",
         "    void push() {\n        bottom_.set_own(bottom() + 1, platform::release);\n"
         "        split_.store(bottom(), platform::relaxed);\n    }\n")]),
    "deque_seize_without_fence": ("task_deque", [
        (DEQUE, "ordered = platform::fence_all_threads();", "ordered = true;")]),
    "deque_seize_unlocked": ("task_deque", [
        (DEQUE, "        if (!try_lock())\n            return false;\n        // From", "        // From"),
        (DEQUE, "        unlock();\n        return done;", "        return done;")]),
    "deque_pop_looks_first": ("task_deque", [
        (DEQUE, "            bottom_.set_own(newest, platform::release); // the slots below, as push() does\n", ""),
        (DEQUE, "                return &ring_[newest & mask_];\n            bottom_.set_own(newest + 1, platform::release);\n",
         "                return bottom_.set_own(newest, platform::release), &ring_[newest & mask_];\n")]),
    "deque_pop_does_not_look": ("task_deque", [
        (DEQUE, "if (HEDDLE_LIKELY(seized_.load(platform::relaxed) == 0))", "if (true)")]),
    "deque_publish_over_seizure": ("task_deque", [
        (DEQUE, "        if (HEDDLE_LIKELY(split_.compare_exchange_strong(split, raised, platform::seq_cst,\n"
                "                                                         platform::relaxed)))",
         "        split_.exchange(raised, platform::seq_cst);\n        if (true)")]),
    "deque_steal_unlocked": ("task_deque", [
        (DEQUE, "if (!make_room_for_batch() || !victim.try_lock())",
         "if (!make_room_for_batch())")]),
    "deque_growth_unlocked": ("task_deque", [
        (DEQUE, "        lock(); // thieves read the old ring, and where the new one is, under the lock\n", "")]),
    "deque_take_back_unlocked": ("task_deque", [
        (DEQUE, "        lock();\n        // No thief", "        // No thief"),
        (DEQUE, "        unlock();\n        return any;", "        return any;")]),
    "deque_steal_reverses_again": ("task_deque", [
        (DEQUE, "(batch.again ? i : count - 1 - i)", "(count - 1 - i)")]),
    "deque_steal_mixes_orders": ("task_deque", [
        (DEQUE, "while (count < most && ((tag_at(top + count) ^ oldest) & compared) == 0)",
         "while (count < most && compared != 0)")]),
    "deque_leapfrog_below_base": ("task_deque", [
        (BATCHES, "batch->index_at_victim(top) >= base ?", "batch->index_at_victim(top) + 1 != 0 * base ?")]),
    "deque_leapfrog_not_running": ("task_deque", [
        (BATCHES, "const uint64_t entry = index < begun ? index : begun;", "const uint64_t entry = start + 0 * begun * index;")]),
    "deque_origin_below_base": ("task_deque", [
        (BATCHES, "batch->origins[i].lowest >= base", "batch->origins[i].lowest + 1 != 0")]),
    "deque_origin_not_running": ("task_deque", [
        (BATCHES, "{batch->victim, batch->index_at_victim(top)};", "{batch->victim, batch->index_at_victim(batch->start)};")]),
    "deque_second_theft_mixes_parents": ("task_deque", [
        (DEQUE, "oldest & TaskSlot::stolen ? ~TaskSlot::flags | TaskSlot::stolen : TaskSlot::stolen;",
         "TaskSlot::stolen | (0 & TaskSlot::flags);")]),
    "counter_forgets_local": ("split_counter", [
        (COUNT, "return shared_.prepare_wait(take_local());", "return shared_.prepare_wait(0);")]),
    "counter_wakes_at_zero": ("split_counter", [
        (COUNT, "if (now == waiting)", "if (now == 0)")]),
    "counter_abandon_forgets_local": ("split_counter", [
        (COUNT, "return shared_.abandon(take_local());", "return shared_.abandon(0);")]),
    "counter_batch_counts_once": ("split_counter", [
        (COUNT, "word_.fetch_sub(count * unit, platform::acq_rel) - count * unit;",
         "word_.fetch_sub(unit, platform::acq_rel) - count * unit;")]),
    "nodes_of_other_threads": ("runtime", [
        ("team/large_team.cpp", "    if (team.has_new_threads || !team.trees->region->is_current(team.barrier))\n"
                                "        team.trees->region->reset(team.barrier);\n", "")]),
    "tasks_finished_uncounted": ("runtime", [
        ("schedule/steal.cpp", "    finished.count_them(member);", "    (void)finished;")]),
    "barrier_rejoin_any_epoch": ("team_barrier", [
        (BARRIER, "while (static_cast<uint32_t>(word >> 32) == epoch && (word & active_mask) != 0)",
         "while (epoch + 1 && (word & active_mask) != 0)")]),
    "barrier_rejoin_from_zero": ("team_barrier", [
        (BARRIER, "== epoch && (word & active_mask) != 0)", "== epoch)")]),
    "flags_open_though_counted": ("arrival_flags", [
        (BARRIER, "(word | counting) - threads", "word - threads"),
        (BARRIER, "(word & counting) != 0 ", "(word & active_mask) != 3 ")]),
    "flags_open_though_held": ("arrival_flags", [
        (BARRIER, "        uint64_t word = uint64_t{epoch} << 32 | size;\n",
         "        uint64_t word = word_.load(platform::relaxed);\n        if ((word & counting) != 0) return false;\n")]),
    "flags_of_the_last_barrier": ("arrival_flags", [
        (ARRIVAL, "flags_[next].raised.load(platform::acquire) == epoch + 1",
         "flags_[next].raised.load(platform::acquire) >= epoch")]),
    "flags_counted_twice": ("arrival_flags", [
        (ARRIVAL, "            else if (!flags_.lower(number_, epoch))\n                return;", "            else\n                flags_.lower(number_, epoch);")]),
    "flags_counted_by_nobody": ("arrival_flags", [
        (ARRIVAL, "lowered += lower(i, epoch) ? 1 : 0;", "lower(i, epoch);")]),
    "flags_sleeper_not_counted": ("arrival_flags", [
        (ARRIVAL, "            count(epoch);\n            return barrier_.surely_completed(epoch);",
         "            return barrier_.surely_completed(epoch);")]),
    "flags_opener_wakes_nobody": ("arrival_flags", [
        (ARRIVAL, "bool has_opened() const { return has_opened_; }", "bool has_opened() const { return false; }")]),
    "flags_counting_unnoticed": ("arrival_flags", [
        (BARRIER, "(word & counting) != 0 ", "epoch == ~0u && (word & counting) != 0 ")]),
    "single_begun_by_store": ("single", [
        (SINGLE, "           begun.compare_exchange_strong(known, mine + 1, platform::relaxed, platform::relaxed);",
         "           (begun.store(mine + 1, platform::relaxed), true);")]),
    "single_of_another_number": ("single", [
        (SINGLE, "    return known == mine &&\n", "    return\n"),
        ]),
    "copyprivate_of_the_last": ("single", [
        (SINGLE, "published.load(order) == member.singles;", "published.load(order) != 0;")]),
    "copyprivate_counted_once": ("single", [
        (SINGLE, "    const uint32_t number = ++member.singles;", "    const uint32_t number = member.singles;")]),
    "copyprivate_not_begun": ("single", [
        (SINGLE, "    if (executes) // relaxed", "    if (executes && number == 0) // relaxed")]),
    "copyprivate_released_only": ("single", [
        (SINGLE, "singles.published.exchange(member.singles, platform::seq_cst);",
         "singles.published.store(member.singles, platform::release);")]),
    "barrier_not_held": ("team_barrier", [
        (BARRIER, "void hold() { word_.fetch_add(1, platform::relaxed); }", "void hold() {}")]),
    "barrier_hold_two_steps": ("team_barrier", [
        (BARRIER, "void hold() { word_.fetch_add(1, platform::relaxed); }",
         "void hold() { word_.store(word_.load(platform::relaxed) + 1, platform::relaxed); }")]),
    "barrier_drop_two_steps": ("team_barrier", [
        (BARRIER, "void drop() { word_.fetch_sub(1, platform::release); }",
         "void drop() { word_.store(word_.load(platform::relaxed) - 1, platform::release); }")]),
    "fork_not_passed_to_last": ("mailbox", [
        (MAILBOX, "i < first + fork_width && i < from.size;", "i < first + fork_width && i + 1 < from.size;")]),
    "fork_passed_on_early": ("mailbox", [
        (MAILBOX, "        fill_in(", "        post(worker);\n        fill_in("),
        (MAILBOX, " from.ways});\n        posts.add(worker);\n", " from.ways});\n")]),
    "end_sleeps_for_mailbox": ("mailbox", [
        (END, "        return Base::surely_completed(epoch);\n",
         "        return epoch && mailbox_.epoch.load(platform::seq_cst) != posted_;\n")]),
    "end_never_looks": ("mailbox", [
        (END, "        return Base::completed(epoch);\n", "        return false && epoch;\n")]),
    "end_left_at_once": ("mailbox", [
        (END, "posted_(mailbox_.epoch.load(platform::relaxed)) {}",
         "posted_(mailbox_.epoch.load(platform::relaxed) - 1) {}")]),
    "nodes_rejoin_not_above": ("tree_barrier", [
        (NODES, "if (active_of(word) == 0 && !above) {", "if (epoch_of(word) != epoch && !above) {")]),
    "nodes_counted_twice": ("tree_barrier", [
        (NODES, "if (above && active_of(word) != 0) {", "if (above && word == 0) {")]),
    "nodes_taken_back": ("tree_barrier", [
        (NODES, "if (above && active_of(word) != 0) {", "if (above) {")]),
    "nodes_opener_goes": ("tree_barrier", [
        (NODES, "                return false;\n            open_below(nullptr, epoch);\n            return true;\n"
                "        }\n\n        /// Before stealing.",
         "                return false;\n            return true;\n        }\n\n        /// Before stealing.")]),
    "nodes_not_passed_on": ("tree_barrier", [
        (NODES, "            open_below(seat_.watch, epoch);\n", "")]),
    "nodes_opened_late": ("tree_barrier", [
        (NODES, "        node.word.compare_exchange_strong(closed, opened, platform::acq_rel, platform::relaxed);\n",
         "        if (node.word.load(platform::relaxed) == closed)\n"
         "            node.word.store(closed + (opened - closed), platform::release);\n")]),
    "nodes_reset_forgets": ("tree_barrier", [
        (NODES, "for (uint32_t i = 0; i < node_count_; ++i)\n            nodes()[i].word.store(",
         "for (uint32_t i = 1; i < node_count_; ++i)\n            nodes()[i].word.store(")]),
    "nodes_arrive_two_steps": ("tree_barrier", [
        (NODES, "const uint64_t before = node->word.fetch_sub(1, platform::acq_rel);",
         "const uint64_t before = node->word.load(platform::acquire);\n"
         "            node->word.store(before - 1, platform::release);")]),
    "successors_add_to_closed": ("successor_list", [
        (SUCCESSORS, "            if (word & closed_flag)\n                return false;\n", "")]),
    "successors_add_two_steps": ("successor_list", [
        (SUCCESSORS, "while (!word_.compare_exchange_strong(word, reinterpret_cast<uintptr_t>(&link),\n"
                     "                                                platform::release, platform::acquire));",
         "while (word_.store(reinterpret_cast<uintptr_t>(&link), platform::release), false);")]),
    "successors_close_two_steps": ("successor_list", [
        (SUCCESSORS, "const uintptr_t word = word_.exchange(closed_flag, platform::acq_rel);",
         "const uintptr_t word = word_.load(platform::acquire);\n"
         "        word_.store(closed_flag, platform::release);")]),
    "successors_abandon_two_steps": ("successor_list", [
        (SUCCESSORS, "        return (word_.fetch_or(abandoned_flag, platform::acq_rel) & closed_flag) != 0;\n",
         "        const uintptr_t word = word_.load(platform::acquire);\n"
         "        word_.store(word | abandoned_flag, platform::release);\n"
         "        return (word & closed_flag) != 0;\n")]),
    "event_unannounced": ("event_count", [
        (EVENT, "        sleepers_.fetch_add(1, platform::seq_cst); // Dekker with notify()\n",
         "        sleepers_.store(sleepers_.load(platform::relaxed) + 1, platform::relaxed);\n")]),
    "event_epoch_stays": ("event_count", [
        (EVENT, "        epoch_.fetch_add(1, platform::release); // pairs with announce()'s acquire\n", "")]),
    "event_late_key": ("event_count", [
        (EVENT, "platform::wait_on(epoch_, key, timeout_ns);",
         "platform::wait_on(epoch_, epoch_.load(platform::relaxed) + 0 * key, timeout_ns);")]),
    "parker_unpark_if_asleep": ("parker", [
        (PARKER, "if (state_.exchange(permit, platform::release) == asleep)",
         "if (state_.load(platform::relaxed) == asleep && "
         "state_.exchange(permit, platform::release) == asleep)")]),
    "parker_no_compare": ("parker", [
        (PARKER, "        if (state_.compare_exchange_strong(expected, asleep, platform::acquire, platform::acquire))\n",
         "        state_.store(expected + asleep, platform::relaxed);\n")]),
    "lock_sleepers_forgotten": ("futex_lock", [
        (HAND, "(slept ? L::sleepers : word & L::sleepers);",
         "(began == 0 ? L::sleepers : word & L::sleepers);")]),
    "lock_two_steps": ("futex_lock", [
        (LOCK, "                word_.compare_exchange_strong(word, held, platform::acquire, platform::relaxed)))\n",
         "                word_.load(platform::relaxed) == free && word_.exchange(held, platform::acquire) != 9))\n")]),
    "lock_unlock_looks_once": ("futex_lock", [
        (LOCK, "        if (HEDDLE_UNLIKELY(!lock_slots.are_plain(this)))\n            platform::wake(word_, 1);\n", "")]),
    "lock_unlock_looks_first": ("futex_lock", [
        (LOCK, "        word_.store_low(uint8_t{free}, platform::release);\n"
               "        platform::compiler_fence(); // Dekker with LockSlots::close(), which has the fence\n"
               "        if (HEDDLE_UNLIKELY(!lock_slots.are_plain(this)))\n",
         "        const bool plain = lock_slots.are_plain(this);\n"
         "        word_.store_low(uint8_t{free}, platform::release);\n"
         "        if (!plain)\n")]),
    "lock_whole_word_stored": ("futex_lock", [
        (LOCK, "word_.store_low(uint8_t{free}, platform::release);", "word_.store(free, platform::release);")]),
    "lock_sleeper_without_fence": ("futex_lock", [
        (SLOTS, "if (!platform::fence_all_threads())", "if (false)")]),
    "lock_given_back_two_steps": ("futex_lock", [
        (HAND, "    while (!shared.compare_exchange_strong(word, word & kept, platform::release, platform::relaxed))\n"
               "        ;\n",
         "    word = shared.load(platform::relaxed);\n"
         "    shared.store(word & kept, platform::release);\n")]),
    "lock_late_unheeded": ("futex_lock", [
        (HAND, "kept = hands_over ? L::late : 0;", "kept = hands_over ? 0 : L::late;")]),
    "lock_promise_taken_by_newcomer": ("futex_lock", [
        (LOCK, "return is_free<Layout>(word_.load(platform::relaxed)) && try_lock();",
         "uint32_t word = word_.load(platform::relaxed);\n"
         "        return !(word & held) &&\n"
         "               word_.compare_exchange_strong(word, word | held | Layout::sleepers,\n"
         "                                             platform::acquire, platform::relaxed);")]),
    "lock_late_for_ever": ("futex_lock", [
        (HAND, "static_cast<Word>((word & L::late) - counted)", "word & L::late")]),
    "lock_nobody_woken": ("futex_lock", [
        (HAND, "    if (word & L::sleepers)\n", "    if ((word & L::sleepers) && !(word & L::late))\n")]),
    "nest_count_whole_word": ("nest_lock", [
        (NEST, "word_.store_low(static_cast<Count>(count + 1), platform::relaxed);",
         "word_.store(before + 1, platform::relaxed);")]),
    "nest_unlock_looks_once": ("nest_lock", [
        (NEST, "    if (HEDDLE_UNLIKELY(!concurrent::lock_slots.are_plain(this)))\n"
               "        platform::wake(word_, 1);\n", "")]),
    "nest_sleeper_without_fence": ("nest_lock", [
        (SLOTS, "if (!platform::fence_all_threads())", "if (false)")]),
    "nest_given_back_two_steps": ("nest_lock", [
        (NEST, "    concurrent::give_back<Layout>(word_, word_.load(platform::relaxed));\n",
         "    const uint64_t word = word_.load(platform::relaxed);\n"
         "    word_.store(word & Layout::late, platform::release);\n"
         "    if (word & Layout::sleepers)\n        platform::wake(word_, 1);\n")]),
    "nest_stale_owner": ("nest_lock", [
        (NEST_H, "(word & Layout::busy) != 0 &&\n               word >> owner_shift", "word >> owner_shift")]),
    "test_and_set_two_steps": ("locks", [
        (TAS, "return word_.exchange(held, platform::acquire) == free;",
         "return word_.load(platform::acquire) == free && (word_.store(held, platform::relaxed), true);")]),
    "backoff_two_steps": ("locks", [
        (BACKOFF, "return word_.exchange(held, platform::acquire) == free;",
         "return word_.load(platform::acquire) == free && (word_.store(held, platform::relaxed), true);")]),
    "ticket_two_steps": ("locks", [
        (TICKET, "next_.fetch_add(1, platform::relaxed);",
         "next_.load(platform::relaxed);\n        next_.store(number + 1, platform::relaxed);")]),
    "ticket_skips": ("locks", [
        (TICKET, "serving_.store(serving_.load(platform::relaxed) + 1, platform::release);",
         "serving_.store(next_.load(platform::relaxed), platform::release);")]),
    "ticket_thrown_away": ("locks", [
        (TICKET, "return next_.compare_exchange_strong(number, number + 1, platform::relaxed,\n"
                 "                                             platform::relaxed);",
         "return next_.fetch_add(1, platform::relaxed) == number;")]),
    "mcs_join_two_steps": ("locks", [
        (QUEUE, "tail_.exchange(&node, platform::acq_rel);",
         "tail_.load(platform::acquire);\n        tail_.store(&node, platform::release);")]),
    "mcs_link_stays": ("locks", [
        (QUEUE, "        node.next.store(nullptr, platform::relaxed); // the exchange releases both\n", "")]),
    "mcs_state_stays": ("locks", [
        (QUEUE, "        node.state.store(state, platform::relaxed);\n", "        (void)state;\n")]),
    "mcs_link_before_join": ("locks", [
        (QUEUE, "        if (tail_.compare_exchange_strong(expected, nullptr, platform::release, platform::relaxed))\n",
         "        tail_.compare_exchange_strong(expected, nullptr, platform::release, platform::relaxed);\n"
         "        if (expected != nullptr)\n")]),
    "mcs_sleep_wakes_if_asleep": ("locks", [
        (SLEEP, "if (next != nullptr && next->state.exchange(granted, platform::release) == asleep)\n"
                "            platform::wake(next->state, 1);",
         "if (next != nullptr) {\n"
         "            const bool sleeps = next->state.load(platform::relaxed) == asleep;\n"
         "            next->state.store(granted, platform::release);\n"
         "            if (sleeps)\n                platform::wake(next->state, 1);\n        }")]),
    "mcs_sleep_no_compare": ("locks", [
        (SLEEP, "        if (!node.state.compare_exchange_strong(state, asleep, platform::acquire,\n"
                "                                                platform::acquire))\n            return;\n",
         "        node.state.store(state + asleep, platform::relaxed);\n")]),
    "pool_take_two_steps": ("block_pool", [
        (POOL, "            rest_ = returned_.exchange(0, platform::acquire);\n",
         "            rest_ = returned_.load(platform::acquire), "
         "returned_.store(0, platform::relaxed);\n")]),
    "pool_push_two_steps": ("block_pool", [
        (POOL, "        const Head before = returned_.exchange(head, platform::release);\n",
         "        const Head before = returned_.load(platform::relaxed);\n"
         "        returned_.store(head, platform::release);\n")]),
    "pool_link_not_awaited": ("block_pool", [
        (POOL, "        if (before == unknown)\n            return false;\n",
         "        if (before == unknown)\n            before = 0;\n")]),
    "pool_last_taken_early": ("block_pool", [
        (POOL, "        if (before == unknown)\n            return false;\n",
         "        if (before == unknown) {\n            last->set_next(nullptr), free_ = first;\n"
         "            return true;\n        }\n")]),
    "pool_chain_cut": ("block_pool", [
        (POOL, "            home_->push(first_, last_);\n",
         "            home_->push(first_, first_);\n")]),
    "range_take_two_steps": ("steal_range", [
        (RANGE, "            if (word_.compare_exchange_strong(word, after(word, deal, {taken.end, left.end}),\n"
                "                                              platform::relaxed, platform::relaxed))\n",
         "            word_.store(after(word, deal, {taken.end, left.end}), platform::relaxed);\n")]),
    "range_take_stale_end": ("steal_range", [
        (RANGE, "            taken = {left.first, left.first + size(left.count())};\n",
         "            taken = {left.first,\n"
         "                     taken.end > left.first ? taken.end : left.first + size(left.count())};\n"),
        (RANGE, "            HEDDLE_CHECK(taken.first < taken.end && taken.end <= left.end);\n", "")]),
    "range_steal_two_steps": ("steal_range", [
        (RANGE, "            if (word_.compare_exchange_strong(word, after(word, deal, {left.first, taken.first}),\n"
                "                                              platform::relaxed, platform::relaxed))\n",
         "            word_.store(after(word, deal, {left.first, taken.first}), platform::relaxed);\n")]),
    "range_of_another_loop": ("steal_range", [
        (RANGE, "is_odd(word) == deal.odd && units.first <= units.end)",
         "units.first < units.end || (is_odd(word) == deal.odd && units.first == units.end))")]),
    "range_stolen_unmarked": ("steal_range", [
        (RANGE, "after(word, deal, {left.first, taken.first})",
         "pack(is_odd(word), false, {left.first, taken.first})")]),
    "range_empty_unmarked": ("steal_range", [
        (RANGE, "                    this->deal(deal.odd, left); // empty, so no thief could have changed it\n",
         "                    return false;\n")]),
    "loop_range_lost_node_counts": ("loop_ranges", [
        (LOOP, "        HEDDLE_CHECK(node.ranges()[i].was_left(node.left_odd));\n",
         "        HEDDLE_CHECK(node.ranges()[i].was_left(node.left_odd));\n"
         "    note_ranges(node, creator); // but another member's node may come first\n")]),
    "loop_range_hands_kept": ("loop_ranges", [
        (SHARE, "    member.workshare.enter(node);\n",
         "    member.workshare.node = node;\n"
         "    member.workshare.trip = member.workshare.holds_chunk = 0;\n")]),
    "loop_range_last_unit_twice": ("loop_ranges", [
        (IN_ORDER, "        (node.next_chunk.fetch_or(ChunkCounter::last_bit, platform::relaxed) &\n"
                   "         ChunkCounter::last_bit))\n",
         "        (node.next_chunk.store(node.next_chunk.load(platform::relaxed) |\n"
         "                                   ChunkCounter::last_bit, platform::relaxed), false))\n")]),
    "loop_order_ends_twice": ("loop_ranges", [
        (IN_ORDER, "        if (node.next_chunk.compare_exchange_strong(seen.word, seen.ended().word, platform::relaxed,\n"
                   "                                                    platform::relaxed))\n"
                   "            return seen.ended();\n",
         "    {\n        node.next_chunk.store(seen.ended().word, platform::relaxed);\n"
         "        return seen.ended();\n    }\n")]),
    "loop_order_counts_after_its_end": ("loop_ranges", [
        (IN_ORDER, "    if (counter.has_ended()) {\n        mine.batch = 0; // tells nothing\n"
                   "        return Order::ended;\n    }\n", "")]),
    "loop_order_counts_twice": ("loop_ranges", [
        (IN_ORDER, "    counter = {node.next_chunk.fetch_add(size, platform::relaxed)};\n",
         "    counter = {node.next_chunk.load(platform::relaxed)};\n"
         "    node.next_chunk.store(counter.word + size, platform::relaxed);\n")]),
    "loop_order_goes_back_to_fronts": ("loop_ranges", [
        (IN_ORDER, "member.workshare.chunk_end <= node.fronts * node.chunk;",
         "node.fronts != 0;")]),
    "loop_last_in_a_batch": ("loop_ranges", [
        (IN_ORDER, "std::min(first + size, node.chunks - 1)", "std::min(first + size, node.chunks)")]),
    "loop_monotonic_last_twice": ("loop_ranges", [
        (IN_ORDER, "    if (first + 1 >= node.chunks)\n        return take_last_chunk(node, chunk);\n",
         "    if (first + 1 >= node.chunks) {\n        chunk = chunk_at(node, node.chunks - 1);\n"
         "        return true;\n    }\n")]),
    "loop_order_late_one_steals": ("loop_ranges", [
        (LOOP, "if (mine.absent == came_late || leaves_rest(member, node, deal))",
         "if (leaves_rest(member, node, deal))")]),
    "range_with_front_taken_is_empty": ("loop_ranges", [
        (RANGE, "whole_share{most_units, 0};", "whole_share{0, 0};")]),
    "loop_range_left_to_who_was_there": ("loop_ranges", [
        (LOOP, "next >= 0 && node.ranges()[next].is_whole(deal, static_cast<uint32_t>(next))",
         "next >= 0 && node.chunks != 0 && deal.dealt != 0")]),
    "loop_front_twice": ("loop_ranges", [
        (RANGE, "            if (word_.compare_exchange_strong(word, pack(deal.odd, true, units), platform::relaxed,\n"
                "                                              platform::relaxed))\n"
                "                return true;\n",
         "            word_.store(pack(deal.odd, true, units), platform::relaxed);\n"
         "            return true;\n")]),
    "loop_front_forgotten_by_thieves": ("loop_ranges", [
        (RANGE, "after(word, deal, {left.first, taken.first})",
         "pack(deal.odd, false, {left.first, taken.first})")]),
    "loop_front_of_earlier_ones": ("loop_ranges", [
        (IN_ORDER, "    mine.absent = number + 1;\n", "    mine.absent = 0;\n")]),
    "loop_range_stolen_twice": ("loop_ranges", [
        (LOOP, ".assign(deal, number, {batch.end, stolen.end});",
         ".assign(deal, number, {batch.first, stolen.end});")]),
    "synch_announce_two_steps": ("cc_synch", [
        (SYNCH, "        Node* const node = tail_.exchange(tail, platform::acq_rel);\n",
         "        Node* const node = tail_.load(platform::acquire);\n"
         "        tail_.store(tail, platform::release);\n")]),
    "synch_link_before_request": ("cc_synch", [
        (SYNCH, "        Node* const node = tail_.exchange(tail, platform::acq_rel);\n",
         "        Node* const node = tail_.exchange(tail, platform::acq_rel);\n"
         "        node->next.store(tail, platform::release);\n")]),
    "synch_link_stays": ("cc_synch", [
        (SYNCH, "        tail->next.store(nullptr, platform::relaxed);\n", "")]),
    "synch_state_stays": ("cc_synch", [
        (SYNCH, "        tail->state.store(waiting, platform::relaxed); // the exchange releases both\n", "")]),
    "synch_next_read_late": ("cc_synch", [
        (SYNCH, "            node = next;\n", "            node = node->next.load(platform::acquire);\n")]),
    "synch_answers_early": ("cc_synch", [
        (SYNCH, "            execute(node->request);\n"
                "            node->state.store(done, platform::release); // pairs with apply()\n",
         "            node->state.store(done, platform::release);\n"
         "            execute(node->request);\n")]),
    "synch_hands_over_early": ("cc_synch", [
        (SYNCH, "            execute(node->request);\n",
         "            if (executed + 1 == most_requests)\n"
         "                next->state.store(turn, platform::release);\n"
         "            execute(node->request);\n")]),
    "synch_never_hands_over": ("cc_synch", [
        (SYNCH, "        node->state.store(turn, platform::release); // pairs with apply()\n", "")]),
    "synch_hands_over_as_done": ("cc_synch", [
        (SYNCH, "        node->state.store(turn, platform::release); // pairs with apply()\n",
         "        node->state.store(node->next.load(platform::acquire) ? done : turn, platform::release);\n")]),
    "synch_no_limit": ("cc_synch", [
        (SYNCH, "if (!next || executed == most_requests)", "if (!next)")]),
    "ring_overfilled": ("owner_ring", [
        (RING, "        if (free_slots() == 0)\n            return false;\n", "")]),
    "ring_top_falls_for_all": ("owner_ring", [
        (RING, "        if (request.by_owner) {\n", "        {\n")]),
    "ring_put_in_store_buffer": ("owner_ring", [
        (RING, "        top_.exchange(top + 1, platform::seq_cst);\n",
         "        top_.store(top + 1, platform::release);\n")]),
    "ring_not_looked_at_again": ("owner_ring", [
        (RING, "            if (top_.load(platform::seq_cst) != bottom_.load(platform::seq_cst))\n"
               "                mark_held(hold, drop);\n", "            (void)hold;\n")]),
    "ring_marked_before_held": ("owner_ring", [
        (RING, "        hold();\n        if (held_.exchange(1, platform::seq_cst) != 0)\n"
               "            drop(); // another thread's hold is there\n",
         "        (void)drop;\n        if (held_.exchange(1, platform::seq_cst) == 0)\n            hold();\n")]),
    "ring_held_twice": ("owner_ring", [
        (RING, "        if (held_.exchange(1, platform::seq_cst) != 0)\n"
               "            drop(); // another thread's hold is there\n",
         "        (void)drop;\n        held_.store(1, platform::seq_cst);\n")]),
    "ring_item_stays": ("owner_ring", [
        (RING, "            slot(index).store(nullptr, platform::relaxed);\n", "")]),
    "box_size_late": ("task_box", [
        (BOX, "        size_.fetch_add(1, platform::seq_cst);\n        Node* newest", "        Node* newest"),
        (BOX, "platform::relaxed)); // to collect()\n",
         "platform::relaxed));\n        size_.fetch_add(1, platform::seq_cst);\n")]),
    "box_size_stored": ("task_box", [
        (BOX, "        size_.fetch_add(1, platform::seq_cst);\n",
         "        size_.store(size_.load(platform::relaxed) + 1, platform::relaxed);\n")]),
    "box_taken_unlocked": ("task_box", [
        (BOX, "if (!looks_useful() || !try_lock())", "if (!looks_useful() || (try_lock(), false))")]),
    "box_emptied_in_two_steps": ("task_box", [
        (BOX, "Node* node = fresh_.exchange(nullptr, platform::acquire); // pairs with push()",
         "Node* node = fresh_.load(platform::acquire);\n        fresh_.store(nullptr, platform::relaxed);")]),
    "box_newest_first": ("task_box", [
        (BOX, "        Node* const last = node;\n        while (node) {",
         "        Node* last = node;\n        while (last && last->next)\n            last = last->next;\n"
         "        first = node;\n        while (node && false) {")]),
    "box_end_forgotten": ("task_box", [
        (BOX, "        if (!node.next)\n            newest_ = before;\n", "")]),
    "boxed_task_holds_nothing": ("runtime", [
        (BOXES, "    hold(team);\n", ""),
        (INBOX, "    member.worker->returns.flush();\n    drop_hold(*member.team);\n",
         "    member.worker->returns.flush();\n")]),
    "wait_below_hidden": ("runtime", [
        (HUNGER, "member_.wait.store(before_,", "member_.wait.store(team::Wait::none,")]),
    "offer_holds_nothing": ("runtime", [
        (INBOX, "    hold(team);\n    // seq_cst: the write of the Dekker pair with the sleepers\n",
         "    // seq_cst: the write of the Dekker pair with the sleepers\n"),
        (INBOX, "    team.inbox_size.fetch_sub(team::policy_queue, platform::relaxed);\n"
                "    drop_hold(team);\n",
         "    team.inbox_size.fetch_sub(team::policy_queue, platform::relaxed);\n")]),
    "offer_forgets_oldest_child": ("runtime", [
        ("schedule/policy/descriptor.hpp", "return serial_[i] >= since;", "return serial_[i] > since;")]),
    "share_append_store": ("workshare_list", [
        (SHARE, "            last.next.compare_exchange_strong(node, &fresh, platform::acq_rel, platform::acquire);\n",
         "            (last.next.store(&fresh, platform::release), true);\n")]),
    "share_recycled_early": ("workshare_list", [
        (NODE, "return users.fetch_sub(1, platform::acq_rel) == 1;",
         "return users.fetch_sub(1, platform::acq_rel) == 2;")]),
    "share_freed_and_kept": ("workshare_list", [
        (SHARED_OUT, "            return platform::deallocate(&node);\n",
         "            platform::deallocate(&node);\n")]),
    "share_left_for_others_early": ("workshare_list", [
        (NODE, "fetch_sub(1, platform::acq_rel) != 1)", "fetch_sub(1, platform::acq_rel) > 2)")]),
    "ordered_turn_released_only": ("ordered", [
        (ORDERED, "node.turn_word(next).exchange(next, platform::seq_cst);",
         "node.turn_word(next).store(next, platform::release);")]),
    "ordered_turn_in_another_word": ("ordered", [
        (ORDERED, "node.turn_word(next).exchange(", "node.turn_word(next - 1).exchange(")]),
    "ordered_turns_of_an_earlier_loop": ("ordered", [
        ("construct/loop.cpp", "node.turns()[i].first.store(0, platform::relaxed);", "break;")]),
    "ordered_turn_kept": ("ordered", [
        (ORDERED, "        begin_ordered(member);\n        give_up_turn(member);",
         "        give_up_turn(member);")]),
    "doacross_post_release": ("doacross", [
        (ACROSS, "    progress.posted.exchange(posted, platform::seq_cst);",
         "    progress.posted.store(posted, platform::release);")]),
    "doacross_entry_taken_early": ("doacross", [
        (ACROSS, "if (chunk > loop.entry_mask)", "if (chunk > loop.entry_mask * 100)")]),
    "doacross_chunk_end_untold": ("doacross", [
        (ACROSS, "        publish_progress(*mine.own, place.chunk_end * loop.inner);\n", "")]),
    "doacross_known_too_far": ("doacross", [
        (ACROSS, "posted < end ? posted : end;", "end ? posted : 0;")]),
    "doacross_one_too_early": ("doacross", [
        (ACROSS, "return posted > position;", "return posted >= position;")]),
    "tree_arrival_two_steps": ("reduction_tree", [
        (TREE, "if (pair.arrived.exchange(1, platform::acq_rel) == 0) {",
         "if (pair.arrived.load(platform::acquire) == 0) {\n"
         "            pair.arrived.store(1, platform::release);")]),
    "tree_let_go_early": ("reduction_tree", [
        (TREE, "        combine(thread(member, lower).reduction.part, pair.part);\n"
               "        if (wait && higher != member.number)\n            let_go(member, higher);\n",
         "        if (wait && higher != member.number)\n            let_go(member, higher);\n"
         "        combine(thread(member, lower).reduction.part, pair.part);\n")]),
    "tree_arrival_stays": ("reduction_tree", [
        (TREE, "        pair.arrived.store(0, platform::relaxed);", "        (void)0;")]),
    "tree_no_wake": ("reduction_tree", [
        (TREE, "    owner.worker->parker.unpark();\n", "    (void)0;\n")]),
    "iteration_flags_store": ("iteration_flags", [
        (FLAGS, "fetch_or(uint64_t{1} << position % bits, platform::seq_cst)",
         "store(flags.words[position / bits].load(platform::relaxed) |\n"
         "        uint64_t{1} << position % bits, platform::release)")]),
    "iteration_flags_unheld": ("iteration_flags", [
        (FLAGS, "    member.workshare.node->hold();", "    ;"),
        (FLAGS, "    if (region->release())", "    if (false)")]),
    "mailbox_unannounced": ("mailbox", [
        (LOOKOUT, "    mailbox.asleep.exchange(asleep, platform::seq_cst); // Dekker with all who post, call and take\n", "")]),
    "mailbox_unfenced": ("mailbox", [
        ("team/posts.hpp", "        platform::fence();\n", "")]),
    "offer_taken_twice": ("mailbox", [
        ("team/mailbox.hpp", "    return mailbox.epoch.compare_exchange_strong(seen, seen | taken, platform::seq_cst,\n"
                            "                                                 platform::relaxed);",
         "    if (mailbox.epoch.load(platform::acquire) != seen)\n        return false;\n"
         "    mailbox.epoch.store(seen | taken, platform::relaxed);\n    return true;")]),
    "offer_lookout_first": ("mailbox", [
        (STAND_IN, "        if (i == with_cpu)\n", "        if (i == team.size - 1)\n")]),
    "offer_lookout_not_woken": ("mailbox", [
        (MAILBOX, "if (mailbox.asleep.load(platform::seq_cst) == asleep)",
         "if (mailbox.asleep.load(platform::seq_cst) == 3)")]),
    "offer_lookout_sleeps": ("mailbox", [
        (LOOKOUT, "word, looks_out ? nap_ns() : platform::forever", "word, nap_ns() != 0 ? platform::forever : 0")]),
    "offer_want_unnoticed": ("mailbox", [
        (MAILBOX, "word | bit, platform::seq_cst,", "word | (bit & taken), platform::seq_cst,")]),
    "offer_called_once_taken": ("mailbox", [
        (LOOKOUT, "if ((word & (offered | taken)) == offered && (passed_by", "if ((word & offered) == offered && (passed_by")]),
    "offer_taken_from_awake": ("mailbox", [
        (STAND_IN, "asleep.load(platform::seq_cst) == awake)", "asleep.load(platform::seq_cst) > napping)")]),
    "offer_unfenced": ("mailbox", [
        (STAND_IN, "    platform::fence(); // Dekker with `asleep` of all\n", "")]),
    "offer_looked_at_early": ("mailbox", [
        (STAND_IN, "        uint32_t word = worker.mailbox.epoch.load(platform::seq_cst);\n"
         "        if (worker.mailbox.asleep.load(platform::seq_cst) == awake) {\n",
         "        const bool sleeps = worker.mailbox.asleep.load(platform::seq_cst) != awake;\n"
         "        uint32_t word = worker.mailbox.epoch.load(platform::seq_cst);\n"
         "        if (!sleeps) {\n")]),
    "offer_lookout_not_passed_on": ("mailbox", [
        (STAND_IN, "(epoch & lookout) != 0", "(epoch & lookout) > lookout")]),
    "offer_waiting_not_called": ("mailbox", [
        (LOOKOUT, "    call_waiting(*team, size);", "    (void)0;")]),
    "offer_summons_unseen": ("mailbox", [
        (LOOKOUT, "        word |= mailbox.epoch.load(platform::seq_cst) & lookout;\n", "")]),
    "offer_awake_unannounced": ("mailbox", [
        (LOOKOUT, "    if (is_same_region(mailbox.epoch.load(platform::seq_cst), word))\n        return true;\n",
         "    if (word != 0)\n        return true;\n")]),
    "part_published_early": ("parts", [
        (LOOKOUT, "(is_stuck ? 1 : patience)", "(is_stuck ? 0u : 0u)"),
        (CARRIED, "    carrier.left = &member;\n    carrier.becomes = becomes;\n",
         "    carrier.left = becomes == PartState::active ? &member : nullptr;\n    carrier.becomes = becomes;\n"
         "    if (!carrier.left)\n        team::stopped(member.part, becomes);\n"
         "    for (int i = 0; i < 4; ++i)\n        platform::relax();\n")]),
    "part_claimed_twice": ("parts", [
        (PART, "    if (!part.state.compare_exchange_strong(state, PartState::examined, platform::acquire,\n"
               "                                            platform::relaxed))\n        return state ==",
         "    state = part.state.load(platform::acquire);\n"
         "    if (state == PartState::stopped)\n"
         "        part.state.store(PartState::examined, platform::relaxed);\n    else\n"
         "        return state ==")]),
    "part_ends_abroad": ("parts", [
        (CARRIED, "    if (HEDDLE_LIKELY(part.carrier == part.home))\n", "    if (HEDDLE_LIKELY(part.carrier != nullptr))\n")]),
    "part_nobody_relieves": ("parts", [
        (LOOKOUT, "(is_stuck ? 1 : patience)", "(is_stuck ? 1 : ~patience)")]),
    "part_tied_is_put_back": ("parts", [
        (LOOKOUT, "    if (platform::programs_tie_calls())\n        return nullptr;\n", ""),
        (LOOKOUT, "            return &member;\n    }\n    return nullptr;",
         "        {\n            if (!platform::programs_tie_calls())\n                return &member;\n"
         "            part.state.store(PartState::stopped, platform::release);\n        }\n"
         "    }\n    return nullptr;")]),
    "part_tied_moves": ("parts", [
        (LOOKOUT, "    if (platform::programs_tie_calls())\n        return nullptr;\n", "")]),
    "part_lookout_not_passed_on": ("parts", [
        (LOOKOUT, "    pass_lookout_on(team, size, worker_);\n", "    (void)team;\n    (void)size;\n")]),
    "part_lookout_not_ensured": ("parts", [
        (CARRIED, "    team::ensure_lookout(*member.team, *beginning.owner);\n", "")]),
    "part_stays_at_barrier": ("parts", [
        (CARRIED, "team.barrier.epoch() == carrier.barrier_epoch;", "team.barrier.epoch() >= carrier.barrier_epoch;")]),
    "part_arrival_forgotten": ("parts", [
        (PARTS, "    arrive_for_rest(worker, team); // the last one, perhaps\n", "    carrier.arrivals = 0;\n")]),
    "part_arrives_for_others": ("parts", [
        (CARRIED, "    const uint32_t count = carrier.arrivals;\n",
         "    const uint32_t count = carrier.arrivals + (carrier.stopped.any() ? 1 : 0);\n")]),
    "part_bits_are_a_region": ("parts", [
        ("team/pool_thread.cpp", "while (is_same_region(word = mailbox.epoch.load(platform::acquire), seen) || starts_asleep) {",
         "while ((word = mailbox.epoch.load(platform::acquire)) == seen || starts_asleep) {")]),
    "part_ignores_cancellation": ("runtime", [
        ("schedule/shared_place.hpp", "own ? has_opened : has_opened_or_is_cancelled", "own ? has_opened : has_opened")]),
    "task_nobody_helps": ("runtime", [
        (LOOKOUT, "return tasks_.wants_thread(*team, size) &&", "return size > 99 &&")]),
    "task_nobody_comes_forward": ("runtime", [
        ("schedule/wait_at_barrier.cpp", "if (!watch.wants_thread(team, member.team_size))", "if (member.team_size < 99)")]),
    "remaining_leave_copies": ("runtime", [
        ("schedule/wait_at_barrier.cpp", "        wait_for_remaining(member);\n", "        return;\n")]),
    "remaining_gone_not_counted": ("runtime", [
        ("schedule/remaining.cpp", "        ++remaining.gone;\n", "")]),
    "remaining_do_not_count_the_gone": ("runtime", [
        ("schedule/remaining.cpp", "remaining.waiting + remaining.gone != team_size", "remaining.waiting != team_size")]),
    "task_helped_at_barriers_only": ("runtime", [
        (LOOKOUT, "        over = team.on_offer.parts_over[i].claim(size, epoch);", "        over = -1;")]),
    "task_helped_at_the_end_only": ("runtime", [
        (LOOKOUT, "        if (claim_at_barrier(member_at(team, i).part))", "        if (team.size > 99)")]),
    "task_helper_does_not_rejoin": ("runtime", [
        (PARTS, "    if (!team.barrier.rejoin(epoch))\n        return;\n",
         "    if (team.barrier.completed(epoch))\n        return;\n")]),
    "context_changed_under_children": ("runtime", [
        (OWN, "family->context == &context && !family->children.complete())", "family->context != &context)")]),
    "context_changed_under_descendants": ("runtime", [
        (FAMILY, "            if (!family->context->outlived.load(platform::relaxed))\n"
                 "                family->context->outlived.store(true, platform::relaxed);\n", "")]),
    "family_swept_with_children": ("runtime", [
        (FAMILY, "if (family.dependences || !family.children.complete()) {", "if (family.dependences) {")]),
    "context_swept_under_children": ("runtime", [
        (OWN, "        if (has_family || own->context.outlived.load(platform::relaxed)) {\n",
         "        own->icvs.nthreads = 0; // as if somebody used the memory\n        if (own->context.outlived.load(platform::relaxed)) {\n")]),
    "context_freed_under_descendants": ("runtime", [
        (OWN, "        if (own->context.outlived.load(platform::relaxed))\n            team::keep_for_region(team, own->kept);\n"
              "        else\n            platform::deallocate(own);\n",
         "        (void)team;\n        own->icvs.nthreads = 0; // as if somebody used the memory\n        platform::deallocate(own);\n")]),
}

# Orders that are weaker than the sources' and that x86 hides: the explorer executes the operation so
# in its weaker memory. name: (test, file, function, operation, order, weaker order)
ORDERS = {
    "letter_sent": ("litmus", "litmus_test.cpp", "send", "store", "release", "relaxed"),
    "letter_received": ("litmus", "litmus_test.cpp", "receive", "load", "acquire", "relaxed"),
    "deque_split_not_acquired": ("task_deque", "task_deque.hpp", "steal_if", "load", "acquire", "relaxed"),
    "deque_lock_not_acquired": ("task_deque", "task_deque.hpp", "try_lock", "compare_exchange", "acquire", "relaxed"),
    "deque_lock_not_released": ("task_deque", "task_deque.hpp", "unlock", "store", "release", "relaxed"),
    "deque_publish_not_ordered": ("task_deque", "task_deque.hpp", "publish", "compare_exchange", "seq_cst", "acq_rel"),
    "deque_push_not_released": ("task_deque", "task_deque.hpp", "push", "store", "release", "relaxed"),
    "deque_pop_not_released": ("task_deque", "task_deque.hpp", "pop", "store", "release", "relaxed"),
    "deque_seized_not_acquired": ("task_deque", "task_deque.hpp", "seize", "load", "acquire", "relaxed"),
    "deque_look_not_ordered": ("task_deque", "task_deque.hpp", "surely_stealable", "load", "seq_cst", "acquire"),
    "deque_top_not_released": ("task_deque", "task_deque.hpp", "take_from_top", "store", "release", "relaxed"),
    "deque_top_not_acquired": ("task_deque", "task_deque.hpp", "make_room", "load", "acquire", "relaxed"),
    "counter_work_not_released": ("split_counter", "completion_count.hpp", "done", "update", "acq_rel", "acquire"),
    "counter_reclaim_not_acquired": ("split_counter", "completion_count.hpp", "done", "update", "acq_rel", "release"),
    "counter_wait_not_acquired": ("split_counter", "completion_count.hpp", "outstanding", "load", "acquire", "relaxed"),
    "counter_waiter_not_released": ("split_counter", "completion_count.hpp", "prepare_wait", "update", "acq_rel", "acquire"),
    "counter_owner_not_released": ("split_counter", "completion_count.hpp", "abandon", "update", "acq_rel", "acquire"),
    "counter_left_not_acquired": ("split_counter", "completion_count.hpp", "abandon", "update", "acq_rel", "release"),
    "successors_link_not_released": ("successor_list", "successor_list.hpp", "add", "compare_exchange", "release", "relaxed"),
    "successors_closing_not_acquired": ("successor_list", "successor_list.hpp", "add", "failure", "acquire", "relaxed"),
    "successors_closed_not_acquired": ("successor_list", "successor_list.hpp", "closed", "load", "acquire", "relaxed"),
    "successors_close_not_released": ("successor_list", "successor_list.hpp", "close", "update", "acq_rel", "acquire"),
    "successors_close_not_acquired": ("successor_list", "successor_list.hpp", "close", "update", "acq_rel", "release"),
    "successors_abandon_not_released": ("successor_list", "successor_list.hpp", "abandon", "update", "acq_rel", "acquire"),
    "barrier_arrive_not_released": ("team_barrier", "team_barrier.hpp", "arrive", "update", "acq_rel", "acquire"),
    "barrier_opening_not_ordered": ("team_barrier", "team_barrier.hpp", "arrive", "update", "seq_cst", "acq_rel"),
    "barrier_look_not_ordered": ("team_barrier", "team_barrier.hpp", "surely_completed", "load", "seq_cst", "acquire"),
    "barrier_not_acquired": ("team_barrier", "team_barrier.hpp", "completed", "load", "acquire", "relaxed"),
    "flags_not_released": ("arrival_flags", "arrival_flags.hpp", "arrive", "store", "release", "relaxed"),
    "flags_not_acquired": ("arrival_flags", "arrival_flags.hpp", "are_raised", "load", "acquire", "relaxed"),
    "flags_lowered_not_acquired": ("arrival_flags", "arrival_flags.hpp", "lower_all", "load", "acquire", "relaxed"),
    "flags_opened_not_released": ("arrival_flags", "team_barrier.hpp", "try_open", "compare_exchange", "seq_cst", "relaxed"),
    "flags_open_not_acquired": ("arrival_flags", "team_barrier.hpp", "look", "load", "acquire", "relaxed"),
    "flags_count_not_released": ("arrival_flags", "team_barrier.hpp", "count", "compare_exchange", "seq_cst", "acquire"),
    "flags_count_not_acquired": ("arrival_flags", "team_barrier.hpp", "count", "compare_exchange", "seq_cst", "release"),
    "copyprivate_not_released": ("single", "single.hpp", "end_copyprivate", "update", "seq_cst", "relaxed"),
    "nodes_arrive_not_released": ("tree_barrier", "tree_barrier.hpp", "arrive_from", "update", "acq_rel", "acquire"),
    "nodes_arrive_not_acquired": ("tree_barrier", "tree_barrier.hpp", "arrive_from", "update", "acq_rel", "release"),
    "nodes_opened_not_released": ("tree_barrier", "tree_barrier.hpp", "open", "compare_exchange", "acq_rel", "acquire"),
    "event_announced_not_ordered": ("event_count", "event_count.hpp", "announce", "update", "seq_cst", "acq_rel"),
    "event_notify_not_ordered": ("event_count", "event_count.hpp", "notify", "load", "seq_cst", "acquire"),
    "event_key_not_acquired": ("event_count", "event_count.hpp", "announce", "load", "acquire", "relaxed"),
    "event_epoch_not_released": ("event_count", "event_count.hpp", "notify_slow", "update", "release", "relaxed"),
    "parker_permit_not_released": ("parker", "parker.hpp", "unpark", "update", "release", "relaxed"),
    "parker_permit_not_acquired": ("parker", "parker.hpp", "park", "update", "acquire", "relaxed"),
    "lock_not_acquired": ("futex_lock", "futex_lock.hpp", "try_lock", "compare_exchange", "acquire", "relaxed"),
    "lock_not_released": ("futex_lock", "futex_lock.hpp", "unlock", "store", "release", "relaxed"),
    "lock_changed_not_released": ("futex_lock", "futex_lock.hpp", "unlock_slow", "compare_exchange", "release", "relaxed"),
    "lock_slept_not_acquired": ("futex_lock", "hand_over.hpp", "sleep_for", "compare_exchange", "acquire", "relaxed"),
    "lock_given_back_not_released": ("futex_lock", "hand_over.hpp", "give_back", "compare_exchange", "release", "relaxed"),
    "nest_not_acquired": ("nest_lock", "lock.hpp", "take", "compare_exchange", "acquire", "relaxed"),
    "nest_not_released": ("nest_lock", "lock.cpp", "unlock", "store", "release", "relaxed"),
    "nest_given_back_not_released": ("nest_lock", "hand_over.hpp", "give_back", "compare_exchange", "release", "relaxed"),
    "test_and_set_not_acquired": ("locks", "test_and_set.hpp", "try_lock", "update", "acquire", "relaxed"),
    "test_and_set_not_released": ("locks", "test_and_set.hpp", "unlock", "store", "release", "relaxed"),
    "backoff_not_acquired": ("locks", "test_and_set_backoff.hpp", "try_lock", "update", "acquire", "relaxed"),
    "backoff_not_released": ("locks", "test_and_set_backoff.hpp", "unlock", "store", "release", "relaxed"),
    "ticket_not_acquired": ("locks", "ticket.hpp", "lock", "load", "acquire", "relaxed"),
    "ticket_tried_not_acquired": ("locks", "ticket.hpp", "try_lock", "load", "acquire", "relaxed"),
    "ticket_not_released": ("locks", "ticket.hpp", "unlock", "store", "release", "relaxed"),
    "mcs_join_not_released": ("locks", "mcs_queue.hpp", "join", "update", "acq_rel", "acquire"),
    "mcs_join_not_acquired": ("locks", "mcs_queue.hpp", "join", "update", "acq_rel", "release"),
    "mcs_link_not_released": ("locks", "mcs_queue.hpp", "join", "store", "release", "relaxed"),
    "mcs_tried_not_acquired": ("locks", "mcs_queue.hpp", "join_if_empty", "compare_exchange", "acq_rel", "release"),
    "mcs_tried_not_released": ("locks", "mcs_queue.hpp", "join_if_empty", "compare_exchange", "acq_rel", "acquire"),
    "mcs_link_not_acquired": ("locks", "mcs_queue.hpp", "next_in_line", "load", "acquire", "relaxed"),
    "mcs_last_not_released": ("locks", "mcs_queue.hpp", "next_in_line", "compare_exchange", "release", "relaxed"),
    "mcs_not_acquired": ("locks", "mcs.hpp", "lock", "load", "acquire", "relaxed"),
    "mcs_sleep_not_acquired": ("locks", "mcs_sleep.hpp", "lock", "load", "acquire", "relaxed"),
    "mcs_sleep_late_not_acquired": ("locks", "mcs_sleep.hpp", "lock", "failure", "acquire", "relaxed"),
    "mcs_not_released": ("locks", "mcs.hpp", "unlock", "store", "release", "relaxed"),
    "mcs_sleep_not_released": ("locks", "mcs_sleep.hpp", "unlock", "update", "release", "relaxed"),
    "pool_push_not_released": ("block_pool", "block_pool.hpp", "push", "update", "release", "relaxed"),
    "pool_refill_not_acquired": ("block_pool", "block_pool.hpp", "refill", "update", "acquire", "relaxed"),
    "pool_last_not_released": ("block_pool", "block_pool.hpp", "push", "store", "release", "relaxed"),
    "pool_last_not_acquired": ("block_pool", "block_pool.hpp", "take_chain", "load", "acquire", "relaxed"),
    "synch_request_not_released": ("cc_synch", "cc_synch.hpp", "announce", "store", "release", "relaxed"),
    "synch_node_not_acquired": ("cc_synch", "cc_synch.hpp", "announce", "update", "acq_rel", "release"),
    "synch_node_not_released": ("cc_synch", "cc_synch.hpp", "announce", "update", "acq_rel", "acquire"),
    "synch_request_not_acquired": ("cc_synch", "cc_synch.hpp", "combine", "load", "acquire", "relaxed"),
    "synch_answer_not_acquired": ("cc_synch", "cc_synch.hpp", "apply", "load", "acquire", "relaxed"),
    "synch_answer_not_released": ("cc_synch", "cc_synch.hpp", "combine", "store", "release", "relaxed"),
    "ring_put_not_ordered": ("owner_ring", "owner_ring.hpp", "put", "update", "seq_cst", "acq_rel"),
    "ring_look_not_ordered": ("owner_ring", "owner_ring.hpp", "take", "load", "seq_cst", "acquire"),
    "ring_mark_taken_not_ordered": ("owner_ring", "owner_ring.hpp", "take", "update", "seq_cst", "acq_rel"),
    "ring_mark_look_not_ordered": ("owner_ring", "owner_ring.hpp", "mark_held", "load", "seq_cst", "acquire"),
    "ring_items_not_acquired": ("owner_ring", "owner_ring.hpp", "execute", "load", "acquire", "relaxed"),
    "ring_slots_not_acquired": ("owner_ring", "owner_ring.hpp", "free_slots", "load", "acquire", "relaxed"),
    "ring_slots_not_released": ("owner_ring", "owner_ring.hpp", "execute", "store", "release", "relaxed"),
    "box_push_not_released": ("task_box", "task_box.hpp", "push", "compare_exchange", "release", "relaxed"),
    "box_size_not_ordered": ("task_box", "task_box.hpp", "push", "update", "seq_cst", "acq_rel"),
    "box_look_not_ordered": ("task_box", "task_box.hpp", "surely_useful", "load", "seq_cst", "acquire"),
    "box_emptied_not_acquired": ("task_box", "task_box.hpp", "collect", "update", "acquire", "relaxed"),
    "box_unlocked_not_released": ("task_box", "task_box.hpp", "unlock", "store", "release", "relaxed"),
    "share_append_not_released": ("workshare_list", "worksharing.hpp", "enter_workshare", "compare_exchange", "acq_rel", "acquire"),
    "share_node_not_acquired": ("workshare_list", "worksharing.hpp", "enter_workshare", "load", "acquire", "relaxed"),
    "share_found_not_acquired": ("workshare_list", "worksharing.hpp", "enter_workshare", "failure", "acquire", "relaxed"),
    "share_returned_not_released": ("workshare_list", "worksharing.cpp", "give_back", "compare_exchange", "release", "relaxed"),
    "share_returned_not_acquired": ("workshare_list", "worksharing.cpp", "take_workshare", "update", "acquire", "relaxed"),
    "share_left_not_released": ("workshare_list", "workshare.hpp", "release", "update", "acq_rel", "acquire"),
    "share_left_not_acquired": ("workshare_list", "workshare.hpp", "release", "update", "acq_rel", "release"),
    "share_word_not_released": ("workshare_list", "workshare.hpp", "leave", "update", "acq_rel", "acquire"),
    "share_word_not_acquired": ("workshare_list", "workshare.hpp", "leave", "update", "acq_rel", "release"),
    "loop_range_left_to_each_other": ("loop_ranges.on_offer", "loop_ranges.cpp", "leaves_rest", "fence", "seq_cst", "relaxed"),
    "loop_description_not_acquired": ("loop_ranges", "worksharing.hpp", "enter_workshare", "load", "acquire", "relaxed"),
    "tree_arrival_not_released": ("reduction_tree", "reduction_tree.cpp", "combine_in_tree", "update", "acq_rel", "acquire"),
    "tree_arrival_not_acquired": ("reduction_tree", "reduction_tree.cpp", "combine_in_tree", "update", "acq_rel", "release"),
    "tree_let_go_not_released": ("reduction_tree", "reduction_tree.cpp", "let_go", "store", "release", "relaxed"),
    "ordered_turn_not_ordered": ("ordered", "ordered.cpp", "give_up_turn", "update", "seq_cst", "acq_rel"),
    "ordered_turn_not_acquired": ("ordered", "ordered.cpp", "begin_ordered", "load", "acquire", "relaxed"),
    "ordered_look_not_ordered": ("ordered", "ordered.cpp", "begin_ordered", "load", "seq_cst", "acquire"),
    "doacross_post_not_ordered": ("doacross", "doacross.cpp", "publish_progress", "update", "seq_cst", "acq_rel"),
    "doacross_post_not_acquired": ("doacross", "doacross.cpp", "await_position", "load", "acquire", "relaxed"),
    "doacross_look_not_ordered": ("doacross", "doacross.cpp", "await_position", "load", "seq_cst", "acquire"),
    "iteration_flag_not_ordered": ("iteration_flags", "iteration_flags.cpp", "flag_iteration", "update", "seq_cst", "acq_rel"),
    "iteration_flag_not_acquired": ("iteration_flags", "iteration_flags.cpp", "await_iteration", "load", "acquire", "relaxed"),
    "iteration_flags_left_not_released": ("iteration_flags", "workshare.hpp", "release", "update", "acq_rel", "acquire"),
    "barrier_reset_not_released": ("runtime.large_flat", "team_barrier.hpp", "reset", "store", "release", "relaxed"),
    "detach_block_not_released": ("runtime.detached", "record.cpp", "awaits_event", "update", "acq_rel", "acquire"),
    "detach_block_not_acquired": ("runtime.detached", "record.cpp", "fulfill", "update", "acq_rel", "release"),
    "detach_event_not_released": ("runtime.detached", "record.cpp", "fulfill", "update", "acq_rel", "acquire"),
    "mailbox_not_acquired": ("mailbox", "pool_thread.cpp", "wait_for_region", "load", "acquire", "relaxed"),
    "mailbox_end_not_acquired": ("mailbox", "region_end.hpp", "completed", "load", "acquire", "relaxed"),
    "mailbox_sleep_not_ordered": ("mailbox", "lookout.cpp", "sleep_at_mailbox", "update", "seq_cst", "acq_rel"),
    "part_left_not_released": ("parts", "part.hpp", "stopped", "store", "release", "relaxed"),
    "part_left_not_acquired": ("parts", "part.hpp", "examine", "compare_exchange", "acquire", "relaxed"),
    "part_put_back_not_released": ("parts", "part.hpp", "put_back", "store", "release", "relaxed"),
    "part_come_home_not_acquired": ("parts", "part.hpp", "has_come_home", "compare_exchange", "acquire", "relaxed"),
    "part_at_barrier_not_acquired": ("runtime.parts_at_barrier", "part.hpp", "claim_at_barrier", "compare_exchange", "acquire", "relaxed"),
    "parts_over_not_released": ("runtime.parts_over", "part.hpp", "add", "compare_exchange", "release", "relaxed"),
    "parts_over_not_acquired": ("runtime.parts_over", "part.hpp", "claim", "compare_exchange", "acquire", "relaxed"),
    "offer_look_not_ordered": ("mailbox", "mailbox.cpp", "post_to_lookout", "load", "seq_cst", "acquire"),
    "offer_summons_not_ordered": ("mailbox", "lookout.cpp", "sleep_at_mailbox", "load", "seq_cst", "acquire"),
    "offer_summoned_not_ordered": ("mailbox", "mailbox.cpp", "summon", "compare_exchange", "seq_cst", "acq_rel"),
    "offer_taking_not_ordered": ("mailbox", "stand_in.cpp", "take_part", "load", "seq_cst", "acquire"),
    "offer_awake_not_ordered": ("mailbox", "lookout.cpp", "stay_awake", "update", "seq_cst", "acq_rel"),
    "offer_awake_look_not_ordered": ("mailbox", "lookout.cpp", "stay_awake", "load", "seq_cst", "acquire"),
    "mailbox_not_released": ("mailbox", "posts.hpp", "add", "store", "release", "relaxed"),
    "offer_not_released": ("mailbox", "mailbox.cpp", "publish_offer", "store", "release", "relaxed"),
}


def replacements(name):
    """Those of a protocol's test, or of a bug."""
    if name not in BUGS:
        return BASE[name]
    protocol, of_the_bug = BUGS[name]
    return BASE.get(protocol, []) + of_the_bug


def copies():
    """(name, path, replacements in that source) of each copy that is to be made."""
    for name in dict.fromkeys([*BASE, *BUGS]):
        of_path = {}
        for path, old, new in replacements(name):
            of_path.setdefault(path, []).append((old, new))
        for path, pairs in of_path.items():
            yield name, path, pairs


def make(source, target):
    """Writes all copies, but for those that are there already: what is compiled with them stays.
    What is there and no copy any more goes."""
    wrong, kept = [], {target / "made"}
    for name, path, pairs in copies():
        text = (source / path).read_text()
        for old, new in pairs:
            if text.count(old) != 1:
                wrong.append(f"{name}: {path} has this {text.count(old)} times instead of once:\n{old}")
            text = text.replace(old, new)
        copy = target / name / path
        kept.add(copy)
        if not copy.exists() or copy.read_text() != text:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text)
    for copy in set(filter(pathlib.Path.is_file, target.rglob("*"))) - kept:
        copy.unlink()
    if wrong:
        sys.exit("\n".join(wrong))


if sys.argv[1] == "list":
    for bug, (test, _) in BUGS.items():
        print(f"{bug}:{test}")
elif sys.argv[1] == "orders":
    for order, (test, file, function, operation, strong, weak) in ORDERS.items():
        print(f"{order}:{test}:{file} {function} {operation} {strong}>{weak}")
elif sys.argv[1] == "copies":
    for name, path, _ in copies():
        print(f"{name}/{path}")
else:
    make(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
