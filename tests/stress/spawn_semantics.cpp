// SPDX-License-Identifier: Apache-2.0
// What heddle.hpp promises of spawn, sync, scope and run: captures are moved or copied, called once
// and destroyed; children belong to the task that spawned them; exceptions go where the page says.
// tests/heddle compiles this file in other dialects too, and without exceptions.
#include "stress.hpp"

#include "../../include/heddle.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using stress::expect;

constexpr int many = 2000;

/// Counts what becomes of the copies of one object.
struct Tally {
    std::atomic<int> made{0}, copied{0}, moved{0}, destroyed{0}, called{0}, called_empty{0};
};

/// `can_fail`: its move constructor says that it may throw.
template <bool can_fail>
struct Counted {
    Tally* tally;
    bool empty = false;

    explicit Counted(Tally& its) : tally(&its) { ++tally->made; }
    Counted(const Counted& from) : tally(from.tally), empty(from.empty) { ++tally->copied; }
    Counted(Counted&& from) noexcept(!can_fail)
        : tally(from.tally), empty(std::exchange(from.empty, true)) {
        ++tally->moved;
    }
    ~Counted() { ++tally->destroyed; }
    void operator()() {
        ++tally->called;
        if (empty)
            ++tally->called_empty;
    }
};

template <bool can_fail>
void captured_objects() {
    Tally named, temporary;
    heddle::run([&] {
        for (int i = 0; i < many; ++i) {
            Counted<can_fail> task(named);
            heddle::spawn(task);
            expect(!task.empty, "spawn() moved from an object with a name");
            heddle::spawn(Counted<can_fail>(temporary));
        }
    });
    for (const Tally* tally : {&named, &temporary}) {
        const int objects = tally->made + tally->copied + tally->moved;
        expect(tally->called == many, "%d objects were called %d times", many,
               tally->called.load());
        expect(tally->called_empty == 0, "called after being moved from");
        expect(tally->destroyed == objects, "%d objects, %d destroyed", objects,
               tally->destroyed.load());
    }
    expect(named.copied == many, "%d copies of %d named objects", named.copied.load(), many);
    expect(temporary.copied == 0, "a temporary was copied");
}

template <size_t size>
void captured_bytes() {
    struct alignas(size >= 64 ? 64 : alignof(int)) Bytes {
        std::array<unsigned char, size> byte;
    };
    std::atomic<int> right{0};
    heddle::run([&right] {
        for (int i = 0; i < many; ++i) {
            Bytes bytes;
            bytes.byte.fill(static_cast<unsigned char>(i));
            heddle::spawn([bytes, i, &right] {
                if (reinterpret_cast<uintptr_t>(&bytes) % alignof(Bytes) != 0)
                    return;
                for (const unsigned char byte : bytes.byte)
                    if (byte != static_cast<unsigned char>(i))
                        return;
                ++right;
            });
        }
    });
    expect(right == many, "%d of %d tasks with %zu bytes had them", right.load(), many, size);
}

void strings_and_pointers() {
    std::atomic<long> characters{0};
    heddle::run([&characters] {
        for (int i = 0; i < many; ++i) {
            heddle::spawn([text = std::string(static_cast<size_t>(i), 'x'),
                           number = std::make_unique<int>(i), &characters] {
                if (text.size() == static_cast<size_t>(*number))
                    characters += *number;
            });
        }
    });
    expect(characters == many * (many - 1L) / 2, "%ld characters", characters.load());
}

std::atomic<int> plain_calls{0};
void plain_function() { ++plain_calls; }

void functions_and_mutable_lambdas() {
    plain_calls = 0;
    int count = 0;
    auto counting = [count]() mutable { ++count, plain_calls += count; };
    heddle::run([&counting] {
        for (int i = 0; i < many; ++i) {
            heddle::spawn(plain_function);
            heddle::spawn(&plain_function);
            heddle::spawn(counting); // each has a count of its own
        }
        heddle::sync();
        expect(plain_calls == 3 * many, "%d calls of %d", plain_calls.load(), 3 * many);
    });
}

/// sync() waits for the children of this task, and run() for all that are left; also a run() inside
/// a region, which counts them.
void children_and_grandchildren(bool inside) {
    std::atomic<int> ended{0}, late{0};
    const auto root = [&] {
        for (int i = 0; i < many / 10; ++i) {
            int mine = 0, two = 0;
            heddle::spawn([&mine] {
                stress::work(200);
                mine = 1;
            });
            heddle::spawn([&two, &ended] {
                int inner = 0;
                heddle::spawn([&inner] { inner = 2; });
                heddle::spawn([&ended] { // nobody syncs with this one in particular
                    stress::work(500);
                    ++ended;
                });
                heddle::sync();
                two = inner;
                heddle::spawn([&ended] { ++ended; }); // left behind
            });
            heddle::sync();
            expect(mine == 1 && two == 2, "sync() before the children: %d %d", mine, two);
            heddle::sync(); // nothing to wait for
        }
        heddle::spawn([&late] { heddle::spawn([&late] { heddle::spawn([&late] { ++late; }); }); });
    };
    heddle::run([&] {
        if (inside)
            heddle::run(root);
        else
            root();
    });
    expect(ended == 2 * (many / 10), "%d tasks were left behind", 2 * (many / 10) - ended);
    expect(late == 1, "run() ended before a grandchild");
}

