// SPDX-License-Identifier: Apache-2.0
// The program heddle-real: the simulator's workloads on this machine, with libheddle.so, for
// sim/calibration/calibrate.py. A charged cycle is a turn of a loop of one cycle; time is the
// clock.
#include "workloads/workload.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <omp.h>

namespace heddle::sim {

void charge_cycles(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i)
        asm volatile("" ::: "memory"); // an addition and a branch: a cycle
}

/// Reads what a workload of the simulator only names.
void charge_memory(const void* start, size_t bytes) {
    const auto* at = static_cast<const volatile char*>(start);
    for (size_t i = 0; i < bytes; i += 64)
        static_cast<void>(at[i]);
}

void charge_pause() { // as the runtime's relax()
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

void charge_load(const void*) {}
void charge_store(void*, bool) {}
void charge_change(void*) {}
void charge_prefetch_for_write(const void*) {}
void charge_prefetch_for_read(const void*) {}

uint64_t virtual_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

namespace {

int run(int argc, char** argv) {
    Parameters parameters;
    for (int i = 2; i < argc; ++i) {
        const char* equals = strchr(argv[i], '=');
        if (!equals) {
            fprintf(stderr, "heddle-real: %s: not NAME=VALUE\n", argv[i]);
            return 2;
        }
        parameters.set(std::string(argv[i], static_cast<size_t>(equals - argv[i])), equals + 1);
    }
    for (const Workload& workload : workloads()) {
        if (argc < 2 || strcmp(workload.name, argv[1]) != 0)
            continue;
        const char* threads = getenv("OMP_NUM_THREADS");
        const Outcome outcome = workload.run(parameters, threads ? atoi(threads) : 1);
        printf("{\"checked\": %s, \"seconds\": %.9f", outcome.checked ? "true" : "false",
               outcome.seconds);
        for (const auto& [name, value] : outcome.figures)
            printf(", \"%s\": %.9g", name.c_str(), value);
        printf("}\n");
        return outcome.checked ? 0 : 1;
    }
    fprintf(stderr, "usage: OMP_NUM_THREADS=N heddle-real WORKLOAD [NAME=VALUE]...\n");
    return 2;
}

} // namespace

} // namespace heddle::sim

int main(int argc, char** argv) { return heddle::sim::run(argc, argv); }
