// SPDX-License-Identifier: Apache-2.0
// A num_threads clause that no machine can serve: the list of members was made for all of them
// first. It took gigabytes, or its refusal left the team with eight threads and said nothing.
#include "rerun.hpp"
#include "stress.hpp"

#include <omp.h>
#include <sys/resource.h>

namespace {

long largest_size_in_mib() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

} // namespace

int main(int, char** argv) {
    if (stress::sanitized())
        return stress::result("no test"); // they need more addresses than the limit below
    stress::rerun_with("OMP_STACKSIZE", "16M", argv);
    const rlimit addresses{1 << 30, 1 << 30}; // for about 60 threads
    setrlimit(RLIMIT_AS, &addresses);
    for (int wanted : {100'000'000, 400'000'000, 0x7fffffff}) {
        int got = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp single
        got = omp_get_num_threads();
        stress::expect(got > 10, "%d threads of %d", got, wanted);
    }
    const long size = largest_size_in_mib();
    stress::expect(size < 100, "%ld MiB", size);
    return stress::result("regression_wild_number");
}
