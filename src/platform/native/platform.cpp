// SPDX-License-Identifier: Apache-2.0
// The native platform on Linux: threads, futex sleeping, memory, process and thread exits.
// Called by the layers above through platform.hpp. Nothing here knows OpenMP.
#include "platform/contract.hpp"

#include "platform/native/stack_guard.hpp"
#include "platform/signals_held.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::platform {

__thread void* self_pointer __attribute__((tls_model("initial-exec"))) = nullptr;

void yield() { sched_yield(); }

int current_cpu() { return sched_getcpu(); }

void leave_cpu() {
    const int saved = errno;
    cpu_set_t allowed, others;
    const int cpu = sched_getcpu();
    if (cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        others = allowed;
        CPU_CLR(cpu, &others);
        // Any error, as under seccomp, leaves the thread where it is.
        if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
            sched_setaffinity(0, sizeof allowed, &allowed);
    }
    errno = saved;
}

namespace {

bool register_for_fences() {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

// With a second thread the system takes some 10 ms for it, in which whoever needs the fence waits;
// until there is one, 3 us.
__attribute__((constructor)) void register_at_load() {
    const int saved = errno;
    if (__libc_single_threaded)
        register_for_fences();
    errno = saved;
}

/// The least stack that glibc makes a thread with, in bytes: most of it is what the program's
/// thread-local data take of each stack. 0 where nobody tells. Written at load, for dlsym() waits
/// for whoever loads a library.
size_t least_stack = 0;

__attribute__((constructor)) void ask_for_least_stack() {
    using LeastStack = size_t (*)(const pthread_attr_t*);
    pthread_attr_t attributes;
    auto* ask = reinterpret_cast<LeastStack>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    if (!ask || pthread_attr_init(&attributes) != 0)
        return;
    least_stack = ask(&attributes);
    pthread_attr_destroy(&attributes);
}

} // namespace

bool fence_all_threads() {
    const int saved = errno;
    bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
    if (!done && errno == EPERM) // not registered at load
        done = register_for_fences() &&
               syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
    errno = saved;
    return done;
}

Stops stops() {
    rusage usage{}; // zeros if the system refuses
    getrusage(RUSAGE_THREAD, &usage);
    return {static_cast<uint64_t>(usage.ru_nvcsw), static_cast<uint64_t>(usage.ru_nivcsw)};
}

// Not by the C library's function, for this runs when the library is loaded: a program of clang
// that has ThreadSanitizer linked in intercepts that before it can pass it on.
bool get_affinity(uint64_t* words, size_t count) {
    const int saved = errno;
    const long bytes = syscall(SYS_sched_getaffinity, 0, count * sizeof *words, words);
    if (bytes >= 0)
        memset(reinterpret_cast<char*>(words) + bytes, 0,
               count * sizeof *words - static_cast<size_t>(bytes));
    errno = saved;
    return bytes >= 0;
}

bool set_affinity(const uint64_t* words, size_t count) { return set_affinity_of(0, words, count); }

bool set_affinity_of(int thread, const uint64_t* words, size_t count) {
    const int saved = errno;
    const bool done = sched_setaffinity(thread, count * sizeof *words,
                                        reinterpret_cast<const cpu_set_t*>(words)) == 0;
    errno = saved;
    return done;
}

int thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

namespace {

bool futex_wait(void* word, uint32_t expected, uint64_t timeout_ns) {
    timespec limit{};
    timespec* timeout = nullptr;
    if (timeout_ns != forever) {
        limit.tv_sec = static_cast<time_t>(timeout_ns / 1000000000u);
        limit.tv_nsec = static_cast<long>(timeout_ns % 1000000000u);
        timeout = &limit;
    }
    const int saved = errno; // waiting must be invisible to the user's program
    const bool slept =
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout, nullptr, 0) == 0 ||
        errno != EAGAIN;
    errno = saved;
    return slept;
}

void futex_wake(void* word, int count) {
    const int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
    errno = saved;
}

/// Where the kernel finds the low half of a 64-bit word.
void* low_half(Atomic<uint64_t>& word) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return &word;
}

} // namespace

bool wait_on(Atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
    return futex_wait(&word, expected, timeout_ns);
}
bool wait_on(Atomic<uint64_t>& word, uint64_t expected, uint64_t timeout_ns) {
    return futex_wait(low_half(word), static_cast<uint32_t>(expected), timeout_ns);
}
void wake(Atomic<uint32_t>& word, int count) { futex_wake(&word, count); }
void wake(Atomic<uint64_t>& word, int count) { futex_wake(low_half(word), count); }

