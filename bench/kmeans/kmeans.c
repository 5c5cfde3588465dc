// SPDX-License-Identifier: Apache-2.0
// K-Means: each sweep assigns every point to its nearest centre, in a loop with schedule(runtime),
// and moves the centres. The loop has iterations of two classes of cost, in bursts, as the paper on
// adaptive loops shows them for its data (Durand et al., IWOMP 2013, figure 5a): a distance is
// given up when it exceeds the best so far, soon for points that lie close to their centre and late
// for those that lie nowhere. Features are integers, so that the answer does not depend on any
// order: it has to be that of the serial program. After the kernel of the Rodinia suite (Che et
// al., 2009); our own code and data. Usage: kmeans [--n 494020] [--clusters 16] [--noise 20]
// [--sweeps 2] [--repetitions 3]
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

enum { FEATURES = 34, MAX_CLUSTERS = 64, RANGE = 1024, SPREAD = 32, MAX_REPETITIONS = 1000 };
enum variant { RUNTIME, SERIAL };
static const char *const variant_names[] = {"runtime", "serial"};

typedef struct {
    int feature[FEATURES];
} point;

// What a thread adds up in a sweep; on lines of its own.
typedef struct {
    _Alignas(128) int64_t sum[MAX_CLUSTERS][FEATURES];
    long size[MAX_CLUSTERS], changes;
} tally;

typedef struct {
    point centre[MAX_CLUSTERS];
    int *cluster; // of each point
    long changes; // of all sweeps
} clustering;

static const point *points;
static long n = 494020, clusters = 16;

