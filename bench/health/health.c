// SPDX-License-Identifier: Apache-2.0
// A country's health care, day by day: a tree of villages, each with inhabitants, a hospital and
// lists of patients. Who cannot be cured is referred to the hospital of the village above. Every
// day a task simulates a village, after which its parent goes on. The health kernel of the
// Barcelona OpenMP Tasks Suite (Duran et al., ICPP 2009), after the Colombian health care system
// of Lomow, Cleary, Unger & West, SCS Multiconference on Distributed Simulation, 1988; our own
// model and code. Usage: health [--levels 4] [--days 365] [--variant tied|untied|serial] ...
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"
#include "../common/cutoff.h"

enum { INHABITANTS = 40, STAFF_OF_LOWEST = 2, DAYS_OF_ASSESSMENT = 3, DAYS_OF_TREATMENT = 10 };
enum { MAX_VILLAGES = 1000000 };
enum variant { TIED, UNTIED, SERIAL };
static const char *const variant_names[] = {"tied", "untied", "serial"};

// Probabilities in units of 2^-32: to fall ill on a day, to need treatment, to be referred.
static const uint32_t falls_ill = 0x01000000u, is_treated = 0x40000000u, is_referred = 0x30000000u;

typedef struct person person;
typedef struct village village;

struct person {
    person *next;
    village *home;
    int days_left; // of assessment or treatment
    int times_ill, hospitals, days_waited;
};

typedef struct {
    person *first, *last;
    long count;
} queue;

struct village {
    village *children; // in an array
    int child_count, is_root, free_staff;
    uint64_t random; // each village draws its own numbers, so the order of tasks does not matter
    queue healthy, waiting, assessed, treated;
    queue cured, referred; // of today: to go home, to go to the parent's hospital
};

typedef struct {
    village *villages; // the root first; children lie together
    person *people;
    long village_count, person_count;
} country;

// The answer: where everybody is in the end, and all that happened to them.
typedef struct {
    long healthy, waiting, assessed, treated;
    long times_ill, hospitals, days_waited;
    uint64_t digest; // of every village and person, in order
} census;

static bench_cutoff cutoff = {CUTOFF_NONE, 2};

static void put(queue *to, person *p) {
    p->next = NULL;
    if (to->first == NULL)
        to->first = p;
    else
        to->last->next = p;
    to->last = p;
    to->count++;
}

// Takes out p, which comes after `before` (NULL: p is the first).
static void take(queue *from, person *before, person *p) {
    if (before == NULL)
        from->first = p->next;
    else
        before->next = p->next;
    if (from->last == p)
        from->last = before;
    from->count--;
}

static uint32_t draw(village *here) {
    here->random = here->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(here->random >> 32);
}

static void arrive(village *here, person *p) {
    p->hospitals++;
    put(&here->waiting, p);
}

// A day less for everybody in the list; who has none left is taken out and goes to `leaves`.
static void pass_day(village *here, queue *patients, void (*leaves)(village *, person *)) {
    person *before = NULL, *next;
    for (person *p = patients->first; p != NULL; p = next) {
        next = p->next;
        if (--p->days_left > 0) {
            before = p;
            continue;
        }
        take(patients, before, p);
        leaves(here, p);
    }
}

static void leave_treatment(village *here, person *p) {
    here->free_staff++;
    put(&here->cured, p);
}

static void leave_assessment(village *here, person *p) {
    uint32_t chance = draw(here);
    if (chance < is_treated || (here->is_root && chance < is_treated + is_referred)) {
        p->days_left = DAYS_OF_TREATMENT; // by the same member of the staff
        put(&here->treated, p);
        return;
    }
    here->free_staff++;
    put(chance < is_treated + is_referred ? &here->referred : &here->cured, p);
}

static void admit_waiting(village *here) {
    while (here->free_staff > 0 && here->waiting.first != NULL) {
        person *p = here->waiting.first;
        take(&here->waiting, NULL, p);
        here->free_staff--;
        p->days_left = DAYS_OF_ASSESSMENT;
        put(&here->assessed, p);
    }
    for (person *p = here->waiting.first; p != NULL; p = p->next)
        p->days_waited++;
}

