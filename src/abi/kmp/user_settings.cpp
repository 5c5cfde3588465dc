// SPDX-License-Identifier: Apache-2.0
// libomp's routines on stacks, waiting, its library modes, warnings and defaults, in C and Fortran.
// Called by user programs on any thread; they write the words of config/kmp_runtime, or an ICV of
// the calling task. Source: "Execution environment routines" and "Intel extension routines" of the
// Intel compiler's manual.
#include "abi/export.hpp"
#include "config/kmp_defaults.hpp"
#include "config/kmp_runtime.hpp"
#include "construct/cancel.hpp"
#include "construct/icvs.hpp"
#include "team/cpu_pressure.hpp"
#include "team/fork_join.hpp"

#include <algorithm>
#include <climits>
#include <sys/resource.h>

using namespace heddle;
using config::KmpLibrary;
using config::settings;

namespace {

constexpr size_t least_stack = 16 * 1024;       ///< as for OMP_STACKSIZE
constexpr size_t usual_stack = 8 * 1024 * 1024; ///< where the system sets no limit

/// What the next thread gets, in bytes.
size_t stack_size() {
    if (const size_t size = config::stack_size(settings()))
        return size;
    rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return usual_stack;
    return limit.rlim_cur;
}

void set_stack_size(size_t size) {
    if (team::workers_made() > 1)
        platform::warn("kmp_set_stacksize: ignored, for threads have been made already");
    else
        config::set_stack_size(std::max(size, least_stack));
}

void set_blocktime(int milliseconds) {
    team::self(); // a first attachment would look at the settings again
    config::set_blocktime(milliseconds);
    team::set_up_cpu_pressure();
}

/// `serial` concerns the regions of the calling task, also those with a num_threads clause; the
/// others how all threads wait.
void use_library(KmpLibrary wanted) {
    constexpr int usual_blocktime = 4; // milliseconds, as without any setting
    const bool serial = wanted == KmpLibrary::serial;
    if (serial || config::library(settings()) == KmpLibrary::serial) {
        config::Icvs& icvs = construct::task_icvs_for_write();
        const config::Icvs initial = team::initial_icvs();
        icvs.nthreads = serial ? 1 : initial.nthreads;
        icvs.thread_limit = serial ? 1 : initial.thread_limit;
    }
    if (wanted == KmpLibrary::turnaround)
        set_blocktime(INT_MAX);
    else if (!serial && config::blocktime(settings()) == INT_MAX)
        set_blocktime(usual_blocktime);
    config::set_library(wanted);
}

/// Reads the environment first, which says whether warnings are on.
void set_warnings(bool on) {
    settings();
    platform::set_warnings(on);
}

/// 1 parallel, 2 loop, 3 sections, 4 taskgroup.
bool is_cancelled(int kind) {
    using construct::CancelKind;
    if (kind < 1 || kind > 4 || !settings().cancellation)
        return false;
    return construct::is_cancellation_due(team::self(), kind == 1   ? CancelKind::parallel
                                                        : kind == 4 ? CancelKind::taskgroup
                                                                    : CancelKind::worksharing);
}

} // namespace

/// Bytes of the stacks of threads to come, 16384 or more; counts before the first region.
HEDDLE_EXPORT void kmp_set_stacksize(int size) {
    set_stack_size(size > 0 ? static_cast<size_t>(size) : 0);
}
HEDDLE_EXPORT void kmp_set_stacksize_s(size_t size) { set_stack_size(size); }
HEDDLE_EXPORT int kmp_get_stacksize() {
    return static_cast<int>(std::min<size_t>(stack_size(), INT_MAX));
}
HEDDLE_EXPORT size_t kmp_get_stacksize_s() { return stack_size(); }

/// Milliseconds for which a waiting thread spins before it sleeps, INT_MAX for ever; of all
/// threads.
HEDDLE_EXPORT void kmp_set_blocktime(int milliseconds) { set_blocktime(milliseconds); }
HEDDLE_EXPORT int kmp_get_blocktime() { return config::blocktime(settings()); }

HEDDLE_EXPORT void kmp_set_library_serial() { use_library(KmpLibrary::serial); }
HEDDLE_EXPORT void kmp_set_library_turnaround() { use_library(KmpLibrary::turnaround); }
HEDDLE_EXPORT void kmp_set_library_throughput() { use_library(KmpLibrary::throughput); }

