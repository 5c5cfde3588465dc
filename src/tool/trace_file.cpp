// SPDX-License-Identifier: Apache-2.0
// Making the trace's file and its chunks. Nothing here may end the process: room on the disk is
// taken before it is mapped, for a store to a mapped page without any would be a SIGBUS.
// By any thread that records; an older file of the name is unlinked, not truncated, since another
// process may have it mapped.
#include "tool/trace_file.hpp"

#include "concurrent/futex_lock.hpp"
#include "config/load.hpp"
#include "config/text.hpp"
#include "tool/modules.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tool {

namespace {

using config::Text;

constexpr char file_magic[8] = {'H', 'E', 'D', 'T', 'R', 'A', 'C', 'E'};

enum State : uint32_t { closed, opening, open_, failed };
platform::Atomic<uint32_t> state{closed};

// Written by who moves `state` from `closed`, constant once it is `open_`.
int file = -1;
dev_t file_device;
ino_t file_inode;
TraceHeader* header = nullptr;
char name[700];
bool is_child = false; ///< of a fork: the name gets the process id

platform::Atomic<uint64_t> chunks{0};        // taken so far; relaxed: only a number
platform::Atomic<uint32_t> full_is_known{0}; // relaxed: for one message
concurrent::FutexLock modules_lock;

void make_name() {
    const char* pattern = config::settings().heddle.trace_file;
    Text text(name, sizeof name);
    bool has_process = false;
    for (const char* c = pattern; *c != '\0'; ++c) {
        if (*c == '%' && *++c == 'p') {
            text << getpid();
            has_process = true;
        } else {
            text << std::string_view(c, 1);
        }
    }
    if (is_child && !has_process)
        text << "." << getpid();
}

void say(const char* what, int error, const char* then) {
    char buffer[1000];
    Text line(buffer, sizeof buffer);
    line << "HEDDLE_TRACE: " << what << " '" << name << "'";
    if (error)
        line << ": " << strerror(error);
    line << "; " << then;
    platform::warn(line.c_str());
}

/// Is there nothing under the name that is not a trace, or empty?
bool may_replace() {
    struct stat status;
    if (lstat(name, &status) != 0)
        return true; // or open() says why not
    if (!S_ISREG(status.st_mode))
        return false;
    if (status.st_size == 0)
        return true;
    char magic[sizeof file_magic] = {};
    const int old = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (old < 0)
        return false;
    const ssize_t length = read(old, magic, sizeof magic);
    close(old);
    return length == sizeof magic && memcmp(magic, file_magic, sizeof magic) == 0;
}

/// May the file have so many bytes? Beyond the limit the system would send a signal.
bool may_have(uint64_t bytes) {
    rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

/// Makes the new file a trace before it has any length else: another process that wants the name
/// may look at any moment. 0, or the error.
int mark_file() {
    if (!may_have(sizeof file_magic))
        return EFBIG;
    const ssize_t written = pwrite(file, file_magic, sizeof file_magic, 0);
    return written == sizeof file_magic ? 0 : written < 0 ? errno : ENOSPC;
}

/// Room on the disk for `size` bytes at `offset`. 0, or the error.
int take_room(uint64_t offset, uint64_t size) {
    if (!may_have(offset + size))
        return EFBIG;
    int error;
    do
        error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(size));
    while (error == EINTR);
    return error;
}

/// Is `file` still ours? Programs that become daemons close what they do not know.
bool has_file() {
    struct stat status;
    return fstat(file, &status) == 0 && status.st_dev == file_device && status.st_ino == file_inode;
}

void* map(uint64_t offset, size_t size) {
    void* start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file,
                       static_cast<off_t>(offset));
    return start == MAP_FAILED ? nullptr : start;
}

