// SPDX-License-Identifier: Apache-2.0
// A thread's box of tasks that others mean for it: any thread adds without a lock, and takes one at
// a time, passing over what it may not run. In order of arrival where nothing else is asked for.
// `fresh_` and `size_` are written by all; the list by who holds `taking_`.
// Protocol: docs/protocols/task-box.md. Source: the task affinity paper, section 2 (mailboxes).
#pragma once

#include "concurrent/check.hpp"

namespace heddle::concurrent {

/// What take() does with a node that it is shown: passes over it, takes it unless another one is
/// preferred later, or takes it and looks no further.
enum class Verdict : uint8_t { no, perhaps, yes };

/// Node has a member `next` of type Node*, the box's while the node is in it.
template <class Node>
class TaskBox {
public:
    /// Adds `node`. By any thread; who may sleep until there is something is told afterwards.
    void push(Node& node) {
        // seq_cst: the notifier's write of the Dekker pair with EventCount. Before the node is
        // there: `size_` may be too large for a moment, never too small.
        size_.fetch_add(1, platform::seq_cst);
        Node* newest = fresh_.load(platform::relaxed);
        do
            node.next = newest;
        while (!fresh_.compare_exchange_strong(newest, &node, platform::release,
                                               platform::relaxed)); // to collect()
    }

    /// Takes a node, shown to judge(node) in order of arrival: the first with the verdict `yes`,
    /// else the last with `perhaps`. nullptr: there is none, or another thread is taking.
    template <class Judge>
    Node* take(Judge&& judge) {
        if (!looks_useful() || !try_lock())
            return nullptr;
        collect();
        Node *found = nullptr, *before_found = nullptr, *before = nullptr;
        for (Node* node = oldest_; node; before = node, node = node->next) {
            const Verdict verdict = judge(*node);
            if (verdict == Verdict::no)
                continue;
            found = node;
            before_found = before;
            if (verdict == Verdict::yes)
                break;
        }
        if (found)
            unlink(*found, before_found);
        unlock();
        return found;
    }

    /// Relaxed: worth a take()?
    bool looks_useful() const { return size_.load(platform::relaxed) != 0; }
    /// The same with the seq_cst load that EventCount's Dekker needs.
    bool surely_useful() const { return size_.load(platform::seq_cst) != 0; }
    /// How many nodes there are; a hint.
    int32_t size() const { return size_.load(platform::relaxed); }

private:
    /// What was added since the last time goes to the end of the list, oldest first.
    void collect() {
        if (!fresh_.load(platform::relaxed))
            return;
        Node* node = fresh_.exchange(nullptr, platform::acquire); // pairs with push()
        Node* first = nullptr;
        Node* const last = node;
        while (node) {
            Node* const older = node->next;
            node->next = first;
            first = node;
            node = older;
        }
        (newest_ ? newest_->next : oldest_) = first;
        newest_ = last;
    }

    void unlink(Node& node, Node* before) {
        (before ? before->next : oldest_) = node.next;
        if (!node.next)
            newest_ = before;
        // relaxed: who adds or sleeps is ordered by its own write
        const int32_t size_before = size_.fetch_sub(1, platform::relaxed);
        HEDDLE_CHECK(size_before > 0);
        static_cast<void>(size_before);
    }

    bool try_lock() {
        // acquire: pairs with unlock()
        return taking_.load(platform::relaxed) == 0 && taking_.exchange(1, platform::acquire) == 0;
    }
    void unlock() { taking_.store(0, platform::release); } // pairs with try_lock()

    platform::Atomic<Node*> fresh_{nullptr}; ///< newest first
    platform::Atomic<int32_t> size_{0};
    platform::Atomic<uint32_t> taking_{0};
    Node* oldest_ = nullptr; // the list is under `taking_`
    Node* newest_ = nullptr;
};

} // namespace heddle::concurrent
