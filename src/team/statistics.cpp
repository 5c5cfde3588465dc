// SPDX-License-Identifier: Apache-2.0
// Prints the counters when the process ends: three tables on stderr, or JSON lines into a file.
// Called by the destructor of the library, on the thread that called exit() or returned from main;
// others may still run, and their counters are read as they are. docs/statistics.md.
#include "team/counting.hpp"

#include "config/scanner.hpp"
#include "config/text.hpp"
#include "platform/signals_held.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::team {

namespace {

using config::Text;

enum class Table : uint8_t { tasks, hints, steals, waits };
enum class Total : uint8_t { sum, maximum };

struct Description {
    const char* name;
    Table table;
    std::string_view heading;
    bool is_time;
    Total total;
};

constexpr bool is_ns(std::string_view unit) { return unit == "ns"; }

constexpr Description descriptions[] = {
#define HEDDLE_DESCRIPTION(name, table, heading, unit, total, meaning)                             \
    {#name, Table::table, heading, is_ns(#unit), Total::total},
    HEDDLE_COUNTERS(HEDDLE_DESCRIPTION)
#undef HEDDLE_DESCRIPTION
};
static_assert(sizeof descriptions / sizeof *descriptions == counter_count);

constexpr size_t narrowest_column = 10, label_width = 9;

/// Where write_out() writes, and why it does not any more. One thread prints, once.
int output = STDERR_FILENO, output_error = 0;

/// All of `text`.
void write_out(std::string_view text) {
    while (!text.empty() && output_error == 0) {
        const ssize_t written = write(output, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            output_error = errno;
        if (written > 0)
            text.remove_prefix(static_cast<size_t>(written));
    }
}

/// Milliseconds with three decimals.
void put_ms(Text& out, uint64_t ns) {
    const uint64_t us = (ns + 500) / 1000, part = us % 1000;
    out << us / 1000 << "." << part / 100 << part / 10 % 10 << part % 10;
}

/// `text` at the right of a column of `width` characters, with a blank before it.
void put_right(Text& out, std::string_view text, size_t width) {
    for (size_t blanks = text.size(); blanks < width; ++blanks)
        out << " ";
    out << " " << text;
}

void put_left(Text& out, std::string_view text, size_t width) {
    out << text;
    for (size_t blanks = text.size(); blanks < width; ++blanks)
        out << " ";
}

size_t width_of(const Description& column) {
    return column.heading.size() < narrowest_column ? narrowest_column : column.heading.size();
}

/// The counters of the worker with the lowest number above `number`; nullptr when there is none.
const Statistics* following(int32_t number) {
    const Statistics* best = nullptr;
    for (const Statistics* row = all_statistics(); row; row = row->older)
        if (row->number > number && (!best || row->number < best->number))
            best = row;
    return best;
}

void put_row(Text& out, Table table, std::string_view label, const Statistics& row) {
    put_left(out, label, label_width);
    for (size_t i = 0; i < counter_count; ++i) {
        if (descriptions[i].table != table)
            continue;
        char buffer[32];
        Text cell(buffer, sizeof buffer);
        const uint64_t value = row.get(static_cast<Counter>(i));
        if (descriptions[i].is_time)
            put_ms(cell, value);
        else
            cell << value;
        put_right(out, cell.view(), width_of(descriptions[i]));
    }
    out << "\n";
}

void put_table(Text& out, Table table, std::string_view title, const Statistics& total) {
    put_left(out, title, label_width);
    for (const Description& column : descriptions)
        if (column.table == table)
            put_right(out, column.heading, width_of(column));
    out << "\n";
    for (const Statistics* row = following(-1); row; row = following(row->number)) {
        char buffer[16];
        Text label(buffer, sizeof buffer);
        label << "  " << row->number;
        put_row(out, table, label.view(), *row);
    }
    put_row(out, table, "  all", total);
}

/// How many batches there were of each size, on one line; nothing without any.
void put_batches(Text& out, const Statistics& total) {
    const uint64_t batches = total.get(Counter::steals) + total.get(Counter::leapfrogs);
    if (batches == 0)
        return;
    const uint64_t tenths = total.get(Counter::moved) * 10 / batches;
    out << "batches   mean " << tenths / 10 << "." << tenths % 10 << " tasks; how many of";
    for (int i = 0; i < batch_classes; ++i) {
        const uint64_t number = total.batches[i].load(platform::relaxed);
        if (number == 0)
            continue;
        const int largest = 1 << i;
        out << "  ";
        if (i > 1)
            out << largest / 2 + 1 << "-";
        out << largest << ": " << number;
    }
    out << "\n";
}

void put_tables(Text& out, const Statistics& total, int threads, uint64_t lasted_ns) {
    out << "heddle: process " << getpid() << " used OpenMP for ";
    put_ms(out, lasted_ns);
    out << " ms with " << threads << (threads == 1 ? " thread" : " threads")
        << "; a line for each, times in ms\n";
    put_table(out, Table::tasks, "tasks", total);
    if (total.get(Counter::hinted) != 0)
        put_table(out, Table::hints, "hints", total);
    put_table(out, Table::steals, "thefts", total);
    put_batches(out, total);
    put_table(out, Table::waits, "waits", total);
    out << "deferred = taken back (run by the thread that queued it) + stolen (run by another); "
           "at barriers, in tasks: times without work\n";
}

/// A write for each line: what another process appends to the file meanwhile comes in between.
void put_json(Text& out, int threads, uint64_t lasted_ns) {
    out << "{\"process\":" << getpid() << ",\"threads\":" << threads << ",\"ns\":" << lasted_ns
        << "}\n";
    out.flush();
    for (const Statistics* row = following(-1); row; row = following(row->number)) {
        out << "{\"process\":" << getpid() << ",\"thread\":" << row->number;
        for (size_t i = 0; i < counter_count; ++i)
            out << ",\"" << descriptions[i].name << "\":" << row->get(static_cast<Counter>(i));
        out << ",\"batches\":[";
        for (int i = 0; i < batch_classes; ++i)
            out << (i > 0 ? "," : "") << row->batches[i].load(platform::relaxed);
        out << "]}\n";
        out.flush();
    }
}

void add(Statistics& total, const Statistics& row) {
    for (size_t i = 0; i < counter_count; ++i) {
        const auto counter = static_cast<Counter>(i);
        const uint64_t before = total.get(counter), value = row.get(counter);
        if (descriptions[i].total == Total::sum)
            total.add(counter, value);
        else if (value > before)
            total.add(counter, value - before);
    }
    for (int i = 0; i < batch_classes; ++i)
        total.add_batches(i, row.batches[i].load(platform::relaxed));
}

bool is_zero(const Statistics& statistics) {
    for (size_t i = 0; i < counter_count; ++i)
        if (statistics.get(static_cast<Counter>(i)) != 0)
            return false;
    return true;
}

/// The name that HEDDLE_STATS gives to this process's file.
void make_name(Text& name) {
    const char* pattern = config::settings().heddle.stats_file;
    for (const char* c = pattern; *c != '\0'; ++c) {
        if (*c == '%' && *++c == 'p')
            name << getpid();
        else
            name << std::string_view(c, 1);
    }
}

/// Appends the counters as JSON to the file, which several processes may share. 0, or the error.
int write_file(const char* name, int threads, uint64_t lasted_ns) {
    // A pipe that nobody reads would be waited for.
    const int file = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file < 0)
        return errno;
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    char buffer[4096];
    Text out(buffer, sizeof buffer, write_out);
    output = file;
    put_json(out, threads, lasted_ns);
    out.flush();
    const int error = output_error;
    close(file);
    output = STDERR_FILENO;
    output_error = 0;
    return error;
}

/// False, and one message, when the file cannot be written.
bool has_written_file(int threads, uint64_t lasted_ns) {
    char buffer[1024];
    Text name(buffer, sizeof buffer);
    make_name(name);
    const int error = write_file(name.c_str(), threads, lasted_ns);
    if (error == 0)
        return true;
    char text[1400];
    Text line(text, sizeof text);
    line << "HEDDLE_STATS: cannot write '" << name.view() << "': " << strerror(error)
         << "; using stderr";
    platform::warn(line.c_str());
    return false;
}

__attribute__((destructor)) void at_exit() { print_statistics(); }

} // namespace

/// A child that has not used OpenMP since its fork has nothing to say.
void print_statistics() {
    if (!all_statistics())
        return;
    static Statistics total; // of the thread that prints
    int threads = 0;
    uint64_t began = ~uint64_t{0};
    for (const Statistics* row = following(-1); row; row = following(row->number)) {
        add(total, *row);
        ++threads;
        began = row->began < began ? row->began : began;
    }
    if (is_zero(total))
        return;
    const uint64_t lasted = platform::now_ns() - began;
    const platform::SignalsHeld held;
    if (config::settings().heddle.stats == config::StatsTarget::file &&
        has_written_file(threads, lasted))
        return;
    char buffer[4096];
    Text out(buffer, sizeof buffer, write_out);
    put_tables(out, total, threads, lasted);
    out.flush();
}

} // namespace heddle::team