// Mixes the bits of one number (the finalizer of splitmix64).
static uint64_t mixed(uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int random_feature(uint64_t which, int f) { return (int)(mixed(which * 64 + f) % RANGE); }

// Bursts of 1 to 4096 points, each around one centre or, `noise` percent of them, anywhere: so many
// overall, but few parts of the data have them, as events of one kind come together in a log.
static point *generate(long noise) {
    enum { PARTS = 8 };
    static const long times_noise[PARTS] = {0, 2, 0, 1, 5, 0, 0, 0};
    point *made = malloc((size_t)n * sizeof *made);
    if (made == NULL)
        bench_fail("out of memory");
    uint64_t burst = 0;
    for (long i = 0; i < n; burst++) {
        uint64_t chance = mixed(burst ^ 0xb5ad4eceda1ce2a9u);
        long length = 1l << chance % 13;
        int anywhere = (long)(chance >> 8 & 0xffff) % 100 < noise * times_noise[i * PARTS / n];
        uint64_t source = (chance >> 32) % (uint64_t)clusters + (1ull << 40);
        for (long end = i + length; i < end && i < n; i++)
            for (int f = 0; f < FEATURES; f++) {
                int value = random_feature((uint64_t)i, f);
                made[i].feature[f] = anywhere ? value : random_feature(source, f) + value % SPREAD;
            }
    }
    return made;
}

// The centre nearest to point i, of several the first; `last` is looked at first, because it
// probably is.
static int nearest(const point *centres, long i, int last) {
    const point *here = &points[i];
    int64_t best = INT64_MAX;
    int found = last;
    for (int k = -1; k < clusters; k++) {
        int c = k < 0 ? last : k;
        int64_t distance = 0;
        for (int f = 0; f < FEATURES && distance <= best; f++) {
            int64_t difference = here->feature[f] - centres[c].feature[f];
            distance += difference * difference;
        }
        if (distance < best || (distance == best && c < found)) {
            best = distance;
            found = c;
        }
    }
    return found;
}

static inline void assign(clustering *found, tally *own, long i) {
    int last = found->cluster[i], c = nearest(found->centre, i, last);
    own->changes += c != last;
    own->size[c]++;
    for (int f = 0; f < FEATURES; f++)
        own->sum[c][f] += points[i].feature[f];
    found->cluster[i] = c;
}

static void sweep(enum variant variant, clustering *found, tally *tallies) {
    if (variant == SERIAL) {
        memset(tallies, 0, sizeof *tallies);
        for (long i = 0; i < n; i++)
            assign(found, tallies, i);
        return;
    }
#pragma omp parallel
    {
        tally *own = &tallies[omp_get_thread_num()];
        memset(own, 0, sizeof *own);
#pragma omp for schedule(runtime)
        for (long i = 0; i < n; i++)
            assign(found, own, i);
    }
}

// Moves each centre to the middle of its points. Every point was counted once, or this fails.
static void move_centres(clustering *found, const tally *tallies, int threads) {
    long all = 0;
    for (int t = 0; t < threads; t++)
        found->changes += tallies[t].changes;
    for (int c = 0; c < clusters; c++) {
        long size = 0;
        for (int t = 0; t < threads; t++)
            size += tallies[t].size[c];
        all += size;
        for (int f = 0; f < FEATURES && size > 0; f++) {
            int64_t sum = 0;
            for (int t = 0; t < threads; t++)
                sum += tallies[t].sum[c][f];
            found->centre[c].feature[f] = (int)(sum / size);
        }
    }
    if (all != n)
        bench_fail("wrong answer: %ld points were assigned, there are %ld", all, n);
}

// Seconds of all sweeps. They start with evenly chosen points as centres.
static double run(enum variant variant, clustering *found, tally *tallies, int threads,
                  long sweeps) {
    found->changes = 0;
    memset(found->cluster, 0, (size_t)n * sizeof *found->cluster);
    for (long c = 0; c < clusters; c++)
        found->centre[c] = points[c * n / clusters];
    double start = bench_seconds();
    for (long s = 0; s < sweeps; s++) {
        sweep(variant, found, tallies);
        move_centres(found, tallies, threads);
    }
    return bench_seconds() - start;
}

static void check(const clustering *found, const clustering *expected) {
    for (long i = 0; i < n; i++)
        if (found->cluster[i] != expected->cluster[i])
            bench_fail("wrong answer: point %ld is in cluster %d, should be in %d", i,
                       found->cluster[i], expected->cluster[i]);
    if (memcmp(found->centre, expected->centre, (size_t)clusters * sizeof(point)) != 0)
        bench_fail("wrong answer: the clusters are right, their centres are not");
    if (found->changes != expected->changes)
        bench_fail("wrong answer: points changed %ld times, should be %ld", found->changes,
                   expected->changes);
}

static int *unassigned(void) {
    int *cluster = malloc((size_t)n * sizeof *cluster);
    if (cluster == NULL)
        bench_fail("out of memory");
    return cluster;
}

int main(int argc, char **argv) {
    static clustering found, expected;
    long noise = 20, sweeps = 2, repetitions = 3, variant = RUNTIME;
    const bench_option options[] = {
        {"n", 'n', BENCH_INTEGER, &n, 1, 1l << 30, "N", "points, of 34 features each (494020)"},
        {"clusters", 0, BENCH_INTEGER, &clusters, 1, MAX_CLUSTERS, "N", "centres (16)"},
        {"noise", 0, BENCH_INTEGER, &noise, 0, 100, "P",
         "percent of the bursts that belong nowhere and cost more, up to 20 exactly (20)"},
        {"sweeps", 0, BENCH_INTEGER, &sweeps, 1, 1000, "N", "sweeps over all points (2)"},
        {"repetitions", 0, BENCH_INTEGER, &repetitions, 1, MAX_REPETITIONS, "N",
         "how often all sweeps are timed, after once that is not (3)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "runtime|serial",
         "schedule(runtime), or no OpenMP (runtime)"},
    };
    bench_parse(argc, argv, "K-Means clustering of points that differ in what they cost.", options,
                sizeof options / sizeof options[0]);
    if (clusters > n)
        bench_usage("--clusters %ld are more than the %ld points", clusters, n);

    int threads = variant == SERIAL ? 1 : bench_team();
    const char *schedule = variant == RUNTIME ? bench_schedule() : variant_names[variant];
    point *made = generate(noise);
    points = made;
    tally *tallies = aligned_alloc(_Alignof(tally), (size_t)threads * sizeof *tallies);
    if (tallies == NULL)
        bench_fail("out of memory");
    found.cluster = unassigned();
    expected.cluster = unassigned();

    double seconds[MAX_REPETITIONS];
    double serial_seconds = run(SERIAL, &expected, tallies, 1, sweeps);
    for (long r = -1; r < repetitions; r++) {
        double taken = run((enum variant)variant, &found, tallies, threads, sweeps);
        check(&found, &expected);
        if (r >= 0)
            seconds[r] = taken;
    }
    double typical = bench_median(seconds, (size_t)repetitions); // sorts them

    bench_json_begin("kmeans", variant_names[variant], threads, typical);
    bench_json_integer("answer", expected.changes);
    bench_json_text("schedule", schedule);
    bench_json_integer("n", n);
    bench_json_integer("clusters", clusters);
    bench_json_integer("noise", noise);
    bench_json_integer("sweeps", sweeps);
    bench_json_integer("repetitions", repetitions);
    bench_json_real("least_seconds", seconds[0]);
    bench_json_real("most_seconds", seconds[repetitions - 1]);
    bench_json_real("ns_per_point", 1e9 * typical / (double)(n * sweeps));
    if (variant != SERIAL)
        bench_json_serial(serial_seconds, typical);
    bench_json_end();
    free(made);
    free(tallies);
    free(found.cluster);
    free(expected.cluster);
    return 0;
}
