// SPDX-License-Identifier: Apache-2.0
// The memory bandwidth that a program gets: the kernels copy, scale, add and triad of STREAM
// (McCalpin 1995), as loops, taskloops and tasks, over arrays that lie where they were touched
// first or where they were allocated. All elements are compared; one that was left out in any
// repetition differs from then on. Usage: stream [--variant FORM] [--n 8388608] [--touch T]
// [--memory M] [--affinity HINT]
#include <math.h>
#include <stdlib.h>

#include "../common/bench.h"
#include "../common/placement.h"
#include "kernels.h"
#include "pages.h"

enum { MAX_REPETITIONS = 1000, SERIAL_REPETITIONS = 3 };

static const char *const form_names[] = {"loop", "static", "taskloop", "task", "serial"};
static const char *const kernel_names[] = {"fill", "copy", "scale", "add", "triad"};
static const double bytes_per_element[] = {24, 16, 16, 24, 24};

static double seconds[KERNELS][MAX_REPETITIONS];

static void repeat(enum form form, long repetitions) {
    for (long r = 0; r < repetitions; r++) {
        for (int k = COPY; k <= TRIAD; k++) {
            double start = bench_seconds();
            stream_kernels[k][form]();
            seconds[k][r] = bench_seconds() - start;
        }
    }
}

// The medians of all kernels together.
static double typical_seconds(long repetitions) {
    double sum = 0.0;
    for (int k = COPY; k <= TRIAD; k++)
        sum += bench_median(seconds[k], (size_t)repetitions); // sorts them
    return sum;
}

static void compare(const char *array, long i, double found, double expected) {
    if (!(fabs(found - expected) <= 1e-12 * expected))
        bench_fail("wrong answer: %s[%ld] is %.17g, should be %.17g", array, i, found, expected);
}

static void check(long repetitions) {
    for (long first = 0; first < 1024 && first < stream.n; first++) {
        double a = stream_first(first), b = 0.0, c = 0.0;
        for (long r = 0; r < repetitions; r++) {
            b = stream_factor * a;
            c = a + b;
            a = b + stream_factor * c;
        }
        for (long i = first; i < stream.n; i += 1024) {
            compare("a", i, stream.a[i], a);
            compare("b", i, stream.b[i], b);
            compare("c", i, stream.c[i], c);
        }
    }
}

static void report_kernels(long repetitions) {
    bench_json_open("kernels");
    for (int k = COPY; k <= TRIAD; k++) {
        double bytes = bytes_per_element[k] * (double)stream.n;
        double typical = bench_median(seconds[k], (size_t)repetitions);
        bench_json_open(kernel_names[k]);
        bench_json_real("seconds", typical);
        bench_json_real("gb_per_second", 1e-9 * bytes / typical);
        bench_json_real("best_gb_per_second", 1e-9 * bytes / seconds[k][0]);
        bench_json_close();
    }
    bench_json_close();
}

