// SPDX-License-Identifier: Apache-2.0
// Could one thread have done it all? A history has each operation on an object as its thread saw
// it; it is linearizable if there is an order of all in which each comes after those that had ended
// before it began, and in which a sequential object gives the same answers (Wing and Gong, 1993).
// Tests record in their fibers and check in at_end().
#pragma once

#include "explorer.hpp"

#include <vector>

namespace explore {

/// Model::Operation says what was asked and answered. Model, which is copied, has
/// bool apply(const Operation&): does it, false if the object would have answered something else.
template <class Model>
class History {
public:
    using Operation = typename Model::Operation;

    History() { unwatch(*this); }

    /// What began at `asked` has ended. Returns its index.
    size_t add(const Operation& operation, const Moment& asked) {
        const Unwatched accounts;
        entries_.push_back({operation, asked, now(), false});
        return entries_.size() - 1;
    }

    /// For what turns out later about an answer.
    Operation& at(size_t index) { return entries_[index].operation; }

    void check(const Model& model) { expect(search(model, entries_.size()), "not linearizable"); }

private:
    struct Entry {
        Operation operation;
        Moment asked, answered;
        bool done; ///< in the order that is tried
    };

    bool search(const Model& model, size_t left) {
        if (left == 0)
            return true;
        for (Entry& next : entries_) {
            if (next.done || !may_be_next(next))
                continue;
            Model after = model;
            if (!after.apply(next.operation))
                continue;
            next.done = true;
            const bool found = search(after, left - 1);
            next.done = false;
            if (found)
                return true;
        }
        return false;
    }
    bool may_be_next(const Entry& next) const {
        for (const Entry& other : entries_)
            if (!other.done && &other != &next && is_before(other.answered, next.asked))
                return false;
        return true;
    }

    std::vector<Entry> entries_;
};

} // namespace explore
