// SPDX-License-Identifier: Apache-2.0
// How a runtime's waiting threads get on with others: what an idle process costs, regions beside a
// process that never sleeps, regions that alternate with another library's threads, and plain work
// for several processes at once. manners.py runs the scenes and compares runtimes.
// Usage: manners --scene idle|beside|work|alternate [options]
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/bench.h"

enum { IDLE, BESIDE, WORK, ALTERNATE };
enum { MAX_BURNERS = 64, MAX_SAMPLES = 2000000, CHAIN = 64 };

static const char *const scene_names[] = {"idle", "beside", "work", "alternate"};
static const char *const construct_names[] = {"parallel", "barrier", "loop", "ordered", "doacross"};

static long scene = IDLE, construct, burners = 1, services, rounds = 200, size = 300;
static double seconds = 1.0, work_us = 100.0, serial_us;
static const char *library = "libopenblas.so.0";

static const bench_option options[] = {
    {"scene", 's', BENCH_CHOICE, &scene, 0, 0, "idle|beside|work|alternate", "what happens"},
    {"construct", 'c', BENCH_CHOICE, &construct, 0, 0, "parallel|barrier|loop|ordered|doacross",
     "beside: what is timed (parallel)"},
    {"burners", 'b', BENCH_INTEGER, &burners, 0, MAX_BURNERS, "N",
     "beside: processes in an endless loop (1)"},
    {"services", 0, BENCH_INTEGER, &services, 0, MAX_BURNERS, "N",
     "work: processes that compute for 150 us, then sleep for 10 to 60 ms (0)"},
    {"seconds", 0, BENCH_REAL, &seconds, 0.001, 1000, "S", "idle, beside: for how long (1)"},
    {"rounds", 'r', BENCH_INTEGER, &rounds, 1, 100000000, "N",
     "work, alternate: how many regions (200)"},
    {"work-us", 'w', BENCH_REAL, &work_us, 0, 1e6, "US",
     "loop, work, alternate: work of a region, by all its threads together (100)"},
    {"serial-us", 0, BENCH_REAL, &serial_us, 0, 1e6, "US", "work: between two regions (0)"},
    {"size", 'n', BENCH_INTEGER, &size, 1, 10000, "N", "alternate: rows of the matrices (300)"},
    {"library", 0, BENCH_TEXT, &library, 0, 0, "FILE",
     "alternate: a BLAS that has threads of its own (libopenblas.so.0)"},
};

static int team_size;
static double turns_per_us;
static long counted; // regions or turns, as the check wants them
static double *samples;
static long sample_count;

static __attribute__((noinline)) void burn(double microseconds) {
    const long turns = (long)(microseconds * turns_per_us);
    for (long i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i)); // keeps the loop, costs nothing itself
}

static void calibrate(void) {
    double best = 1e9;
    turns_per_us = 1.0;
    for (int i = 0; i < 9; i++) {
        const double start = bench_seconds();
        burn(1e6);
        const double took = bench_seconds() - start;
        best = took < best ? took : best;
    }
    turns_per_us = 1e6 / (best * 1e6);
}

static void check(const char *what, long found, long expected) {
    if (found != expected)
        bench_fail("wrong answer: %s counted %ld, should be %ld", what, found, expected);
}

