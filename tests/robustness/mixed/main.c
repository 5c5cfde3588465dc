/* SPDX-License-Identifier: Apache-2.0
 * Enters regions of both libraries in turn, then prints how many threads the process has: two pools
 * would be twice the threads. */
#include "part.h"

#include <dirent.h>
#include <omp.h>

static int threads_of_process(void) {
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));)
        threads += entry->d_name[0] != '.';
    closedir(tasks);
    return threads;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    const struct path nowhere = {0};
    omp_set_max_active_levels(levels);
    const int before = threads_of_process();
    for (int round = 0; round < rounds; ++round) {
        gnu_region(&nowhere, levels - 1);
        llvm_region(&nowhere, levels - 1);
    }
    int most = 1;
    for (int level = 0; level < levels; ++level)
        most *= widths[level];
    const int made = threads_of_process() - before;
    printf("%d threads were made\n", made);
    CHECK(made <= most - 1); // all but the initial thread
    return 0;
}
