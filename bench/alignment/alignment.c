// SPDX-License-Identifier: Apache-2.0
// Aligns every pair of a set of proteins, a task per pair, created in a loop: by one thread, or by
// all that share the outer loop. The alignment kernel of the Barcelona OpenMP Tasks Suite (Duran et
// al., ICPP 2009) on proteins that we make up; align.c has the algorithm.
// Usage: alignment [--sequences 100] [--length 140] [--generator single|for] [--variant ...]
#include <stdint.h>
#include <stdlib.h>

#include "../common/bench.h"
#include "../common/cutoff.h"
#include "align.h"

enum { FAMILY = 5, LONGEST_AVERAGE = MAX_LENGTH / 2 };
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};
enum generator { SINGLE, FOR, GENERATORS };
static const char *const generator_names[] = {"single", "for"};

// The pair (i, j), i < j, has its result in row i, column j.
static int count;
static protein *proteins;

static void pairs_serial(alignment *results) {
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            results[i * count + j] = align(&proteins[i], &proteins[j]);
}

#define DEFINE_PAIRS(NAME, TYING)                                                                  \
    static void pairs_of_##NAME(alignment *results, int i) {                                       \
        for (int j = i + 1; j < count; j++) {                                                      \
            BENCH_TASK(TYING firstprivate(results, i, j))                                          \
            results[i * count + j] = align(&proteins[i], &proteins[j]);                            \
        }                                                                                          \
    }

DEFINE_PAIRS(tied, )
DEFINE_PAIRS(untied, untied)

static void run(enum variant variant, enum generator generator, alignment *results) {
    if (variant == SERIAL) {
        pairs_serial(results);
        return;
    }
    void (*pairs_of)(alignment *, int) = variant == TIED ? pairs_of_tied : pairs_of_untied;
    if (generator == FOR) {
#pragma omp parallel for schedule(dynamic)
        for (int i = 0; i < count; i++)
            pairs_of(results, i);
    } else {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < count; i++)
            pairs_of(results, i);
    }
}

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static int draw(int below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 32) * (uint64_t)below >> 32);
}

static protein random_protein(int length) {
    protein made = {.length = length};
    for (int k = 0; k < length; k++)
        made.residue[k] = (unsigned char)draw(AMINO_ACIDS);
    return made;
}

// A relative: a third of the residues are drawn anew, here and there a run is lost or inserted.
static protein mutated(const protein *of) {
    protein made = {0};
    for (int k = 0; k < of->length && made.length < MAX_LENGTH; k++) {
        int event = draw(100);
        if (event < 2)
            k += draw(8);
        for (int run = event < 4 && event >= 2 ? draw(8) : 0; run > 0; run--)
            if (made.length < MAX_LENGTH - 1)
                made.residue[made.length++] = (unsigned char)draw(AMINO_ACIDS);
        if (k < of->length)
            made.residue[made.length++] =
                draw(3) == 0 ? (unsigned char)draw(AMINO_ACIDS) : of->residue[k];
    }
    return made;
}

// Families of relatives, their ancestors' lengths between half and one and a half of the average.
static void make_proteins(int average) {
    protein ancestor = {0};
    for (int i = 0; i < count; i++) {
        if (i % FAMILY == 0)
            ancestor = random_protein(average / 2 + draw(average + 1));
        proteins[i] = mutated(&ancestor);
    }
}

// Every alignment found must have the best score there is, and be the serial program's.
static void check(const char *which, const alignment *results, const alignment *expected) {
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            const alignment *got = &results[i * count + j], *should = &expected[i * count + j];
            int most = proteins[i].length + proteins[j].length;
            if (got->score != got->optimum || got->columns < most / 2 || got->columns > most)
                bench_fail("wrong %s answer: alignment of %d and %d scores %d, should be %d", which,
                           i, j, got->score, got->optimum);
            if (got->score != should->score || got->columns != should->columns ||
                got->identities != should->identities)
                bench_fail("wrong %s answer: alignment of %d and %d is not the serial program's",
                           which, i, j);
        }
}

static void *allocated(size_t members, size_t size) {
    void *memory = calloc(members, size);
    if (memory == NULL)
        bench_fail("out of memory");
    return memory;
}

int main(int argc, char **argv) {
    long sequences = 100, length = 140, generator = SINGLE, variant = TIED;
    const bench_option options[] = {
        {"sequences", 'n', BENCH_INTEGER, &sequences, 2, 2000, "N", "proteins (100)"},
        {"length", 0, BENCH_INTEGER, &length, 10, LONGEST_AVERAGE, "N",
         "average length of a protein, residues (140)"},
        {"generator", 0, BENCH_CHOICE, &generator, 0, 0, "single|for",
         "who creates the tasks: one thread, or all in a shared loop (single)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
    };
    bench_parse(argc, argv, "Aligns all pairs of proteins, a task per pair.", options,
                sizeof options / sizeof options[0]);

    count = (int)sequences;
    proteins = allocated((size_t)count, sizeof *proteins);
    size_t table = (size_t)count * (size_t)count;
    alignment *expected = allocated(table, sizeof *expected);
    alignment *results = allocated(table, sizeof *results);
    align_prepare();
    make_proteins((int)length);
    double start = bench_seconds();
    run(SERIAL, SINGLE, expected);
    double serial_seconds = bench_seconds() - start;
    check("serial", expected, expected);

    int threads = variant == SERIAL ? 1 : bench_team();
    start = bench_seconds();
    run((enum variant)variant, (enum generator)generator, results);
    double seconds = bench_seconds() - start;
    check(variant_names[variant], results, expected);

    long long total = 0, identities = 0;
    for (size_t k = 0; k < table; k++) {
        total += results[k].score;
        identities += results[k].identities;
    }
    bench_json_begin("alignment", variant_names[variant], threads, seconds);
    bench_json_integer("answer", total);
    bench_json_integer("identities", identities);
    bench_json_integer("sequences", sequences);
    bench_json_integer("length", length);
    if (variant != SERIAL) {
        bench_json_text("generator", generator_names[generator]);
        bench_json_integer("tasks", sequences * (sequences - 1) / 2);
        bench_json_serial(serial_seconds, seconds);
    }
    bench_json_end();
    free(proteins);
    free(expected);
    free(results);
    return 0;
}
