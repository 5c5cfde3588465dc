// SPDX-License-Identifier: Apache-2.0
// `ranks WARNINGS LIST...`: a process for each list, started as Open MPI starts processes on one
// machine, all in a region at once; the threads of process i are bound to the CPUs of list i, all
// of them and no others, and WARNINGS lines about shared CPUs come from all of them together. In
// the environment: LAUNCHER=none leaves the launcher's variables out, MASK is where all may run.
#define _GNU_SOURCE
#include "masks.h"

#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// What the processes have from their parent: they tell on the first pipe that they have had their
/// region, and wait for the second one's end.
enum { READY = 10, GO = 11 };

static int rank_main(const char* list) {
    const cpu_set_t expected = mask_of(list), before = mask_now();
    cpu_set_t all;
    char byte = 0;
    CPU_ZERO(&all);
    if (!getenv("OMP_NUM_THREADS"))
        expect(omp_get_max_threads() == CPU_COUNT(&expected), "%d threads for the CPUs %s",
               omp_get_max_threads(), list);
#pragma omp parallel
    {
        const cpu_set_t mine = mask_now();
#pragma omp critical
        CPU_OR(&all, &all, &mine);
    }
    expect(CPU_EQUAL(&all, &expected), "threads may use %s, not %s", text_of(all),
           text_of(expected));
    expect_mask("afterwards", before);
    expect(write(READY, &byte, 1) == 1 && read(GO, &byte, 1) == 0, "the parent is gone");
    return failures != 0;
}

static void start(int rank, int size, char* program, char* list, int error) {
    char text[2][16];
    sprintf(text[0], "%d", rank);
    sprintf(text[1], "%d", size);
    const char* launcher = getenv("LAUNCHER");
    if (!launcher || strcmp(launcher, "none") != 0) {
        setenv("OMPI_COMM_WORLD_LOCAL_RANK", text[0], 1);
        setenv("OMPI_COMM_WORLD_LOCAL_SIZE", text[1], 1);
    }
    dup2(error, STDERR_FILENO);
    execl(program, program, "rank", list, (char*)NULL);
    _exit(127);
}

static int warnings_in(FILE* said) {
    char line[512];
    int count = 0;
    while (fgets(line, sizeof line, said)) {
        const int about = strstr(line, "are bound to CPU") != NULL;
        count += about;
        if (!about)
            fputs(line, stderr);
    }
    return count;
}

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], "rank") == 0)
        return rank_main(argv[2]);
    const int size = argc - 2, wanted = argc > 1 ? atoi(argv[1]) : 0;
    int ready[2], go[2], error[2];
    char byte;
    if (size < 1 || pipe(ready) != 0 || pipe(go) != 0 || pipe(error) != 0)
        return 2;
    if (getenv("MASK")) {
        const cpu_set_t mask = mask_of(getenv("MASK"));
        expect(sched_setaffinity(0, sizeof mask, &mask) == 0, "the mask is refused");
    }
    for (int i = 0; i < size; i++)
        if (fork() == 0) {
            close(go[1]);
            dup2(ready[1], READY);
            dup2(go[0], GO);
            start(i, size, argv[0], argv[2 + i], error[1]);
        }
    close(ready[1]);
    close(error[1]);
    for (int i = 0; i < size; i++)
        expect(read(ready[0], &byte, 1) == 1, "a process ended early");
    close(go[1]);
    const int warnings = warnings_in(fdopen(error[0], "r"));
    expect(warnings == wanted, "%d warnings about shared CPUs, not %d", warnings, wanted);
    for (int status; wait(&status) > 0;)
        expect(status == 0, "a process ended with %d", status);
    return failures != 0;
}
