// SPDX-License-Identifier: Apache-2.0
// What every benchmark program shares: options, the clock, the team, and its one JSON line.
// A program parses its options, measures, checks its answer and only then prints; a wrong
// answer ends it in bench_fail (exit 1), a bad option in one clear line (exit 2). A runtime that
// lacks what is to be measured is told likewise (exit 77): it is left out, not measured otherwise.
#ifndef HEDDLE_BENCH_H
#define HEDDLE_BENCH_H

#include <stddef.h>

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

// One command-line option. `target` is a long (integer, choice), a double (real),
// a const char * (text) or an int set to 1 (flag). For a choice, `values` lists the names
// ("serial|taskwait") and the target gets the position of the one given; for the others it
// is the placeholder shown by --help. `letter` is the short form, or 0.
typedef enum {
    BENCH_INTEGER,
    BENCH_REAL,
    BENCH_TEXT,
    BENCH_CHOICE,
    BENCH_FLAG
} bench_kind;

typedef struct {
    const char *name;
    char letter;
    bench_kind kind;
    void *target;
    double min, max;
    const char *values;
    const char *help;
} bench_option;

// Reads the command line: the program's own options plus --threads and --help.
void bench_parse(int argc, char **argv, const char *purpose, const bench_option *options,
                 size_t count);

// Monotonic seconds.
double bench_seconds(void);

// Starts the team outside the clock and returns its size; fails if --threads was not honoured.
int bench_team(void);

// The schedule of loops with schedule(runtime), spelt as in OMP_SCHEDULE and told by the runtime:
// "static", "dynamic,4". One that has another schedule than OMP_SCHEDULE asks for lacks it.
const char *bench_schedule(void);

// What the program's runtime has to say; openmp.c does for OpenMP programs, and they alone have
// bench_team and bench_schedule. Others define both themselves: what --threads asks for, told
// before bench_parse returns, and a symbol by which the dynamic linker finds the runtime's library.
void bench_set_threads(int threads);
extern const char *const bench_runtime_symbol;

// The most memory this process has held, in KiB (VmHWM), or -1 where the kernel does not say.
long bench_peak_rss_kib(void);

// A number between 0 and 2^53 that tells results apart by their bits: an answer made of reals.
long long bench_digest(const double *values, size_t count);

// A wrong answer: one line on stderr, exit 1. A bad option: likewise, exit 2. A runtime without
// what was asked for: likewise, exit 77.
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void bench_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void bench_lacks(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Sorts the values and returns their median, of which there is at least one.
double bench_median(double *values, size_t count);

// The JSON line: opened once the answer is known to be right, printed whole by bench_json_end.
// bench_json_begin writes benchmark, variant, threads, seconds, check and the runtime's path.
// In an array the key of a value is NULL.
void bench_json_begin(const char *benchmark, const char *variant, int threads, double seconds);
void bench_json_integer(const char *key, long long value);
void bench_json_real(const char *key, double value);
void bench_json_text(const char *key, const char *value);
void bench_json_open(const char *key); // an object as the value of `key`
void bench_json_close(void);
void bench_json_open_array(const char *key);
void bench_json_close_array(void);
void bench_json_end(void);

// serial_seconds and speedup_over_serial, where the serial program was timed too.
void bench_json_serial(double serial_seconds, double seconds);

#ifdef __cplusplus
}
#undef _Noreturn
#endif

#endif
