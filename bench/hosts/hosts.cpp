// SPDX-License-Identifier: Apache-2.0
// Many threads of a program open small regions at once: how many regions a second, and how many OS
// threads the process has at most. With a team of 1 it is the serial inner loop to compare with.
// Usage: hosts [hosts [regions [microseconds [team]]]]; prints JSON, exit status 1 on a wrong count
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <omp.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

int os_threads() {
    int count = 0;
    DIR* folder = opendir("/proc/self/task");
    while (const dirent* entry = folder ? readdir(folder) : nullptr)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

void compute(long turns) {
    volatile double value = 1;
    for (long i = 0; i < turns; ++i)
        value = value * 1.0000001;
}

int argument(int count, char** values, int index, int otherwise) {
    if (index >= count)
        return otherwise;
    const int value = std::atoi(values[index]);
    if (value >= 1 && value <= 1000000)
        return value;
    std::fprintf(stderr, "hosts: '%s' is not a number from 1 to 1000000\n", values[index]);
    std::exit(2);
}

} // namespace

int main(int count, char** values) {
    const int hosts = argument(count, values, 1, 100), regions = argument(count, values, 2, 20);
    const int microseconds = argument(count, values, 3, 1000), team = argument(count, values, 4, 2);
    constexpr int parts = 8;
    // Turns a microsecond: the best of some tries, for others may run beside.
    double turns = 0;
    for (int i = 0; i < 10; ++i) {
        const double before = omp_get_wtime();
        compute(500000);
        turns = std::max(turns, 500000 / ((omp_get_wtime() - before) * 1e6));
    }
    const auto part = static_cast<long>(turns * microseconds / parts);
    std::atomic<long> done{0};
    std::atomic<int> most{0};
    std::atomic<bool> over{false};
    std::thread watcher([&] {
        for (; !over.load(); usleep(5000))
            most.store(std::max(most.load(), os_threads()));
    });
    const double before = omp_get_wtime();
    std::vector<std::thread> threads;
    for (int host = 0; host < hosts; ++host)
        threads.emplace_back([&] {
            for (int region = 0; region < regions; ++region) {
#pragma omp parallel for schedule(static) num_threads(team)
                for (int i = 0; i < parts; ++i) {
                    compute(part);
                    done.fetch_add(1);
                }
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    const double seconds = omp_get_wtime() - before;
    over.store(true);
    watcher.join();
    const bool ok = done.load() == static_cast<long>(hosts) * regions * parts;
    std::printf("{\"hosts\": %d, \"team\": %d, \"microseconds\": %d, \"seconds\": %.3f, "
                "\"regions_per_second\": %.0f, \"os_threads_at_most\": %d, \"check\": \"%s\"}\n",
                hosts, team, microseconds, seconds, hosts * regions / seconds, most.load(),
                ok ? "ok" : "wrong");
    return ok ? 0 : 1;
}
