// SPDX-License-Identifier: Apache-2.0
// Byte `origin + cpu` of /dev/null stands for a CPU: every process can open that file, it is one
// for the whole system (of a container, its own), and nothing is left behind. The locks are those
// of the open file, so they are shared with forked children, and no other file's end drops them.
// Atomics: each thread adds bits of its places, and the first one its file; relaxed, for the
// kernel orders the locks, and a file number is all that one thread takes from another.
#include "place/claims.hpp"

#include "config/load.hpp"
#include "config/text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::place {

namespace {

using config::CpuSet;

constexpr off_t origin = off_t{0x6865646c} << 24;         // unlikely to be anybody else's
constexpr off_t told = origin + config::CpuSet::capacity; // and the launcher's process id
constexpr int most_cpus = 2;                              // a core: its hardware threads

constinit platform::Atomic<int32_t> file{-1};
constinit platform::Atomic<uint64_t> claimed[config::PlaceList::longest / 64]{};

/// The file for the locks; -1 when there is none. A program may have closed it, and opened another
/// one under its number: that one is left alone.
int claims_file() {
    int32_t number = file.load(platform::relaxed);
    if (number < 0) {
        const int opened = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (opened < 0)
            return -1;
        if (file.compare_exchange_strong(number, opened, platform::relaxed, platform::relaxed))
            number = opened;
        else
            close(opened);
    }
    struct stat opened, null;
    const bool same = fstat(number, &opened) == 0 && S_ISCHR(opened.st_mode) &&
                      stat("/dev/null", &null) == 0 && opened.st_rdev == null.st_rdev;
    return same ? number : -1;
}

/// False only when another process has the lock.
bool lock(int number, off_t start, off_t length) {
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = start;
    range.l_len = length;
    return fcntl(number, F_OFD_SETLK, &range) == 0 || errno != EAGAIN;
}

constinit platform::Atomic<uint32_t> telling{0};

void tell(int number, int cpu) {
    if (telling.exchange(1, platform::relaxed) != 0 || !lock(number, told + getppid(), 1))
        return; // this process or a sibling has told
    char buffer[200];
    config::Text line(buffer, sizeof buffer);
    line << "threads of this process and of another one are bound to CPU " << cpu
         << ": the launcher has started several here; let it bind each to CPUs of its own";
    platform::warn(line.c_str());
}

} // namespace

void claim(int place, const CpuSet& cpus) {
    if (config::settings().local.size < 2 || cpus.count() > most_cpus)
        return;
    const uint64_t bit = uint64_t{1} << (place % 64);
    if ((claimed[place / 64].fetch_or(bit, platform::relaxed) & bit) != 0)
        return;
    const int number = claims_file();
    if (number < 0)
        return;
    for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1))
        if (!lock(number, origin + cpu, 1))
            return tell(number, cpu);
}

} // namespace heddle::place
