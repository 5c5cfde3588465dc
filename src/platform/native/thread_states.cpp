// SPDX-License-Identifier: Apache-2.0
// How many threads of the process want a CPU, as the system tells for each of them: proc(5),
// /proc/self/task/*/stat. Called seldom, by threads that wait for tasks (team/task_watch.cpp) or
// begin a region on their primary's CPU (team/pool_thread.cpp); no memory is allocated and nothing
// is kept.
#include "platform/contract.hpp"

#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::platform {

namespace {

/// As the system call writes it.
struct Entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[1];
};

/// The state in "4711 (name) R ...", where the name may hold anything; 0: the thread has ended.
char state_of(int tasks, const char* thread) {
    char path[32];
    const size_t length = strlen(thread);
    if (length + sizeof "/stat" > sizeof path)
        return 0;
    memcpy(path, thread, length);
    memcpy(path + length, "/stat", sizeof "/stat");
    const int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    char text[128];
    const ssize_t size = read(file, text, sizeof text);
    close(file);
    const void* end = size > 0 ? memrchr(text, ')', static_cast<size_t>(size)) : nullptr;
    const ssize_t at = end ? static_cast<const char*>(end) - text + 2 : size;
    return at < size ? text[at] : 0;
}

} // namespace

int runnable_threads(int enough, int most_looks) {
    const int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0)
        return -1;
    int found = 0, looks = 0;
    alignas(Entry) char entries[2048];
    for (long size; found < enough && looks < most_looks &&
                    (size = syscall(SYS_getdents64, tasks, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < size && found < enough && looks < most_looks;) {
            const auto* entry = reinterpret_cast<const Entry*>(entries + at);
            if (entry->name[0] != '.') {
                ++looks;
                found += state_of(tasks, entry->name) == 'R' ? 1 : 0;
            }
            at += entry->size;
        }
    }
    close(tasks);
    return found;
}

} // namespace heddle::platform
