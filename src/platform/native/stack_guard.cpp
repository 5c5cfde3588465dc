// SPDX-License-Identifier: Apache-2.0
// Prints the line in a handler of SIGSEGV, on an alternate stack that lies at the base of the
// thread's own. Whatever the fault is, the handler then leaves the default action in place and
// returns: the fault repeats, and core file and exit status are those of a process without it.
// A handler that the program installs later takes its place; one that it has installed before
// stays. `decided` is written once, before the first thread of spawn(); others read 0 or that.
#include "platform/native/stack_guard.hpp"

#include "platform/contract.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <pthread.h>

namespace heddle::platform {

namespace {

/// For the handler: more than any signal frame so far, with the room a handler of the program needs
/// that asks for an alternate stack (SA_ONSTACK) and finds this one. Untouched it is no memory.
constexpr size_t signal_stack_bytes = 64 * 1024;

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t this_thread; // glibc's first keys are an array in the thread: safe in a handler
Atomic<size_t> decided{0}; // relaxed: a thread with room for the line was made after it was written

/// Formats without stdio, which is not safe in a signal handler.
class Line {
public:
    Line& operator<<(const char* text) {
        while (*text && length_ < sizeof text_ - 1)
            text_[length_++] = *text++;
        return *this;
    }
    Line& operator<<(size_t number) {
        const auto [end, error] = std::to_chars(text_ + length_, text_ + sizeof text_ - 1, number);
        length_ = static_cast<size_t>(end - text_);
        return *this;
    }
    const char* text() {
        text_[length_] = '\0';
        return text_;
    }

private:
    char text_[160];
    size_t length_ = 0;
};

/// Of the thread's stack, in bytes, if the address lies in its guard; 0: it does not.
size_t size_of_own_stack_above(uintptr_t address, const Thread& thread) {
    const auto low = reinterpret_cast<uintptr_t>(thread.stack.low);
    return address < low && low - address <= thread.guard ? thread.stack.size : 0;
}

void on_fault(int, siginfo_t* info, void*) {
    const int saved = errno;
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const bool is_fault = info->si_code > 0; // and not somebody's kill()
    const auto* thread = static_cast<const Thread*>(pthread_getspecific(this_thread));
    size_t overrun = thread ? size_of_own_stack_above(address, *thread) : 0;
    if (overrun == 0)
        overrun = size_of_stack_above(address);
    if (is_fault && overrun != 0) {
        Line line;
        line << "a thread has run over the end of its stack of " << overrun / 1024
             << " KiB; OMP_STACKSIZE asks for larger ones";
        print_line(line.text());
    }
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &action, nullptr);
    if (!is_fault)
        raise(SIGSEGV); // arrives when this handler returns
    errno = saved;
}

void decide() {
    struct sigaction now{};
    if (sigaction(SIGSEGV, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 ||
        now.sa_handler != SIG_DFL || pthread_key_create(&this_thread, nullptr) != 0)
        return;
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaction(SIGSEGV, &action, nullptr) == 0)
        decided.store(signal_stack_bytes, relaxed);
}

} // namespace

size_t room_to_tell_overflow() {
    pthread_once(&once, decide);
    return decided.load(relaxed);
}

void call_and_tell_overflow(const Thread& thread) {
    stack_t ours{}, theirs{};
    ours.ss_sp = __builtin_alloca(thread.room);
    ours.ss_size = thread.room;
    const bool told =
        pthread_setspecific(this_thread, &thread) == 0 && sigaltstack(&ours, nullptr) == 0;
    thread.entry(thread.argument);
    pthread_setspecific(this_thread, nullptr);
    // The memory goes with this frame. The program may have given the thread another stack.
    if (told && sigaltstack(nullptr, &theirs) == 0 && theirs.ss_sp == ours.ss_sp) {
        ours.ss_flags = SS_DISABLE;
        sigaltstack(&ours, nullptr);
    }
}

} // namespace heddle::platform
