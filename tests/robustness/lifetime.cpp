// SPDX-License-Identifier: Apache-2.0
// Regions before main and after its end, for test_lifetime.py: `lifetime WAY` ends the process in
// that way. Each region prints where it was and how many threads took part.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include <omp.h>

static void region(const char *where) {
    int members = 0, sum = 0;
#pragma omp parallel reduction(+ : members, sum)
    {
        members++;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++)
            sum += i;
#pragma omp single
        for (int i = 0; i < 20; i++)
#pragma omp task shared(sum)
#pragma omp atomic
            sum += 0;
    }
    printf("%s %d\n", where, sum == 4950 ? members : -1);
    fflush(stdout);
}

struct Region {
    const char *begins, *ends;
    Region(const char *at_begin, const char *at_end) : begins(at_begin), ends(at_end) {
        if (begins)
            region(begins);
    }
    ~Region() { region(ends); }
};

static Region global{"constructor", "destructor"};

__attribute__((destructor)) static void unload() { region("unload"); }

static void in_thread(const char *at_end) {
    thread_local Region last{nullptr, at_end};
    (void)last;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "return";
    atexit([] { region("atexit"); });
    at_quick_exit([] { region("at_quick_exit"); });
    static Region local{nullptr, "local"};
    if (strcmp(way, "before") != 0)
        region("main");
    if (strcmp(way, "thread") == 0) {
        std::thread user([] {
            in_thread("thread");
            region("in thread");
        });
        user.join();
    } else if (strcmp(way, "initial") == 0) {
        in_thread("initial");
    } else if (strcmp(way, "worker") == 0) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1)
            exit(0);
    } else if (strcmp(way, "primary") == 0) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            exit(0);
    } else if (strcmp(way, "quick") == 0) {
        quick_exit(0);
    } else if (strcmp(way, "pthread_exit") == 0) {
        // The process ends with its last thread, which is another.
        std::thread([] {
            usleep(100000);
            region("in thread");
        }).detach();
        pthread_exit(nullptr);
    } else if (strcmp(way, "pthread_exit alone") == 0) {
        pthread_exit(nullptr);
    }
    return 0;
}
