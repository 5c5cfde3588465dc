// SPDX-License-Identifier: Apache-2.0
// A program's tasks as sim/record/recorder.cpp has written them down, executed again: each task
// computes as long as it did, creates its children and waits for them where it did.
// All simulated threads are one of the host's, so what checks the order is plain data.
#include "workloads/workload.hpp"

#include "engine/engine.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace heddle::sim {

namespace {

enum class Kind : uint8_t { task, end, taskwait, group, end_group, barrier };

/// A construct, and what its task computes before it.
struct Step {
    uint64_t ns;
    Kind kind;
    size_t match; ///< of what opens: where it closes
};

struct Graph {
    std::vector<Step> steps; ///< the last one ends the implicit task
    size_t tasks = 0;
    double percent = 100; ///< of the recorded time that each piece takes
    std::vector<bool> ended;
};

Graph graph;
bool in_order;

/// Of tasks and taskgroups in each other: execute() and span_from() call themselves for each.
constexpr size_t most_nested = 10'000;

Kind kind_of(char letter) {
    constexpr char letters[] = "()w[]b";
    const char* const found = std::char_traits<char>::find(letters, sizeof letters - 1, letter);
    if (!found)
        throw std::runtime_error(std::string("'") + letter + "' is no construct");
    return static_cast<Kind>(found - letters);
}

bool opens(Kind kind) { return kind == Kind::task || kind == Kind::group; }

/// Where the innermost thing that is open closes. Throws what is wrong.
void close(std::vector<size_t>& open, size_t at) {
    if (open.empty())
        throw std::runtime_error("a taskgroup ends that has not begun");
    const bool ends_group = graph.steps[at].kind == Kind::end_group;
    if (ends_group != (graph.steps[open.back()].kind == Kind::group))
        throw std::runtime_error("a task and a taskgroup cross");
    graph.steps[open.back()].match = at;
    open.pop_back();
}

void parse(std::istream& in) {
    std::string line;
    if (!std::getline(in, line) || line != "heddle-graph 1")
        throw std::runtime_error("its first line is not 'heddle-graph 1'");
    std::vector<size_t> open; // steps that are not closed yet; the implicit task is not among them
    uint64_t ns = 0;
    bool complete = false;
    while (std::getline(in, line)) {
        if (!line.empty() && line[0] == '#')
            continue;
        for (const char letter : line) {
            if (complete)
                throw std::runtime_error("something follows the end of the implicit task");
            if (letter >= '0' && letter <= '9') {
                ns = 10 * ns + static_cast<uint64_t>(letter - '0');
                if (ns > 1'000'000'000'000)
                    throw std::runtime_error("a piece of more than 1000 s");
                continue;
            }
            const size_t at = graph.steps.size();
            const Kind kind = kind_of(letter);
            graph.steps.push_back({ns, kind, 0});
            ns = 0;
            graph.tasks += kind == Kind::task;
            complete = kind == Kind::end && open.empty();
            if (kind == Kind::barrier && !open.empty())
                throw std::runtime_error("a barrier inside a task or taskgroup");
            if (opens(kind) && open.size() == most_nested)
                throw std::runtime_error("more than " + std::to_string(most_nested) +
                                         " tasks and taskgroups in each other");
            if (opens(kind))
                open.push_back(at);
            else if (!complete && (kind == Kind::end || kind == Kind::end_group))
                close(open, at);
        }
    }
    if (!complete)
        throw std::runtime_error("it ends inside a task");
}

std::string file_of_graph(const std::string& name) {
    return name.find_first_of("/.") == name.npos
               ? std::string(HEDDLE_SIM_GRAPHS) + "/" + name + ".graph"
               : name;
}

void read(const Parameters& parameters, const std::string& name) {
    std::ifstream in(file_of_graph(name));
    try {
        if (!in)
            throw std::runtime_error("no such graph, or it cannot be read");
        parse(in);
    } catch (const std::runtime_error& error) {
        parameters.reject("file", error.what());
    }
    graph.ended.resize(graph.steps.size());
}

void compute(uint64_t ns) {
    if (ns != 0)
        charge_cycles(static_cast<uint64_t>(static_cast<double>(ns) * engine.machine().clock_ghz *
                                            graph.percent / 100));
}

/// Have all tasks from that step on, up to the other, ended?
bool all_ended(size_t from, size_t to) {
    for (size_t at = from; at < to; ++at)
        if (graph.steps[at].kind == Kind::task && !graph.ended[at])
            return false;
    return true;
}

size_t execute(size_t at);

void execute_task(size_t task) {
    execute(task + 1);
    graph.ended[task] = true;
}

/// The children of one task that it has created since its last wait.
struct Children {
    std::vector<size_t> created;
    void wait() {
        for (const size_t child : created)
            in_order = in_order && graph.ended[child];
        created.clear();
    }
};

/// From there to the end of the task, of the taskgroup, or a barrier; returns what follows it.
size_t execute(size_t at) {
    Children children;
    for (;;) {
        const Step& step = graph.steps[at];
        compute(step.ns);
        switch (step.kind) {
        case Kind::task:
            children.created.push_back(at);
#pragma omp task firstprivate(at)
            execute_task(at);
            at = step.match + 1;
            break;
        case Kind::group: {
            const size_t begin = at;
#pragma omp taskgroup
            at = execute(begin + 1);
            in_order = in_order && all_ended(begin, at);
            break;
        }
        case Kind::taskwait: {
#pragma omp taskwait
            children.wait();
            ++at;
            break;
        }
        case Kind::end:
        case Kind::end_group:
        case Kind::barrier:
            return at + 1;
        }
    }
}

/// Nanoseconds with a thread for each task: until one ends, and until all that comes of it has.
struct Span {
    uint64_t own = 0, all = 0;
    size_t next = 0; ///< the step that follows it
};

Span span_from(size_t at) {
    Span span;
    uint64_t children = 0; // until those end that it may wait for
    for (;;) {
        const Step& step = graph.steps[at];
        span.own += step.ns;
        switch (step.kind) {
        case Kind::task: {
            const Span child = span_from(at + 1);
            children = std::max(children, span.own + child.own);
            span.all = std::max(span.all, span.own + child.all);
            at = child.next;
            break;
        }
        case Kind::group: {
            const Span group = span_from(at + 1);
            span.own += group.all;
            at = group.next;
            break;
        }
        case Kind::taskwait:
            span.own = std::max(span.own, children);
            ++at;
            break;
        case Kind::end:
        case Kind::end_group:
        case Kind::barrier:
            span.all = std::max(span.all, span.own);
            span.next = at + 1;
            return span;
        }
    }
}

Outcome run(Parameters& parameters, int) {
    const std::string name = parameters.text("file", "sort");
    graph.percent = parameters.real("percent", 100, 0, 1e6);
    parameters.refuse_unknown();
    read(parameters, name);
    start_team();
    in_order = true;
    Outcome outcome;
    outcome.seconds = timed([] {
#pragma omp parallel
#pragma omp single
        for (size_t at = 0; at < graph.steps.size();) {
#pragma omp taskgroup
            at = execute(at);
        }
    });
    uint64_t work = 0, span = 0;
    for (const Step& step : graph.steps)
        work += step.ns;
    for (size_t at = 0; at < graph.steps.size();) {
        const Span part = span_from(at);
        span += part.all;
        at = part.next;
    }
    const double seconds = 1e-9 * graph.percent / 100 * static_cast<double>(work);
    outcome.checked = in_order && all_ended(0, graph.steps.size());
    outcome.answer = std::to_string(graph.tasks);
    outcome.figures["tasks"] = static_cast<double>(graph.tasks);
    outcome.figures["work_seconds"] = seconds;
    outcome.figures["parallelism"] =
        span == 0 ? 1 : static_cast<double>(work) / static_cast<double>(span);
    outcome.figures["times_serial"] = outcome.seconds > 0 ? seconds / outcome.seconds : 0;
    return outcome;
}

const Registration registration{
    "graph", "a program's recorded tasks: file (a name or a path), percent (of its times)", run};

} // namespace

} // namespace heddle::sim