int main(int argc, char **argv) {
    long form = LOOP, n = 8l << 20, repetitions = 10, tasks = 0, cyclic = 65536;
    long touch = TOUCH_SAME, memory = MEMORY_MALLOC, hint = HINT_NONE;
    int no_reference = 0, pages = 0, loop_data = 0;
    double least_local = 0.0;
    const bench_option options[] = {
        {"variant", 0, BENCH_CHOICE, &form, 0, 0, STREAM_FORMS,
         "schedule(runtime), schedule(static), tasks of either kind, no OpenMP (loop)"},
        {"n", 'n', BENCH_INTEGER, &n, 1, 1l << 34, "N", "elements of each array (8388608)"},
        {"repetitions", 0, BENCH_INTEGER, &repetitions, 1, MAX_REPETITIONS, "N",
         "how often each kernel is timed, after one that is not (10)"},
        {"tasks", 0, BENCH_INTEGER, &tasks, 1, 1e6, "N",
         "tasks that a kernel is divided into (one for each thread)"},
        {"touch", 0, BENCH_CHOICE, &touch, 0, 0, BENCH_TOUCHES,
         "who writes the arrays first: the same form, or the primary thread (same)"},
        {"memory", 0, BENCH_CHOICE, &memory, 0, 0, BENCH_MEMORIES,
         "how the arrays are allocated: by the runtime's locality domains (malloc)"},
        {"cyclic", 0, BENCH_INTEGER, &cyclic, 4096, 1l << 40, "BYTES",
         "blocks of --memory cyclic (65536)"},
        {"affinity", 0, BENCH_CHOICE, &hint, 0, 0, BENCH_HINTS,
         "hints for the tasks: OpenMP's clause, or the runtime's own (none)"},
        {"loop-data", 0, BENCH_FLAG, &loop_data, 0, 0, NULL,
         "tell the runtime which data the iterations of a loop work on"},
        {"pages", 0, BENCH_FLAG, &pages, 0, 0, NULL,
         "also tell the share of pages that CPUs of their node work on"},
        {"least-local", 0, BENCH_REAL, &least_local, 0, 1, "X",
         "fail if that share is less: for tests (0)"},
        {"no-reference", 0, BENCH_FLAG, &no_reference, 0, 0, NULL,
         "do not time the serial program as well"},
    };
    bench_parse(argc, argv, "The kernels of STREAM in several forms.", options,
                sizeof options / sizeof options[0]);
    if (hint != HINT_NONE && form != TASK && (form != TASKLOOP || hint < HINT_CLOSE))
        bench_usage("--affinity %s is for --variant task%s", bench_hint_names[hint],
                    hint >= HINT_CLOSE ? " or taskloop" : "");
    bench_use_hint((bench_hint)hint);

    int threads = form == SERIAL ? 1 : bench_team(), reference = form != SERIAL && !no_reference;
    size_t bytes = (size_t)n * sizeof(double);
    stream = (stream_arrays){bench_allocate((bench_memory)memory, bytes, (size_t)cyclic),
                             bench_allocate((bench_memory)memory, bytes, (size_t)cyclic),
                             bench_allocate((bench_memory)memory, bytes, (size_t)cyclic),
                             n,
                             tasks != 0 ? tasks : threads,
                             threads,
                             hint == HINT_CLAUSE};
    if (loop_data)
        bench_loop_data(stream.a, sizeof(double));
    const char *schedule = form == LOOP ? bench_schedule() : NULL;
    stream_kernels[FILL][touch == TOUCH_SAME ? form : SERIAL]();
    double serial_seconds = 0.0;
    if (reference) {
        repeat(SERIAL, SERIAL_REPETITIONS);
        serial_seconds = typical_seconds(SERIAL_REPETITIONS);
    }
    repeat((enum form)form, 1); // warms up
    repeat((enum form)form, repetitions);
    double typical = typical_seconds(repetitions);
    check(repetitions + 1 + (reference ? SERIAL_REPETITIONS : 0));
    bench_hints_taken();
    page_report seen = {0, 0, 0};
    if (pages || least_local > 0.0)
        seen = stream_pages((enum form)form);
    double local = seen.pages > 0 ? (double)seen.local / (double)seen.pages : 0.0;
    if (local < least_local)
        bench_fail("%ld of %ld pages were worked on by CPUs of their nodes: that is %.3g, less "
                   "than %.3g",
                   seen.local, seen.pages, local, least_local);

    bench_json_begin("stream", form_names[form], threads, typical);
    bench_json_integer("answer", n);
    if (schedule != NULL)
        bench_json_text("schedule", schedule);
    bench_json_text("touch", bench_touch_names[touch]);
    bench_json_text("memory", bench_memory_names[memory]);
    bench_json_text("affinity", bench_hint_names[hint]);
    bench_json_integer("n", n);
    bench_json_integer("tasks", stream.tasks);
    bench_json_integer("repetitions", repetitions);
    bench_json_real("gb_per_second", 80e-9 * (double)n / typical);
    report_kernels(repetitions);
    if (seen.pages > 0) {
        bench_json_integer("nodes", seen.nodes);
        bench_json_real("local_page_share", local);
    }
    if (reference)
        bench_json_serial(serial_seconds, typical);
    bench_json_end();
    bench_release((bench_memory)memory, stream.a);
    bench_release((bench_memory)memory, stream.b);
    bench_release((bench_memory)memory, stream.c);
    return 0;
}