uint64_t time_of_day() {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void fill_header() {
    header->version = trace_version;
    header->header_bytes = sizeof(TraceHeader);
    header->chunk_bytes = trace_chunk_bytes;
    header->event_bytes = sizeof(Event);
    header->ticks_per_second = 1000000000u;
    header->began_monotonic = platform::now_ns();
    header->began_real = time_of_day();
    header->bytes_per_worker = chunks_per_worker() * trace_chunk_bytes;
    header->process = getpid();
    header->module_bytes = sizeof(Module);
    Text(header->library, sizeof header->library) << HEDDLE_VERSION;
    if (readlink("/proc/self/exe", header->program, sizeof header->program - 1) < 0)
        header->program[0] = '\0';
}

bool make_file() {
    make_name();
    if (!may_replace()) {
        say("there is something that is no trace in", 0, "nothing is recorded");
        return false;
    }
    unlink(name);
    file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    int error = file < 0 ? errno : mark_file();
    if (error == 0)
        error = take_room(0, trace_chunk_bytes);
    struct stat status;
    void* memory = nullptr;
    if (error == 0) {
        memory = map(0, sizeof(TraceHeader));
        error = memory && fstat(file, &status) == 0 ? 0 : errno;
    }
    if (error != 0) {
        say("cannot write", error, "nothing is recorded");
        if (file >= 0) {
            close(file);
            unlink(name);
            file = -1;
        }
        return false;
    }
    file_device = status.st_dev;
    file_inode = status.st_ino;
    header = static_cast<TraceHeader*>(memory);
    fill_header();
    chunks.store(1, platform::relaxed); // the header takes the first one's place
    return true;
}

bool has_trace() {
    const platform::NotCancelled whole; // others wait for who opens it
    // acquire: pairs with the release below
    uint32_t now = state.load(platform::acquire);
    while (now == opening || now == closed) {
        uint32_t expected = closed;
        if (state.compare_exchange_strong(expected, opening, platform::acquire,
                                          platform::acquire)) {
            now = make_file() ? open_ : failed;
            state.store(now, platform::release); // to the acquires here and in trace_began()
            if (now == open_)
                write_modules();
            break;
        }
        platform::yield();
        now = state.load(platform::acquire);
    }
    return now == open_;
}

Chunk* make_chunk() {
    if (!has_file())
        return nullptr;
    const uint64_t index = chunks.fetch_add(1, platform::relaxed);
    const uint64_t offset = index * trace_chunk_bytes;
    const int error = take_room(offset, trace_chunk_bytes);
    void* memory = error == 0 ? map(offset, trace_chunk_bytes) : nullptr;
    if (!memory && full_is_known.exchange(1, platform::relaxed) == 0)
        say("no room for more in", error ? error : errno, "older events give way to new ones");
    return static_cast<Chunk*>(memory);
}

} // namespace

Chunk* take_chunk(int32_t worker, uint64_t number) {
    const int saved = errno;
    Chunk* chunk = has_trace() ? make_chunk() : nullptr;
    if (chunk) {
        chunk->worker = worker;
        chunk->number = number;
        chunk->thread_id = platform::thread_id();
        prctl(PR_GET_NAME, chunk->name);
        chunk->magic = chunk_magic;
    }
    errno = saved;
    return chunk;
}

uint64_t trace_began() { return header->began_monotonic; }

uint64_t chunks_per_worker() {
    const size_t size = config::settings().heddle.trace_size;
    return size < trace_chunk_bytes ? 1 : size / trace_chunk_bytes;
}

void write_modules() {
    if (state.load(platform::acquire) != open_) // pairs with has_trace()
        return;
    const concurrent::LockGuard guard(modules_lock);
    uint32_t count;
    const Module* modules = known_modules(count);
    for (uint32_t i = header->modules.load(platform::relaxed); i < count; ++i) {
        header->module[i] = modules[i];
        header->modules.store(i + 1, platform::release); // to who reads the file meanwhile
    }
}

void leave_trace_after_fork() {
    if (file >= 0 && has_file())
        close(file);
    file = -1;
    is_child = true;
    ::new (&modules_lock) concurrent::FutexLock;
    full_is_known.store(0, platform::relaxed);
    state.store(closed, platform::relaxed); // no other thread exists
}

} // namespace heddle::tool
