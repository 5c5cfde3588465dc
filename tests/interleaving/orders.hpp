// SPDX-License-Identifier: Apache-2.0
// The memory orders that an execution asks for, by place, and bugs in them: a run can weaken one
// (--weaken), which is a planted bug that needs no compilation, or try all in turn (--orders).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <source_location>
#include <string>
#include <tuple>
#include <vector>

namespace explore {

using Order = std::memory_order;
using Site = std::source_location;

/// What an order belongs to; a compare-and-swap has one for when it fails, too.
enum class Operation : uint8_t { load, store, update, compare_exchange, failure, fence };

/// A place in the sources and the order there.
struct OrderSite {
    std::string file; ///< without folders
    uint32_t line;
    std::string function; ///< as the compiler writes it
    Operation operation;
    Order order;

    std::string text() const;
    /// The orders that are next to weaker ones, down to relaxed.
    std::vector<Order> weaker() const;
};

class Orders {
public:
    /// `spec`: "FILE FUNCTION OPERATION ORDER>WEAKER", as `planted_bugs.py` has them. FUNCTION is
    /// the name alone, or @LINE. False: that is none.
    bool weaken(const std::string& spec);
    /// Was there an operation that `weaken` meant?
    bool met() const { return met_; }
    bool is_active() const { return active_; }

    /// The order for an operation of the program at `site`, which asks for `order`.
    Order at(const Site& site, Operation operation, Order order) {
        return active_ ? look_up(site, operation, order) : order;
    }

    /// From now on notes all places with an order stronger than relaxed.
    void collect() { active_ = collects_ = true; }
    std::vector<OrderSite> collected() const;

private:
    Order look_up(const Site& site, Operation operation, Order order);

    bool active_ = false, collects_ = false, met_ = false;
    std::string file_, function_;
    uint32_t line_ = 0; ///< instead of the function, if not 0
    Operation operation_ = Operation::load;
    Order from_{}, to_{};
    /// Source location, operation and order, which are compared faster than what they stand for.
    using Key = std::tuple<const char*, uint32_t, uint32_t, Operation, Order>;
    std::map<Key, std::pair<OrderSite, bool>> known_; ///< is it the one to weaken?
};

const char* name(Order order);

} // namespace explore
