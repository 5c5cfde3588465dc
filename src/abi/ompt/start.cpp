// SPDX-License-Identifier: Apache-2.0
// Finding a tool, starting and ending it (OpenMP 5.2 sections 19.2 and 4.5): the program's own
// ompt_start_tool or that of a library beside it, else those of OMP_TOOL_LIBRARIES, in this order.
// Started by the first thread that attaches, while others that attach wait; ended at exit, or by
// the tool. In a program with more rights than its user only OMP_TOOL is looked at.
#include "abi/ompt/interface.hpp"
#include "concurrent/futex_lock.hpp"
#include "config/control_variables.hpp"
#include "config/scanner.hpp"
#include "team/fork_join.hpp"
#include "team/pool.hpp"
#include "team/tool_events.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/auxv.h>

using namespace heddle;

/// What ompt_start_tool() is where no tool has replaced it.
extern "C" __attribute__((visibility("hidden"))) ompt_start_tool_result_t*
heddle_own_start_tool(unsigned version, const char* runtime) {
    using Start = ompt_start_tool_result_t* (*)(unsigned, const char*);
    const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "ompt_start_tool"));
    return next ? next(version, runtime) : nullptr;
}

namespace {

using StartTool = ompt_start_tool_result_t* (*)(unsigned, const char*);

constexpr unsigned openmp_version = 202011; ///< as the compilers' _OPENMP says
constexpr char runtime_version[] = "Heddle " HEDDLE_VERSION;

/// Where OMP_TOOL_VERBOSE_INIT wants the search told: nowhere, or to a file.
class Log {
public:
    explicit Log(const char* target) {
        const std::string_view word = config::trimmed(target ? target : "");
        if (word.empty() || config::same_word(word, "disabled"))
            return;
        file_ = config::same_word(word, "stdout")   ? stdout
                : config::same_word(word, "stderr") ? stderr
                                                    : fopen(target, "w");
        if (!file_) {
            char line[400];
            snprintf(line, sizeof line, "OMP_TOOL_VERBOSE_INIT=%s cannot be written: %s", target,
                     strerror(errno));
            platform::warn(line);
        }
    }
    ~Log() {
        if (file_ && file_ != stdout && file_ != stderr)
            fclose(file_);
        else if (file_)
            fflush(file_);
    }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) {
        if (!file_)
            return;
        va_list arguments;
        va_start(arguments, format);
        vfprintf(file_, format, arguments);
        va_end(arguments);
    }

private:
    FILE* file_ = nullptr;
};

ompt_start_tool_result_t* tool_result = nullptr; ///< of the active tool

/// Under the lock; who holds it may come back here, from the tool.
concurrent::FutexLock start_lock;
platform::Atomic<uint32_t> started{0};
platform::Atomic<int32_t> starter{0}; ///< kernel's number of the thread that starts it

/// The tool's initializer answers whether it wants to be active.
bool initialize(ompt_start_tool_result_t* result) {
    if (!result || !result->initialize ||
        result->initialize(abi::ompt::lookup, 0, &result->tool_data) == 0) {
        tool::forget_callbacks();
        return false;
    }
    tool_result = result;
    return true;
}

/// One library of the list: its tool, or nullptr.
ompt_start_tool_result_t* try_library(Log& log, const char* path) {
    log.say("Opening %s... ", path);
    void* const library = dlopen(path, RTLD_LAZY);
    if (!library) {
        log.say("Failed: %s\n", dlerror());
        return nullptr;
    }
    log.say("Success. \nSearching for ompt_start_tool in %s... ", path);
    const auto start = reinterpret_cast<StartTool>(dlsym(library, "ompt_start_tool"));
    if (!start) {
        log.say("Failed: %s\n", dlerror());
        dlclose(library);
        return nullptr;
    }
    ompt_start_tool_result_t* const result = start(openmp_version, runtime_version);
    if (!result) {
        log.say("Found but not using the OMPT interface.\nContinuing search...\n");
        dlclose(library);
        return nullptr;
    }
    log.say("Success.\n");
    return result;
}

