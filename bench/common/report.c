// SPDX-License-Identifier: Apache-2.0
// The clock, the memory high-water mark and the JSON line of every benchmark (bench.h).
// The line is built in memory and printed whole, so a run prints all of it or nothing; it
// names the library that the threads came from, so a run proves which runtime it measured.
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE *line;
static char *text;
static size_t length;
static int first; // the next member is its object's first

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

long bench_peak_rss_kib(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char row[256];
    long kib = -1;
    while (status != NULL && fgets(row, sizeof row, status) != NULL)
        if (sscanf(row, "VmHWM: %ld kB", &kib) == 1)
            break;
    if (status != NULL)
        fclose(status);
    return kib;
}

long long bench_digest(const double *values, size_t count) {
    uint64_t digest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        digest = (digest ^ bits) * 0x9e3779b97f4a7c15u;
        digest ^= digest >> 29;
    }
    return (long long)(digest >> 11);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

// Asked of the dynamic linker, not of our own PLT: the first definition is the one that runs.
static const char *runtime_path(void) {
    void *entry = dlsym(RTLD_DEFAULT, bench_runtime_symbol);
    Dl_info where;
    if (entry == NULL || dladdr(entry, &where) == 0)
        return "unknown";
    return where.dli_fname;
}

static void put_string(const char *value) {
    fputc('"', line);
    for (; *value != '\0'; value++) {
        unsigned char c = (unsigned char)*value;
        if (c < 0x20)
            fprintf(line, "\\u%04x", c);
        else {
            if (c == '"' || c == '\\')
                fputc('\\', line);
            fputc(c, line);
        }
    }
    fputc('"', line);
}

static void put_key(const char *key) {
    if (!first)
        fputs(", ", line);
    first = 0;
    if (key == NULL) // of an array
        return;
    put_string(key);
    fputs(": ", line);
}

void bench_json_integer(const char *key, long long value) {
    put_key(key);
    fprintf(line, "%lld", value);
}

void bench_json_real(const char *key, double value) {
    put_key(key);
    if (isfinite(value))
        fprintf(line, "%.9g", value);
    else
        fputs("null", line); // JSON knows no infinity
}

void bench_json_text(const char *key, const char *value) {
    put_key(key);
    put_string(value);
}

void bench_json_open(const char *key) {
    put_key(key);
    fputc('{', line);
    first = 1;
}

void bench_json_close(void) {
    fputc('}', line);
    first = 0;
}

void bench_json_open_array(const char *key) {
    put_key(key);
    fputc('[', line);
    first = 1;
}

void bench_json_close_array(void) {
    fputc(']', line);
    first = 0;
}

void bench_json_begin(const char *benchmark, const char *variant, int threads, double seconds) {
    line = open_memstream(&text, &length);
    if (line == NULL)
        bench_fail("out of memory");
    fputc('{', line);
    first = 1;
    bench_json_text("benchmark", benchmark);
    bench_json_text("variant", variant);
    bench_json_integer("threads", threads);
    bench_json_real("seconds", seconds);
    bench_json_text("check", "ok");
    bench_json_text("runtime", runtime_path());
}

void bench_json_serial(double serial_seconds, double seconds) {
    bench_json_real("serial_seconds", serial_seconds);
    bench_json_real("speedup_over_serial", serial_seconds / seconds);
}

void bench_json_end(void) {
    fputs("}\n", line);
    if (fclose(line) != 0 || fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0)
        bench_fail("cannot write the result");
    free(text);
}
