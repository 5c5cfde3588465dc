// SPDX-License-Identifier: Apache-2.0
// Where thread descriptors lie: the same fork, loop and join with descriptors that fill a line
// each, that share lines, and with parameters that workers fetch from the primary's descriptor.
// After figure 3 of del Cuvillo, Zhu and Gao, "Landing OpenMP on Cyclops-64" (ICS 2006), with
// cache lines in place of scratchpad memory. No runtime takes part.
// Usage: descriptors [threads [regions [iterations]]]; prints JSON, exit status 1 if a sum is wrong
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr size_t line = 64;
constexpr int rounds = 15;

/// What a thread must know of a region, what it writes in a loop, and that it has ended it.
struct Descriptor {
    std::atomic<uint32_t> begun{0};    ///< written by the primary
    std::atomic<uint32_t> ended{0};    ///< written by its thread
    uint64_t first = 0, count = 0;     ///< written by the primary
    std::atomic<uint64_t> position{0}; ///< written by its thread at each iteration
};
struct alignas(line) OwnLine : Descriptor {};
static_assert(sizeof(Descriptor) < line && sizeof(OwnLine) == line);

enum Parameters { copied, fetched };

/// Nanoseconds a region; -1: an iteration is missing.
template <class Place>
double measure(int threads, uint64_t regions, uint64_t iterations, Parameters parameters) {
    void* memory = std::aligned_alloc(
        line, (sizeof(Place) * static_cast<size_t>(threads) + line - 1) / line * line);
    auto* places = static_cast<Place*>(memory);
    for (int i = 0; i < threads; ++i)
        new (&places[i]) Place;
    std::vector<uint64_t> sums(static_cast<size_t>(threads));
    const auto loop = [&](int me, uint64_t first, uint64_t count) {
        std::atomic<uint64_t>& position = places[me].position;
        constexpr auto relaxed = std::memory_order_relaxed;
        uint64_t sum = 0;
        for (position.store(first, relaxed); position.load(relaxed) != first + count;
             position.store(position.load(relaxed) + 1, relaxed))
            sum += position.load(relaxed);
        return sum;
    };
    const auto pause = [] { __builtin_ia32_pause(); };
    std::vector<std::thread> workers;
    for (int i = 1; i < threads; ++i)
        workers.emplace_back([&, i] {
            uint64_t sum = 0;
            for (uint32_t region = 1; region <= regions; ++region) {
                while (places[i].begun.load(std::memory_order_acquire) != region)
                    pause();
                const Place& source = parameters == copied ? places[i] : places[0];
                sum +=
                    loop(i,
                         source.first +
                             (parameters == copied ? 0 : static_cast<uint64_t>(i) * source.count),
                         source.count);
                places[i].ended.store(region, std::memory_order_release);
            }
            sums[static_cast<size_t>(i)] = sum;
        });
    const auto before = std::chrono::steady_clock::now();
    uint64_t own = 0;
    for (uint32_t region = 1; region <= regions; ++region) {
        places[0].first = region;
        places[0].count = iterations;
        for (int i = 1; i < threads; ++i) {
            if (parameters == copied) {
                places[i].first = region + static_cast<uint64_t>(i) * iterations;
                places[i].count = iterations;
            }
            places[i].begun.store(region, std::memory_order_release);
        }
        own += loop(0, region, iterations);
        for (int i = 1; i < threads; ++i)
            while (places[i].ended.load(std::memory_order_acquire) != region)
                pause();
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - before;
    for (std::thread& worker : workers)
        worker.join();
    sums[0] = own;
    std::free(memory);
    uint64_t sum = 0, expected = 0;
    for (uint64_t part : sums)
        sum += part;
    const uint64_t all = iterations * static_cast<uint64_t>(threads);
    for (uint64_t region = 1; region <= regions; ++region)
        expected += all * region + all * (all - 1) / 2;
    return sum == expected ? took.count() / static_cast<double>(regions) : -1;
}

long argument(int count, char** values, int index, long otherwise, long most) {
    if (index >= count)
        return otherwise;
    const long value = std::atol(values[index]);
    if (value >= 1 && value <= most)
        return value;
    std::fprintf(stderr, "descriptors: '%s' is not a number from 1 to %ld\n", values[index], most);
    std::exit(2);
}

} // namespace

int main(int count, char** values) {
    // Threads that spin for each other need a CPU each.
    const long cpus = std::max(1L, static_cast<long>(std::thread::hardware_concurrency()));
    const auto threads = static_cast<int>(argument(count, values, 1, cpus, cpus));
    const auto regions = static_cast<uint64_t>(argument(count, values, 2, 20000, 100000000));
    const auto iterations = static_cast<uint64_t>(argument(count, values, 3, 16, 1000000));
    constexpr const char* names[] = {"own_lines", "shared_lines", "from_primary"};
    std::vector<double> times[3];
    for (int round = 0; round < rounds; ++round) {
        times[0].push_back(measure<OwnLine>(threads, regions, iterations, copied));
        times[1].push_back(measure<Descriptor>(threads, regions, iterations, copied));
        times[2].push_back(measure<OwnLine>(threads, regions, iterations, fetched));
    }
    bool ok = true;
    std::printf("{\"threads\": %d, \"iterations\": %llu", threads,
                static_cast<unsigned long long>(iterations));
    for (int i = 0; i < 3; ++i) {
        std::sort(times[i].begin(), times[i].end());
        ok = ok && times[i].front() >= 0;
        std::printf(", \"%s_ns\": {\"median\": %.1f, \"least\": %.1f}", names[i],
                    times[i][rounds / 2], times[i].front());
    }
    std::printf(", \"check\": \"%s\"}\n", ok ? "ok" : "wrong");
    return ok ? 0 : 1;
}