static void nap(double length) {
    struct timespec time = {(time_t)length, (long)(1e9 * (length - (double)(long)length))};
    while (nanosleep(&time, &time) != 0) {
    }
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// One region in which every thread has its share of the work.
static void share_work(double microseconds) {
    long parts = 0;
#pragma omp parallel reduction(+ : parts)
    {
        burn(microseconds / team_size);
        parts++;
    }
    counted += parts;
}

static void construct_once(void) {
    long parts = 0;
    long chain[CHAIN + 1] = {0};
    switch (construct) {
    case 0:
        share_work(0);
        break;
    case 1: // as many barriers as there are links in a chain
#pragma omp parallel reduction(+ : parts)
    {
        for (int i = 0; i < CHAIN; i++) {
#pragma omp barrier
        }
        parts++;
    }
        counted += parts;
        break;
    case 2:
        share_work(work_us);
        break;
    case 3:
#pragma omp parallel for ordered schedule(static, 1)
        for (int i = 0; i < CHAIN; i++) {
#pragma omp ordered
            parts += parts == i;
        }
        check("ordered", parts, CHAIN);
        counted += team_size;
        break;
    default:
#pragma omp parallel for ordered(1) schedule(static, 1)
        for (int i = 1; i <= CHAIN; i++) {
#pragma omp ordered depend(sink : i - 1)
            chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
        }
        check("doacross", chain[CHAIN], CHAIN);
        counted += team_size;
        break;
    }
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report_samples(void) {
    double sum = 0, late = 0;
    qsort(samples, (size_t)sample_count, sizeof *samples, ascending);
    for (long i = 0; i < sample_count; i++) {
        sum += samples[i];
        late += samples[i] > 10e-3;
    }
    bench_json_integer("regions", sample_count);
    bench_json_real("median_us", 1e6 * samples[sample_count / 2]);
    bench_json_real("mean_us", 1e6 * sum / (double)sample_count);
    bench_json_real("p99_us", 1e6 * samples[(long)(0.99 * (double)sample_count)]);
    bench_json_real("most_us", 1e6 * samples[sample_count - 1]);
    bench_json_real("over_10_ms", late);
}

// Constructs one after another for a while, each timed.
static void time_constructs(double length) {
    const double end = bench_seconds() + length;
    double now = bench_seconds();
    counted = 0;
    sample_count = 0;
    while (now < end && sample_count < MAX_SAMPLES) {
        const double start = now;
        construct_once();
        now = bench_seconds();
        samples[sample_count++] = now - start;
    }
    check("regions", counted, sample_count * team_size);
}

static void run_idle(void) {
    construct = 0;
    time_constructs(0.2);
    const double before_sleep = bench_seconds();
    nap(0.05);
    const double cpu = cpu_seconds(), start = bench_seconds();
    nap(seconds);
    const double used = cpu_seconds() - cpu, took = bench_seconds() - start;
    bench_json_begin("manners", scene_names[scene], team_size, bench_seconds() - before_sleep);
    bench_json_real("idle_cpu_percent", 100 * used / took);
    report_samples();
    bench_json_end();
}

static void burn_always(void) {
    for (;;)
        burn(1000);
}

// What a system does now and then: less than 1% of a CPU.
static void serve(void) {
    srand((unsigned)getpid());
    for (;;) {
        burn(150);
        nap(0.010 + 0.050 * (double)rand() / RAND_MAX);
    }
}

static void start_others(pid_t *children, long count, void (*what)(void)) {
    for (long i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] < 0)
            bench_fail("cannot fork");
        if (children[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            what();
        }
    }
}

static void end_others(const pid_t *children, long count) {
    for (long i = 0; i < count; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
}

static void run_beside(void) {
    pid_t children[MAX_BURNERS];
    start_others(children, burners, burn_always); // before the first region
    nap(0.05);
    team_size = bench_team();
    time_constructs(0.1 * seconds);
    const double start = bench_seconds();
    time_constructs(seconds);
    const double took = bench_seconds() - start;
    end_others(children, burners);
    bench_json_begin("manners", construct_names[construct], team_size, took);
    bench_json_integer("burners", burners);
    report_samples();
    bench_json_end();
}

static void run_work(void) {
    pid_t children[MAX_BURNERS];
    start_others(children, services, serve);
    team_size = bench_team();
    const double start = bench_seconds();
    for (long i = 0; i < rounds; i++) {
        burn(serial_us);
        share_work(work_us);
    }
    const double took = bench_seconds() - start;
    end_others(children, services);
    check("work", counted, rounds * team_size);
    bench_json_begin("manners", scene_names[scene], team_size, took);
    bench_json_real("cpu_seconds", cpu_seconds());
    bench_json_real("round_us", 1e6 * took / (double)rounds);
    bench_json_end();
}

typedef void gemm_function(int, int, int, int, int, int, double, const double *, int,
                           const double *, int, double, double *, int);

static gemm_function *find_gemm(void) {
    void *blas = dlopen(library, RTLD_NOW);
    if (blas == NULL)
        bench_fail("%s", dlerror());
    gemm_function *gemm = (gemm_function *)dlsym(blas, "cblas_dgemm");
    if (gemm == NULL)
        bench_fail("%s has no cblas_dgemm", library);
    return gemm;
}

static void run_alternate(void) {
    enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 };
    gemm_function *const gemm = find_gemm();
    const int n = (int)size;
    double *a = malloc(3 * sizeof *a * (size_t)n * (size_t)n);
    if (a == NULL)
        bench_fail("out of memory");
    double *const b = a + (size_t)n * (size_t)n, *const c = b + (size_t)n * (size_t)n;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        a[i] = 1;
        b[i] = 2;
    }
    double products = 0, start = 0;
    for (long i = -rounds / 10 - 1; i < rounds; i++) { // the first ones warm up
        if (i == 0) {
            start = bench_seconds();
            products = 0;
            counted = 0;
        }
        const double before = bench_seconds();
        gemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
        products += bench_seconds() - before;
        share_work(work_us);
    }
    const double took = bench_seconds() - start;
    check("regions", counted, rounds * team_size);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        check("product", (long)c[i], 2 * n);
    bench_json_begin("manners", scene_names[scene], team_size, took);
    bench_json_real("round_us", 1e6 * took / (double)rounds);
    bench_json_real("product_us", 1e6 * products / (double)rounds);
    bench_json_end();
    free(a);
}

int main(int argc, char **argv) {
    bench_parse(argc, argv, "Times regions in bad company.", options,
                sizeof options / sizeof options[0]);
    calibrate();
    samples = malloc(MAX_SAMPLES * sizeof *samples);
    if (samples == NULL)
        bench_fail("out of memory");
    memset(samples, 0, MAX_SAMPLES * sizeof *samples); // pages before the clock
    if (scene == IDLE || scene == ALTERNATE) // the others fork before
        team_size = bench_team();
    switch (scene) {
    case IDLE:
        run_idle();
        break;
    case BESIDE:
        run_beside();
        break;
    case WORK:
        run_work();
        break;
    default:
        run_alternate();
        break;
    }
    free(samples);
    return 0;
}