/// 1 serial, 2 turnaround, 3 throughput.
HEDDLE_EXPORT void kmp_set_library(int library) {
    if (library < 1 || library > 3)
        platform::warn("kmp_set_library: ignored: expected 1, 2 or 3");
    else
        use_library(static_cast<KmpLibrary>(library));
}
HEDDLE_EXPORT int kmp_get_library() { return static_cast<int>(config::library(settings())); }

/// `NAME=VALUE`, or several separated by `|`: see config/kmp_defaults.
HEDDLE_EXPORT void kmp_set_defaults(const char* text) { config::set_defaults(text); }

/// libomp's loops take turns in a ring of buffers; here there is no such limit.
HEDDLE_EXPORT void kmp_set_disp_num_buffers(int) {}

HEDDLE_EXPORT void kmp_set_warnings_on() { set_warnings(true); }
HEDDLE_EXPORT void kmp_set_warnings_off() { set_warnings(false); }

/// Threads that the runtime has made or met so far.
HEDDLE_EXPORT int kmp_get_num_known_threads() {
    team::self();
    return team::workers_made();
}

/// Whether the innermost region of a kind is cancelled: 1 parallel, 2 loop, 3 sections, 4
/// taskgroup.
HEDDLE_EXPORT int kmp_get_cancellation_status(int kind) { return is_cancelled(kind); }

// kmp_* routines by other names, which older Intel compilers call.
HEDDLE_EXPORT void kmpc_set_stacksize(int size) { kmp_set_stacksize(size); }
HEDDLE_EXPORT void kmpc_set_stacksize_s(size_t size) { kmp_set_stacksize_s(size); }
HEDDLE_EXPORT void kmpc_set_blocktime(int milliseconds) { kmp_set_blocktime(milliseconds); }
HEDDLE_EXPORT void kmpc_set_library(int library) { kmp_set_library(library); }
HEDDLE_EXPORT void kmpc_set_defaults(const char* text) { kmp_set_defaults(text); }
HEDDLE_EXPORT void kmpc_set_disp_num_buffers(int) {}

// Fortran: by reference, but for the kind of a cancellation; a text comes with its length.
HEDDLE_EXPORT void kmp_set_stacksize_(const int* size) { kmp_set_stacksize(*size); }
HEDDLE_EXPORT void kmp_set_stacksize_s_(const size_t* size) { kmp_set_stacksize_s(*size); }
HEDDLE_EXPORT int kmp_get_stacksize_() { return kmp_get_stacksize(); }
HEDDLE_EXPORT size_t kmp_get_stacksize_s_() { return kmp_get_stacksize_s(); }
HEDDLE_EXPORT void kmp_set_blocktime_(const int* milliseconds) { kmp_set_blocktime(*milliseconds); }
HEDDLE_EXPORT int kmp_get_blocktime_() { return kmp_get_blocktime(); }
HEDDLE_EXPORT void kmp_set_library_serial_() { kmp_set_library_serial(); }
HEDDLE_EXPORT void kmp_set_library_turnaround_() { kmp_set_library_turnaround(); }
HEDDLE_EXPORT void kmp_set_library_throughput_() { kmp_set_library_throughput(); }
HEDDLE_EXPORT void kmp_set_library_(const int* library) { kmp_set_library(*library); }
HEDDLE_EXPORT int kmp_get_library_() { return kmp_get_library(); }
HEDDLE_EXPORT void kmp_set_defaults_(const char* text, int length) {
    config::set_defaults({text, static_cast<size_t>(length > 0 ? length : 0)});
}
HEDDLE_EXPORT void kmp_set_disp_num_buffers_(const int*) {}
HEDDLE_EXPORT void kmp_set_warnings_on_() { kmp_set_warnings_on(); }
HEDDLE_EXPORT void kmp_set_warnings_off_() { kmp_set_warnings_off(); }
HEDDLE_EXPORT int kmp_get_num_known_threads_() { return kmp_get_num_known_threads(); }
HEDDLE_EXPORT int kmp_get_cancellation_status_(int kind) { return is_cancelled(kind); }
