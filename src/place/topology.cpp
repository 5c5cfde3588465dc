// SPDX-License-Identifier: Apache-2.0
// Takes groups of CPUs off a set until it is empty: each group is what a file says about the lowest
// CPU left. Called by one thread; every file is small and read at once.
// A file that is missing or says nonsense makes a group of its own, as topology.hpp tells.
#include "place/topology.hpp"

#include "config/scanner.hpp"
#include "config/text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::place {

namespace {

using config::CpuSet;
using config::PlaceList;
using config::PlaceUnit;
using config::Scanner;
using config::Text;

/// The text of a file in sysfs; empty when it cannot be read. It is not on the stack: a thread of
/// the pool may read it in its first loop, and a program may have asked for small stacks.
class SysFile {
public:
    explicit SysFile(const char* path) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            return;
        text_ = static_cast<char*>(platform::allocate(capacity, 1));
        ssize_t got;
        while (text_ && length_ < capacity &&
               (got = read(file, text_ + length_, capacity - length_)) != 0) {
            if (got > 0)
                length_ += static_cast<size_t>(got);
            else if (errno != EINTR)
                break;
        }
        close(file);
    }
    ~SysFile() { platform::deallocate(text_); }
    SysFile(const SysFile&) = delete;
    SysFile& operator=(const SysFile&) = delete;
    std::string_view view() const { return {text_, length_}; }

private:
    static constexpr size_t capacity = 16384; // a list of every second of 4096 CPUs fits
    char* text_ = nullptr;
    size_t length_ = 0;
};

/// The numbers of `0-3,8,10-11`, as far as they are CPUs; what is no list ends it.
CpuSet numbers_in(std::string_view text) {
    CpuSet set;
    Scanner scanner(text);
    do {
        uint64_t first, last;
        if (!scanner.number(first))
            break;
        last = first;
        if (scanner.take('-') && !scanner.number(last))
            break;
        for (uint64_t cpu = first; cpu <= last && cpu < CpuSet::capacity; ++cpu)
            set.add(static_cast<int>(cpu));
    } while (scanner.take(','));
    return set;
}

/// A path below `root`, and the file there.
class Path {
public:
    explicit Path(const char* root) { text_ << root << "/sys/devices/system/"; }
    template <class T>
    Path& operator<<(T part) {
        text_ << part;
        return *this;
    }
    SysFile file() const { return SysFile(text_.truncated() ? "" : text_.c_str()); }

private:
    char buffer_[512];
    Text text_{buffer_, sizeof buffer_};
};

/// The CPUs that share `cpu`'s highest cache; none when the system knows of no cache.
CpuSet sharing_last_cache(int cpu, const char* root) {
    CpuSet sharing;
    uint64_t highest = 0;
    for (int index = 0;; ++index) {
        const SysFile level_file =
            (Path(root) << "cpu/cpu" << cpu << "/cache/index" << index << "/level").file();
        uint64_t level;
        if (!Scanner(level_file.view()).number(level))
            return sharing;
        if (level < highest)
            continue;
        highest = level;
        sharing = numbers_in(
            (Path(root) << "cpu/cpu" << cpu << "/cache/index" << index << "/shared_cpu_list")
                .file()
                .view());
    }
}

/// The CPUs that the first of two files in the topology folder of `cpu` lists, which have the same
/// meaning: the second is what kernels before 5.3 call it.
CpuSet siblings(int cpu, const char* root, const char* name, const char* old_name) {
    const CpuSet found =
        numbers_in((Path(root) << "cpu/cpu" << cpu << "/topology/" << name).file().view());
    if (!found.empty())
        return found;
    return numbers_in((Path(root) << "cpu/cpu" << cpu << "/topology/" << old_name).file().view());
}

/// The CPUs of the NUMA domain that `cpu` is in; none when it is in no domain.
CpuSet domain_of(int cpu, const char* root) {
    const CpuSet online = online_nodes(root);
    for (int node = online.next(0); node >= 0; node = online.next(node + 1)) {
        const CpuSet cpus = cpus_of_node(node, root);
        if (cpus.has(cpu))
            return cpus;
    }
    return {};
}

/// The unit of the machine that `cpu` belongs to; none when the system does not tell.
CpuSet unit_of(int cpu, PlaceUnit unit, const char* root) {
    switch (unit) {
    case PlaceUnit::cores:
        return siblings(cpu, root, "core_cpus_list", "thread_siblings_list");
    case PlaceUnit::sockets:
        return siblings(cpu, root, "package_cpus_list", "core_siblings_list");
    case PlaceUnit::ll_caches:
        return sharing_last_cache(cpu, root);
    case PlaceUnit::numa_domains:
        return domain_of(cpu, root);
    default:
        return {};
    }
}

/// Takes the unit of the lowest CPU off `left`, which is not empty.
CpuSet take_unit(CpuSet& left, PlaceUnit unit, const char* root) {
    const int lowest = left.next(0);
    CpuSet taken = unit_of(lowest, unit, root);
    taken.keep(left);
    if (!taken.has(lowest)) {
        const bool alone = unit == PlaceUnit::cores || unit == PlaceUnit::threads;
        taken = alone ? CpuSet() : left;
        taken.add(lowest);
    }
    left.remove(taken);
    return taken;
}

/// The units in which those of `unit` are gathered, so that neighbours stand side by side.
PlaceUnit enclosing(PlaceUnit unit) {
    return unit == PlaceUnit::threads ? PlaceUnit::cores : PlaceUnit::sockets;
}

void collect(PlaceUnit unit, int limit, CpuSet left, const char* root, PlaceList& places) {
    const bool gathered = unit == PlaceUnit::threads || unit == PlaceUnit::cores;
    PlaceList outer;
    if (gathered)
        collect(enclosing(unit), PlaceList::longest, left, root, outer);
    else
        outer.add(left);
    for (int i = 0; i < outer.count(); ++i)
        for (CpuSet inside = outer[i]; !inside.empty();) {
            const CpuSet next = take_unit(inside, unit, root);
            if (places.count() == limit || !places.add(next))
                return;
        }
}

} // namespace

void read_topology(PlaceUnit unit, int limit, const CpuSet& available, const char* root,
                   PlaceList& places) {
    collect(unit, limit, available, root, places);
}

CpuSet online_cpus(const char* root) {
    return numbers_in((Path(root) << "cpu/online").file().view());
}

CpuSet online_nodes(const char* root) {
    return numbers_in((Path(root) << "node/online").file().view());
}

CpuSet cpus_of_node(int node, const char* root) {
    return numbers_in((Path(root) << "node/node" << node << "/cpulist").file().view());
}

} // namespace heddle::place
