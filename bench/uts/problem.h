// SPDX-License-Identifier: Apache-2.0
// What all forms of the UTS benchmark share, whatever they are written with: the options that
// choose a tree and its work, the serial reference, the check and the numbers of the JSON line.
// A program parses its options, prepares the problem, starts its threads, measures, checks the
// count and reports.
#ifndef HEDDLE_BENCH_UTS_PROBLEM_H
#define HEDDLE_BENCH_UTS_PROBLEM_H

#include "../common/bench.h"
#include "tree.h"

#ifdef __cplusplus
extern "C" {
#endif

// What was asked for on the command line; uts_asked begins with all defaults.
typedef struct {
    const char *name;     // --tree
    uts_parameters given; // or the tree letter by letter
    long hashes;          // SHA-1 evaluations for each node
    int report;           // count what the threads do
    int no_reference;
} uts_request;

extern uts_request uts_asked;

// Reads the command line: the program's own options, and those that set uts_asked.
void uts_parse(int argc, char **argv, const bench_option *own, size_t count);

// The tree with its answer, known from the literature or by counting it serially.
typedef struct {
    uts_named_tree tree;
    uts_node root;
    double serial_seconds; // negative: not timed
} uts_problem;

// Grows the tree that was asked for and, if `parallel` or the answer is unknown, times the serial
// program. `bytes_per_level` is the stack that one level takes: trees too deep are refused.
uts_problem uts_prepare(int parallel, long bytes_per_level);
enum { UTS_SERIAL_LEVEL = 300 }; // bytes

// Ends the program if a number is known (positive) and another one was found.
void uts_expect(const char *what, long long found, long long known);

// The program without any parallel construct: what every speed-up is measured against.
long uts_count_serial(const uts_node *root, long hashes);

// Opens the JSON line with what every form tells; for `parallel` ones also how they compare with
// the serial program: speedup_over_serial, and overhead_share, that part of the team's time in
// which the serial program would not have computed: 1 - serial_seconds / (threads * seconds).
void uts_json_begin(const char *benchmark, const char *variant, const uts_problem *problem,
                    int threads, double seconds, int parallel);

#ifdef __cplusplus
}
#endif

#endif
