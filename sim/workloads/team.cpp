// SPDX-License-Identifier: Apache-2.0
// A region of all threads that does nothing: they are made, outside the time that counts.
#include "workloads/workload.hpp"

namespace heddle::sim {

void start_team() {
#pragma omp parallel
    {
    }
}

} // namespace heddle::sim
