// SPDX-License-Identifier: Apache-2.0
// A program for test_ompt.py, with a tool: tasks with copies of an object that are made when their
// taskgroup is cancelled, before it, and while it is. Prints how many copies are alive at the end.
#include <atomic>
#include <cstdio>

namespace {

std::atomic<int> alive{0};

struct Object {
    int value = 1;
    Object() { ++alive; }
    Object(const Object& other) : value(other.value) { ++alive; }
    ~Object() { --alive; }
};

void tasks(const Object& object) {
    for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(object)
        if (object.value != 1)
            std::puts("not a copy");
    }
}

} // namespace

int main() {
    {
        Object object;
        for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
            {
                tasks(object);
#pragma omp task if (round % 2)
                {
#pragma omp cancel taskgroup
                }
                tasks(object);
            }
        }
    }
    std::printf("%d\n", alive.load());
}