static void fall_ill(village *here) {
    person *before = NULL, *next;
    for (person *p = here->healthy.first; p != NULL; p = next) {
        next = p->next;
        if (draw(here) >= falls_ill) {
            before = p;
            continue;
        }
        take(&here->healthy, before, p);
        p->times_ill++;
        arrive(here, p);
    }
}

// The part of a day that concerns only this village. It may go on together with all others'.
static void work(village *here) {
    pass_day(here, &here->treated, leave_treatment);
    pass_day(here, &here->assessed, leave_assessment);
    admit_waiting(here);
    fall_ill(here);
}

// The part that touches villages below, whose day is over: they refer patients to here, and those
// cured here go home. The village above waits for us before it does the same.
static void exchange(village *here) {
    for (int c = 0; c < here->child_count; c++) {
        queue *referred = &here->children[c].referred;
        while (referred->first != NULL) {
            person *p = referred->first;
            take(referred, NULL, p);
            arrive(here, p);
        }
    }
    while (here->cured.first != NULL) {
        person *p = here->cured.first;
        take(&here->cured, NULL, p);
        put(&p->home->healthy, p);
    }
}

static void day_serial(village *here) {
    for (int c = 0; c < here->child_count; c++)
        day_serial(&here->children[c]);
    work(here);
    exchange(here);
}

// The same with a task for each village but the root, at `depth` of the tree.
#define DEFINE_DAY(NAME, TYING, KIND)                                                              \
    static void day_##NAME(village *here, long depth) {                                            \
        if (cutoff_serial(KIND, cutoff.depth, depth)) {                                            \
            day_serial(here);                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int c = 0; c < here->child_count; c++) {                                              \
            village *child = &here->children[c];                                                   \
            BENCH_TASK(TYING CUTOFF_CLAUSES(KIND, cutoff.depth, depth))                            \
            day_##NAME(child, depth + 1);                                                          \
        }                                                                                          \
        work(here);                                                                                \
        BENCH_PRAGMA(omp taskwait)                                                                 \
        exchange(here);                                                                            \
    }

CUTOFF_FORMS(DEFINE_DAY)

typedef void simulator(village *root, long depth);
static simulator *const simulators[2][CUTOFF_KINDS] = CUTOFF_TABLE(day);

static void run(enum variant variant, village *root, long days) {
    if (variant == SERIAL) {
        for (long day = 0; day < days; day++)
            day_serial(root);
        return;
    }
    simulator *simulate = simulators[variant][cutoff.kind];
#pragma omp parallel
#pragma omp single
    for (long day = 0; day < days; day++)
        simulate(root, 0);
}

static void *allocated(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL)
        bench_fail("out of memory");
    return memory;
}

static long villages_in(long levels, long branching) {
    long count = 0, of_level = 1;
    for (long level = 1; level <= levels && count <= MAX_VILLAGES; level++, of_level *= branching)
        count += of_level;
    return count;
}

// Breadth first. A hospital has twice the staff of one a level below.
static country build(int levels, int branching) {
    country made = {.village_count = villages_in(levels, branching)};
    made.person_count = made.village_count * INHABITANTS;
    made.villages = allocated((size_t)made.village_count, sizeof *made.villages);
    made.people = allocated((size_t)made.person_count, sizeof *made.people);

    village *here = made.villages, *next_children = made.villages + 1;
    person *p = made.people;
    long of_level = 1;
    for (int level = levels; level >= 1; level--, of_level *= branching) {
        for (long i = 0; i < of_level; i++, here++) {
            here->is_root = level == levels;
            here->free_staff = STAFF_OF_LOWEST << (level - 1);
            here->random = (uint64_t)(here - made.villages + 1) * 0x9e3779b97f4a7c15u;
            if (level > 1) {
                here->children = next_children;
                here->child_count = branching;
                next_children += branching;
            }
            for (int k = 0; k < INHABITANTS; k++, p++) {
                p->home = here;
                put(&here->healthy, p);
            }
        }
    }
    return made;
}

static void release(country *made) {
    free(made->villages);
    free(made->people);
}

