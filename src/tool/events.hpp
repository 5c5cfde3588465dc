// SPDX-License-Identifier: Apache-2.0
// What a trace consists of: the kinds of events, and the layout of the file that HEDDLE_TRACE
// names. Used by recorder and trace_file, which write it; python/heddle/trace reads it, and a test
// compares the two. A change here is another `trace_version`. docs/tracing.md describes the file.
#pragma once

#include "platform.hpp"

namespace heddle::tool {

// EVENT(name, value, extra): what the two numbers of such an event say. Numbered from 1 in this
// order: 0 is memory that nobody has written. The kinds of waits have the same form.
#define HEDDLE_EVENTS(EVENT)                                                                       \
    EVENT(thread_begin, "kernel's thread id", "1: a thread of the pool")                           \
    EVENT(thread_end, "", "")                                                                      \
    EVENT(region_begin, "outlined function", "threads in the team")                                \
    EVENT(region_end, "", "")                                                                      \
    EVENT(implicit_begin, "outlined function", "number of the thread in the team")                 \
    EVENT(implicit_end, "", "")                                                                    \
    EVENT(task_origin, "family: who deferred the task that begins next", "")                       \
    EVENT(task_begin, "outlined function", "0 at once, 1 taken back, 2 stolen")                    \
    EVENT(task_end, "", "")                                                                        \
    EVENT(task_deferred, "family: as in task_origin", "")                                          \
    EVENT(steal, "tasks in the batch", "number of the victim in the team")                         \
    EVENT(leapfrog, "tasks in the batch", "number of the holder in the team")                      \
    EVENT(idle_begin, "address of a lock, or 0", "kind of wait")                                   \
    EVENT(idle_end, "", "")                                                                        \
    EVENT(wait_end, "", "")                                                                        \
    EVENT(sleep_begin, "", "")                                                                     \
    EVENT(sleep_end, "", "")                                                                       \
    EVENT(loop_begin, "iterations", "schedule")                                                    \
    EVENT(loop_end, "", "")

#define HEDDLE_WAITS(WAIT)                                                                         \
    WAIT(barrier, "a barrier")                                                                     \
    WAIT(region_end, "the end of a parallel region")                                               \
    WAIT(taskwait, "taskwait")                                                                     \
    WAIT(taskgroup, "the end of a taskgroup")                                                      \
    WAIT(dependences, "tasks that come first, or an event")                                        \
    WAIT(critical, "a critical construct")                                                         \
    WAIT(lock, "a lock")                                                                           \
    WAIT(nest_lock, "a nestable lock")                                                             \
    WAIT(other_thread, "an ordered construct, a doacross loop or a single construct's copies")

enum class EventKind : uint8_t {
    nothing,
#define HEDDLE_NAME(name, value, extra) name,
    HEDDLE_EVENTS(HEDDLE_NAME)
#undef HEDDLE_NAME
};

enum class WaitKind : uint8_t {
    none,
#define HEDDLE_NAME(name, words) name,
    HEDDLE_WAITS(HEDDLE_NAME)
#undef HEDDLE_NAME
};

inline constexpr uint32_t trace_version = 1;
inline constexpr size_t trace_chunk_bytes = size_t{1} << 20;
inline constexpr int value_bits = 48; ///< of an event; larger ones count as the largest
inline constexpr int time_bits = 56;  ///< nanoseconds: two years

/// One event. `when`: nanoseconds since the trace began, and the kind in the upper byte; `what`:
/// the value, and `extra` in the upper 16 bits.
struct Event {
    uint64_t when, what;
};
static_assert(sizeof(Event) == 16);

constexpr Event make_event(EventKind kind, uint64_t ns, uint64_t value, uint64_t extra) {
    constexpr uint64_t most = (uint64_t{1} << value_bits) - 1;
    constexpr uint64_t most_time = (uint64_t{1} << time_bits) - 1;
    const uint64_t number = static_cast<uint64_t>(kind);
    return {(ns & most_time) | number << time_bits,
            (value < most ? value : most) | (extra < 0xffff ? extra : 0xffff) << value_bits};
}

/// A part of the file that one worker writes. What of its events counts is said by `written`.
struct Chunk {
    uint32_t magic;                     ///< chunk_magic
    int32_t worker;                     ///< its number
    uint64_t number;                    ///< among those of the worker, in the order of time, from 0
    platform::Atomic<uint64_t> written; ///< events, from the first
    int32_t thread_id;                  ///< the kernel's, of the thread that began the chunk
    uint32_t reserved;
    char name[32]; ///< of that thread, NUL-terminated
    Event events[(trace_chunk_bytes - 64) / sizeof(Event)];
};
static_assert(sizeof(Chunk) == trace_chunk_bytes);

inline constexpr uint32_t chunk_magic = 0x4e484348; // "HCHN"
inline constexpr uint64_t events_in_chunk = sizeof(Chunk::events) / sizeof(Event);

/// An object file that has code or data of which an event tells the address.
struct Module {
    uint64_t base;      ///< address minus base is an address in the file
    uint64_t low, high; ///< addresses in the process: [low, high)
    char path[488];     ///< NUL-terminated
};
static_assert(sizeof(Module) == 512);
inline constexpr uint32_t most_modules = 120;

/// The beginning of the file; chunks follow at multiples of their size, from the first one on.
struct TraceHeader {
    char magic[8]; ///< "HEDTRACE"
    uint32_t version, header_bytes, chunk_bytes, event_bytes;
    uint64_t ticks_per_second; ///< of the events' times
    uint64_t began_monotonic;  ///< the monotonic clock when the trace began, nanoseconds
    uint64_t began_real;       ///< the time of day then, nanoseconds since 1970
    uint64_t bytes_per_worker; ///< HEDDLE_TRACE_SIZE
    int64_t process;
    platform::Atomic<uint32_t> modules; ///< entries of `module`
    uint32_t module_bytes;
    char library[32];  ///< Heddle's version
    char program[408]; ///< path of the executable
    Module module[most_modules];
};
static_assert(sizeof(TraceHeader) == 512 * (most_modules + 1));

} // namespace heddle::tool