namespace {

void* start_routine(void* raw) {
    const Thread& thread = *static_cast<const Thread*>(raw);
    if (thread.room)
        call_and_tell_overflow(thread);
    else
        thread.entry(thread.argument);
    return nullptr;
}

/// Size 0 when it cannot be found out.
StackOfThread stack_of(pthread_t thread, size_t& guard) {
    pthread_attr_t attributes;
    void* low = nullptr;
    size_t size = 0;
    if (pthread_getattr_np(thread, &attributes) != 0)
        return {nullptr, 0};
    const bool found = pthread_attr_getstack(&attributes, &low, &size) == 0 &&
                       pthread_attr_getguardsize(&attributes, &guard) == 0;
    pthread_attr_destroy(&attributes);
    return {static_cast<char*>(low), found ? size : 0};
}

Atomic<void (*)(void*)> thread_exit_handler{nullptr}; // relaxed: always the same one
pthread_key_t thread_exit_key;
bool has_thread_exit_key = false; // both are written at load, else under the once
pthread_once_t thread_exit_once = PTHREAD_ONCE_INIT;

void call_thread_exit_handler(void* pointer) { thread_exit_handler.load(relaxed)(pointer); }
void make_thread_exit_key() {
    if (!has_thread_exit_key)
        has_thread_exit_key = pthread_key_create(&thread_exit_key, call_thread_exit_handler) == 0;
}

/// While the program has not taken all of the 1,024 keys. Without pthread_once(), which a program
/// of clang with ThreadSanitizer intercepts before it can.
__attribute__((constructor)) void make_thread_exit_key_at_load() { make_thread_exit_key(); }

} // namespace

bool has_addresses_for(size_t bytes) {
    constexpr size_t kept = 16 << 20;
    rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    const int saved = errno;
    void* start =
        mmap(nullptr, bytes + kept, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED)
        munmap(start, bytes + kept);
    errno = saved;
    return start != MAP_FAILED;
}

bool spawn(Thread& thread, size_t stack_bytes) {
    const size_t room = room_to_tell_overflow();
    const size_t beside = room + least_stack; // what is asked for is for the program
    const auto minimum = static_cast<size_t>(PTHREAD_STACK_MIN); // a run-time value in glibc
    pthread_attr_t attributes;
    pthread_attr_init(&attributes); // with the system's stack size
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_bytes == 0)
        pthread_attr_getstacksize(&attributes, &stack_bytes);
    if (stack_bytes < minimum)
        stack_bytes = minimum;
    thread.room = room;
    if (!has_addresses_for(stack_bytes + beside)) {
        pthread_attr_destroy(&attributes);
        return false;
    }
    pthread_attr_setstacksize(&attributes, stack_bytes + beside);
    pthread_attr_setguardsize(&attributes, guard_bytes);
    pthread_t made;
    const int error = pthread_create(&made, &attributes, start_routine, &thread);
    pthread_attr_destroy(&attributes);
    if (error)
        return false;
    thread.stack = stack_of(made, thread.guard);
    if (thread.stack.size) {
        thread.stack.size -= beside;
        thread.stack.above = beside;
    }
    return true;
}

StackOfThread stack_of_thread() {
    size_t guard;
    return stack_of(pthread_self(), guard);
}

void* allocate(size_t size, size_t alignment) {
    void* block = nullptr;
    if (alignment < sizeof(void*))
        alignment = sizeof(void*);
    return posix_memalign(&block, alignment, size) == 0 ? block : nullptr;
}

void deallocate(void* block) { free(block); }

void on_thread_exit(void (*handler)(void*)) {
    thread_exit_handler.store(handler, relaxed);
    pthread_once(&thread_exit_once, make_thread_exit_key);
    if (has_thread_exit_key) // otherwise nobody hears of the end, and the memory stays
        pthread_setspecific(thread_exit_key, self());
}

bool is_main_thread() { return thread_id() == getpid(); }

bool main_thread_has_ended() {
    if (is_main_thread())
        return true;
    char text[512]; // process (name) state ...
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t length = read(file, text, sizeof text);
    close(file);
    for (ssize_t i = length - 1; i >= 0; --i) // the name may have anything in it
        if (text[i] == ')')
            return i + 2 < length && text[i + 2] == 'Z';
    return false;
}

NotCancelled::NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
NotCancelled::~NotCancelled() { pthread_setcancelstate(before_, nullptr); }

void on_fork_child(void (*handler)()) {
    ask_no_loader_while_forking();
    pthread_atfork(nullptr, nullptr, handler);
}

namespace {

Atomic<uint32_t> warnings_off{0}; // relaxed: it publishes nothing

} // namespace

void print_line(const char* text) {
    char line[512];
    size_t length = 0;
    for (const char* part : {"heddle: ", text, "\n"})
        for (; *part && length < sizeof line; ++part)
            line[length++] = *part;
    line[length - 1] = '\n';
    const int saved = errno;
    if (write(STDERR_FILENO, line, length) < 0) { /* nobody can be told */
    }
    errno = saved;
}

void warn(const char* text) {
    if (warnings_off.load(relaxed) != 0)
        return;
    const SignalsHeld held;
    print_line(text);
}

void set_warnings(bool on) { warnings_off.store(!on, relaxed); }

void die(const char* text) {
    print_line(text);
    abort();
}

} // namespace heddle::platform
