// SPDX-License-Identifier: Apache-2.0
// Expands affinity formats in two passes where a width asks for it: count, then write.
// `format_lock` guards the variable, which is the environment's text until a program sets another.
#include "construct/affinity_format.hpp"

#include "concurrent/futex_lock.hpp"
#include "config/affinity_specifier.hpp"
#include "team/placement.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <sched.h>
#include <unistd.h>

namespace heddle::construct {

namespace {

using Specifier = config::AffinitySpecifier;

platform::Atomic<uint32_t> shows_on_output{0}; ///< relaxed: it publishes nothing

/// Keeps what fits and counts the rest.
class Output {
public:
    Output(char* buffer, size_t room) : buffer_(buffer), room_(room) {}

    void put(std::string_view text) {
        for (char c : text)
            put(c);
    }
    void put(char c) {
        if (length_ < room_)
            buffer_[length_] = c;
        ++length_;
    }
    void put(int64_t number) {
        char digits[24]; // the longest 64-bit number has 20 characters
        const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        put(std::string_view(digits, static_cast<size_t>(end - digits)));
    }
    void repeat(char c, size_t count) {
        const size_t written = length_ < room_ ? room_ - length_ : 0;
        for (size_t i = 0; i < count && i < written; ++i)
            buffer_[length_ + i] = c;
        length_ += count;
    }
    size_t length() const { return length_; }

private:
    char* buffer_;
    size_t room_;
    size_t length_ = 0;
};

/// The CPUs of the mask as a list of numbers and ranges, `0-3,8`.
void put_cpus(Output& out, const AffinityFields& fields) {
    const size_t count = fields.cpu_words * 64;
    const auto in_mask = [&](size_t cpu) {
        return cpu < count && (fields.cpus[cpu / 64] >> cpu % 64 & 1) != 0;
    };
    bool first = true;
    for (size_t cpu = 0; cpu < count; ++cpu) {
        if (!in_mask(cpu))
            continue;
        if (!first)
            out.put(',');
        first = false;
        const size_t begin = cpu;
        while (in_mask(cpu + 1))
            ++cpu;
        out.put(static_cast<int64_t>(begin));
        if (cpu > begin) {
            out.put('-');
            out.put(static_cast<int64_t>(cpu));
        }
    }
}

/// The value of a numeric field; nullptr when `field` isn't one.
const int64_t* number_of(char field, const AffinityFields& fields) {
    switch (field) {
    case 't':
        return &fields.team_num;
    case 'T':
        return &fields.num_teams;
    case 'L':
        return &fields.nesting_level;
    case 'n':
        return &fields.thread_num;
    case 'N':
        return &fields.num_threads;
    case 'a':
        return &fields.ancestor_tnum;
    case 'P':
        return &fields.process_id;
    case 'i':
        return &fields.native_thread_id;
    default:
        return nullptr;
    }
}

void put_value(Output& out, char field, const AffinityFields& fields) {
    if (const int64_t* number = number_of(field, fields))
        out.put(*number);
    else if (field == 'H')
        out.put(fields.host);
    else if (field == 'A')
        put_cpus(out, fields);
    else
        out.put("undefined");
}

void put_field(Output& out, const Specifier& spec, const AffinityFields& fields) {
    Output counter(nullptr, 0);
    put_value(counter, spec.field, fields);
    const size_t fill = spec.width > counter.length() ? spec.width - counter.length() : 0;
    const int64_t* number = spec.zeros ? number_of(spec.field, fields) : nullptr;
    if (number) {
        if (*number < 0)
            out.put('-'); // the sign comes before the zeros; no field is INT64_MIN
        out.repeat('0', fill);
        out.put(*number < 0 ? -*number : *number);
        return;
    }
    if (spec.right)
        out.repeat(' ', fill);
    put_value(out, spec.field, fields);
    if (!spec.right)
        out.repeat(' ', fill);
}

/// A text that a program has set; its characters follow.
struct Format {
    size_t length;

