// SPDX-License-Identifier: Apache-2.0
// The program heddle-sim: runs one workload on one modelled machine, and prints a JSON object.
// One process is one run, for the runtime's state exists once. The host's environment is not seen
// by the simulated runtime: what it is to see is said on the command line. docs/simulator.md has
// the options and the figures.
#include "config/load.hpp"
#include "config/task_policy.hpp"
#include "engine/engine.hpp"
#include "team/counting.hpp"
#include "workloads/workload.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace heddle::sim {

namespace {

using nlohmann::ordered_json;

/// Before the runtime's constructor looks: no variable of the host's reaches it. An environment
/// that is not there at all would make it look for the one at load.
[[gnu::constructor(101)]] void forget_environment() {
    static char* nothing[] = {nullptr};
    environ = nothing;
}

struct Request {
    std::string workload, machine = "dev2", runtime;
    int threads = 0; ///< 0: a thread for each CPU
    uint64_t seed = 1;
    uint64_t slack_ns = 0, jitter_percent = 0;
    bool as_json = false, profile = false;
    Parameters parameters;
};

constexpr char synopsis[] =
    "usage: heddle-sim list\n"
    "       heddle-sim run WORKLOAD [--machine NAME|FILE] [--threads N] [--seed S]\n"
    "           [--param NAME=VALUE]... [--policy HEDDLE_TASK_POLICY]\n"
    "           [--env NAME=VALUE]... [--slack NS] [--jitter PERCENT]\n"
    "           [--runtime NAME,...] [--profile] [--json]\n";

[[noreturn]] void usage(const std::string& why) {
    fprintf(stderr, "heddle-sim: %s\n%s", why.c_str(), synopsis);
    exit(2);
}

/// The exit status: 1, with a message, where what was printed has not been written.
int delivered(int status) {
    const bool before = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !before)
        return status;
    fprintf(stderr, "heddle-sim: standard output cannot be written\n");
    return 1;
}

int help() {
    fputs(synopsis, stdout);
    return delivered(0);
}

uint64_t number(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
    char* end = nullptr;
    const uint64_t value = strtoull(text.c_str(), &end, 10);
    if (text.empty() || text[0] == '-' || *end != '\0' || value < least || value > most)
        usage(option + " " + text + ": must be " + std::to_string(least) + " to " +
              std::to_string(most));
    return value;
}

void set_policy(const std::string& option, const std::string& value) {
    config::TaskPolicy policy;
    if (!config::parse_task_policy(value, policy))
        usage(option + " " + value + ": must be " + config::task_policy_format);
    setenv("HEDDLE_TASK_POLICY", value.c_str(), 1);
}

void set_variable(const std::string& option, const std::string& entry) {
    const size_t equals = entry.find('=');
    if (equals == entry.npos || equals == 0)
        usage(option + " " + entry + ": not NAME=VALUE");
    setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
}

Request parse(int argc, char** argv) {
    Request request;
    if (argc < 3 || argv[2][0] == '-')
        usage("run: which workload? heddle-sim list tells which there are");
    request.workload = argv[2];
    for (int i = 3; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--json" || option == "--profile") {
            (option == "--json" ? request.as_json : request.profile) = true;
            continue;
        }
        if (i + 1 == argc)
            usage(option + ": unknown, or its value is missing");
        const std::string value = argv[++i];
        if (option == "--machine") {
            request.machine = value;
        } else if (option == "--threads") {
            request.threads = static_cast<int>(number(option, value, 1, 4096));
        } else if (option == "--seed") {
            request.seed = number(option, value, 0, ~uint64_t{0});
        } else if (option == "--slack") {
            request.slack_ns = number(option, value, 0, 1000000);
        } else if (option == "--jitter") {
            request.jitter_percent = number(option, value, 0, 50);
        } else if (option == "--runtime") {
            request.runtime = value;
        } else if (option == "--policy") {
            set_policy(option, value);
        } else if (option == "--env") {
            set_variable(option, value);
        } else if (option == "--param") {
            const size_t equals = value.find('=');
            if (equals == value.npos)
                usage(option + " " + value + ": not NAME=VALUE");
            request.parameters.set(value.substr(0, equals), value.substr(equals + 1));
        } else {
            usage(option + ": unknown option");
        }
    }
    return request;
}

const Workload& find_workload(const std::string& name) {
    for (const Workload& workload : workloads())
        if (name == workload.name)
            return workload;
    usage("no workload is called " + name + "; heddle-sim list tells which there are");
}

