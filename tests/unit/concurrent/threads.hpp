// SPDX-License-Identifier: Apache-2.0
// What the tests of the concurrent primitives share: starting threads together, seeded random
// numbers. Included by tests only.
#pragma once

#include "concurrent/waiting.hpp"

#include <cstdint>
#include <thread>
#include <vector>

namespace test {

inline constexpr int thread_counts[] = {1, 2, 4, 8};

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr int slower = 10;
#else
inline constexpr int slower = 1;
#endif

/// Little spinning, so that the sleeping paths are taken.
inline constexpr heddle::concurrent::WaitLimits impatient{4, 1};

/// Runs body(0) to body(count - 1) on a thread each, which begin together, and waits for them.
template <class Body>
void on_threads(int count, Body body) {
    heddle::platform::Atomic<int> missing{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            missing.fetch_sub(1, heddle::platform::acq_rel);
            while (missing.load(heddle::platform::acquire) != 0)
                heddle::platform::yield();
            body(i);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

class Random {
public:
    explicit Random(int seed) : state_(static_cast<uint64_t>(seed) + 1) {}
    /// 0 to bound - 1.
    uint32_t below(uint32_t bound) {
        state_ = state_ * 6364136223846793005 + 1442695040888963407;
        return static_cast<uint32_t>(state_ >> 33) % bound;
    }

private:
    uint64_t state_;
};

} // namespace test
