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
#include <cstring>
#include <pthread.h>

namespace heddle::platform {

namespace {

/// For the handler: more than any signal frame so far, with the room a handler of the program needs
/// that asks for an alternate stack (SA_ONSTACK) and finds this one. Untouched it is no memory.
constexpr size_t signal_stack_bytes = 64 * 1024;

/// Of a thread, on its stack.
struct Zone {
    uintptr_t guard;   ///< first address of the guard
    uintptr_t stack;   ///< behind its last one: the lowest of the stack
    size_t stack_size; ///< in bytes, without what is kept for the line
};

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t zone_of_thread; // glibc's first keys are an array in the thread: safe in a handler
Atomic<size_t> decided{0};    // relaxed: a thread with a zone was made after it was written

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

void on_fault(int, siginfo_t* info, void*) {
    const int saved = errno;
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const bool is_fault = info->si_code > 0; // and not somebody's kill()
    const auto* zone = static_cast<const Zone*>(pthread_getspecific(zone_of_thread));
    const size_t overrun = zone && address >= zone->guard && address < zone->stack
                               ? zone->stack_size
                               : size_of_stack_above(address);
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
        now.sa_handler != SIG_DFL || pthread_key_create(&zone_of_thread, nullptr) != 0)
        return;
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (sigaction(SIGSEGV, &action, nullptr) == 0)
        decided.store(signal_stack_bytes, relaxed);
}

/// The calling thread's guard and stack; false when the system does not tell.
bool find_zone(Zone& zone, size_t room) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return false;
    void* low = nullptr;
    size_t guard = 0;
    const bool found = pthread_attr_getstack(&attributes, &low, &zone.stack_size) == 0 &&
                       pthread_attr_getguardsize(&attributes, &guard) == 0;
    pthread_attr_destroy(&attributes);
    zone.stack_size -= room;
    zone.stack = reinterpret_cast<uintptr_t>(low);
    zone.guard = zone.stack - guard;
    return found;
}

} // namespace

size_t room_to_tell_overflow() {
    pthread_once(&once, decide);
    return decided.load(relaxed);
}

size_t room_kept_on_this_stack() {
    const size_t room = decided.load(relaxed);
    return room && pthread_getspecific(zone_of_thread) ? room : 0;
}

void call_and_tell_overflow(void (*entry)(void*), void* argument, size_t room) {
    Zone zone{};
    stack_t ours{}, theirs{};
    ours.ss_sp = __builtin_alloca(room);
    ours.ss_size = room;
    const bool told = find_zone(zone, room) && pthread_setspecific(zone_of_thread, &zone) == 0 &&
                      sigaltstack(&ours, nullptr) == 0;
    entry(argument);
    pthread_setspecific(zone_of_thread, nullptr);
    // The memory goes with this frame. The program may have given the thread another stack.
    if (told && sigaltstack(nullptr, &theirs) == 0 && theirs.ss_sp == ours.ss_sp) {
        ours.ss_flags = SS_DISABLE;
        sigaltstack(&ours, nullptr);
    }
}

} // namespace heddle::platform
