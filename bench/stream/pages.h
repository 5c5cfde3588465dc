// SPDX-License-Identifier: Apache-2.0
// Which share of a kernel's pages is worked on by CPUs of the node that has them (pages.c).
#ifndef HEDDLE_BENCH_STREAM_PAGES_H
#define HEDDLE_BENCH_STREAM_PAGES_H

#include "kernels.h"

typedef struct {
    long pages, local; // of `a`: all, and those first worked on by a CPU of their own node
    int nodes;         // that have a page
} page_report;

// Runs triad once more in that form and looks. `pages` is -1 where the kernel does not tell.
page_report stream_pages(enum form form);

#endif
