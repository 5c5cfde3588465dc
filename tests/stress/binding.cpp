// SPDX-License-Identifier: Apache-2.0
// Places and binding: nested regions of changing sizes and policies, opened by several threads of
// the program at once. Every thread has its place's affinity mask in the region; the places follow
// OpenMP 5.2 section 10.1.3; outside and in forked children a thread has the mask it had before.
// Starts itself again with each set of variables, for they are read once. The list of places names
// each CPU several times, so that two CPUs make eight places.
#include "stress.hpp"

#include <algorithm>
#include <omp.h>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using stress::expect;
using stress::Random;

cpu_set_t mask_now() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

cpu_set_t mask_of_place(int place) {
    std::vector<int> cpus(static_cast<size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, cpus.data());
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (int cpu : cpus)
        CPU_SET(cpu, &mask);
    return mask;
}

struct Position {
    int place = -1;
    std::vector<int> partition;
};

Position position_now() {
    Position now;
    now.place = omp_get_place_num();
    now.partition.resize(static_cast<size_t>(omp_get_partition_num_places()));
    omp_get_partition_place_nums(now.partition.data());
    return now;
}

int index_in(const std::vector<int>& partition, int place) {
    return static_cast<int>(std::find(partition.begin(), partition.end(), place) -
                            partition.begin());
}

void check_close(const Position& parent, const std::vector<Position>& team) {
    const auto& all = parent.partition;
    const int places = static_cast<int>(all.size()), threads = static_cast<int>(team.size());
    const int start = index_in(all, parent.place);
    std::vector<int> held(all.size());
    int last_step = 0;
    for (int i = 0; i < threads; ++i) {
        const Position& at = team[static_cast<size_t>(i)];
        const int index = index_in(all, at.place);
        expect(index < places, "place %d outside of the partition", at.place);
        if (index >= places)
            return;
        const int step = (index - start + places) % places;
        ++held[static_cast<size_t>(index)];
        expect(at.partition == all, "close changed a partition");
        expect(threads > places ? step >= last_step : step == i, "thread %d is %d places on", i,
               step);
        last_step = step;
    }
    for (int count : held)
        expect(count >= threads / places && count <= (threads + places - 1) / places,
               "%d of %d threads at one of %d places", count, threads, places);
}

void check_spread(const Position& parent, const std::vector<Position>& team) {
    const size_t places = parent.partition.size(), threads = team.size();
    std::vector<int> covered;
    for (size_t i = 0; i < threads; ++i) {
        const Position& at = team[i];
        const size_t size = at.partition.size();
        expect(index_in(at.partition, at.place) < static_cast<int>(size),
               "thread %zu is outside of its partition", i);
        expect(i == 0 || at.place == at.partition[0], "thread %zu is not at its first place", i);
        expect(threads > places
                   ? size == 1
                   : size >= places / threads && size <= (places + threads - 1) / threads,
               "a part of %zu places, of %zu for %zu threads", size, places, threads);
        covered.insert(covered.end(), at.partition.begin(), at.partition.end());
    }
    std::sort(covered.begin(), covered.end());
    if (threads > places)
        covered.erase(std::unique(covered.begin(), covered.end()), covered.end());
    expect(covered == parent.partition, "the parts are not the partition");
}

void check_team(omp_proc_bind_t policy, const Position& parent, const std::vector<Position>& team) {
    expect(team[0].place == parent.place, "the primary thread left place %d", parent.place);
    if (policy == omp_proc_bind_spread)
        return check_spread(parent, team);
    if (policy != omp_proc_bind_primary)
        return check_close(parent, team);
    for (const Position& at : team)
        expect(at.place == parent.place && at.partition == parent.partition,
               "not at the primary's");
}

void region(Random random, int depth);

/// In the region: notes where this thread is, and goes deeper on one thread of the team.
void take_part(std::vector<Position>& team, unsigned deeper, Random random, int depth) {
    const auto number = static_cast<size_t>(omp_get_thread_num());
    team[number] = position_now();
    const cpu_set_t mask = mask_now(), wanted = mask_of_place(team[number].place);
    expect(CPU_EQUAL(&mask, &wanted), "thread %zu is not bound to place %d", number,
           team[number].place);
    if (depth > 0 && number == deeper)
        region(random, depth - 1);
    const Position after = position_now();
    expect(after.place == team[number].place && after.partition == team[number].partition,
           "a nested region moved thread %zu", number);
}

