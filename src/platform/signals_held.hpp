// SPDX-License-Identifier: Apache-2.0
// Writing what the program has not asked for must not end it: a reader that has gone, and the
// limit on the size of files, are errors for the thread that writes, not signals.
// Called by whoever prints of its own accord, on any thread; not by a signal handler.
#pragma once

#include <cerrno>
#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace heddle::platform {

/// While it lives SIGPIPE and SIGXFSZ are held back from the calling thread; those that came
/// meanwhile are forgotten.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t pending;
        sigpending(&pending);
        sigemptyset(&ours_);
        for (int signal : {SIGPIPE, SIGXFSZ})
            if (!sigismember(&pending, signal))
                sigaddset(&ours_, signal);
        pthread_sigmask(SIG_BLOCK, &ours_, &before_);
    }
    ~SignalsHeld() {
        const int saved = errno; // what the runtime tries must be invisible to the program
        const timespec at_once{};
        while (sigtimedwait(&ours_, nullptr, &at_once) >= 0 || errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = saved;
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
    sigset_t ours_, before_;
};

} // namespace heddle::platform