static uint64_t mixed(uint64_t digest, uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

// Counts the people in the list and mixes who they are, in their order, into the digest.
static long counted(const country *in, const queue *list, census *all, const char *which) {
    long count = 0;
    for (const person *p = list->first; p != NULL; p = p->next, count++)
        all->digest = mixed(all->digest, (uint64_t)(p - in->people));
    if (count != list->count)
        bench_fail("wrong %s answer: a list of %ld people counts %ld", which, count, list->count);
    return count;
}

static census take_census(const country *in, const char *which) {
    census all = {0};
    for (const village *v = in->villages; v < in->villages + in->village_count; v++) {
        all.healthy += counted(in, &v->healthy, &all, which);
        all.waiting += counted(in, &v->waiting, &all, which);
        all.assessed += counted(in, &v->assessed, &all, which);
        all.treated += counted(in, &v->treated, &all, which);
        all.digest = mixed(all.digest, v->random);
        if (v->cured.count != 0 || v->referred.count != 0)
            bench_fail("wrong %s answer: village %ld keeps people under way", which,
                       (long)(v - in->villages));
    }
    for (const person *p = in->people; p < in->people + in->person_count; p++) {
        all.times_ill += p->times_ill;
        all.hospitals += p->hospitals;
        all.days_waited += p->days_waited;
        all.digest = mixed(all.digest, (uint64_t)p->hospitals << 32 | (uint32_t)p->days_waited);
    }
    long found = all.healthy + all.waiting + all.assessed + all.treated;
    if (found != in->person_count)
        bench_fail("wrong %s answer: %ld people of %ld", which, found, in->person_count);
    if (all.hospitals < all.times_ill)
        bench_fail("wrong %s answer: %ld illnesses, %ld stays", which, all.times_ill,
                   all.hospitals);
    return all;
}

static int same(const census *a, const census *b) {
    return a->healthy == b->healthy && a->waiting == b->waiting && a->assessed == b->assessed &&
           a->treated == b->treated && a->times_ill == b->times_ill &&
           a->hospitals == b->hospitals && a->days_waited == b->days_waited &&
           a->digest == b->digest;
}

int main(int argc, char **argv) {
    long levels = 4, branching = 20, days = 365, variant = TIED;
    const bench_option options[] = {
        {"levels", 0, BENCH_INTEGER, &levels, 1, 12, "N", "levels of the tree of villages (4)"},
        {"branching", 0, BENCH_INTEGER, &branching, 1, 100, "N", "villages below each (20)"},
        {"days", 0, BENCH_INTEGER, &days, 1, 1000000, "N", "days to simulate (365)"},
        {"variant", 0, BENCH_CHOICE, &variant, 0, 0, "tied|untied|serial", "which program (tied)"},
        BENCH_CUTOFF_OPTIONS(cutoff),
    };
    bench_parse(argc, argv,
                "Simulates hospitals in a tree of villages, a task per village and day.", options,
                sizeof options / sizeof options[0]);

    if (villages_in(levels, branching) > MAX_VILLAGES)
        bench_usage("--levels %ld with --branching %ld makes more than %d villages", levels,
                    branching, MAX_VILLAGES);

    country reference = build((int)levels, (int)branching);
    double start = bench_seconds();
    run(SERIAL, reference.villages, days);
    double serial_seconds = bench_seconds() - start;
    census expected = take_census(&reference, "serial");
    release(&reference);

    country simulated = build((int)levels, (int)branching);
    int threads = variant == SERIAL ? 1 : bench_team();
    start = bench_seconds();
    run((enum variant)variant, simulated.villages, days);
    double seconds = bench_seconds() - start;
    census found = take_census(&simulated, variant_names[variant]);
    if (!same(&found, &expected))
        bench_fail("wrong %s answer: not the serial simulation's people", variant_names[variant]);

    bench_json_begin("health", variant_names[variant], threads, seconds);
    bench_json_integer("answer", (long long)(found.digest >> 11));
    bench_json_integer("villages", simulated.village_count);
    bench_json_integer("days", days);
    bench_json_integer("times_ill", found.times_ill);
    bench_json_integer("referrals", found.hospitals - found.times_ill);
    bench_json_integer("waiting", found.waiting);
    bench_json_integer("treated", found.treated);
    if (variant != SERIAL) {
        bench_json_cutoff(cutoff);
        if (cutoff.kind == CUTOFF_NONE)
            bench_json_integer("tasks", (simulated.village_count - 1) * days);
        bench_json_serial(serial_seconds, seconds);
    }
    bench_json_end();
    release(&simulated);
    return 0;
}
