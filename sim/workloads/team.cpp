// SPDX-License-Identifier: Apache-2.0
// A region of all threads that does next to nothing: they are made, outside the time that counts.
#include "workloads/workload.hpp"

namespace heddle::sim {

void start_team() {
#pragma omp parallel
    charge_cycles(1); // the compiler drops a region of nothing
}

} // namespace heddle::sim