ompt_start_tool_result_t* try_libraries(Log& log, const char* list) {
    if (!list || !*list) {
        log.say("No OMP_TOOL_LIBRARIES defined.\n");
        log.say("...searching tool libraries failed.\n");
        return nullptr;
    }
    log.say("Searching tool libraries...\nOMP_TOOL_LIBRARIES = %s\n", list);
    char* const copy = strdup(list);
    char* rest = nullptr;
    ompt_start_tool_result_t* result = nullptr;
    for (char* path = copy ? strtok_r(copy, ":", &rest) : nullptr; path && !result;
         path = strtok_r(nullptr, ":", &rest))
        result = try_library(log, path);
    free(copy);
    if (!result)
        log.say("...searching tool libraries failed.\n");
    return result;
}

/// The program's ompt_start_tool, or nullptr. Asked before the lock is taken: the loader may make
/// us wait for a thread that it calls back, which may want the lock.
void* find_start_tool() {
    void* found;
    const auto* const ours = reinterpret_cast<const void*>(heddle_own_start_tool);
    if (!platform::find_function("ompt_start_tool", "", ours, found))
        found = dlsym(RTLD_DEFAULT, "ompt_start_tool"); // perhaps ours, which asks behind us
    return found;
}

/// The first tool that wants to be active, or nullptr; `found` by find_start_tool().
ompt_start_tool_result_t* search(void* found) {
    const bool is_privileged = getauxval(AT_SECURE) != 0;
    Log log(is_privileged ? nullptr : getenv("OMP_TOOL_VERBOSE_INIT"));
    log.say("----- START LOGGING OF TOOL REGISTRATION -----\n");
    log.say("Search for OMP tool in current address space... ");
    const auto start = reinterpret_cast<StartTool>(found);
    ompt_start_tool_result_t* result = start ? start(openmp_version, runtime_version) : nullptr;
    if (result) {
        log.say("Success.\n");
    } else {
        log.say("Failed.\n");
        if (!is_privileged)
            result = try_libraries(log, getenv("OMP_TOOL_LIBRARIES"));
    }
    log.say(result ? "Tool was started and is using the OMPT interface.\n"
                   : "No OMP tool loaded.\n");
    log.say("----- END LOGGING OF TOOL REGISTRATION -----\n");
    return result;
}

/// In tool::start_tool: whoever attaches, until a tool is there or is known not to be.
void start_once() {
    if (HEDDLE_LIKELY(started.load(platform::acquire) != 0)) // pairs with the store below
        return;
    if (starter.load(platform::relaxed) == platform::thread_id())
        return; // the tool calls OpenMP from its initializer
    const int saved = errno;
    void* const found = find_start_tool();
    start_lock.lock({});
    if (started.load(platform::relaxed) == 0) {
        starter.store(platform::thread_id(), platform::relaxed);
        if (!config::settings().tool_disabled && initialize(search(found)))
            tool::active.store(1, platform::relaxed); // `started` releases it with the rest
        starter.store(0, platform::relaxed);
        started.store(1, platform::release);
    }
    start_lock.unlock();
    errno = saved;
}

/// Once: the calling thread's end, then the tool's.
void end_once() {
    static platform::Atomic<uint32_t> ended{0};
    if (!tool::has_tool() || ended.exchange(1, platform::acq_rel) != 0)
        return;
    team::Member* const member = team::self_or_null();
    const bool outside = !member || team::is_outside(*member);
    if (outside)
        team::end_all_threads(member);
    if (member && outside)
        team::tell_thread_end(*member->worker);
    tool::active.store(0, platform::relaxed);
    tool::forget_callbacks();
    team::stop_telling();
    if (tool_result->finalize)
        tool_result->finalize(&tool_result->tool_data);
}

/// In a forked child: who was about to start the tool is no more.
void forget_starter() {
    ::new (&start_lock) concurrent::FutexLock;
    starter.store(0, platform::relaxed);
}

__attribute__((constructor)) void set_up() {
    tool::start_tool = start_once;
    tool::forget_starter = forget_starter;
    tool::end_tool = end_once;
}

/// At exit() and at the return from main.
__attribute__((destructor)) void at_exit() { end_once(); }

} // namespace

namespace heddle::abi::ompt {

void finalize_tool() { end_once(); }

} // namespace heddle::abi::ompt

/// A tool's own definition comes before this one, or behind it in the order of libraries: then it
/// is called. nullptr when no tool is there, or the tool does not want to be active.
HEDDLE_EXPORT __attribute__((weak, alias("heddle_own_start_tool"))) ompt_start_tool_result_t*
ompt_start_tool(unsigned version, const char* runtime);

/// libomptarget offers its device events to the tool: Heddle passes none of them on.
HEDDLE_EXPORT void ompt_libomp_connect(void* /*offer*/) {}
