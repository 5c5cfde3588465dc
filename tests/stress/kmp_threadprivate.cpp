// SPDX-License-Identifier: Apache-2.0
// Threadprivate variables by clang's entry points: every thread of a region has a copy of its own
// that it keeps for the next region, threads of the user that come and go see nothing of those
// whose place in the runtime they inherit, and each copy that was made is destroyed with its
// thread.
#include "kmp.hpp"
#include "stress.hpp"

#include <omp.h>

#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;

int number = 7; ///< plain data: a copy begins with the value before the first use
void** number_cache;
void** rare_cache;  ///< of one whose threads do not look again when the table has grown
void** other_cache; ///< of another shared object that uses the same variable
double uncached = 0.5;

std::atomic<int> alive{0};

/// Made by a constructor, also as an element of an array.
struct Object {
    uint64_t check;
    int value;
};
Object object{0x600d, 100};
void** object_cache;
Object array[3]{{0x600d, 100}, {0x600d, 101}, {0x600d, 102}};
void** array_cache;

int& my_number() {
    return *static_cast<int*>(__kmpc_threadprivate_cached(
        nullptr, __kmpc_global_thread_num(nullptr), &number, sizeof number, &number_cache));
}
double& my_uncached() {
    return *static_cast<double*>(__kmpc_threadprivate(nullptr, __kmpc_global_thread_num(nullptr),
                                                      &uncached, sizeof uncached));
}
Object& my_object() {
    return *static_cast<Object*>(__kmpc_threadprivate_cached(
        nullptr, __kmpc_global_thread_num(nullptr), &object, sizeof object, &object_cache));
}
Object* my_array() {
    return static_cast<Object*>(__kmpc_threadprivate_cached(
        nullptr, __kmpc_global_thread_num(nullptr), &array, sizeof array, &array_cache));
}

void* make(void* memory) {
    auto* made = static_cast<Object*>(memory);
    expect(made->check == 0, "the memory of a copy is not cleared");
    *made = {0x600d, my_number() + 1}; // constructors may use other variables
    ++alive;
    return memory;
}
void destroy(void* memory) {
    auto* dying = static_cast<Object*>(memory);
    expect(dying->check == 0x600d, "destroyed without having been made");
    my_number() = 0; // and so may destructors
    dying->check = 0xdead;
    --alive;
}
void* make_array(void* memory, size_t count) {
    for (size_t i = 0; i < count; ++i)
        make(static_cast<Object*>(memory) + i);
    return memory;
}
void destroy_array(void* memory, size_t count) {
    for (size_t i = 0; i < count; ++i)
        destroy(static_cast<Object*>(memory) + i);
}

/// Whatever thread comes first finds the values with which the variables begin.
void expect_fresh(const char* where) {
    expect(my_number() == 7, "a number begins with %d, %s", my_number(), where);
    expect(my_uncached() == 0.5, "uncached data begin with %g, %s", my_uncached(), where);
    expect(my_object().value == 8, "an object begins with %d, %s", my_object().value, where);
    for (int i = 0; i < 3; ++i)
        expect(my_array()[i].value == 8, "element %d is %d, %s", i, my_array()[i].value, where);
}

void change(int value) {
    my_number() = value;
    my_uncached() = value;
    my_object().value = value;
    my_array()[2].value = value;
}

void expect_kept(int value, const char* where) {
    expect(my_number() == value, "%d instead of %d, %s", my_number(), value, where);
    expect(my_uncached() == value, "uncached %g instead of %d, %s", my_uncached(), value, where);
    expect(my_object().value == value && my_object().check == 0x600d, "another object, %s", where);
    expect(my_array()[2].value == value, "another array, %s", where);
    void* other = __kmpc_threadprivate_cached(nullptr, __kmpc_global_thread_num(nullptr), &number,
                                              sizeof number, &other_cache);
    expect(other == &my_number(), "two copies of a variable on one thread, %s", where);
}

