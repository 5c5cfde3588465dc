// SPDX-License-Identifier: Apache-2.0
// How the runtime is laid out on a machine without caches: which of the means of the chip it uses.
// Part of the model, or of `--runtime`; read by sim/platform. docs/simulator.md has the names.
#pragma once

#include <string>

namespace heddle::sim {

struct ChipRuntime {
    enum class Descriptors { hashed, global, scratchpad } descriptors = Descriptors::global;
    enum class Locks { mutex, word, mcs_sleep } locks = Locks::word;
    enum class Barrier { central, tree, signal_bus } barrier = Barrier::tree;

    /// Names joined by commas, the later ones count: base, shipped and port say all three, the
    /// others one each. False: one of them is unknown, and nothing has changed.
    bool set(const std::string& names);
};

} // namespace heddle::sim
