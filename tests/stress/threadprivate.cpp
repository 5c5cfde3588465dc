// SPDX-License-Identifier: Apache-2.0
// Threadprivate variables of gcc's programs (thread-local storage): they keep their values from
// region to region of each thread of the program, however many of these there are, since each gets
// the same threads again.
#include "stress.hpp"

#include <omp.h>
#include <thread>
#include <vector>

namespace {

using stress::expect;

uint64_t mine = 0;
#pragma omp threadprivate(mine)

/// As many regions as `rounds`, each of which looks at what the one before has left behind.
void host(uint64_t number, int size, int rounds) {
    for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(size)
        {
            const uint64_t thread = number * 100 + static_cast<uint64_t>(omp_get_thread_num());
            const uint64_t last = thread * 1000 + static_cast<uint64_t>(round);
            expect(round == 0 || mine == last, "%lu instead of %lu in region %d",
                   static_cast<unsigned long>(mine), static_cast<unsigned long>(last), round);
            mine = last + 1;
            stress::work(100);
        }
    }
}

} // namespace

int main() {
    omp_set_dynamic(0);
    stress::Random random(stress::seed());
    const int waves = stress::scaled(20), rounds = stress::scaled(40);
    for (int wave = 0; wave < waves; ++wave) {
        std::vector<std::thread> hosts;
        const uint64_t count = 3 + random.below(8);
        for (uint64_t i = 0; i < count; ++i)
            hosts.emplace_back(host, i + 1, 2 + static_cast<int>(random.below(3)), rounds);
        host(count + 1, 3, rounds);
        for (std::thread& thread : hosts)
            thread.join();
    }
    return stress::result("threadprivate");
}