/// The primary thread is `first` when it has the values from before.
void regions(int threads, int value) {
    std::set<void*> copies;
#pragma omp parallel num_threads(threads)
    {
        change(value + omp_get_thread_num());
#pragma omp critical
        copies.insert(&my_number());
    }
    expect(static_cast<int>(copies.size()) == threads, "%zu copies on %d threads", copies.size(),
           threads);
#pragma omp parallel num_threads(threads)
    expect_kept(value + omp_get_thread_num(), "in the next region");
}

void user_thread(uint64_t seed) {
    stress::Random random(seed);
    expect_fresh("on a new thread");
    change(static_cast<int>(random.below(1000)) + 1000);
    if (random.chance(30))
        regions(1 + static_cast<int>(random.below(4)), 5000);
}

void come_and_go(uint64_t seed) {
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < 6; ++i)
        threads.emplace_back(user_thread, stress::mix(seed, i));
    for (std::thread& thread : threads)
        thread.join();
}

/// More threads at once than the first table has room for.
void many() {
    std::vector<std::thread> threads;
    std::atomic<int> waiting{0};
    constexpr int count = 100;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&waiting, i] {
            expect_fresh("among many");
            change(i + 100);
            ++waiting;
            while (waiting.load() < count)
                std::this_thread::yield();
            expect_kept(i + 100, "among many");
        });
    for (std::thread& thread : threads)
        thread.join();
}

/// A thread begins before the table grows and ends afterwards; who inherits its number finds
/// nothing of it in the old table either.
void outlive_growth() {
    const auto my_rare = [] {
        return static_cast<int*>(__kmpc_threadprivate_cached(
            nullptr, __kmpc_global_thread_num(nullptr), &number, sizeof number, &rare_cache));
    };
    std::atomic<bool> begun{false}, grown{false};
    std::thread first([&] {
        *my_rare() = 99;
        begun = true;
        while (!grown.load())
            std::this_thread::yield();
    });
    while (!begun.load())
        std::this_thread::yield();
    many();
    grown = true;
    first.join();
    std::thread([&] { expect(*my_rare() == 7, "a number of %d is inherited", *my_rare()); }).join();
}

/// A forked child goes on with the copies of its thread, and its threads have new ones.
void fork_child(int value) {
    change(value);
    fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        const int before = stress::failures.load();
        expect_kept(value, "in the child");
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() != 0)
            expect_fresh("on a thread of the child");
        _exit(stress::failures.load() != before);
    }
    int status = 1;
    waitpid(child, &status, 0);
    expect(status == 0, "the child ended with status %d", status);
}

/// omp_pause_resource ends the pool's threads, and their copies with them.
void pause_resources() {
    regions(4, 300);
    expect(omp_pause_resource_all(omp_pause_soft) == 0, "resources cannot be paused");
    for (int tries = 0; alive.load() != 0 && tries < 100000; ++tries)
        std::this_thread::yield();
    expect(alive.load() == 0, "%d objects outlive their threads", alive.load());
}

} // namespace

int main() {
    __kmpc_threadprivate_register(nullptr, &object, make, nullptr, destroy);
    __kmpc_threadprivate_register_vec(nullptr, &array, make_array, nullptr, destroy_array, 3);
    std::thread([] { expect_fresh("on a thread that comes before the main thread"); }).join();
    expect(alive.load() == 0, "%d objects outlive the first thread", alive.load());
    expect(&my_number() == &number && &my_object() == &object && my_array() == array,
           "the main thread has no originals");
    outlive_growth();
    stress::Random random(stress::seed());
    const int rounds = stress::scaled(40);
    for (int i = 0; i < rounds; ++i) {
        regions(1 + static_cast<int>(random.below(9)), 10 + i);
        come_and_go(random.next());
        if (i % 8 == 0) {
            many();
            if (!stress::sanitized()) // which starts no threads in the child of a threaded process
                fork_child(77 + i);
            pause_resources();
        }
    }
    return stress::result("kmp_threadprivate");
}
