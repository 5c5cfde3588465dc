// SPDX-License-Identifier: Apache-2.0
// Places and their orders. See orders.hpp.
#include "orders.hpp"

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace explore {

namespace {

constexpr const char* operation_names[] = {"load",    "store", "update", "compare_exchange",
                                           "failure", "fence"};
constexpr Order all_orders[] = {std::memory_order_relaxed, std::memory_order_acquire,
                                std::memory_order_release, std::memory_order_acq_rel,
                                std::memory_order_seq_cst};

bool find_order(const std::string& text, Order& order) {
    for (const Order candidate : all_orders)
        if (text == name(candidate)) {
            order = candidate;
            return true;
        }
    return false;
}

/// Is it that of a function with this name, whatever its class, arguments and lambdas?
bool is_in(const std::string& function, const std::string& searched) {
    for (size_t at = function.find(searched); at != std::string::npos;
         at = function.find(searched, at + 1)) {
        const char before = at == 0 ? ' ' : function[at - 1];
        const char after = function[at + searched.size()];
        const bool begins = before == ' ' || before == ':' || before == '*' || before == '&';
        if (begins && (after == '(' || after == '<'))
            return true;
    }
    return false;
}

const char* base_name(const char* path) {
    const char* const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

} // namespace

const char* name(Order order) {
    switch (order) {
    case std::memory_order_relaxed:
        return "relaxed";
    case std::memory_order_acquire:
        return "acquire";
    case std::memory_order_release:
        return "release";
    case std::memory_order_acq_rel:
        return "acq_rel";
    case std::memory_order_seq_cst:
        return "seq_cst";
    default:
        return "consume";
    }
}

std::string OrderSite::text() const {
    return file + " @" + std::to_string(line) + " " +
           operation_names[static_cast<size_t>(operation)] + " " + name(order);
}

std::vector<Order> OrderSite::weaker() const {
    if (operation == Operation::fence)
        return {std::memory_order_relaxed}; // none
    const bool reads = operation != Operation::store;
    const bool writes = operation == Operation::store || operation == Operation::update ||
                        operation == Operation::compare_exchange;
    switch (order) {
    case std::memory_order_seq_cst:
        return {reads && writes ? std::memory_order_acq_rel
                : reads         ? std::memory_order_acquire
                                : std::memory_order_release};
    case std::memory_order_acq_rel:
        return {std::memory_order_acquire, std::memory_order_release};
    case std::memory_order_acquire:
    case std::memory_order_release:
        return {std::memory_order_relaxed};
    default:
        return {};
    }
}

bool Orders::weaken(const std::string& spec) {
    std::istringstream words(spec);
    std::string function, operation, orders;
    if (!(words >> file_ >> function >> operation >> orders))
        return false;
    if (function[0] == '@')
        line_ = static_cast<uint32_t>(atoi(function.c_str() + 1));
    function_ = function;
    size_t i = 0;
    while (i < std::size(operation_names) && operation != operation_names[i])
        ++i;
    operation_ = static_cast<Operation>(i);
    const size_t arrow = orders.find('>');
    if (i == std::size(operation_names) || arrow == std::string::npos)
        return false;
    active_ = true;
    known_.clear();
    return find_order(orders.substr(0, arrow), from_) && find_order(orders.substr(arrow + 1), to_);
}

Order Orders::look_up(const Site& site, Operation operation, Order order) {
    if (order == std::memory_order_relaxed)
        return order;
    const Key key{site.function_name(), site.line(), site.column(), operation, order};
    auto found = known_.find(key);
    if (found == known_.end()) {
        OrderSite place{base_name(site.file_name()), site.line(), site.function_name(), operation,
                        order};
        const bool meant = !collects_ && operation == operation_ && order == from_ &&
                           place.file == file_ &&
                           (line_ ? place.line == line_ : is_in(place.function, function_));
        found = known_.emplace(key, std::make_pair(std::move(place), meant)).first;
    }
    if (!found->second.second)
        return order;
    met_ = true;
    return to_;
}

std::vector<OrderSite> Orders::collected() const {
    std::map<std::string, OrderSite> sites; // a template's once
    for (const auto& [key, found] : known_)
        sites.emplace(found.first.text(), found.first);
    std::vector<OrderSite> listed;
    for (const auto& [text, site] : sites)
        listed.push_back(site);
    return listed;
}

} // namespace explore