long fib(int n) {
    if (n < 2)
        return n;
    long a;
    heddle::spawn([&a, n] { a = fib(n - 1); });
    const long b = fib(n - 2);
    heddle::sync();
    return a + b;
}

void results() {
    for (const int threads : {0, 1, 2, 3, 8})
        expect(heddle::run(threads, [] { return fib(18); }) == 2584, "fib with %d threads",
               threads);
    const auto text = heddle::run([] { return std::make_unique<std::string>("moved out"); });
    expect(*text == "moved out", "run() returned '%s'", text->c_str());
    expect(fib(15) == 610, "fib outside a region");
    heddle::sync();
    // Inside a region: on its threads, with all that comes of it.
    std::atomic<int> ended{0};
    const long sum = heddle::run([&ended] {
        long inner[4] = {};
        for (long& result : inner)
            heddle::spawn([&result, &ended] {
                int mine = 0;
                result = heddle::run([&mine] {
                    heddle::spawn([&mine] { heddle::spawn([&mine] { mine = 1; }); });
                    return fib(12);
                });
                ended += mine;
            });
        heddle::sync();
        return inner[0] + inner[1] + inner[2] + inner[3];
    });
    expect(sum == 4 * 144 && ended == 4, "nested run(): %ld, %d", sum, ended.load());
    // In each thread of a region of OpenMP.
    std::atomic<long> all{0};
    int threads = 0;
#pragma omp parallel
    {
        all += heddle::run([] { return fib(12); });
#pragma omp atomic
        ++threads;
    }
    expect(all == 144L * threads, "%ld from %d threads of a region", all.load(), threads);
}

void deep_chain(int left, std::atomic<int>& ended) {
    if (left > 0)
        heddle::spawn([left, &ended] { deep_chain(left - 1, ended); });
    ++ended;
}

#if HEDDLE_EXCEPTIONS
long throwing_fib(int n) {
    if (n < 2)
        throw std::out_of_range("leaf");
    long a = 0;
    heddle::scope children;
    children.spawn([&a, n] { a = throwing_fib(n - 1); });
    const long b = n > 6 ? 0 : throwing_fib(n - 2);
    children.sync();
    return a + b;
}

void exceptions() {
    int caught = 0, ended = 0;
    heddle::run([&] {
        heddle::scope children;
        std::atomic<int> count{0};
        for (int i = 0; i < many; ++i)
            children.spawn([i, &count] {
                ++count;
                if (i % 100 == 7)
                    throw std::runtime_error("seven");
            });
        try {
            children.sync();
        } catch (const std::runtime_error& error) {
            caught += std::string(error.what()) == "seven";
        }
        ended = count;
        children.sync(); // taken
        children.spawn([&count] { ++count; });
        children.sync();
        ended += count;
    });
    expect(caught == 1 && ended == 2 * many + 1, "caught %d, ended %d", caught, ended);

    // From the root, with tasks that still run; and up through many levels of tasks.
    std::atomic<int> others{0};
    try {
        heddle::run([&others] {
            for (int i = 0; i < many; ++i)
                heddle::spawn([&others] { ++others; });
            throw 42;
        });
        expect(false, "run() has swallowed an exception");
    } catch (int value) {
        expect(value == 42 && others == many, "%d with %d tasks", value, others.load());
    }
    for (int i = 0; i < many / 100; ++i) {
        try {
            heddle::run([] { return throwing_fib(14); });
            expect(false, "no exception from a leaf");
        } catch (const std::out_of_range&) {
        }
    }

    // Unwinding waits for children before their variables go.
    std::atomic<int> seen{0};
    try {
        heddle::run([&seen] {
            std::vector<int> numbers(many, 1);
            heddle::scope children;
            for (const int& number : numbers)
                children.spawn([&number, &seen] { seen += number; });
            throw 1;
        });
    } catch (int) {
    }
    expect(seen == many, "%d of %d children before the unwinding", seen.load(), many);
}
#else
void exceptions() {}
#endif

} // namespace

int main() {
    for (int round = 0; round < stress::scaled(8); ++round) {
        captured_objects<false>();
        captured_objects<true>();
        captured_bytes<1>();
        captured_bytes<24>();
        captured_bytes<63>();
        captured_bytes<64>();
        captured_bytes<5000>();
        strings_and_pointers();
        functions_and_mutable_lambdas();
        children_and_grandchildren(false);
        children_and_grandchildren(true);
        results();
        exceptions();
        std::atomic<int> ended{0};
        const int links = stress::sanitized() ? 100'000 : 1'000'000;
        // The last task that the stack has room for leaves a child to the inner run().
        heddle::run(
            [&ended, links] { heddle::run([&ended, links] { deep_chain(links, ended); }); });
        expect(ended == links + 1, "a chain of %d tasks, %d ended", links, ended.load());
    }
    expect(std::string(heddle_version()).find('.') != std::string::npos, "heddle_version()");
    return stress::result("spawn_semantics");
}
