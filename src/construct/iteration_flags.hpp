// SPDX-License-Identifier: Apache-2.0
// Doacross loops (OpenMP 5.2 section 15.10.2) where the program tells of the loops first and has
// the iterations handed out in its own way: one flag for each iteration of the nest, set when its
// source is done. Called by the kmpc layer on each member of the team. The flags are set with
// seq_cst and awaited with acquire. docs/protocols/doacross.md.
#pragma once

#include "concurrent/event_count.hpp"
#include "team/team.hpp"

namespace heddle::construct {

/// A loop as the program names its iterations: `first`, first + step, ... up or down to `last`.
struct NamedLoop {
    int64_t first, last, step;
};

/// What one member keeps for itself.
struct alignas(concurrent::cache_line) FlagsMember {
    uint64_t known_word = ~uint64_t{0}; ///< which word of flags it has seen last
    uint64_t known = 0;                 ///< and what it saw there
    uint64_t excess = 0;                ///< 1: each loop has one iteration less than it said
};

/// A loop with the number of its iterations.
struct CountedLoop {
    NamedLoop loop;
    uint64_t count;
};

/// The nest of a doacross loop; constant but for the flags. A position is the number of an
/// iteration in lexicographic order.
struct alignas(concurrent::cache_line) IterationFlags {
    static constexpr uint64_t sleeping_places = 16;
    struct alignas(concurrent::cache_line) Sleepers {
        concurrent::EventCount changed;
    };

    uint32_t dimensions = 0;
    CountedLoop* loops = nullptr;
    FlagsMember* members = nullptr;              ///< by thread number
    platform::Atomic<uint64_t>* words = nullptr; ///< flag p is bit p % 64 of word p / 64
    Sleepers sleepers[sleeping_places];          ///< word w: at w % sleeping_places
};

/// Begins a nest of `dimensions` loops, the outermost first, in whose body the iterations have
/// flags. Nothing happens when nobody ever waits: alone, or without an iteration. Each member calls
/// this before it enters the outermost loop. Dies without memory for the flags.
void begin_iteration_flags(team::Member& member, uint32_t dimensions, const NamedLoop* loops);

/// The member has left the loop.
void end_iteration_flags(team::Member& member);

/// The loop that is handed out has `count` iterations. clang says of each loop of the nest that it
/// has one more than it has; here that can be seen, and waits for the one too many are ignored.
void compare_with_loop(team::Member& member, uint64_t count);

/// ordered depend(sink): waits for the iteration with these values of the loop variables. Does
/// nothing when there is no such iteration.
void await_iteration(team::Member& member, const int64_t* iteration);

/// ordered depend(source): the iteration is done.
void flag_iteration(team::Member& member, const int64_t* iteration);

} // namespace heddle::construct
