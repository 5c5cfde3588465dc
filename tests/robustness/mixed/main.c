/* SPDX-License-Identifier: Apache-2.0
 * Enters regions of both libraries in turn, then prints how many threads the process has: two pools
 * would be twice the threads. */
#include "part.h"

#include <dirent.h>
#include <omp.h>

#ifdef __SANITIZE_THREAD__
#include <string.h>
/* What clang's instrumentation calls and gcc 12's runtime lacks; that one watches memcpy itself. */
void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *__tsan_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }
enum { watchers = 1 }; /* the thread that ThreadSanitizer starts with the first one of the program */
#else
enum { watchers = 0 };
#endif

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
    CHECK(made <= most - 1 + watchers); // all but the initial thread
    return 0;
}
