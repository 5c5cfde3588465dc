// SPDX-License-Identifier: Apache-2.0
// What the stress programs share: seeded random numbers, a scale, and counted failures.
// They are plain OpenMP programs that exit with 1 when anything they computed is wrong.
// HEDDLE_STRESS_SCALE multiplies the amount of work, HEDDLE_STRESS_SEED changes the random choices.
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace stress {

/// splitmix64: every seed gives a good sequence, so trees can be computed twice.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    /// 0 to bound - 1.
    unsigned below(unsigned bound) { return static_cast<unsigned>(next() % bound); }
    bool chance(unsigned percent) { return below(100) < percent; }

private:
    uint64_t state_;
};

inline uint64_t mix(uint64_t a, uint64_t b) { return Random(a * 31 + b).next(); }

inline uint64_t seed() {
    const char* text = getenv("HEDDLE_STRESS_SEED");
    return text ? strtoull(text, nullptr, 0) : 1;
}

inline bool sanitized() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    return true;
#else
    return false;
#endif
}

/// `amount` at scale 1; an eighth of it under a sanitizer; at least 1.
inline int scaled(int amount) {
    const char* text = getenv("HEDDLE_STRESS_SCALE");
    double scale = text ? atof(text) : 1;
    if (sanitized())
        scale /= 8;
    const double result = amount * scale;
    return result < 1 ? 1 : static_cast<int>(result);
}

inline std::atomic<int> failures{0};

/// Reports the first failures, counts all.
__attribute__((format(printf, 2, 3))) inline void expect(bool holds, const char* format, ...) {
    if (holds)
        return;
    if (failures.fetch_add(1) >= 20)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "wrong: %s\n", text);
}

/// main() has come to its end. A program that ends before has failed, whatever its status.
inline bool done = false;
inline const int watched = std::atexit([] {
    if (!done) {
        fputs("wrong: the program ends in the middle\n", stderr);
        _exit(1);
    }
});

/// For main() to return.
inline int result(const char* name) {
    const int count = failures.load();
    done = true;
    printf("%s: %s, %d wrong\n", name, count ? "FAILED" : "passed", count);
    return count != 0;
}

/// Keeps the core busy for about `turns` nanoseconds, so that other threads have time to steal.
inline void work(unsigned turns) {
    for (unsigned i = 0; i < turns; ++i)
        asm volatile("" ::: "memory");
}

} // namespace stress
