// SPDX-License-Identifier: Apache-2.0
// Objects captured by tasks: how often they are made, copied and destroyed, what if, final, untied
// and shared clauses give, what a throwing copy constructor does, and values that outlive a task
// construct in registers. Prints counts that depend on neither threads nor compiler.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <omp.h>
#include <stdexcept>

namespace {

std::atomic<long> made, copied, destroyed, sum, in_final, caught;

struct Object {
    int value;
    bool throws = false;
    explicit Object(int v) : value(v) { ++made; }
    Object(const Object& other) : value(other.value) {
        if (other.throws)
            throw std::runtime_error("copy");
        ++copied;
    }
    ~Object() { ++destroyed; }
};

struct Bytes {
    char text[200];
};

void use(const Object& object) { sum += object.value; }

void nest(int depth, bool deferrable) {
    if (depth <= 0)
        return;
    Object object(depth);
    Object objects[3] = {Object(1), Object(2), Object(depth)};
    Bytes bytes;
    std::memset(&bytes, depth, sizeof bytes);
    int left = 0;
#pragma omp task firstprivate(object) if (deferrable) final(depth > 3)
    {
        use(object);
        in_final += omp_in_final();
    }
#pragma omp task untied firstprivate(depth) shared(left)
    {
        nest(depth - 1, !deferrable);
        left = depth;
    }
#pragma omp task untied shared(object)
    {
#pragma omp task firstprivate(object)
        use(object);
#pragma omp taskyield
        nest(depth - 2, deferrable);
#pragma omp taskwait
    }
#pragma omp task firstprivate(objects, bytes)
    {
        use(objects[2]);
        sum += bytes.text[199];
        bytes.text[0] = 0;
    }
#pragma omp taskgroup
    {
#pragma omp task shared(object)
        {
#pragma omp task shared(object) // left behind by its parent
            use(object);
        }
    }
#pragma omp taskwait
    sum += left;
}

void copy_that_throws() {
    Object object(5);
    object.throws = true;
    try {
#pragma omp task firstprivate(object)
        use(object);
    } catch (const std::runtime_error&) {
        ++caught;
    }
}

long depend_on_values(int n) {
    const int before = n * 3;
    int result = 0;
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(result) firstprivate(i) if (i & 1)
#pragma omp atomic
        result += i + before;
    }
#pragma omp taskwait
    return result + before;
}

} // namespace

/// With an argument a copy constructor throws too, after which libomp waits for ever.
int main(int count, char**) {
    long values = 0;
#pragma omp parallel
#pragma omp single
    {
        nest(8, true);
        if (count > 1)
            copy_that_throws();
        values = depend_on_values(4);
    }
    std::printf("made %ld copied %ld destroyed %ld sum %ld final %ld caught %ld values %ld\n",
                made.load(), copied.load(), destroyed.load(), sum.load(), in_final.load(),
                caught.load(), values);
    return made + copied == destroyed ? 0 : 1;
}
