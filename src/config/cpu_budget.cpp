// SPDX-License-Identifier: Apache-2.0
// Reads the affinity mask, and the CPU quota from /proc/self/cgroup, /proc/self/mountinfo and the
// control-group file systems; see proc(5), cgroups(7) and the kernel's cgroup-v2 document.
// Called by one thread while the settings are read. Long buffers are static: the thread may have a
// stack of 16 KiB.
#include "config/cpu_budget.hpp"

#include "config/scanner.hpp"
#include "config/text.hpp"
#include "platform.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <fcntl.h>
#include <sched.h>
#include <string_view>
#include <unistd.h>

namespace heddle::config {

namespace {

/// The lines of a file, one at a time. Lines that do not fit the buffer are left out: those that
/// matter here are short, while the options of an overlay mount can fill pages.
class Lines {
public:
    explicit Lines(const char* path) : file_(open(path, O_RDONLY | O_CLOEXEC)) {}
    ~Lines() {
        if (file_ >= 0)
            close(file_);
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    /// Moves to the next line, which is valid until the one after it; false at the end of the file
    /// or when it cannot be read.
    bool next(std::string_view& line) {
        size_t length = 0;
        bool too_long = false;
        char c;
        while (get(c)) {
            if (c != '\n') {
                too_long = length == sizeof line_;
                if (!too_long)
                    line_[length++] = c;
            } else if (too_long) {
                length = 0;
                too_long = false;
            } else {
                line = {line_, length};
                return true;
            }
        }
        line = {line_, length};
        return length > 0 && !too_long;
    }

private:
    bool get(char& c) {
        if (position_ == end_ && !fill())
            return false;
        c = block_[position_++];
        return true;
    }

    bool fill() {
        if (file_ < 0)
            return false;
        ssize_t got;
        do
            got = read(file_, block_, sizeof block_);
        while (got < 0 && errno == EINTR);
        position_ = 0;
        end_ = got > 0 ? static_cast<size_t>(got) : 0;
        return end_ > 0;
    }

    int file_;
    size_t position_ = 0;
    size_t end_ = 0;
    char block_[1024];
    char line_[2048];
};

/// Takes the text up to `separator` off the front of `rest`, and the separator.
std::string_view take_field(std::string_view& rest, char separator) {
    std::string_view field = first(rest, rest.find(separator));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    return field;
}

bool list_has(std::string_view list, std::string_view wanted) {
    while (!list.empty())
        if (take_field(list, ',') == wanted)
            return true;
    return false;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Appends a path of mountinfo, where blanks and backslashes are written as `\` and three octals.
void append_unescaped(Text& out, std::string_view path) {
    for (size_t i = 0; i < path.size(); i++) {
        char c = path[i];
        if (c == '\\' && i + 3 < path.size() && is_octal(path[i + 1]) && is_octal(path[i + 2]) &&
            is_octal(path[i + 3])) {
            c = static_cast<char>((path[i + 1] - '0') * 64 + (path[i + 2] - '0') * 8 +
                                  (path[i + 3] - '0'));
            i += 3;
        }
        out << std::string_view(&c, 1);
    }
}

/// The two generations of control groups: where the files are and what they are called.
enum class Version { v1, v2 };

/// ceil(quota / period) in CPUs; 0 when `quota` is no number ("max", "-1") or there is no period.
int ceil_cpus(std::string_view quota, std::string_view period) {
    uint64_t quota_us, period_us;
    if (!Scanner(quota).number(quota_us) || !Scanner(period).number(period_us) || period_us == 0)
        return 0;
    uint64_t cpus = quota_us / period_us + (quota_us % period_us != 0);
    return static_cast<int>(std::clamp<uint64_t>(cpus, 1, INT_MAX));
}

/// A file of one line in a group's directory, cut to what numbers need; empty when there is none.
class ValueFile {
public:
    ValueFile(Text& directory, std::string_view name) {
        size_t length = directory.view().size();
        directory << "/" << name;
        Lines lines(directory.c_str());
        std::string_view line;
        if (!directory.truncated() && lines.next(line))
            text_ << line;
        directory.cut(length);
    }
    std::string_view view() const { return text_.view(); }

private:
    char buffer_[64];
    Text text_{buffer_, sizeof buffer_};
};

/// The quota of one group in CPUs, 0 when there is none.
int quota_of_group(Version version, Text& directory) {
    if (version == Version::v2) {
        ValueFile file(directory, "cpu.max");
        std::string_view period = file.view();
        std::string_view quota = take_field(period, ' ');
        return ceil_cpus(quota, period);
    }
    return ceil_cpus(ValueFile(directory, "cpu.cfs_quota_us").view(),
                     ValueFile(directory, "cpu.cfs_period_us").view());
}

/// The smaller limit of two, where 0 is none.
int tighter(int a, int b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

/// Finds the process's own group in the hierarchy that has the cpu controller.
bool find_group(Version version, std::string_view root, Text& group) {
    static char buffer[PATH_MAX];
    Text path(buffer, sizeof buffer);
    path << root << "/proc/self/cgroup";
    Lines lines(path.c_str());
    for (std::string_view line; lines.next(line);) { // number:controllers:path
        std::string_view number = take_field(line, ':');
        std::string_view controllers = take_field(line, ':');
        if (version == Version::v2 ? number == "0" && controllers.empty()
                                   : list_has(controllers, "cpu")) {
            group << line;
            return true;
        }
    }
    return false;
}

/// What of the path `group` lies below `mounted`, the part of the hierarchy that a mount shows.
/// False when `group` lies elsewhere, as in a container that has left its own group.
bool below(std::string_view group, std::string_view mounted, std::string_view& rest) {
    if (mounted == "/")
        mounted = {};
    if (!begins(group, mounted) || group.find("/..") != group.npos)
        return false;
    rest = after(group, mounted.size());
    if (rest == "/")
        rest = {};
    return rest.empty() || rest.front() == '/';
}

/// Sets `directory` to the mount point of the hierarchy and returns the path of the process's
/// group below it. Without a mount that shows the group, the top of any mount has to do, which in
/// a container is the container's own group. False when the hierarchy is not mounted.
bool find_mount(Version version, std::string_view root, std::string_view group, Text& directory,
                std::string_view& group_below) {
    static char buffer[PATH_MAX];
    Text path(buffer, sizeof buffer);
    path << root << "/proc/self/mountinfo";
    Lines lines(path.c_str());
    bool found = false;
    // id parent device root mount-point options [tag...] - type source super-options
    for (std::string_view line; lines.next(line);) {
        size_t middle = line.find(" - ");
        if (middle == line.npos)
            continue;
        std::string_view rest = after(line, middle + 3);
        std::string_view type = take_field(rest, ' ');
        take_field(rest, ' ');
        if (version == Version::v2 ? type != "cgroup2" : type != "cgroup" || !list_has(rest, "cpu"))
            continue;
        for (int i = 0; i < 3; i++)
            take_field(line, ' ');
        path.cut(0);
        append_unescaped(path, take_field(line, ' '));
        bool shows_group = below(group, path.view(), group_below);
        if (found && !shows_group)
            continue;
        directory.cut(0);
        directory << root;
        append_unescaped(directory, take_field(line, ' '));
        if (shows_group)
            return true;
        group_below = {};
        found = true;
    }
    return found;
}

/// The tightest quota from the process's group up to the top of the mounted hierarchy.
int quota_in_hierarchy(Version version, std::string_view root) {
    static char group_buffer[PATH_MAX], directory_buffer[PATH_MAX];
    Text group(group_buffer, sizeof group_buffer);
    Text directory(directory_buffer, sizeof directory_buffer);
    std::string_view rest;
    if (!find_group(version, root, group) ||
        !find_mount(version, root, group.view(), directory, rest))
        return 0;
    size_t top = directory.view().size();
    directory << rest;
    for (int quota = 0;;) {
        quota = tighter(quota, quota_of_group(version, directory));
        size_t length = directory.view().size();
        if (length <= top)
            return quota;
        directory.cut(std::max(top, directory.view().rfind('/')));
    }
}

} // namespace

int affinity_cpus() {
    // The kernel refuses a buffer that is smaller than its own mask, whose size it does not tell.
    constexpr size_t largest = 8192; // 65,536 CPUs, eight times what Linux can be built for
    alignas(cpu_set_t) static unsigned char buffers[2][largest];
    cpu_set_t* const mask = reinterpret_cast<cpu_set_t*>(buffers[0]);
    cpu_set_t* const of_main = reinterpret_cast<cpu_set_t*>(buffers[1]);
    for (size_t size = sizeof(cpu_set_t); size <= largest; size *= 2) {
        if (sched_getaffinity(0, size, mask) == 0) {
            // The first call may come from a thread that the program has pinned.
            if (!platform::is_main_thread() && sched_getaffinity(getpid(), size, of_main) == 0)
                CPU_OR_S(size, mask, mask, of_main);
            return CPU_COUNT_S(size, mask);
        }
        if (errno != EINVAL)
            break;
    }
    return 0;
}

int quota_cpus(const char* root) {
    return tighter(quota_in_hierarchy(Version::v2, root), quota_in_hierarchy(Version::v1, root));
}

int available_cpus(int affinity, int quota) {
    int cpus = tighter(affinity, quota);
    if (affinity == 0)
        cpus = tighter(cpus, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
    return std::max(cpus, 1);
}

} // namespace heddle::config
