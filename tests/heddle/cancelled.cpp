// SPDX-License-Identifier: Apache-2.0
// Tasks that OpenMP's cancellation discards: what they captured is destroyed once, called or not.
// Run with OMP_CANCELLATION=true; exits with 1 when an object is left, or when nothing was
// discarded.
#include <heddle.hpp>

#include <atomic>
#include <cstdio>
#include <memory>

int main() {
    constexpr int tasks = 2000;
    std::atomic<int> alive{0}, called{0};
    struct Object {
        std::atomic<int>& alive;
        explicit Object(std::atomic<int>& its) : alive(its) { ++alive; }
        ~Object() { --alive; }
    };
    heddle::run([&] {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp cancel taskgroup
            }
            heddle::sync();
            for (int i = 0; i < tasks; ++i)
                heddle::spawn([object = std::make_unique<Object>(alive), &called] { ++called; });
        }
    });
    if (alive == 0 && called == 0)
        return 0;
    std::fprintf(stderr, "%d objects are left, %d of %d cancelled tasks were called\n",
                 alive.load(), called.load(), tasks);
    return 1;
}