void region(Random random, int depth) {
    const auto threads = 1 + random.below(6);
    const unsigned deeper = random.below(threads);
    const Position parent = position_now();
    std::vector<Position> team(threads);
    omp_proc_bind_t policy = omp_get_proc_bind();
    switch (random.below(4)) {
    case 0:
#pragma omp parallel num_threads(threads)
        take_part(team, deeper, random, depth);
        break;
    case 1:
        policy = omp_proc_bind_primary;
#pragma omp parallel num_threads(threads) proc_bind(master)
        take_part(team, deeper, random, depth);
        break;
    case 2:
        policy = omp_proc_bind_close;
#pragma omp parallel num_threads(threads) proc_bind(close)
        take_part(team, deeper, random, depth);
        break;
    default:
        policy = omp_proc_bind_spread;
#pragma omp parallel num_threads(threads) proc_bind(spread)
        take_part(team, deeper, random, depth);
    }
    check_team(policy, parent, team);
}

void expect_mask(const cpu_set_t& wanted, const char* where) {
    const cpu_set_t mask = mask_now();
    expect(CPU_EQUAL(&mask, &wanted), "%d CPUs instead of %d %s", CPU_COUNT(&mask),
           CPU_COUNT(&wanted), where);
}

void forked_child_is_not_bound(const cpu_set_t& outside) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() != 1) {
#pragma omp critical
            {
                const pid_t child = fork();
                if (child == 0) {
                    const cpu_set_t mask = mask_now();
                    _exit(CPU_EQUAL(&mask, &outside) ? 0 : 1);
                }
                int status = -1;
                waitpid(child, &status, 0);
                expect(status == 0, "a forked child is bound (status %d)", status);
            }
        }
    }
}

int with_binding() {
    omp_get_place_num(); // from now on a libgomp beside the runtime has its binding undone
    const cpu_set_t outside = mask_now();
    std::vector<std::thread> roots;
    for (unsigned i = 0; i < 2; ++i)
        roots.emplace_back([&outside, i] {
            omp_set_max_active_levels(4); // a control variable of this thread's initial task
            Random random(stress::mix(stress::seed(), i));
            for (int round = 0; round < stress::scaled(100); ++round) {
                region(Random(random.next()), 2);
                expect_mask(outside, "after a region");
            }
        });
    for (std::thread& root : roots)
        root.join();
    forked_child_is_not_bound(outside);
    expect_mask(outside, "at the end");
    return stress::result("binding");
}

/// Every CPU that may be used, as a place of its own, again and again.
std::string eight_places() {
    const cpu_set_t mask = mask_now();
    std::string list;
    for (int places = 0; places < 8;)
        for (int cpu = 0; cpu < CPU_SETSIZE && places < 8; ++cpu)
            if (CPU_ISSET(cpu, &mask)) {
                list += (places++ == 0 ? "{" : ",{") + std::to_string(cpu) + "}";
            }
    return list;
}

int run_again(const std::string& places, const char* policies) {
    const pid_t child = fork();
    if (child == 0) {
        setenv("OMP_PLACES", places.c_str(), 1);
        setenv("OMP_PROC_BIND", policies, 1);
        execl("/proc/self/exe", "binding", nullptr);
        _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0)
        fprintf(stderr, "OMP_PLACES=%s OMP_PROC_BIND=%s failed\n", places.c_str(), policies);
    return status != 0;
}

} // namespace

int main() {
    if (getenv("OMP_PLACES"))
        return with_binding();
    int failed = 0;
    for (const char* policies : {"true", "spread,close", "primary,spread", "close"})
        failed |= run_again(eight_places(), policies);
    failed |= run_again("threads", "close,spread") | run_again("sockets", "spread");
    stress::done = true;
    return failed;
}