int list() {
    printf("machines:\n");
    for (const std::string& name : machine_names())
        printf("  %-16s %s\n", name.c_str(),
               read_machine(file_of_machine(name)).description.c_str());
    printf("workloads, with their parameters:\n");
    for (const Workload& workload : workloads())
        printf("  %-16s %s\n", workload.name, workload.purpose);
    return delivered(0);
}

ordered_json profile() {
    ordered_json lines = ordered_json::array();
    for (const Line* line : engine.lines().most_waited(10)) {
        char address[32];
        snprintf(address, sizeof address, "0x%llx",
                 static_cast<unsigned long long>(line->address) *
                     static_cast<unsigned long long>(engine.machine().line_bytes));
        lines.push_back({{"address", address},
                         {"waited_us", static_cast<double>(line->waited) * 1e-6},
                         {"transfers", line->transfers}});
    }
    return lines;
}

ordered_json report(const Request& request, const Outcome& outcome, double host_seconds,
                    double host_cpu_seconds) {
    const Counts& counts = engine.counts();
    char digest[32];
    snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(engine.digest()));
    ordered_json result = {
        {"machine", engine.machine().name},
        {"workload", request.workload},
        {"threads", request.threads},
        {"seed", request.seed},
        {"virtual_seconds",
         outcome.seconds > 0 ? outcome.seconds : static_cast<double>(engine.now()) * 1e-12},
        {"checked", outcome.checked},
        {"answer", outcome.answer},
        {"steps", counts.steps},
        {"atomic_operations", counts.atomics},
        {"line_transfers", engine.lines().transfers()},
        {"switches", counts.switches},
        {"sleeps", counts.sleeps},
        {"wakes", counts.wakes},
        {"preemptions", counts.preemptions},
        {"skipping_polls", counts.skipped_waits},
        {"digest", digest},
        {"host_seconds", host_seconds},
        {"host_cpu_seconds", host_cpu_seconds},
        {"atomic_operations_per_host_second",
         host_cpu_seconds > 0 ? static_cast<double>(counts.atomics) / host_cpu_seconds : 0.0},
    };
    for (const auto& [name, value] : outcome.figures)
        result[name] = value;
    if (request.profile)
        result["lines_waited_for"] = profile();
    return result;
}

int run(Request request) {
    const Workload& workload = find_workload(request.workload);
    Machine machine = read_machine(file_of_machine(request.machine));
    if (!request.runtime.empty() && !machine.scratch)
        usage("--runtime " + request.runtime + ": " + machine.name + " has caches, and one layout");
    if (!request.runtime.empty() && !machine.scratch->runtime.set(request.runtime))
        usage("--runtime " + request.runtime + ": names a layout that is not known");
    engine.set_up(machine, request.seed, request.slack_ns * nanosecond);
    engine.set_jitter(static_cast<uint32_t>(request.jitter_percent));
    if (request.threads == 0)
        request.threads = engine.machine().cpus();
    setenv("OMP_NUM_THREADS", std::to_string(request.threads).c_str(), 1);
    Outcome outcome;
    const clock_t cpu_began = clock();
    const auto began = std::chrono::steady_clock::now();
    engine.run([&] {
        config::read_cpus_at_load(); // the constructor came before the machine
        outcome = workload.run(request.parameters, request.threads);
    });
    const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - began;
    const double cpu_seconds = static_cast<double>(clock() - cpu_began) / CLOCKS_PER_SEC;
    const ordered_json result = report(request, outcome, lasted.count(), cpu_seconds);
    if (request.as_json)
        printf("%s\n", result.dump().c_str());
    else
        for (const auto& [key, value] : result.items())
            printf("%-34s %s\n", key.c_str(), value.dump().c_str());
    const int status = delivered(outcome.checked ? 0 : 1);
    team::print_statistics();
    // The simulated threads are still there, in the middle of something.
    _exit(status);
}

int main(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    const auto asks_for_help = [](std::string_view word) {
        return word == "--help" || word == "-h";
    };
    if (std::any_of(argv + 1, argv + std::max(argc, 1), asks_for_help))
        return help();
    try {
        if (command == "list")
            return list();
        if (command == "run")
            return run(parse(argc, argv));
    } catch (const std::exception& error) {
        fprintf(stderr, "heddle-sim: %s\n", error.what());
        fflush(stdout);
        _exit(2);
    }
    usage(command.empty() ? "what to do?" : "no command is called " + command);
}

} // namespace

} // namespace heddle::sim

int main(int argc, char** argv) { return heddle::sim::main(argc, argv); }
