// SPDX-License-Identifier: Apache-2.0
// The motion of the particles (particles.h): a whirl of limited reach, which goes round in the
// tank. Where a particle goes depends on itself and the step alone, so each can be checked by
// itself.
#include "particles.h"

#include <math.h>

// Cells are cubes along a space-filling curve (Morton order), 2^BITS in each direction. The whirl
// turns particles in SUBSTEPS; it has gone round after PERIOD steps.
enum { BITS = 8, SUBSTEPS = 8, PERIOD = 64 };

static const float REACH = 0.2f, STRENGTH = 0.05f, LEVEL = 0.3f, COLUMN = 0.6f;

// A number from 0 to 1, without 1 (the finalizer of splitmix64).
static float chance(uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (float)(x >> 40) / 16777216.0f;
}

static uint32_t coordinate(float x) { return (uint32_t)(x * (float)(1 << BITS)); }

static uint32_t cell_of(const float position[3]) {
    uint32_t cell = 0, x = coordinate(position[0]), y = coordinate(position[1]),
             z = coordinate(position[2]);
    for (int bit = BITS - 1; bit >= 0; bit--)
        cell = cell << 3 | (z >> bit & 1) << 2 | (y >> bit & 1) << 1 | (x >> bit & 1);
    return cell;
}

particle particle_first(uint32_t id) {
    particle p = {0, id, {chance(3ull * id), chance(3ull * id + 1), 0.0f}};
    p.position[2] = chance(3ull * id + 2) * (p.position[0] < 0.5f ? COLUMN : LEVEL);
    p.cell = cell_of(p.position);
    return p;
}

static float within(float x) { return x < 0.0f ? 0.0f : x > 0.999999f ? 0.999999f : x; }

whirl whirl_at(long step) {
    float angle = 6.2831853f * (float)(step % PERIOD) / (float)PERIOD;
    return (whirl){0.5f + 0.3f * cosf(angle), 0.5f + 0.3f * sinf(angle)};
}

// Out of line: every program shall run the very same arithmetic.
__attribute__((noinline)) int particle_move(particle *p, whirl middle) {
    float x = p->position[0] - middle.x, y = p->position[1] - middle.y,
          z = p->position[2] - LEVEL / 2.0f;
    if (x * x + y * y + z * z >= REACH * REACH)
        return 0;
    for (int i = 0; i < SUBSTEPS; i++) {
        float near = 1.0f - (x * x + y * y + z * z) / (REACH * REACH);
        float turn = STRENGTH * (near > 0.0f ? sqrtf(near) : 0.0f);
        float scale = 1.0f / sqrtf(1.0f + turn * turn), turned_x = (x - turn * y) * scale;
        y = (y + turn * x) * scale;
        x = turned_x;
        z += 0.1f * turn * x;
    }
    p->position[0] = within(x + middle.x);
    p->position[1] = within(y + middle.y);
    p->position[2] = within(z + LEVEL / 2.0f);
    uint32_t before = p->cell;
    p->cell = cell_of(p->position);
    return p->cell != before;
}
