// SPDX-License-Identifier: Apache-2.0
// Parts of a region that go on in another thread than the one that executed them before a barrier:
// the program and the runtime see the same thread number there, in the next region, and outside.
// AArch64's compilers keep the address of thread-local variables over calls, and what kept it wrote
// into the other thread's. The program then hung, or ended in the middle with status 0.
#include "stress.hpp"

#include <omp.h>

namespace {

using stress::expect;

/// Who executes this, as only the processor tells it.
uintptr_t executing_thread() {
    uintptr_t thread = 0;
#if defined(__x86_64__)
    asm volatile("movq %%fs:0, %0" : "=r"(thread));
#elif defined(__aarch64__)
    asm volatile("mrs %0, tpidr_el0" : "=r"(thread));
#endif
    return thread;
}

/// Parts that take unequally long: a thread without work goes on with those that others have left.
int region(int size, double longest) {
    int moved = 0;
#pragma omp parallel num_threads(size) reduction(+ : moved)
    {
        const int number = omp_get_thread_num();
        for (int turn = 0; turn < 5; ++turn) {
            const uintptr_t before = executing_thread();
            const double end = omp_get_wtime() + longest * number / size;
            while (omp_get_wtime() < end) {
            }
#pragma omp barrier
            moved += before != executing_thread();
            expect(omp_get_thread_num() == number, "thread %d is %d behind a barrier", number,
                   omp_get_thread_num());
            int sum = 0;
#pragma omp taskgroup
            for (int i = 1; i <= 3; ++i) {
#pragma omp task shared(sum)
#pragma omp atomic
                sum += i;
            }
            expect(sum == 6, "three tasks behind a barrier make %d", sum);
        }
    }
    expect(omp_get_thread_num() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel(),
           "behind the region: thread %d of %d", omp_get_thread_num(), omp_get_num_threads());
    return moved;
}

} // namespace

int main() {
    omp_set_dynamic(0);
    const int size = omp_get_max_threads();
    int moved = 0;
    const int rounds = stress::scaled(40);
    for (int round = 0; round < rounds && moved < 8; ++round)
        moved += region(size, round % 3 == 0 ? 0 : 30e-3);
    std::printf("parts that moved: %d\n", moved);
    return stress::result("parts_move");
}
