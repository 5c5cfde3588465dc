// SPDX-License-Identifier: Apache-2.0
// A program without OpenMP for test_lifetime.py: `host PLUGIN TIMES [thread|fork]` loads a plugin, lets it
// work, and unloads it at once, so often; each time in a thread of its own, or in a child.
// Prints the size of the last team and how many threads there are at the end.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *file;

/// The size of the team; 0 on any failure.
static void *once(void *unused) {
    (void)unused;
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    int (*work)(void) = (int (*)(void))dlsym(plugin, "work");
    const int size = work ? work() : 0;
    dlclose(plugin);
    if (dlopen(file, RTLD_NOW | RTLD_NOLOAD)) {
        fprintf(stderr, "the plugin is still there\n");
        return NULL;
    }
    return size > 0 ? (void *)(intptr_t)size : NULL;
}

static int threads(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    file = argv[1];
    const char *mode = argc > 3 ? argv[3] : "";
    void *size = NULL;
    for (int i = 0; i < atoi(argv[2]); i++) {
        if (strcmp(mode, "thread") == 0) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, once, NULL) != 0)
                return 1;
            pthread_join(thread, &size);
        } else if (strcmp(mode, "fork") == 0) {
            int status = 0;
            size = once(NULL);
            const pid_t child = fork();
            if (child == 0) {
                alarm(30);
                exit(!once(NULL));
            }
            if (waitpid(child, &status, 0) != child || status != 0)
                return 1;
        } else {
            size = once(NULL);
        }
        if (!size)
            return 1;
    }
    printf("%d %d\n", (int)(intptr_t)size, threads());
    return 0;
}