    char* text() { return reinterpret_cast<char*>(this + 1); }
};

concurrent::FutexLock format_lock;
Format* format_set = nullptr; // under format_lock; nullptr: the environment's

/// affinity-format-var; valid as long as the lock is held.
std::string_view current_format() {
    return format_set ? std::string_view(format_set->text(), format_set->length)
                      : std::string_view(config::settings().affinity_format);
}

/// Thread number of the parent region's thread, -1 outside of any.
int64_t ancestor_of(const team::Member& member) {
    return member.team->level > 0 ? member.team->parent->number : -1;
}

} // namespace

size_t expand_affinity(std::string_view format, const AffinityFields& fields, char* buffer,
                       size_t room) {
    Output out(buffer, room);
    for (size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out.put(format[i]);
            continue;
        }
        const std::string_view rest(format.data() + i + 1, format.size() - i - 1);
        if (!rest.empty() && rest[0] == '%') {
            out.put('%');
            ++i;
            continue;
        }
        const Specifier spec = config::parse_affinity_specifier(rest);
        if (spec.length == 0)
            out.put('%');
        else
            put_field(out, spec, fields);
        i += spec.length;
    }
    return out.length();
}

size_t capture_affinity(std::string_view format, char* buffer, size_t room) {
    const team::Member& member = team::self();
    constexpr size_t words = 128; // 8192 CPUs, the largest number a Linux kernel is built for
    uint64_t cpus[words] = {};
    char host[256] = "";
    if (gethostname(host, sizeof host) != 0)
        strcpy(host, "unknown");
    host[sizeof host - 1] = '\0';
    if (sched_getaffinity(0, sizeof cpus, reinterpret_cast<cpu_set_t*>(cpus)) != 0)
        memset(cpus, 0, sizeof cpus);
    const AffinityFields fields{.team_num = team::initial_team(member).league.number,
                                .num_teams = team::initial_team(member).league.size,
                                .nesting_level = member.team->level,
                                .thread_num = member.number,
                                .num_threads = member.team->size,
                                .ancestor_tnum = ancestor_of(member),
                                .process_id = getpid(),
                                .native_thread_id = platform::thread_id(),
                                .host = host,
                                .cpus = cpus,
                                .cpu_words = words};
    if (!format.empty())
        return expand_affinity(format, fields, buffer, room);
    const concurrent::LockGuard guard(format_lock);
    return expand_affinity(current_format(), fields, buffer, room);
}

void display_on_output() { shows_on_output.store(1, platform::relaxed); }

void display_affinity(std::string_view format) {
    char short_line[512];
    char* line = short_line;
    size_t room = sizeof short_line;
    char* long_line = nullptr;
    size_t length = capture_affinity(format, line, room);
    if (length + 1 > room) {
        room = length + 1;
        long_line = static_cast<char*>(platform::allocate(room, 1));
        if (long_line) {
            line = long_line;
            length = capture_affinity(format, line, room); // the variable may have changed
        }
    }
    length = length < room ? length : room - 1;
    line[length++] = '\n';
    if (shows_on_output.load(platform::relaxed) != 0) {
        fwrite(line, 1, length, stdout); // in order with what the program writes there
        length = 0;
    }
    for (size_t written = 0; written < length;) {
        const ssize_t now = write(STDERR_FILENO, line + written, length - written);
        if (now <= 0)
            break; // nobody can be told
        written += static_cast<size_t>(now);
    }
    platform::deallocate(long_line);
}

void set_affinity_format(std::string_view format) {
    void* memory = platform::allocate(sizeof(Format) + format.size(), alignof(Format));
    if (!memory)
        platform::die("no memory for the affinity format");
    auto* copy = ::new (memory) Format{format.size()};
    if (!format.empty())
        memcpy(copy->text(), format.data(), format.size());
    Format* old;
    {
        const concurrent::LockGuard guard(format_lock);
        old = format_set;
        format_set = copy;
        team::display_names_threads.store(config::names_threads(format), platform::relaxed);
    }
    platform::deallocate(old);
}

size_t get_affinity_format(char* buffer, size_t room) {
    const concurrent::LockGuard guard(format_lock);
    const std::string_view format = current_format();
    if (room)
        memcpy(buffer, format.data(), format.size() < room ? format.size() : room);
    return format.size();
}

void remake_affinity_format_lock() { ::new (&format_lock) concurrent::FutexLock; }

} // namespace heddle::construct
