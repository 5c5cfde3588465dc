// SPDX-License-Identifier: Apache-2.0
// For test_limits.py: before a program runs, takes from it what a system may refuse.
// As a preloaded library: pthread_create() succeeds REFUSE_AFTER times. As a program,
// `refuse CALL... -- PROGRAM ARGUMENT...`: a seccomp filter lets these system calls fail.
#define _GNU_SOURCE
#ifdef LIBRARY

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
    static atomic_int created;
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    if (atomic_fetch_add(&created, 1) >= atoi(getenv("REFUSE_AFTER")))
        return EAGAIN;
    return real(thread, attributes, start, argument);
}

#else

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned number;
} calls[] = {{"membarrier", SYS_membarrier},
             {"sched_setaffinity", SYS_sched_setaffinity},
             {"sched_getaffinity", SYS_sched_getaffinity},
             {"sched_yield", SYS_sched_yield},
             {"getcpu", SYS_getcpu},
             {"getrusage", SYS_getrusage},
             {"mbind", SYS_mbind},
             {"set_mempolicy", SYS_set_mempolicy},
             {"get_mempolicy", SYS_get_mempolicy},
             {"move_pages", SYS_move_pages},
             {"sigaltstack", SYS_sigaltstack},
             {"clone3", SYS_clone3},
             {"rseq", SYS_rseq}};

int main(int argc, char **argv) {
    enum { most = 32 };
    struct sock_filter filter[2 * most + 2];
    unsigned short length = 0;
    int i = 1;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                    offsetof(struct seccomp_data, nr));
    for (; i < argc && i <= most && strcmp(argv[i], "--") != 0; i++) {
        size_t found = 0;
        while (found < sizeof calls / sizeof *calls && strcmp(calls[found].name, argv[i]) != 0)
            found++;
        if (found == sizeof calls / sizeof *calls)
            return 2;
        // clone3 as old kernels have it, so that clone is used instead; the others are forbidden.
        const unsigned error = calls[found].number == SYS_clone3 ? ENOSYS : EPERM;
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[found].number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {length, filter};
    if (i + 1 >= argc || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("refuse");
        return 77; // the system has no filters
    }
    execv(argv[i + 1], argv + i + 1);
    return 2;
}

#endif
