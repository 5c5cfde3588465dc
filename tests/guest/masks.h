// SPDX-License-Identifier: Apache-2.0
// What the guest's programs on places share: affinity masks as lists of CPUs ("0-1,4"), and counted
// failures. They are plain OpenMP programs that exit with 1 when something is not as expected.
#pragma once

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE first"
#endif
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int failures;

__attribute__((format(printf, 2, 3))) static inline void expect(int holds, const char* format,
                                                                ...) {
    if (holds)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "wrong: %s\n", text);
    __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

/// "0-1,4" as a mask; ends the program for anything else.
static inline cpu_set_t mask_of(const char* list) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (const char* at = list;; at++) {
        char* end;
        const long first = strtol(at, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last; cpu++)
            CPU_SET((size_t)cpu, &mask);
        if (*end == '\0')
            return mask;
        if (*end != ',') {
            fprintf(stderr, "'%s' is no list of CPUs\n", list);
            exit(2);
        }
        at = end;
    }
}

static inline cpu_set_t mask_now(void) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

/// Begins the program anew where MASK in the environment says that it runs, before anything of it
/// that looks at the mask.
static inline void run_under_mask(char** argv) {
    const char* list = getenv("MASK");
    if (!list)
        return;
    const cpu_set_t wanted = mask_of(list), now = mask_now();
    if (CPU_EQUAL(&wanted, &now))
        return;
    if (sched_setaffinity(0, sizeof wanted, &wanted) == 0)
        execv(argv[0], argv);
    perror(list);
    exit(2);
}

/// The mask as numbers, for messages; one buffer for each thread.
static inline const char* text_of(cpu_set_t mask) {
    static _Thread_local char text[2][128];
    static _Thread_local int turn;
    char* buffer = text[turn ^= 1];
    int length = 0;
    buffer[0] = '\0';
    for (size_t cpu = 0; cpu < 64; cpu++)
        if (CPU_ISSET(cpu, &mask) && length < 120)
            length += sprintf(buffer + length, "%s%zu", length ? "," : "", cpu);
    return buffer;
}

static inline void expect_mask(const char* where, cpu_set_t expected) {
    const cpu_set_t now = mask_now();
    expect(CPU_EQUAL(&now, &expected), "%s: may use %s, not %s", where, text_of(now),
           text_of(expected));
}
