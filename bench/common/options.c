// SPDX-License-Identifier: Apache-2.0
// Option tables over getopt_long: every benchmark describes its options as data (bench.h) and
// gets parsing, range checks, --threads and --help from here.
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 24, FIRST_LONG_CODE = 256 };

static long threads_asked; // 0: what the environment says

static const bench_option common_options[] = {
    {"threads", 0, BENCH_INTEGER, &threads_asked, 1, 65536, "N",
     "threads in the team (default: the environment's)"},
    {"help", 'h', BENCH_FLAG, NULL, 0, 0, NULL, "show this text"},
};
enum { COMMON_OPTIONS = sizeof common_options / sizeof common_options[0] };

static void vcomplain(const char *format, va_list arguments) {
    fflush(stdout);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void bench_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vcomplain(format, arguments);
    va_end(arguments);
    exit(1);
}

void bench_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vcomplain(format, arguments);
    va_end(arguments);
    exit(2);
}

void bench_lacks(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vcomplain(format, arguments);
    va_end(arguments);
    exit(77);
}

static void print_help(const char *purpose, const bench_option *const *all, size_t count) {
    printf("usage: %s [options]\n%s\n\noptions:\n", program_invocation_short_name, purpose);
    for (size_t i = 0; i < count; i++) {
        char left[96];
        char letter[8] = "    ";
        if (all[i]->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", all[i]->letter);
        snprintf(left, sizeof left, "%s--%s %s", letter, all[i]->name,
                 all[i]->values != NULL ? all[i]->values : "");
        printf("  %-24s%s%s\n", left, strlen(left) < 24 ? "" : "\n                          ",
               all[i]->help);
    }
}

static long parse_choice(const bench_option *option, const char *text) {
    long position = 0;
    for (const char *name = option->values; name != NULL; position++) {
        const char *bar = strchr(name, '|');
        size_t length = bar != NULL ? (size_t)(bar - name) : strlen(name);
        if (strlen(text) == length && strncmp(text, name, length) == 0)
            return position;
        name = bar != NULL ? bar + 1 : NULL;
    }
    bench_usage("--%s must be one of %s, not '%s'", option->name, option->values, text);
}

static double parse_number(const bench_option *option, const char *text) {
    char *end = NULL;
    errno = 0;
    double value =
        option->kind == BENCH_INTEGER ? (double)strtol(text, &end, 10) : strtod(text, &end);
    if (end == text || *end != '\0' || errno == ERANGE || !isfinite(value))
        bench_usage("--%s needs %s, not '%s'", option->name,
                    option->kind == BENCH_INTEGER ? "an integer" : "a number", text);
    if (value < option->min || value > option->max)
        bench_usage("--%s must lie between %.15g and %.15g, not %s", option->name, option->min,
                    option->max, text);
    return value;
}

static void apply(const bench_option *option, const char *text) {
    switch (option->kind) {
    case BENCH_INTEGER:
        *(long *)option->target = (long)parse_number(option, text);
        break;
    case BENCH_REAL:
        *(double *)option->target = parse_number(option, text);
        break;
    case BENCH_CHOICE:
        *(long *)option->target = parse_choice(option, text);
        break;
    case BENCH_TEXT:
        *(const char **)option->target = text;
        break;
    case BENCH_FLAG:
        *(int *)option->target = 1;
        break;
    }
}

// getopt's two descriptions of the same table: the long options and the letters.
static void describe(const bench_option *const *all, size_t count, struct option *longs,
                     char *letters) {
    for (size_t i = 0; i < count; i++) {
        int has_value = all[i]->kind == BENCH_FLAG ? no_argument : required_argument;
        longs[i] = (struct option){all[i]->name, has_value, NULL, FIRST_LONG_CODE + (int)i};
        if (all[i]->letter != 0) {
            *letters++ = all[i]->letter;
            if (has_value == required_argument)
                *letters++ = ':';
        }
    }
    longs[count] = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

static const bench_option *find(const bench_option *const *all, size_t count, int code) {
    for (size_t i = 0; i < count; i++)
        if (code == FIRST_LONG_CODE + (int)i || (code != 0 && code == all[i]->letter))
            return all[i];
    return NULL;
}

void bench_parse(int argc, char **argv, const char *purpose, const bench_option *options,
                 size_t count) {
    const bench_option *all[MAX_OPTIONS + COMMON_OPTIONS];
    struct option longs[MAX_OPTIONS + COMMON_OPTIONS + 1];
    char letters[2 * (MAX_OPTIONS + COMMON_OPTIONS) + 2];
    if (count > MAX_OPTIONS)
        bench_usage("internal: more than %d options", MAX_OPTIONS);
    for (size_t i = 0; i < count; i++)
        all[i] = &options[i];
    for (size_t i = 0; i < COMMON_OPTIONS; i++)
        all[count++] = &common_options[i];
    letters[0] = ':'; // tell a missing value from an unknown option
    describe(all, count, longs, letters + 1);

    int code;
    opterr = 0; // our own one-line messages
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == ':')
            bench_usage("%s needs a value (see --help)", argv[optind - 1]);
        if (code == '?')
            bench_usage("unknown option %s (see --help)", argv[optind - 1]);
        const bench_option *option = find(all, count, code);
        if (option->target == NULL) {
            print_help(purpose, all, count);
            exit(0);
        }
        apply(option, optarg);
    }
    if (optind < argc)
        bench_usage("unexpected argument '%s' (see --help)", argv[optind]);
    if (threads_asked != 0)
        bench_set_threads((int)threads_asked);
}
