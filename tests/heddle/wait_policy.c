/* SPDX-License-Identifier: Apache-2.0
 * heddle_wait_policy() and heddle_set_wait_policy(): what the environment asks for, which values
 * are refused, and that threads which spin for ever go to sleep when that is no longer wanted.
 * Usage: wait_policy EXPECTED. Exits with 1 when an answer is wrong; test_heddle_hpp.py compiles it
 * as C and as C++. */
#include <dirent.h>
#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void expect(int right, const char* what) {
    if (!right) {
        fprintf(stderr, "wrong: %s\n", what);
        failures = 1;
    }
}

static void nothing(void* data) { (void)data; }

/* Threads of this process that run or could, by the kernel's word. */
static int running(void) {
    int count = 0;
    DIR* tasks = opendir("/proc/self/task");
    struct dirent* entry;
    while (tasks && (entry = readdir(tasks)) != NULL) {
        char path[300], line[300], *end;
        FILE* file;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        file = fopen(path, "r");
        if (!file)
            continue;
        if (fgets(line, sizeof line, file) && (end = strrchr(line, ')')) != NULL)
            count += strncmp(end, ") R", 3) == 0;
        fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return count;
}

/* Waits until that many run, this one included, at most for 20 seconds. */
static int become(int wanted) {
    int tries;
    for (tries = 0; tries < 20000 && running() != wanted; ++tries)
        usleep(1000);
    return tries < 20000;
}

int main(int argc, char** argv) {
    int policy;
    expect(argc == 2 && heddle_wait_policy() == atoi(argv[1]), "the policy of the environment");
    heddle_run(nothing, NULL, 2);
    expect(argc == 2 && heddle_wait_policy() == atoi(argv[1]), "the same after a region");

    expect(heddle_set_wait_policy(HEDDLE_WAIT_ACTIVE) == 0, "active is accepted");
    expect(heddle_wait_policy() == HEDDLE_WAIT_ACTIVE, "active is in effect");
    heddle_run(nothing, NULL, 2);
    expect(become(2), "the other thread spins");
    for (policy = -1; policy <= HEDDLE_WAIT_TIMED; policy += HEDDLE_WAIT_TIMED + 1)
        expect(heddle_set_wait_policy(policy) == -1, "no policy is refused");
    expect(heddle_set_wait_policy(HEDDLE_WAIT_TIMED) == -1, "a time needs its own routine");
    expect(heddle_wait_policy() == HEDDLE_WAIT_ACTIVE, "what is refused changes nothing");

    for (policy = HEDDLE_WAIT_PASSIVE; policy >= HEDDLE_WAIT_ADAPTIVE; policy -= 2) {
        expect(heddle_set_wait_policy(HEDDLE_WAIT_ACTIVE) == 0, "active is accepted again");
        heddle_run(nothing, NULL, 2);
        expect(heddle_set_wait_policy(policy) == 0, "another is accepted");
        expect(heddle_wait_policy() == policy, "another is in effect");
        expect(become(1), "the other thread sleeps");
        heddle_run(nothing, NULL, 2);
    }
    return failures;
}
