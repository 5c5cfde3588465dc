// SPDX-License-Identifier: Apache-2.0
// The names of layouts. `base` is what the Cyclops-64 paper starts from (section 4), `port` what it
// ends with (section 5), `shipped` the runtime as other machines have it.
#include "machine/chip_runtime.hpp"

#include <sstream>

namespace heddle::sim {

namespace {

using Descriptors = ChipRuntime::Descriptors;
using Locks = ChipRuntime::Locks;
using Barrier = ChipRuntime::Barrier;

bool set_one(ChipRuntime& runtime, const std::string& name) {
    if (name == "base")
        runtime = {Descriptors::hashed, Locks::mutex, Barrier::central};
    else if (name == "shipped")
        runtime = {};
    else if (name == "port")
        runtime = {Descriptors::scratchpad, Locks::mcs_sleep, Barrier::signal_bus};
    else if (name == "hashed")
        runtime.descriptors = Descriptors::hashed;
    else if (name == "global")
        runtime.descriptors = Descriptors::global;
    else if (name == "scratchpad")
        runtime.descriptors = Descriptors::scratchpad;
    else if (name == "mutex")
        runtime.locks = Locks::mutex;
    else if (name == "word")
        runtime.locks = Locks::word;
    else if (name == "mcs_sleep")
        runtime.locks = Locks::mcs_sleep;
    else if (name == "central")
        runtime.barrier = Barrier::central;
    else if (name == "tree")
        runtime.barrier = Barrier::tree;
    else if (name == "signal_bus")
        runtime.barrier = Barrier::signal_bus;
    else
        return false;
    return true;
}

} // namespace

bool ChipRuntime::set(const std::string& names) {
    ChipRuntime wanted = *this;
    std::istringstream list(names);
    bool any = false;
    for (std::string name; std::getline(list, name, ','); any = true)
        if (!set_one(wanted, name))
            return false;
    if (any)
        *this = wanted;
    return any;
}

} // namespace heddle::sim
