// SPDX-License-Identifier: Apache-2.0
// affinity-format-var and its expansion for one thread (OpenMP 5.2 sections 2.1, 18.3.9
// and 21.2.5). Called by omp_*_affinity(_format), from any thread. The variable is shared and under
// a lock; the expansion reads what it is given and writes the caller's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::construct {

/// The values of the fields of table 21.1.
struct AffinityFields {
    int64_t team_num, num_teams, nesting_level, thread_num, num_threads, ancestor_tnum;
    int64_t process_id, native_thread_id;
    std::string_view host;
    const uint64_t* cpus; ///< a bit for each CPU of the thread's affinity mask
    size_t cpu_words;     ///< words at `cpus`
};

/// Expands `format` into `buffer`, as much as its `room` bytes hold, without a terminating NUL.
/// Returns the length of the whole text. An unknown field is the word undefined, as the standard
/// wants; a specifier that is none (`%5`, `%0n`) stands for itself.
size_t expand_affinity(std::string_view format, const AffinityFields& fields, char* buffer,
                       size_t room);

/// The same with the values of the calling thread. An empty format is affinity-format-var.
size_t capture_affinity(std::string_view format, char* buffer, size_t room);

/// Writes the expansion and a newline to stderr, as one piece; to stdout after display_on_output().
void display_affinity(std::string_view format);

/// For programs of clang, whose runtime displays there.
void display_on_output();

/// Sets affinity-format-var; without memory for it the process ends.
void set_affinity_format(std::string_view format);

/// Copies affinity-format-var, as much as fits, without a terminating NUL; returns its length.
size_t get_affinity_format(char* buffer, size_t room);

/// In a forked child, where the lock's holder may be a thread that is no more.
void remake_affinity_format_lock();

} // namespace heddle::construct
