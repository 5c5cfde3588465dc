// SPDX-License-Identifier: Apache-2.0
// The signal of HEDDLE_HANG_SIGNAL: a line for each worker says what it runs and what it waits for.
// The handler runs on any thread, between any two instructions: it reads lists that only grow and
// relaxed words, formats into its own stack, and writes; no lock, no memory, no loader.
#include "config/load.hpp"
#include "config/text.hpp"
#include "tool/modules.hpp"
#include "tool/watch.hpp"

#include <cerrno>
#include <csignal>
#include <unistd.h>

namespace heddle::tool {

namespace {

using config::Text;

const char* words_of(WaitKind kind) {
    switch (kind) {
#define HEDDLE_WORDS(name, words)                                                                  \
    case WaitKind::name:                                                                           \
        return words;
        HEDDLE_WAITS(HEDDLE_WORDS)
#undef HEDDLE_WORDS
    case WaitKind::none:
        break;
    }
    return "nothing";
}

void put_hex(Text& out, uint64_t value) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
    out << "0x" << std::string_view(digits, static_cast<size_t>(end - digits));
}

/// `file+0x12`, as addr2line takes it, or the address where no file is known.
void put_address(Text& out, uint64_t address) {
    const Module* module = find_module(address);
    if (!module)
        return put_hex(out, address);
    const char* name = module->path;
    for (const char* c = module->path; *c; ++c)
        if (*c == '/')
            name = c + 1;
    out << name << "+";
    put_hex(out, address - module->base);
}

/// Whole lines: what does not fit is cut.
void write_line(Text& out) {
    out << "\n";
    const std::string_view text = out.view();
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) { /* nobody can be told */
    }
    out.cut(0);
}

void put_worker(Text& out, const Watch& watch, uint64_t now) {
    const Activity& activity = watch.activity;
    const int32_t thread = activity.thread_id.load(platform::relaxed);
    const uint64_t region = activity.region.load(platform::relaxed);
    const uint64_t task = activity.task.load(platform::relaxed);
    const WaitKind wait = activity.wait.load(platform::relaxed);
    const uint64_t object = activity.object.load(platform::relaxed);
    const uint64_t began = activity.wait_began.load(platform::relaxed);
    out << "heddle:   worker " << watch.number << " (thread " << thread << ")";
    if (region == 0 && wait == WaitKind::none) {
        out << " is in no parallel region";
        return;
    }
    if (region != 0) {
        out << ", " << activity.number.load(platform::relaxed) << " of "
            << activity.team_size.load(platform::relaxed) << ", in region ";
        put_address(out, region);
    }
    if (task != 0) {
        out << ", task ";
        put_address(out, task);
    }
    if (wait == WaitKind::none) {
        out << ", runs";
        return;
    }
    out << ", waits for " << words_of(wait);
    if (object != 0) {
        out << " ";
        put_address(out, object);
    }
    out << " since " << (now > began ? (now - began) / 1000000 : 0) << " ms";
}

void report(int) {
    const int saved = errno;
    char buffer[1200];
    Text out(buffer, sizeof buffer - 1);
    const uint64_t now = platform::now_ns();
    out << "heddle: process " << getpid() << ", what its threads do:";
    write_line(out);
    for (const Watch* watch = all_watches(); watch; watch = watch->older) {
        if (watch->activity.thread_id.load(platform::relaxed) == 0)
            continue;
        put_worker(out, *watch, now);
        write_line(out);
    }
    errno = saved;
}

} // namespace

void prepare_tools() {
    const int number = config::settings().heddle.hang_signal;
    if (number == 0)
        return;
    struct sigaction before{};
    if (sigaction(number, nullptr, &before) != 0)
        return;
    if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) {
        platform::warn("HEDDLE_HANG_SIGNAL: the program handles that signal itself; there will be "
                       "no report");
        return;
    }
    struct sigaction action{};
    action.sa_handler = report;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
}

} // namespace heddle::tool
