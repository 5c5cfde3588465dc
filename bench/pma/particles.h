// SPDX-License-Identifier: Apache-2.0
// Particles in the unit cube, and how they move (particles.c).
#ifndef HEDDLE_BENCH_PMA_PARTICLES_H
#define HEDDLE_BENCH_PMA_PARTICLES_H

#include <stdint.h>

typedef struct {
    uint32_t cell, id;
    float position[3];
} particle;

// By cell, and within one by number.
static inline uint64_t particle_order(const particle *p) { return (uint64_t)p->cell << 32 | p->id; }

// Particle `id` of all before the first step. They fill a tank, one half of it higher.
particle particle_first(uint32_t id);

// Where the whirl is that moves particles near it; it wanders through the tank.
typedef struct {
    float x, y;
} whirl;
whirl whirl_at(long step);

// Moves a particle by one step, cell included; returns whether it came to another cell. Most
// particles are at rest; those near the whirl cost many times more.
int particle_move(particle *p, whirl middle);

#endif
